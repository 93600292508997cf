//! How close the words of a query are to each other in a text.

use crate::hits::FieldHits;
use crate::query::{Phrase, Query};
use crate::term_set::TermSet;

/// 0 to 1: the mean, over neighboring terms, of their distance in the query divided by their distance in the text, so 1
/// if all are as close as in the query. A missing quoted phrase costs its share. `None` if the query has no two words
/// that could be close. Stopwords in the language of the result do not count.
pub fn nearness(query: &Query, hits: &FieldHits, stopwords: TermSet) -> Option<f64> {
    let mut pairs = pairs(query, stopwords);
    // Most fields contain no word of the query.
    if hits.words.is_empty() {
        return pairs.next().map(|_| 0.0);
    }
    let (mut count, mut sum) = (0.0, 0.0);
    for (first, second) in pairs {
        count += 1.0;
        let asked = f64::from(query.terms[first].position.abs_diff(query.terms[second].position));
        sum += distance(&hits.positions(first), &hits.positions(second))
            .map_or(0.0, |found| (asked / f64::from(found)).min(1.0));
    }
    if count == 0.0 {
        return None;
    }
    let (mut phrases, mut kept) = (0.0, 0.0);
    for phrase in &query.phrases {
        let is_kept = occurs(phrase, hits, stopwords);
        phrases += f64::from(u8::from(is_kept.is_some()));
        kept += f64::from(u8::from(is_kept == Some(true)));
    }
    let share = if phrases == 0.0 { 1.0 } else { kept / phrases };
    Some(share * sum / count)
}

/// Neighboring terms that are no alternatives.
fn pairs(query: &Query, stopwords: TermSet) -> impl Iterator<Item = (usize, usize)> {
    let mut terms = (0..query.terms.len()).filter(move |term| !stopwords.contains(*term));
    let mut first = terms.next();
    let neighbors = terms.filter_map(move |second| Some((first.replace(second)?, second)));
    neighbors.filter(|(first, second)| query.terms[*first].group != query.terms[*second].group)
}

/// The smallest distance between two sorted lists of positions, in one pass.
fn distance(first: &[u32], second: &[u32]) -> Option<u32> {
    let (mut a, mut b) = (0, 0);
    let mut smallest: Option<u32> = None;
    while let (Some(left), Some(right)) = (first.get(a), second.get(b)) {
        let here = left.abs_diff(*right).max(1);
        smallest = Some(smallest.map_or(here, |known| known.min(here)));
        if left < right { a += 1 } else { b += 1 }
    }
    smallest
}

/// Whether a field contains a phrase; `None` if fewer than two of its words count.
pub(crate) fn occurs(phrase: &Phrase, hits: &FieldHits, stopwords: TermSet) -> Option<bool> {
    let terms = phrase.0.iter().filter(|(term, _)| !stopwords.contains(*term));
    let words: Vec<_> = terms.map(|(term, offset)| (hits.positions(*term), offset)).collect();
    let [(first, start), _, ..] = words.as_slice() else { return None };
    let is_found = first.iter().any(|position| {
        words
            .iter()
            .all(|(positions, offset)| positions.binary_search(&(position + *offset - *start)).is_ok())
    });
    Some(is_found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hits::Hits;

    #[test]
    fn near_words_are_worth_more() {
        let table = [
            ("electric cars", "electric cars win", Some(1.0)),
            ("electric cars", "cars, electric", Some(1.0)),
            ("electric cars", "electric new cars", Some(0.5)),
            ("electric cars", "cars a b c electric d cars", Some(0.5)),
            ("electric cars", "electric boats", Some(0.0)),
            ("electric cars", "boats", Some(0.0)),
            ("\"electric cars\"", "", Some(0.0)),
            ("cats OR dogs", "", None),
            ("new electric cars", "electric cars", Some(0.5)),
            ("cars", "cars", None),
            ("cats OR dogs", "cats dogs", None),
            ("\"electric cars\"", "electric cars", Some(1.0)),
            ("\"electric cars\"", "cars electric", Some(0.0)),
            ("\"state of the art\"", "a state of the art museum", Some(1.0)),
            ("art museum", "art of the museum", Some(1.0 / 3.0)),
            ("art of the museum", "museum art", Some(1.0)),
            ("\"state of the art\"", "the art of a state", Some(0.0)),
        ];
        for (query, text, expected) in table {
            let query_read = Query::parse(query);
            let hits = Hits::read(&query_read, ["", text, ""]);
            assert_eq!(
                nearness(&query_read, &hits.fields[1], hits.stopword_terms),
                expected,
                "{query} in {text}"
            );
        }
    }
}
