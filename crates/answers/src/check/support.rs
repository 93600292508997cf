//! How well the sentences of an answer are supported by the passages that they cite: by words, and by meaning.

use super::{SUPPORT_MIN, marks, sink};
use crate::prompt::PromptSource;
use crate::prompt::language::language_of;
use crate::sentences::{Sentence, sentences};
use domain::answer::GroundedSentence;
use relevancy::Language;
use relevancy::reader::{Embedding, embed};
use relevancy::tokens::{lower, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What the words count; the rest is for the meaning.
const WORDS_WEIGHT: f64 = 0.6;
/// A number says more than a word.
const NUMBER_WEIGHT: f64 = 2.0;
/// Most sentences of an answer that are looked at.
pub(super) const SENTENCES_MAX: usize = 200;
/// Most passages of one source that are compared.
pub(super) const UNITS_MAX: usize = 600;
/// Longest quote, in characters.
const QUOTE_CHARS_MAX: usize = 400;
/// Longest heading, and longest line that announces a list, which need no source; in words.
const HEADING_WORDS_MAX: usize = 10;

/// The sources as they are compared, each read when it is first cited.
pub(super) struct Support<'a> {
    sources: &'a [PromptSource],
    read: BTreeMap<u32, Read<'a>>,
    /// For each source the passage that supports the first sentence that cites it.
    quotes: BTreeMap<u32, String>,
}

struct Read<'a> {
    language: Language,
    units: Vec<Unit<'a>>,
}

/// A sentence, or two that follow each other.
struct Unit<'a> {
    text: &'a str,
    stems: BTreeSet<String>,
    embedding: Embedding,
}

impl<'a> Support<'a> {
    pub fn of(sources: &'a [PromptSource]) -> Self {
        Self { sources, read: BTreeMap::new(), quotes: BTreeMap::new() }
    }

    /// The sentences of an answer whose citations are in order.
    pub fn sentences(&mut self, body: &str) -> Vec<GroundedSentence> {
        let claims = claims(body);
        claims.into_iter().map(|claim| self.grounded(claim)).collect()
    }

    /// The passage that supports the first sentence that cites this source; empty if there is none.
    pub fn quote(&self, n: u32) -> String {
        self.quotes.get(&n).cloned().unwrap_or_default()
    }

    fn grounded(&mut self, text: String) -> GroundedSentence {
        let is_known = |n: &u32| self.sources.iter().any(|source| source.n == *n);
        let cites: Vec<u32> = marks::cites(&text).into_iter().filter(is_known).collect();
        let bare = marks::without(&text);
        let embedding = embed(&bare);
        let mut support: f64 = 0.0;
        for n in &cites {
            let Some((own, quote)) = self.best(*n, &bare, &embedding) else { continue };
            support = support.max(own);
            if own >= SUPPORT_MIN {
                self.quotes.entry(*n).or_insert(quote);
            }
        }
        GroundedSentence { text, cites, support: rounded(support) }
    }

    /// The best passage of a source for a sentence.
    fn best(&mut self, n: u32, sentence: &str, embedding: &Embedding) -> Option<(f64, String)> {
        if !self.read.contains_key(&n) {
            let source = self.sources.iter().find(|source| source.n == n)?;
            self.read.insert(n, read(&source.passages));
        }
        let Read { language, units } = self.read.get(&n)?;
        let stems = stems(*language, sentence);
        let mut best: Option<(f64, &Unit<'_>)> = None;
        for unit in units {
            let found = support(&stems, embedding, unit);
            // Of equals the shorter one, which stands before its pairs.
            if best.is_none_or(|(known, _)| found > known + 1e-9) {
                best = Some((found, unit));
            }
        }
        best.map(|(found, unit)| (found, unit.text.chars().take(QUOTE_CHARS_MAX).collect()))
    }
}

/// To the digits that are shown.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

fn read(passages: &str) -> Read<'_> {
    let language = language_of(passages);
    let found = sentences(passages, UNITS_MAX / 2);
    let mut units: Vec<Unit<'_>> = found.iter().map(|one| unit(language, one.text)).collect();
    for pair in found.windows(2) {
        if let [first, second] = pair
            && first.run == second.run
        {
            let end = second.start + second.text.len();
            units.push(unit(language, &passages[first.start..end]));
        }
    }
    Read { language, units }
}

fn unit(language: Language, text: &str) -> Unit<'_> {
    Unit { text, stems: stems(language, text), embedding: embed(text) }
}

/// What the words of a text have in common with other forms of theirs, without words that say nothing.
fn stems(language: Language, text: &str) -> BTreeSet<String> {
    let words = tokens(text).map(|token| lower(token.text).into_owned());
    words.filter(|word| !language.is_stopword(word)).map(|word| language.stem(&word).into_owned()).collect()
}

fn support(stems: &BTreeSet<String>, embedding: &Embedding, unit: &Unit<'_>) -> f64 {
    let weight = |stem: &String| if stem.contains(char::is_numeric) { NUMBER_WEIGHT } else { 1.0 };
    let all: f64 = stems.iter().map(weight).sum();
    let found: f64 = stems.iter().filter(|stem| unit.stems.contains(*stem)).map(weight).sum();
    let words = if all > 0.0 { found / all } else { 0.0 };
    // A language that the reader does not know is judged by its words.
    if embedding.is_zero() || unit.embedding.is_zero() {
        return words;
    }
    let meaning = f64::from(embedding.cosine(&unit.embedding)).max(0.0);
    WORDS_WEIGHT * words + (1.0 - WORDS_WEIGHT) * meaning
}

