//! Measures how well the cited passages support each sentence, by words and by meaning.

use super::{citation_syntax, sanitize};
use crate::prompt::PromptSource;
use crate::prompt::language::language_of;
use crate::sentences::{Sentence, sentences};
use domain::summary::GroundedSentence;
use relevancy::Language;
use relevancy::embedder::{Embedding, embed};
use relevancy::tokens::{lower, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Minimum support of a grounded sentence.
pub(super) const SUPPORT_MIN: f64 = 0.35;
/// Weight of word overlap; the rest is the weight of semantic similarity.
const WORDS_WEIGHT: f64 = 0.6;
/// Numbers weigh more than words.
const NUMBER_WEIGHT: f64 = 2.0;
/// Maximum number of sentences that are checked.
pub(super) const SENTENCES_MAX: usize = 200;
/// Maximum number of passages compared per source.
pub(super) const PASSAGES_MAX: usize = 600;
/// Maximum length of a quote in characters.
const QUOTE_CHARS_MAX: usize = 400;
/// Maximum length in words of headings and lines that introduce a list; they need no source.
const HEADING_WORDS_MAX: usize = 10;

/// The sources, each indexed when it is first cited.
pub(super) struct Support<'a> {
    sources: &'a [PromptSource],
    indexed: BTreeMap<u32, IndexedSource<'a>>,
    /// By source, the passage that supports the first sentence that cites it.
    quotes: BTreeMap<u32, Quote>,
}

/// A part of the passages of a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Quote {
    pub text: String,
    /// In the passages, in bytes.
    pub offset: usize,
}

struct IndexedSource<'a> {
    language: Language,
    passages: Vec<Passage<'a>>,
}

/// A sentence, or two adjacent ones.
struct Passage<'a> {
    text: &'a str,
    /// In the passages, in bytes.
    offset: usize,
    stems: BTreeSet<String>,
    embedding: Embedding,
}

impl<'a> Support<'a> {
    pub fn of(sources: &'a [PromptSource]) -> Self {
        Self { sources, indexed: BTreeMap::new(), quotes: BTreeMap::new() }
    }

    /// The sentences of a text with normalized citations.
    pub fn sentences(&mut self, body: &str) -> Vec<GroundedSentence> {
        let claims = claims(body);
        claims.into_iter().map(|claim| self.grounded(claim)).collect()
    }

    /// The passage that supports the first sentence that cites this source; empty if there is none.
    pub fn quote(&self, n: u32) -> Quote {
        self.quotes.get(&n).cloned().unwrap_or_default()
    }

    fn grounded(&mut self, text: String) -> GroundedSentence {
        let is_known = |n: &u32| self.sources.iter().any(|source| source.n == *n);
        let cites: Vec<u32> = citation_syntax::cites(&text).into_iter().filter(is_known).collect();
        let bare = citation_syntax::without(&text);
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

    /// The passage of a source that supports a sentence best.
    fn best(&mut self, n: u32, sentence: &str, embedding: &Embedding) -> Option<(f64, Quote)> {
        if !self.indexed.contains_key(&n) {
            let source = self.sources.iter().find(|source| source.n == n)?;
            self.indexed.insert(n, index_source(&source.passages));
        }
        let IndexedSource { language, passages } = self.indexed.get(&n)?;
        let stems = stems(*language, sentence);
        let mut best: Option<(f64, &Passage<'_>)> = None;
        for passage in passages {
            let found = support(&stems, embedding, passage);
            // Among equals the shorter one wins, which precedes its pairs.
            if best.is_none_or(|(known, _)| found > known + 1e-9) {
                best = Some((found, passage));
            }
        }
        best.map(|(found, passage)| {
            let text = passage.text.chars().take(QUOTE_CHARS_MAX).collect();
            (found, Quote { text, offset: passage.offset })
        })
    }
}

/// Rounds to four digits.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

fn index_source(text: &str) -> IndexedSource<'_> {
    let language = language_of(text, Language::ENGLISH);
    let found = sentences(text, PASSAGES_MAX / 2);
    let mut passages: Vec<Passage<'_>> =
        found.iter().map(|one| passage(language, one.text, one.start)).collect();
    for pair in found.windows(2) {
        if let [first, second] = pair
            && first.run == second.run
        {
            let end = second.start + second.text.len();
            passages.push(passage(language, &text[first.start..end], first.start));
        }
    }
    IndexedSource { language, passages }
}

fn passage(language: Language, text: &str, offset: usize) -> Passage<'_> {
    Passage { text, offset, stems: stems(language, text), embedding: embed(text) }
}

