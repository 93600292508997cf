//! Parses query text into terms, phrases and negated words.

mod reader;

use crate::codes::Code;
use crate::language::Language;
use crate::query_language::are_foreign;
use crate::stems::{StemBeginning, plain_prefix};
use crate::term_set::TermSet;
use crate::tokens::{lower, tokens};
use domain::search::Search;
use reader::QueryReader;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Most terms of a query; later ones are not weighted.
pub const TERMS_MAX: usize = 64;
/// Most words of a query that are kept in order; later ones are not targets.
pub const WORDS_MAX: usize = TERMS_MAX;
/// Most negated words or phrases of a query.
pub const NEGATED_MAX: usize = 32;
/// Most words that a source highlighted.
pub const HIGHLIGHTS_MAX: usize = 32;

/// A word of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub word: String,
    pub stem: String,
    /// Terms of one group are alternatives (`a OR b`): one of them is enough.
    pub group: usize,
    /// Its position among all words of the query, including stopwords.
    pub position: u32,
}

/// Words in quotes: indexes in `Query::terms`, each with its distance from the first word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase(pub Vec<(usize, u32)>);

/// A word as written in the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As written in the query.
    pub written: String,
    pub stem: String,
    /// The index in `Query::terms`; `None` for a stopword.
    pub term: Option<usize>,
}

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    pub language: Language,
    /// The query does not show its language, so each result is read in its own.
    pub is_language_assumed: bool,
    /// Distinct by stem, in the order of the query, without stopwords unless there is nothing else.
    pub terms: Vec<Term>,
    pub phrases: Vec<Phrase>,
    /// Words, or sequences of words, that must not occur. Compared as written, not by stem.
    pub negated: Vec<Vec<String>>,
    /// All wanted words in order, including stopwords.
    pub words: Vec<Word>,
    /// The ranges of quoted phrases in `words`.
    pub quoted: Vec<Range<usize>>,
    /// The number of words in the query text, including operators and negated words.
    pub length: usize,
    /// Every word is a stopword, so stopwords are matched.
    pub only_stopwords: bool,
    /// In the form for another language: the terms that are stopwords there. They match nothing, and a result lacks
    /// nothing without them.
    pub stopword_terms: TermSet,
    /// The codes among its words, which texts may spell in another way.
    pub codes: Vec<Code>,
    /// Stems that a source highlighted. They are shown among the hits and have no weight: a source that highlights
    /// would otherwise outrank one that does not.
    highlights: Vec<String>,
    /// What the words of each stem begin with.
    beginnings: Vec<StemBeginning>,
    /// The ASCII characters that a matching word can begin with, if the language allows such a check.
    first_characters: Option<Box<[bool; 128]>>,
}

/// A query that was parsed, and its text.
struct Parsed {
    fallback: Language,
    own: String,
    whole: String,
    query: Arc<Query>,
}

thread_local! {
    static LAST_PARSED: RefCell<Option<Parsed>> = const { RefCell::new(None) };
}

/// What a word of a text matches in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermMatch {
    /// The term with this index.
    Term(usize),
    /// A word that only the source highlighted.
    Highlight,
}

impl TermMatch {
    pub fn term(self) -> Option<usize> {
        match self {
            Self::Term(index) => Some(index),
            Self::Highlight => None,
        }
    }
}

impl Query {
    /// Parses the notation of queries: see [`syntax::query_string`].
    pub fn parse_in(language: Language, text: &str) -> Self {
        let mut query = Self { language, length: tokens(text).count(), ..Self::default() };
        QueryReader::read(text).finish(&mut query);
        query
    }

    /// An English query.
    pub fn parse(text: &str) -> Self {
        Self::parse_in(Language::ENGLISH, text)
    }

    /// Parses the text in the language that it shows, or else in the given one.
    pub fn parse_by_language(fallback: Language, text: &str) -> Self {
        let shown = Language::shown_by(text, fallback);
        Self::parse_in(shown.unwrap_or(fallback), text).assuming_language(shown, fallback)
    }

    fn assuming_language(self, shown: Option<Language>, fallback: Language) -> Self {
        Self { is_language_assumed: shown.is_none() && fallback != Language::UNKNOWN, ..self }
    }

    /// This query for texts in another language: its words have the stems of that language, and the same places. Terms
    /// that are stopwords of that language no longer count, unless all are.
    pub fn in_language(&self, language: Language) -> Self {
        let mut query = Self { language, ..self.clone() };
        for term in &mut query.terms {
            term.stem = language.stem(&term.word).into_owned();
        }
        let stopwords = self.stopwords_in(language);
        query.only_stopwords = !self.terms.is_empty() && stopwords == TermSet::of_first(self.terms.len());
        query.stopword_terms = if query.only_stopwords { TermSet::default() } else { stopwords };
        for word in &mut query.words {
            word.stem = language.stem(&lower(&word.written)).into_owned();
            word.term = word.term.filter(|term| !query.stopword_terms.contains(*term));
        }
        query.codes = Code::all_in(&query.words);
        query.find_beginnings();
        query
    }

    /// The terms that are stopwords of another language. In a query of English words, one that is an English word too
    /// is no stopword: `war in Ukraine`.
    fn stopwords_in(&self, language: Language) -> TermSet {
        let is_foreign = are_foreign(self.words.iter().map(|word| word.written.as_str()));
        let is_stopword = |word: &str| {
            language.is_stopword(word) && (is_foreign || !Language::is_english_and_stopword(word))
        };
        let terms = self.terms.iter().enumerate().filter(|(_, term)| is_stopword(&term.word));
        terms.map(|(place, _)| place).collect()
    }

