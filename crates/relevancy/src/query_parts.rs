//! The parts of a query that are compared with texts, prepared once per query.

use crate::embedder::{Embedding, embed, normalized_sum};
use crate::query::{Query, Word};
use crate::query_forms::FORMS_MAX;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Most targets of a query.
pub(crate) const TARGETS_MAX: usize = 128;

/// A part of a query.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// In `Query::words`.
    pub(crate) words: Range<usize>,
    /// The first of them that is a term: the target can occur where its term occurs.
    pub(crate) anchor: usize,
    pub(crate) term: usize,
    /// Compared with the sums of windows.
    pub(crate) embedding: Embedding,
}

/// What is prepared of a query.
#[derive(Debug)]
pub(crate) struct QueryParts {
    /// Compared with whole results.
    pub(crate) embedding: Embedding,
    /// Compared with the sums of fields and sentences.
    pub(crate) normalized_sum: Embedding,
    /// The words of the query, each followed by `_`.
    pub(crate) key: String,
    pub(crate) targets: Vec<Target>,
    pub(crate) has_digits: bool,
    /// All stems, as `explain` shows them.
    pub(crate) stems: Arc<str>,
}

/// Most queries whose parts are kept: one in all its forms, since the results of one source may be in several languages.
const PREPARED_MAX: usize = 1 + FORMS_MAX;

thread_local! {
    /// Most sources of a search get the same query. The last used is the first.
    static LAST_PREPARED: RefCell<Vec<(Query, Arc<QueryParts>)>> = const { RefCell::new(Vec::new()) };
}

impl QueryParts {
    /// Of this query; those of the last queries are kept.
    pub(crate) fn of(query: &Query) -> Arc<Self> {
        LAST_PREPARED.with_borrow_mut(|last| {
            if let Some(place) = last.iter().position(|(known, _)| known == query) {
                last[..=place].rotate_right(1);
            } else {
                last.truncate(PREPARED_MAX - 1);
                last.insert(0, (query.clone(), Arc::new(Self::prepare(query))));
            }
            Arc::clone(&last[0].1)
        })
    }

    fn prepare(query: &Query) -> Self {
        let mut key = String::new();
        for word in &query.words {
            key.push_str(&word.written);
            key.push('_');
        }
        Self {
            embedding: embed(&text(&query.words)),
            normalized_sum: normalized_sum(&text(&query.words)),
            key,
            targets: targets(query),
            has_digits: query.words.iter().any(|word| word.written.contains(is_digit)),
            stems: query.stems().into(),
        }
    }
}

/// Phrases, the last one first; then the whole query, its pairs and its words, without duplicates and without targets
/// of stopwords only, which occur everywhere.
pub(crate) fn targets(query: &Query) -> Vec<Target> {
    let count = query.words.len();
    let phrases = query.quoted.iter().rev().cloned();
    let pairs = (2..=count).map(|end| end - 2..end);
    let singles = (0..count).map(|place| place..place + 1);
    let mut targets: Vec<Target> = Vec::new();
    for words in phrases.chain(std::iter::once(0..count)).chain(pairs).chain(singles) {
        let mut terms = words.clone().filter_map(|place| Some((place, query.words[place].term?)));
        let Some((anchor, term)) = terms.next() else { continue };
        let is_same = |known: &Target| {
            let stems = |places: &Range<usize>| query.words[places.clone()].iter().map(|word| &word.stem);
            stems(&known.words).eq(stems(&words))
        };
        if targets.len() < TARGETS_MAX && !targets.iter().any(is_same) {
            let embedding = normalized_sum(&text(&query.words[words.clone()]));
            targets.push(Target { words, anchor, term, embedding });
        }
    }
    targets
}

pub(crate) fn text(words: &[Word]) -> String {
    words.iter().map(|word| word.written.as_str()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn is_digit(c: char) -> bool {
    c.is_numeric()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn a_query_is_prepared_once() {
        let query = Query::parse("electric cars");
        let parts = QueryParts::of(&query);
        assert!(Arc::ptr_eq(&parts, &QueryParts::of(&query.clone())));
        let wider = query.clone().with_highlights(&["vehicles".to_owned()]);
        assert_eq!(&*QueryParts::of(&wider).stems, "electr car vehicl");
        let again = QueryParts::of(&query);
        assert_eq!((&*again.stems, &again.embedding), ("electr car", &parts.embedding));
    }

    #[test]
    fn all_forms_of_a_query_are_kept() {
        let query = Query::parse("electric cars");
        let forms =
            ["german", "french", "spanish", "italian"].map(|name| query.in_language(Language::named(name)));
        assert_eq!(forms.len(), FORMS_MAX);
        let all: Vec<&Query> = forms.iter().chain([&query]).collect();
        let parts: Vec<_> = all.iter().map(|query| QueryParts::of(query)).collect();
        for _ in 0..2 {
            for (query, parts) in all.iter().zip(&parts) {
                assert!(Arc::ptr_eq(parts, &QueryParts::of(query)), "{:?}", query.language);
            }
        }
        QueryParts::of(&Query::parse("another"));
        assert!(!Arc::ptr_eq(&parts[0], &QueryParts::of(all[0])), "the one that was not used for longest");
        LAST_PREPARED.with_borrow(|last| assert_eq!(last.len(), PREPARED_MAX));
    }
}