/// The stems of a text without stop words.
fn stems(language: Language, text: &str) -> BTreeSet<String> {
    let words = tokens(text).map(|token| lower(token.text).into_owned());
    words.filter(|word| !language.is_stopword(word)).map(|word| language.stem(&word).into_owned()).collect()
}

fn support(stems: &BTreeSet<String>, embedding: &Embedding, passage: &Passage<'_>) -> f64 {
    let weight = |stem: &String| if stem.contains(char::is_numeric) { NUMBER_WEIGHT } else { 1.0 };
    let all: f64 = stems.iter().map(weight).sum();
    let found: f64 = stems.iter().filter(|stem| passage.stems.contains(*stem)).map(weight).sum();
    let words = if all > 0.0 { found / all } else { 0.0 };
    // Without an embedding, as for unknown languages, only the words count.
    if embedding.is_zero() || passage.embedding.is_zero() {
        return words;
    }
    let meaning = f64::from(embedding.cosine(&passage.embedding)).max(0.0);
    WORDS_WEIGHT * words + (1.0 - WORDS_WEIGHT) * meaning
}

/// The sentences that claim something, with the citations that follow them.
fn claims(body: &str) -> Vec<String> {
    let mut claims = Vec::new();
    let mut is_code = false;
    for line in body.lines() {
        let is_fence = sanitize::is_fence(line);
        is_code ^= is_fence;
        let text = without_list_mark(line);
        if is_code || is_fence || announces(line, text) {
            continue;
        }
        for place in places(text) {
            let claim = text[place].trim();
            if citation_syntax::without(claim).contains(char::is_alphanumeric) && claims.len() < SENTENCES_MAX
            {
                claims.push(claim.to_owned());
            }
        }
    }
    claims
}

/// The positions of the sentences of a line. Leading citations belong to the previous sentence.
fn places(text: &str) -> Vec<Range<usize>> {
    let shadow = shadow(text);
    let mut places: Vec<Range<usize>> = Vec::new();
    for Sentence { mut start, text: found, .. } in sentences(&shadow, SENTENCES_MAX) {
        let end = start + found.len();
        let mut citations = citation_length(&text.as_bytes()[start..]);
        if let Some(before) = places.last_mut() {
            while citations > 0 {
                start += citations;
                before.end = start;
                citations = citation_length(&text.as_bytes()[start..]);
            }
        }
        if start < end {
            places.push(start..end);
        }
    }
    places
}

/// Whether a line is a heading or introduces a list.
fn announces(line: &str, text: &str) -> bool {
    let is_short = tokens(text).take(HEADING_WORDS_MAX + 1).count() <= HEADING_WORDS_MAX;
    let is_heading = line.trim_start().starts_with('#') || text.trim_end_matches(['*', '_']).ends_with(':');
    is_heading && is_short && citation_syntax::cites(text).is_empty()
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

/// Replaces citations after a full stop, and the spaces before them, with closing brackets of the same length, so that
/// they belong to the sentence that ends there.
fn shadow(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let mut after_stop = false;
    while at < bytes.len() {
        let blank = text.as_bytes()[at..].iter().take_while(|byte| **byte == b' ').count();
        let mark = citation_length(&text.as_bytes()[at + blank..]);
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

/// Length in bytes of a citation at the start.
fn citation_length(bytes: &[u8]) -> usize {
    let digits = match bytes {
        [b'[', rest @ ..] => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    if digits > 0 && bytes.get(digits + 1) == Some(&b']') { digits + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::urls::tests::sources;
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
        let first = Quote { text: "The Elbe rose by two metres in August 2002.".to_owned(), offset: 0 };
        assert_eq!(support.quote(1), first);
        assert!(support.quote(2).text.starts_with("Der Fluss stieg"));
        assert_eq!(support.quote(3), Quote::default());
        let mut later = Support::of(&sources);
        later.sentences("Dresden was flooded [1].");
        assert_eq!(later.quote(1).offset, 44);
    }
}