    /// The query that a provider got, in the language that the whole query shows, or else in the given one, with the
    /// exclusions of the whole search: a source that cannot negate was asked
    /// without the negated words, but its results are judged by them all the same.
    pub fn of_search(fallback: Language, search: &Search, query_to_provider: &str) -> Arc<Self> {
        let whole = match search.query_string_processed.trim() {
            "" => &search.spec.query_string,
            processed => processed,
        };
        let own = if query_to_provider.trim().is_empty() { whole } else { query_to_provider };
        // Most sources of a search get the same query.
        LAST_PARSED.with_borrow_mut(|last| match last {
            Some(known) if known.fallback == fallback && known.own == own && known.whole == *whole => {
                known.query.clone()
            }
            _ => {
                let shown = Language::shown_by(whole, fallback);
                let query = Self::parse_with_exclusions(shown.unwrap_or(fallback), own, whole);
                let query = Arc::new(query.assuming_language(shown, fallback));
                let (own, whole) = (own.to_owned(), whole.to_owned());
                *last = Some(Parsed { fallback, own, whole, query: query.clone() });
                query
            }
        })
    }

    fn parse_with_exclusions(language: Language, own: &str, whole: &str) -> Self {
        let mut query = Self::parse_in(language, own);
        if own == whole {
            return query;
        }
        for negated in Self::parse_in(language, whole).negated {
            query.negate(negated);
        }
        query
    }

    /// The wanted words as plain text, for an embedding model.
    pub fn plain_text(&self) -> String {
        self.words.iter().map(|word| word.written.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Whether results of both queries can be scored together.
    pub fn asks_the_same(&self, other: &Self) -> bool {
        self.terms == other.terms
            && self.phrases == other.phrases
            && self.negated == other.negated
            && self.words == other.words
    }

    /// Adds the words that a source highlighted.
    pub fn with_highlights(mut self, words: &[String]) -> Self {
        for token in words.iter().flat_map(|word| tokens(word)) {
            let word = lower(token.text);
            if !self.language.is_stopword(&word) {
                self.highlight(&self.language.stem(&word));
            }
        }
        self.find_beginnings();
        self
    }

    /// Adds the stems, separated by spaces, from an earlier step.
    pub fn with_highlighted_stems(mut self, stems: &str) -> Self {
        stems.split(' ').filter(|stem| !stem.is_empty()).for_each(|stem| self.highlight(stem));
        self.find_beginnings();
        self
    }

    /// The index of the term with this stem.
    pub fn place(&self, stem: &str) -> Option<usize> {
        self.terms.iter().position(|term| term.stem == stem)
    }

    /// What a word in lower case matches, if anything.
    pub fn find(&self, word: &str) -> Option<TermMatch> {
        // Most matching words are written as in the query.
        if let Some(same) = self.terms.iter().position(|term| term.word == word) {
            return self.is_matched(same).then_some(TermMatch::Term(same));
        }
        let stem = self.language.stem(word);
        match self.place(&stem) {
            Some(index) => self.is_matched(index).then_some(TermMatch::Term(index)),
            None => self.is_highlight(&stem).then_some(TermMatch::Highlight),
        }
    }

    fn is_matched(&self, term: usize) -> bool {
        !self.stopword_terms.contains(term)
    }

    /// The stems of the terms that can match, and then those that a source highlighted.
    fn matched_stems(&self) -> impl Iterator<Item = &str> {
        let terms = self.terms.iter().enumerate().filter(|(place, _)| self.is_matched(*place));
        terms.map(|(_, term)| term.stem.as_str()).chain(self.highlights.iter().map(String::as_str))
    }

    pub fn is_highlight(&self, stem: &str) -> bool {
        self.highlights.iter().any(|known| known == stem)
    }

    /// Fast check that is false for most words of a text: the word begins unlike every stem.
    #[inline]
    pub fn may_match(&self, word: &str) -> bool {
        // Most words begin with two ASCII characters.
        if let ([first, second, ..], Some(firsts)) = (word.as_bytes(), &self.first_characters)
            && first.is_ascii()
            && second.is_ascii()
            && !firsts[usize::from(first.to_ascii_lowercase())]
        {
            return false;
        }
        self.may_match_beginning(word)
    }

    #[inline(never)]
    fn may_match_beginning(&self, word: &str) -> bool {
        let prefix = plain_prefix(word);
        self.beginnings.iter().any(|stem| stem.may_begin(self.language, word, prefix))
    }

    /// All stems, as `explain` shows them.
    pub fn stems(&self) -> String {
        self.matched_stems().collect::<Vec<_>>().join(" ")
    }

    fn highlight(&mut self, stem: &str) {
        let is_known = self.place(stem).is_some() || self.is_highlight(stem);
        if !is_known && self.highlights.len() < HIGHLIGHTS_MAX {
            self.highlights.push(stem.to_owned());
        }
    }

    fn negate(&mut self, words: Vec<String>) {
        if !words.is_empty() && self.negated.len() < NEGATED_MAX && !self.negated.contains(&words) {
            self.negated.push(words);
        }
    }

    fn find_beginnings(&mut self) {
        let stems = self.matched_stems();
        self.beginnings = stems.map(|stem| StemBeginning::of(self.language, stem)).collect();
        self.beginnings.sort_unstable();
        self.beginnings.dedup();
        self.first_characters = self.language.keeps_first_character().then(|| {
            let mut firsts = [false; 128];
            let beginnings = self.beginnings.iter().filter_map(|beginning| beginning.first_two.0);
            for first in beginnings.filter(char::is_ascii) {
                firsts[first as usize] = true;
            }
            Box::new(firsts)
        });
    }
}

#[cfg(test)]
mod tests;
