//! Scores of windows: by the words of the query, or by their embeddings.

use super::windows::Words;
use crate::embedder::{Sum, TokenSpans, normalized_sum};
use crate::query::{Query, TermMatch};
use crate::tokens::lower;
use domain::rag::WindowMethod;
use std::collections::BTreeSet;
use std::ops::Range;

/// Most windows of a text that are embedded.
pub const EMBEDDED_MAX: usize = 64;
/// Most occurrences of a word in a window that count.
const COUNT_MAX: u32 = 3;
/// Bonus for two words that are adjacent in the query and in the window.
const BIGRAM_WEIGHT: f64 = 0.5;
/// Words of a window that are embedded at once: for most texts fewer than the token limit.
const WORDS_EMBEDDED: usize = 200;

/// A window and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub window: Range<usize>,
    pub score: f64,
}

/// The windows of a text, the best first; of equals the earlier first.
pub fn scored(words: &Words<'_>, query: &Query, method: WindowMethod, window_words: usize) -> Vec<Scored> {
    let mut windows = by_term_count(words, query, window_words);
    sort(&mut windows);
    if method == WindowMethod::TermVector {
        windows.truncate(EMBEDDED_MAX);
        let asked: Vec<&str> = query.words.iter().map(|word| word.written.as_str()).collect();
        let asked = normalized_sum(&asked.join(" "));
        for scored in &mut windows {
            let likeness = sum_of(words, &scored.window).cosine(&asked);
            scored.score = f64::from(likeness.unwrap_or(0.0));
        }
        sort(&mut windows);
    }
    windows
}

/// The scores of all windows of a text by the words of the query, in the order of the text.
pub fn term_counts(text: &str, query: &str, window_words: usize) -> Vec<f64> {
    let scored = by_term_count(&Words::of(text), &Query::parse(query), window_words);
    scored.into_iter().map(|scored| scored.score).collect()
}

fn sort(windows: &mut [Scored]) {
    windows.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.window.start.cmp(&b.window.start)));
}

fn sum_of(words: &Words<'_>, window: &Range<usize>) -> Sum {
    let mut sum = Sum::ZERO;
    for start in window.clone().step_by(WORDS_EMBEDDED) {
        let part = start..window.end.min(start + WORDS_EMBEDDED);
        sum.add(&TokenSpans::of(words.text(&part)).sum());
    }
    sum
}

fn by_term_count(words: &Words<'_>, query: &Query, window_words: usize) -> Vec<Scored> {
    let hits = hits(words, query);
    let weights = weights(words, query, &hits);
    let bigrams = bigrams(query);
    let score = |window: &Range<usize>| {
        let first = hits.partition_point(|hit| hit.word < window.start);
        let last = hits.partition_point(|hit| hit.word < window.end);
        let inside = hits.get(first..last).unwrap_or_default();
        let mut counts = vec![0; weights.len()];
        inside.iter().for_each(|hit| counts[hit.term] += 1);
        let counted =
            counts.iter().zip(&weights).map(|(count, weight)| f64::from(COUNT_MAX.min(*count)) * weight);
        let side_by_side: BTreeSet<(usize, usize)> = inside
            .windows(2)
            .filter(|pair| pair[0].word + 1 == pair[1].word)
            .map(|pair| (pair[0].term, pair[1].term))
            .filter(|pair| bigrams.contains(pair))
            .collect();
        counted.sum::<f64>() + BIGRAM_WEIGHT * side_by_side.len() as f64
    };
    let scored = |window: Range<usize>| Scored { score: score(&window), window };
    words.windows(window_words).into_iter().map(scored).collect()
}

/// A word of the text that is in the query.
struct Hit {
    word: usize,
    term: usize,
}

fn hits(words: &Words<'_>, query: &Query) -> Vec<Hit> {
    let term = |word: usize| {
        let text = words.word(word);
        query.may_match(text).then(|| query.find(&lower(text))).flatten().and_then(TermMatch::term)
    };
    (0..words.len()).filter_map(|word| term(word).map(|term| Hit { word, term })).collect()
}

