//! Tests of the removal of reasoning.

use super::*;
use proptest::prelude::*;

/// The reply in a text that arrives in these parts, and the most bytes that were passed on before it was revoked.
fn read(parts: &[&str]) -> (String, usize) {
    let (mut filter, mut out) = (ReasoningFilter::default(), Vec::new());
    parts.iter().for_each(|part| filter.feed(part, &mut out));
    let is_too_long = filter.end(&mut out);
    let (mut reply, mut revoked) = (String::new(), 0);
    for chunk in out {
        match chunk {
            CompletionChunk::Text(text) => {
                assert!(text.len() <= CHUNK_BYTES_MAX);
                reply.push_str(&text);
            }
            CompletionChunk::ReasoningEnd => {
                revoked = reply.len();
                reply.clear();
            }
            other => panic!("{other:?}"),
        }
    }
    (if is_too_long { "too long".to_owned() } else { reply }, revoked)
}

fn reply(parts: &[&str]) -> String {
    read(parts).0
}

const TABLE: [(&str, &str); 29] = [
    ("The mill.", "The mill."),
    (" \nThe mill.\n", " \nThe mill.\n"),
    ("<think>\nHm.\n</think>\n\nThe mill.\n", "The mill.\n"),
    ("<thinking>a </think> b</thinking>The mill.", "The mill."),
    ("\n<think></think><think>x</think> The mill.", "The mill."),
    ("<think>Hm. It is größer", ""),
    ("<think>Hm.</think>", ""),
    ("<think>Hm.</think>\n<thin", "<thin"),
    ("<thin", "<thin"),
    ("<b>The mill.</b>", "<b>The mill.</b>"),
    // Without the opening tag.
    ("Hm. It is größer.\n</think>\n\nThe mill.", "The mill."),
    ("Hm. It is größer.</think> the mill", "the mill"),
    ("Hm. It is größer. </think>The mill.", "The mill."),
    ("Then it is 42</think>\n\nThe mill.", "The mill."),
    ("Then it is 42 </think>\r\n\r\nThe mill.", "The mill."),
    ("那是磨坊。</think>The mill.", "The mill."),
    ("Hm.\n</thinking>", ""),
    ("Hm.</think>", ""),
    ("</think>\n\nThe mill.", "The mill."),
    ("Hm.\n</think>\n<think>x</think>The mill.", "The mill."),
    // Tags that a reply mentions.
    ("Write </think> there.", "Write </think> there."),
    ("Write </think>\nthere.", "Write </think>\nthere."),
    ("Write `</think>` there.", "Write `</think>` there."),
    ("It ends. \"</think>\" is the tag.", "It ends. \"</think>\" is the tag."),
    ("First\n</think>er\n", "First\n</think>er\n"),
    ("Write\n<think>\nx\n</think>\nthere.", "Write\n<think>\nx\n</think>\nthere."),
    ("The tag is </think>", "The tag is </think>"),
    ("The tag is </think>\n", "The tag is </think>\n"),
    ("1 < 2, a<b and </thin", "1 < 2, a<b and </thin"),
];

#[test]
fn reasoning_is_removed() {
    for (text, expected) in TABLE {
        assert_eq!(reply(&[text]), expected, "{text:?}");
    }
}

#[test]
fn tags_may_be_cut_anywhere() {
    for (text, expected) in TABLE {
        let chars: Vec<String> = text.chars().map(String::from).collect();
        let parts: Vec<&str> = chars.iter().map(String::as_str).collect();
        assert_eq!(reply(&parts), expected, "{text:?}");
    }
}

#[test]
fn little_is_held_back() {
    let mut filter = ReasoningFilter::default();
    filter.feed("<think>", &mut Vec::new());
    for _ in 0..1000 {
        filter.feed("größer ", &mut Vec::new());
        assert!(filter.held.len() <= TAIL_BYTES_MAX + 4 && !filter.holds_text());
    }
    let mut out = Vec::new();
    filter.feed("</think>The ", &mut out);
    assert_eq!(out, [CompletionChunk::Text("The ".to_owned())], "the reply is not held back");
    let mut filter = ReasoningFilter::default();
    for _ in 0..PASSED_BYTES_MAX / "größer ".len() {
        let mut out = Vec::new();
        filter.feed("größer ", &mut out);
        assert_eq!((out.len(), filter.holds_text()), (1, false), "a reply of usual length is not held back");
    }
}

/// A reader of completions accepts little more than a reply of usual length.
#[test]
fn long_reasoning_without_an_opening_tag_does_not_reach_readers() {
    let reasoning = "They ask for the mill. I think it is größer.\n".repeat(1000);
    let text = format!("{reasoning}</think>\n\nThe mill.");
    assert_eq!(read(&[&text]), ("The mill.".to_owned(), 0), "a whole text");
    let parts: Vec<&str> = text.split_inclusive(' ').collect();
    let (reply, revoked) = read(&parts);
    assert_eq!(reply, "The mill.");
    assert!(revoked > PASSED_BYTES_MAX / 2 && revoked <= PASSED_BYTES_MAX, "{revoked}");
    for parts in [vec![reasoning.as_str()], reasoning.split_inclusive(' ').collect()] {
        assert_eq!(read(&parts), (reasoning.clone(), 0), "a long reply");
    }
}

#[test]
fn what_is_held_back_has_a_limit() {
    let word = "水車は川のほとりに立つ ";
    let long = word.repeat(ANSWER_CHARS_MAX / word.chars().count());
    assert_eq!(read(&[&long]), (long.clone(), 0), "the longest reply");
    let (mut filter, mut out) = (ReasoningFilter::default(), Vec::new());
    for _ in 0..2 * HELD_BYTES_MAX / word.len() {
        filter.feed(word, &mut out);
        assert!(filter.held.len() <= HELD_BYTES_MAX);
    }
    assert!(filter.held.len() <= TAIL_BYTES_MAX + 4 && !filter.holds_text(), "no reply is as long");
    filter.feed(".</think>The mill.", &mut out);
    assert!(!filter.end(&mut out), "it was reasoning");
    assert_eq!(out.last(), Some(&CompletionChunk::Text("The mill.".to_owned())));
    assert_eq!(reply(&[&long, &long]), "too long");
}

proptest! {
    #[test]
    fn text_without_a_tag_is_unchanged(text in "[ a-zö\n<>/]{0,40}", cut in 0_usize..40) {
        prop_assume!(!TAGS.iter().any(|(open, close)| text.contains(open) || text.contains(close)));
        let cut = text.floor_char_boundary(cut);
        prop_assert_eq!(reply(&[&text[..cut], &text[cut..]]), text);
    }

    #[test]
    fn any_cut_gives_the_same_reply(
        parts in prop::collection::vec(
            prop_oneof![
                Just("<think>"), Just("</think>"), Just("</thinking>"), Just("<thi"), Just("\n"), Just(" "), Just("Hm."),
                Just("ö"), Just("`"), Just("\r\n"), Just("</"), Just("The mill"),
            ],
            0..12,
        ),
        size in 1_usize..7,
    ) {
        let text = parts.concat();
        let chars: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|piece| piece.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        prop_assert_eq!(reply(&pieces), reply(&[&text]), "{:?}", text);
    }
}
