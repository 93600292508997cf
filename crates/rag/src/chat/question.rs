//! The question of a message that no model reads. One that refers to an earlier question keeps its subject.

use crate::query::language_of_query;
use domain::chat::{ChatMessage, Speaker};
use domain::settings::Settings;
use relevancy::Language;
use relevancy::tokens::{lower, tokens};
use std::collections::BTreeSet;

/// Maximum number of words of an earlier question that are searched again.
const SUBJECT_WORDS_MAX: usize = 8;
/// A message with more words of its own does not depend on an earlier one.
const REFERRING_WORDS_MAX: usize = 3;
/// A message with so many words of its own can be answered without an earlier one.
const OWN_SUBJECT_WORDS_MIN: usize = 2;
/// A question such as "Why twice?".
const ELLIPSIS_WORDS_MAX: usize = 2;

/// Words that refer to something said before, in the languages of the pages.
const REFERENCES: &[&str] = &[
    "it", "its", "that", "this", "these", "those", "they", "them", "their", "he", "him", "his", "she", "her",
    "there", "then", "dies", "diese", "dieser", "dieses", "davon", "dazu", "dafür", "daran", "darüber",
    "dabei", "damit", "damals", "dort", "er", "es", "sie", "ihm", "ihn", "ihr", "ihnen", "deren", "dessen",
    "il", "elle", "ils", "elles", "cela", "ça", "ceci", "celui", "celle", "leur", "leurs", "lui",
];
/// Pairs of words that say that something exists, and refer to nothing, in any order.
const EXISTENCE: &[(&str, &str)] = &[
    ("there", "is"),
    ("there", "are"),
    ("there", "was"),
    ("there", "were"),
    ("there", "any"),
    ("es", "gibt"),
    ("es", "gab"),
    ("il", "y"),
];
/// First words of a message that continues a conversation.
const BEGINNINGS: &[&str] =
    &["and", "but", "also", "so", "und", "aber", "auch", "et", "mais", "donc", "alors"];
/// First words of a question.
const QUESTION_WORDS: &[&str] = &[
    "why", "when", "who", "how", "where", "what", "which", "warum", "wieso", "wann", "wer", "wie", "wo",
    "was", "welche", "welcher", "welches", "pourquoi", "quand", "qui", "comment", "où", "que", "quel",
    "quelle",
];
/// Words that say nothing about the subject, separated by spaces.
const GENERIC: &str = "happen happened happens occur occurred mean means meant explain tell say know many much more \
    else exactly detail details example passieren passiert geschah geschehen bedeutet erkläre sagen genau mehr viele \
    beispiel passé arrivé signifie explique expliquer dire plus encore exactement exemple";

/// What to search for, and what an answer needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub query: String,
    /// The message, followed by the subject that it refers to.
    pub asked: String,
    pub message: String,
    /// The message names something of its own.
    pub has_own_subject: bool,
    language: Language,
    /// Stems of the message's own words, of which a sentence needs one; empty if every sentence fits.
    needed: BTreeSet<String>,
}

impl Question {
    /// `before` are the earlier messages of the chat, oldest first.
    pub fn of(settings: &Settings, before: &[ChatMessage], message: &str) -> Self {
        let earlier = before.iter().filter(|one| one.role == Speaker::User);
        let earlier: Vec<&str> = earlier.map(|one| one.body.content.as_str()).collect();
        let whole = earlier.last().map_or_else(|| message.to_owned(), |last| format!("{last}\n{message}"));
        Self::in_language(language_of_query(settings, &whole), &earlier, message)
    }