/// The sentences that claim something, with the citations that stand after their full stops.
fn claims(body: &str) -> Vec<String> {
    let mut claims = Vec::new();
    let mut is_code = false;
    for line in body.lines() {
        let is_fence = sink::is_fence(line);
        is_code ^= is_fence;
        let text = without_list_mark(line);
        if is_code || is_fence || announces(line, text) {
            continue;
        }
        for place in places(text) {
            let claim = text[place].trim();
            if marks::without(claim).contains(char::is_alphanumeric) && claims.len() < SENTENCES_MAX {
                claims.push(claim.to_owned());
            }
        }
    }
    claims
}

/// Where the sentences of a line stand. Citations that begin one belong to the one before.
fn places(text: &str) -> Vec<Range<usize>> {
    let shadow = shadow(text);
    let mut places: Vec<Range<usize>> = Vec::new();
    for Sentence { mut start, text: found, .. } in sentences(&shadow, SENTENCES_MAX) {
        let end = start + found.len();
        let mut marks = mark_length(&text.as_bytes()[start..]);
        if let Some(before) = places.last_mut() {
            while marks > 0 {
                start += marks;
                before.end = start;
                marks = mark_length(&text.as_bytes()[start..]);
            }
        }
        if start < end {
            places.push(start..end);
        }
    }
    places
}

/// A heading, or the line before a list.
fn announces(line: &str, text: &str) -> bool {
    let is_short = tokens(text).take(HEADING_WORDS_MAX + 1).count() <= HEADING_WORDS_MAX;
    let is_heading = line.trim_start().starts_with('#') || text.trim_end_matches(['*', '_']).ends_with(':');
    is_heading && is_short && marks::cites(text).is_empty()
}

fn without_list_mark(line: &str) -> &str {
    let mut text = line.trim();
    loop {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = digits.strip_prefix(['.', ')']).filter(|_| digits.len() < text.len());
        let marked = text.strip_prefix(['-', '*', '+', '>', '#', '•', '|']);
        match marked.or(numbered).filter(|rest| rest.starts_with([' ', '#', '>', '-'])) {
            Some(rest) => text = rest.trim_start(),
            None => return text,
        }
    }
}

/// The text with citations after a full stop, and the spaces before them, as closing brackets of the same length: they
/// belong to the sentence that ends there.
fn shadow(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let mut after_stop = false;
    while at < bytes.len() {
        let blank = text.as_bytes()[at..].iter().take_while(|byte| **byte == b' ').count();
        let mark = mark_length(&text.as_bytes()[at + blank..]);
        if after_stop && mark > 0 {
            bytes[at..at + blank + mark].fill(b']');
            at += blank + mark;
            continue;
        }
        let here = text.as_bytes()[at];
        after_stop = matches!(here, b'.' | b'!' | b'?')
            || (after_stop && matches!(here, b'"' | b'\'' | b')' | b'*' | b'_'));
        at += 1;
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Bytes of the citation that stands here.
fn mark_length(bytes: &[u8]) -> usize {
    let digits = match bytes {
        [b'[', rest @ ..] => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    if digits > 0 && bytes.get(digits + 1) == Some(&b']') { digits + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::addresses::tests::sources;
    use super::*;

    #[test]
    fn claims_of_an_answer() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("It rose [1]. It fell [2].", &["It rose [1].", "It fell [2]."]),
            (
                "It rose. [1] It fell.[2][3] Then nothing.",
                &["It rose. [1]", "It fell.[2][3]", "Then nothing."],
            ),
            ("# A heading\n\nThe points are:\n- It rose [1].\n2. It fell", &["It rose [1].", "It fell"]),
            ("## It rose [1]", &["It rose [1]"]),
            ("```\nlet x = 1;\n```\nIt rose.", &["It rose."]),
            ("He said \"It rose.\" [1] Then left.", &["He said \"It rose.\" [1]", "Then left."]),
            ("| It rose [1] | 5 |\n|---|---|", &["It rose [1] | 5 |"]),
            ("[1]", &[]),
            ("水位が上がった。[1]次に下がった。[2]", &["水位が上がった。[1]", "次に下がった。[2]"]),
        ];
        for (body, expected) in table {
            assert_eq!(claims(body), *expected, "{body}");
        }
        let many = "It rose. ".repeat(SENTENCES_MAX + 9);
        assert_eq!(claims(&many).len(), SENTENCES_MAX);
    }

    #[test]
    fn support_is_for_what_the_sources_say() {
        let texts = [
            (
                "",
                "The Elbe rose by two metres in August 2002. Dresden was flooded, and thousands left their homes. \
                 Trains did not run for weeks.",
            ),
            ("", "Der Fluss stieg in der Nacht um zwei Meter, und die Häuser am Ufer standen unter Wasser."),
        ];
        let sources = sources(&texts);
        let mut support = Support::of(&sources);
        for (sentence, is_supported) in [
            ("The Elbe rose by two metres in August 2002 [1].", true),
            ("In 2002 the Elbe flooded Dresden [1].", true),
            ("Thousands of people had to leave their homes [1].", true),
            ("Am Ufer stand Wasser in jedem Haus [2].", true),
            ("The Elbe rose by two metres in August 2002.", false),
            ("The mayor resigned over a bribery scandal [1].", false),
            ("Quarterly revenue grew by 12 percent [1].", false),
            ("Please reset your password on our new portal [1].", false),
            ("The Elbe rose by two metres in August 2002 [2].", false),
        ] {
            let found = support.sentences(sentence);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].support >= SUPPORT_MIN, is_supported, "{found:?}");
            assert!((0.0..=1.0).contains(&found[0].support));
        }
        assert_eq!(support.quote(1), "The Elbe rose by two metres in August 2002.");
        assert!(support.quote(2).starts_with("Der Fluss stieg"));
        assert_eq!(support.quote(3), "");
    }
}
