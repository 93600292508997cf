//! Tests of small talk.

use super::*;
use domain::ids::UserId;
use domain::instant::Instant;
use domain::provider::ProviderSpec;

fn talk(message: &str) -> Option<SmallTalk> {
    SmallMessage::of(message).map(|message| message.talk)
}

#[test]
fn small_talk_is_distinguished_from_questions() {
    for (message, expected) in [
        ("Thank you!", Some(SmallTalk::Thanks)),
        ("thanks, that helps a lot", Some(SmallTalk::Thanks)),
        ("Hello", Some(SmallTalk::Greeting)),
        ("Hi Anna!", Some(SmallTalk::Greeting)),
        ("Guten Morgen", Some(SmallTalk::Greeting)),
        ("Danke schön!", Some(SmallTalk::Thanks)),
        ("How are you?", Some(SmallTalk::Courtesy)),
        ("What can you do?", Some(SmallTalk::Abilities)),
        ("OK", Some(SmallTalk::Agreement)),
        ("Bye.", Some(SmallTalk::Goodbye)),
        ("Which sources do you have?", Some(SmallTalk::Sources)),
        ("list your sources", Some(SmallTalk::Sources)),
        ("Welche Quellen hast du?", Some(SmallTalk::Sources)),
        ("Quelles sources as-tu ?", Some(SmallTalk::Sources)),
        ("Which sources of sediment are there?", None),
        ("sources of the Elbe", None),
        ("hello world program", None),
        ("Hi, when was the dam built?", None),
        ("thanks, and who built it?", None),
        ("Who are you selling the mill to?", None),
        ("", None),
    ] {
        assert_eq!(talk(message), expected, "{message}");
    }
}

#[test]
fn every_reply_has_four_languages() {
    for talk in [
        SmallTalk::Greeting,
        SmallTalk::Thanks,
        SmallTalk::Goodbye,
        SmallTalk::Agreement,
        SmallTalk::Courtesy,
        SmallTalk::Abilities,
    ] {
        for language in
            [ReplyLanguage::English, ReplyLanguage::German, ReplyLanguage::French, ReplyLanguage::Spanish]
        {
            assert!(REPLIES.iter().any(|row| row.0 == talk && row.1 == language), "{talk:?} {language:?}");
            assert!(!SmallMessage { talk, language }.reply(&[]).is_empty());
        }
    }
}

#[test]
fn sources_are_named() {
    let source = |name: String| {
        let spec = ProviderSpec { name, ..ProviderSpec::default() };
        SearchProvider::unsaved(spec, UserId(1), Instant::default())
    };
    let asked = SmallMessage::of("Which sources do you have?").unwrap();
    let reply = asked.reply(&[source("Library".into()), source("Mail\nof all".into())]);
    assert_eq!(reply, "I can search these sources:\n\n- Library\n- Mail of all");
    assert_eq!(asked.reply(&[]), "There are no sources that I may search here.");
    let many: Vec<SearchProvider> = (0..SOURCES_NAMED_MAX + 3).map(|n| source(format!("S{n}"))).collect();
    assert!(asked.reply(&many).ends_with("- 3 more"));
}