    fn in_language(language: Language, earlier: &[&str], message: &str) -> Self {
        let subject = if refers_back(language, message) { subject(language, earlier) } else { Vec::new() };
        if subject.is_empty() {
            let message = message.to_owned();
            return Self {
                query: message.clone(),
                asked: message.clone(),
                message,
                has_own_subject: false,
                language,
                needed: BTreeSet::new(),
            };
        }
        let own = own_words(language, message);
        let asked = format!("{} {}", message.trim_end_matches(['?', '!', '.', ' ']), subject.join(" "));
        let has_own_subject = own.len() >= OWN_SUBJECT_WORDS_MIN;
        let needed = own.iter().map(|word| language.stem(word).into_owned()).collect();
        let mut words = subject;
        for word in own {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        Self { query: words.join(" "), asked, message: message.to_owned(), has_own_subject, language, needed }
    }

    /// The lines that say something about what the message itself asks.
    pub fn fitting_lines(&self, text: &str) -> String {
        text.lines().filter(|line| self.fits(line)).collect::<Vec<_>>().join("\n")
    }

    fn fits(&self, line: &str) -> bool {
        let is_needed = |word: &str| self.needed.contains(&*self.language.stem(&lower(word)));
        self.needed.is_empty() || tokens(line).any(|token| is_needed(token.text))
    }
}

/// The words of the newest question that stands for itself.
fn subject(language: Language, earlier: &[&str]) -> Vec<String> {
    let own = earlier.iter().rev().find(|text| !refers_back(language, text));
    let mut words = own.or(earlier.first()).map_or_else(Vec::new, |text| own_words(language, text));
    words.truncate(SUBJECT_WORDS_MAX);
    words
}

/// Whether a message is understood only with an earlier one.
fn refers_back(language: Language, message: &str) -> bool {
    let words: Vec<String> = tokens(message).map(|token| lower(token.text).into_owned()).collect();
    let is_among = |list: &[&str], word: &String| list.contains(&word.as_str());
    let begins_with = |list: &[&str]| words.first().is_some_and(|word| is_among(list, word));
    let refers = begins_with(BEGINNINGS) || has_reference(&words);
    match own_words(language, message).len() {
        0 => true,
        1 if words.len() <= ELLIPSIS_WORDS_MAX && begins_with(QUESTION_WORDS) => true,
        count => refers && count <= REFERRING_WORDS_MAX,
    }
}

fn has_reference(words: &[String]) -> bool {
    let says_existence = |one: &String, other: Option<&String>| {
        other.is_some_and(|other| {
            let (one, other) = (one.as_str(), other.as_str());
            EXISTENCE.contains(&(one, other)) || EXISTENCE.contains(&(other, one))
        })
    };
    words.iter().enumerate().any(|(place, word)| {
        let before = place.checked_sub(1).and_then(|place| words.get(place));
        REFERENCES.contains(&word.as_str())
            && !says_existence(word, before)
            && !says_existence(word, words.get(place + 1))
    })
}

/// The words that name a subject, in lower case and once each.
fn own_words(language: Language, text: &str) -> Vec<String> {
    let mut own: Vec<String> = Vec::new();
    for token in tokens(text) {
        let word = lower(token.text).into_owned();
        let is_small = language.is_stopword(&word)
            || GENERIC.split(' ').any(|generic| generic == word)
            || [REFERENCES, BEGINNINGS, QUESTION_WORDS].iter().any(|list| list.contains(&word.as_str()));
        if !is_small && !own.contains(&word) {
            own.push(word);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOD: &str = "Why were flood warnings sent twice?";

    fn query(language: &str, earlier: &[&str], message: &str) -> String {
        Question::in_language(Language::named(language), earlier, message).query
    }

    #[test]
    fn a_question_that_refers_back_keeps_the_subject() {
        for (earlier, message, expected) in [
            (&[][..], FLOOD, FLOOD),
            (&[], "And when did that happen?", "And when did that happen?"),
            (&[FLOOD], "And when did that happen?", "flood warnings sent twice"),
            (&[FLOOD, "And when did that happen?"], "Who sent them?", "flood warnings sent twice"),
            (&[FLOOD], "Who repaired it?", "flood warnings sent twice repaired"),
            (&[FLOOD], "Why twice?", "flood warnings sent twice"),
            (
                &[FLOOD],
                "How long does a battery last in the cold?",
                "How long does a battery last in the cold?",
            ),
            (&[FLOOD], "Is it safe to stand below an old dam?", "Is it safe to stand below an old dam?"),
            (&[FLOOD], "Is there a library?", "Is there a library?"),
            (&[FLOOD], "Who painted the wall there?", "flood warnings sent twice painted wall"),
            (&[FLOOD, "battery life in winter"], "And in summer?", "battery life winter summer"),
            (&["Tell me more"], "And then?", "And then?"),
        ] {
            assert_eq!(query("english", earlier, message), expected, "{earlier:?} {message}");
        }
        let german =
            query("german", &["Warum waren die Warnungen doppelt verschickt?"], "Und wann ist das passiert?");
        assert_eq!(german, "warnungen doppelt verschickt");
        let exists = query("german", &["Warum waren die Warnungen doppelt?"], "Gibt es eine Bibliothek?");
        assert_eq!(exists, "Gibt es eine Bibliothek?");
        let earlier = ["Pourquoi les alertes ont été envoyées deux fois ?"];
        assert_eq!(query("french", &earlier, "Et quand est-ce arrivé ?"), "alertes envoyées deux fois");
        assert_eq!(query("french", &earlier, "Il y a une bibliothèque ?"), "Il y a une bibliothèque ?");
        let long = "one1 two2 three3 four4 five5 six6 seven7 eight8 nine9 ten10";
        assert_eq!(query("english", &[long], "why?").split(' ').count(), SUBJECT_WORDS_MAX);
    }

    #[test]
    fn a_sentence_says_what_the_message_asks() {
        let of = |message| Question::in_language(Language::ENGLISH, &[FLOOD], message);
        let lines = "Flood warnings were sent twice. [1]\nThe town repairs the switch. [2]";
        assert_eq!(of("Who repaired it?").fitting_lines(lines), "The town repairs the switch. [2]");
        assert_eq!(of("And who is the mayor?").fitting_lines(lines), "");
        for message in ["And when did that happen?", FLOOD] {
            assert_eq!(of(message).fitting_lines(lines), lines, "{message}");
        }
    }
}
