//! The sentences of the sources that can be part of an answer.

use crate::check;
use crate::facts::Facts;
use crate::prompt::PromptSource;
use crate::prompt::titles::TitleMatch;
use crate::sentences::{Sentence, sentences};
use relevancy::embedder::{Embedding, embed};
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query, TermMatch};
use std::collections::BTreeSet;
use std::rc::Rc;
use syntax::strip_html::readable;

/// Maximum number of sentences considered per source.
const READ_MAX: usize = 400;
/// Shorter lines are headings, longer ones are tables.
const SENTENCE_WORDS_MIN: usize = 4;
const SENTENCE_WORDS_MAX: usize = 60;
/// A line without a full stop is a heading if it has at most so many words.
const HEADING_WORDS_MAX: usize = 12;
/// A sentence that has hardly more than the words of the title is one.
const TITLE_SHARE_MAX: f64 = 0.8;

pub(super) struct Candidate<'a> {
    pub n: u32,
    pub text: &'a str,
    pub words: usize,
    /// All words in lower case.
    pub lower: Vec<String>,
    /// Which of them are parts of a decimal number.
    pub decimals: BTreeSet<usize>,
    /// Stems of the words without stop words.
    pub stems: BTreeSet<String>,
    /// Query terms in the sentence.
    pub terms: BTreeSet<String>,
    /// Query terms in the title of its source.
    pub titled: Rc<TitleMatch>,
    pub facts: Facts,
    pub embedding: Embedding,
    /// Index among the sentences of its source.
    pub place: usize,
}

/// The statements of a source in this language.
pub(super) fn candidates<'a>(
    language: Language,
    query: &str,
    source: &'a PromptSource,
) -> Vec<Candidate<'a>> {
    let titled = Rc::new(TitleMatch::of(language, query, &source.source.item));
    let query = Query::parse_in(language, query);
    let title = readable(&source.source.item.title);
    let title: BTreeSet<String> = tokens(&title).map(|token| lower(token.text).into_owned()).collect();
    let all = sentences(&source.passages, READ_MAX);
    let mut found = Vec::new();
    for (place, sentence) in all.into_iter().enumerate() {
        let text = sentence.text;
        let lower: Vec<String> = tokens(text).map(|token| lower(token.text).into_owned()).collect();
        let is_long_enough = (SENTENCE_WORDS_MIN..=SENTENCE_WORDS_MAX).contains(&lower.len());
        let is_heading = is_title(&title, &lower) || is_heading(&source.passages, sentence, lower.len());
        if !is_long_enough || is_heading || !is_statement(text) {
            continue;
        }
        let terms = lower.iter().filter_map(|word| query.find(word).and_then(TermMatch::term));
        let terms = terms.map(|term| query.terms[term].word.clone()).collect();
        let content_words = lower.iter().filter(|word| !language.is_stopword(word));
        let stems = content_words.map(|word| language.stem(word).into_owned()).collect();
        found.push(Candidate {
            n: source.n,
            text,
            words: lower.len(),
            lower,
            decimals: decimals(text),
            stems,
            terms,
            titled: Rc::clone(&titled),
            facts: Facts::read(language, text),
            embedding: embed(text),
            place,
        });
    }
    found
}

/// The places of the words that are parts of a number such as "3.1", which has nothing to do with a 3.
fn decimals(text: &str) -> BTreeSet<usize> {
    let words: Vec<_> = tokens(text).collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let pairs = words.windows(2).enumerate().filter(|(_, pair)| {
        is_number(pair[0].text)
            && is_number(pair[1].text)
            && matches!(&text[pair[0].end()..pair[1].start], "." | ",")
    });
    pairs.flat_map(|(place, _)| [place, place + 1]).collect()
}

/// Whether a query has a number such as "3.1".
pub(super) fn has_decimal(query: &str) -> bool {
    !decimals(query).is_empty()
}

/// Whether a sentence consists of the words of the title.
fn is_title(title: &BTreeSet<String>, words: &[String]) -> bool {
    let shared = words.iter().filter(|word| title.contains(*word)).count();
    shared as f64 >= TITLE_SHARE_MAX * words.len() as f64
        && shared >= title.len().min(words.len()).saturating_sub(1)
}

/// Whether a sentence is a short line of its own without a full stop, with more lines after it.
fn is_heading(passages: &str, one: Sentence<'_>, words: usize) -> bool {
    let ends = one.text.trim_end_matches(['"', '”', '»', ')', '\'']).ends_with(['.', '!', '…', '。']);
    let before = passages[..one.start].trim_end_matches(' ');
    let after = passages[one.start + one.text.len()..].trim_start_matches(' ');
    let is_alone = (before.is_empty() || before.ends_with('\n')) && after.starts_with('\n');
    is_alone && !ends && words <= HEADING_WORDS_MAX
}

/// Whether a text is a statement that the sanitizer leaves unchanged.
pub(super) fn is_statement(text: &str) -> bool {
    let begins =
        text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '“' | '„' | '«' | '\'' | '¿'));
    let is_question = text.ends_with(['?', '？', '؟']);
    begins
        && !is_question
        && !text.contains(['|', '{', '}', '[', ']', '`', '#', '*'])
        && check::is_plain(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::sources;

    #[test]
    fn headings_and_titles_are_no_statements() {
        let text = "Gauge Hosting Agreement Alder Lock v3 final\nThe yearly fee is one hundred and fifty crowns.\n\
            Duties of the host\nThe host keeps the path clear";
        let mut sources = sources(&[("", text)]);
        sources[0].source.item.title = "Gauge hosting agreement, Alder Lock (v3 final)".to_owned();
        let found = candidates(Language::ENGLISH, "gauge hosting agreement", &sources[0]);
        let texts: Vec<&str> = found.iter().map(|one| one.text).collect();
        assert_eq!(
            texts,
            ["The yearly fee is one hundred and fifty crowns.", "The host keeps the path clear"]
        );
        assert_eq!(decimals("report 3.1 V or 3 of 5, 000"), BTreeSet::from([1, 2]));
        assert!(has_decimal("firmware 2.8") && !has_decimal("Heron 3"));
        // A snippet of one line may end anywhere.
        sources[0].passages = "The host keeps the path clear".to_owned();
        assert_eq!(candidates(Language::ENGLISH, "path", &sources[0]).len(), 1);
    }
}
