//! Reads the terms of a query text.

use super::{Phrase, Query, TERMS_MAX, Term, WORDS_MAX, Word};
use crate::codes::Code;
use crate::tokens::{lower, tokens};
use std::ops::Range;
use syntax::query_string;

/// A parsed word that may become a term.
struct ParsedWord {
    written: String,
    word: String,
    group: usize,
    phrase: Option<usize>,
}

/// The words of a query before those of its language are known.
#[derive(Default)]
pub(super) struct QueryReader {
    words: Vec<ParsedWord>,
    negated: Vec<Vec<String>>,
    phrases: usize,
    groups: usize,
}

impl QueryReader {
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Self::default();
        query_string::terms(text).iter().filter(|term| !term.is_tag).for_each(|term| reader.take(term));
        reader
    }

    fn take(&mut self, term: &query_string::Term<'_>) {
        let text = term.without_tag();
        if term.is_negated {
            return self.negated.push(tokens(text).map(|token| lower(token.text).into_owned()).collect());
        }
        let phrase = term.is_phrase.then_some(self.phrases);
        self.phrases += usize::from(term.is_phrase);
        let mut is_alternative = term.is_alternative;
        for token in tokens(text) {
            if !std::mem::take(&mut is_alternative) || self.groups == 0 {
                self.groups += 1;
            }
            let (written, word) = (token.text.to_owned(), lower(token.text).into_owned());
            self.words.push(ParsedWord { written, word, group: self.groups - 1, phrase });
        }
    }

    pub(super) fn finish(self, query: &mut Query) {
        self.negated.into_iter().for_each(|words| query.negate(words));
        let language = query.language;
        query.only_stopwords = self.words.iter().all(|read| language.is_stopword(&read.word));
        let mut phrases: Vec<Vec<(usize, u32)>> = vec![Vec::new(); self.phrases];
        // Stopwords inside a phrase are not terms, but they keep their position.
        let mut offsets: Vec<u32> = vec![0; self.phrases];
        for (position, ParsedWord { written, word, group, phrase }) in (0u32..).zip(self.words) {
            let stem = language.stem(&word).into_owned();
            let term = if query.only_stopwords || !language.is_stopword(&word) {
                add_term(&mut query.terms, Term { word, stem: stem.clone(), group, position })
            } else {
                None
            };
            if let Some(phrase) = phrase {
                phrases[phrase].extend(term.map(|term| (term, offsets[phrase])));
                offsets[phrase] += 1;
            }
            if query.words.len() < WORDS_MAX {
                quote(&mut query.quoted, phrase, query.words.len());
                query.words.push(Word { written, stem, term });
            }
        }
        query.quoted.retain(|places| !places.is_empty());
        query.phrases = phrases.into_iter().filter(|places| places.len() > 1).map(Phrase).collect();
        query.codes = Code::all_in(&query.words);
        query.find_beginnings();
    }
}

/// Notes that a word belongs to a phrase.
fn quote(quoted: &mut Vec<Range<usize>>, phrase: Option<usize>, place: usize) {
    let Some(phrase) = phrase else { return };
    if quoted.len() <= phrase {
        quoted.resize(phrase + 1, place..place);
    }
    quoted[phrase].end = place + 1;
}

/// The index of the term of this word; `None` if the query has too many.
fn add_term(terms: &mut Vec<Term>, term: Term) -> Option<usize> {
    let known = terms.iter().position(|known| known.stem == term.stem);
    if known.is_some() {
        return known;
    }
    if terms.len() == TERMS_MAX {
        return None;
    }
    terms.push(term);
    Some(terms.len() - 1)
}