/// The weight of each term in this text: `ln(1 + sentences / sentences that have it)`; 0 for a term that does not
/// occur.
fn weights(words: &Words<'_>, query: &Query, hits: &[Hit]) -> Vec<f64> {
    let sentences = words.sentences();
    let mut counts = vec![0_usize; query.terms.len()];
    let mut last = vec![0_usize; query.terms.len()];
    for hit in hits {
        // Sentences are counted from one, so that zero is before the first.
        let sentence = sentences.partition_point(|start| *start as usize <= hit.word);
        if last[hit.term] != sentence {
            last[hit.term] = sentence;
            counts[hit.term] += 1;
        }
    }
    let weight = |count: usize| match count {
        0 => 0.0,
        count => (1.0 + sentences.len() as f64 / count as f64).ln(),
    };
    counts.into_iter().map(weight).collect()
}

/// Terms that are adjacent in the query.
fn bigrams(query: &Query) -> BTreeSet<(usize, usize)> {
    query.words.windows(2).filter_map(|pair| Some((pair[0].term?, pair[1].term?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four sentences of four words.
    const TEXT: &str = "The river was high. A river and river. Water of the river. Nothing at all here.";

    #[test]
    fn words_of_the_query_count() {
        // `river` is in three of four sentences, `water` in one.
        let (river, water) = ((1.0 + 4.0 / 3.0_f64).ln(), 5.0_f64.ln());
        let table: [(&str, usize, Vec<f64>); 7] = [
            ("river", 4, vec![river, river, 2.0 * river, river, river, river, 0.0]),
            ("rivers", 8, vec![3.0 * river, 3.0 * river, river]),
            // A fourth one does not count.
            ("river", 16, vec![3.0 * river]),
            // They are adjacent across the end of a sentence, in this order only.
            ("river water", 16, vec![3.0 * river + water + 0.5]),
            ("water river", 16, vec![3.0 * river + water]),
            ("river and the water", 16, vec![3.0 * river + water]),
            ("bicycle", 16, vec![0.0]),
        ];
        for (query, count, expected) in table {
            let found = term_counts(TEXT, query, count);
            assert_eq!(found.len(), expected.len(), "{query} {count}: {found:?}");
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-12, "{query} {count}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn words_side_by_side_count_more() {
        let one = 2.0_f64.ln();
        let table = [
            ("river water", "river water", 2.0 * one + 0.5),
            ("river water", "water river", 2.0 * one),
            ("river water", "river and water", 2.0 * one),
            // The same two words again add nothing.
            ("river water", "river water, river water", 4.0 * one + 0.5),
            ("cold river water", "cold river waters", 3.0 * one + 1.0),
            ("river water -cold", "cold river water", 2.0 * one + 0.5),
        ];
        for (query, text, expected) in table {
            let found = term_counts(text, query, 10);
            assert!((found[0] - expected).abs() < 1e-12, "{query} in {text}: {found:?} for {expected}");
        }
    }

    #[test]
    fn likeness_is_looked_at_where_words_hit() {
        let mut text = "Boats sail. ".repeat(2 * EMBEDDED_MAX);
        text.push_str("A river.");
        let words = Words::of(&text);
        let query = Query::parse("river");
        let found = scored(&words, &query, WindowMethod::TermVector, 2);
        assert_eq!(found.len(), EMBEDDED_MAX);
        assert_eq!(words.text(&found[0].window), "A river.");
        let expected = f64::from(normalized_sum("A river.").cosine(&normalized_sum("river")));
        assert!((found[0].score - expected).abs() < 1e-5);
        assert_eq!(scored(&words, &query, WindowMethod::TermCount, 2).len(), 4 * EMBEDDED_MAX + 1);
    }

    #[test]
    fn a_window_is_read_whole() {
        let far = format!("{}banana", "river ".repeat(700));
        let words = Words::of(&far);
        let whole = sum_of(&words, &(0..words.len())).cosine(&normalized_sum("banana"));
        let near = sum_of(&words, &(0..700)).cosine(&normalized_sum("banana"));
        assert!(whole > near, "{whole:?} {near:?}");
    }
}
