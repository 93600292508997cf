//! How close the words of a query are to each other in a text.

use crate::hits::FieldHits;
use crate::query::{Phrase, Query};

/// 0 to 1: the mean, over neighboring terms, of their distance in the query divided by their distance in the text, so 1
/// if all are as close as in the query. A missing quoted phrase costs its share. `None` if the query has no two words
/// that could be close.
pub fn nearness(query: &Query, hits: &FieldHits) -> Option<f64> {
    // Most fields contain no word of the query.
    if hits.words.is_empty() {
        return query.terms.windows(2).any(|terms| terms[0].group != terms[1].group).then_some(0.0);
    }
    let pairs = query.terms.windows(2).enumerate().filter(|(_, terms)| terms[0].group != terms[1].group);
    let (mut count, mut sum) = (0.0, 0.0);
    for (place, terms) in pairs {
        count += 1.0;
        let asked = f64::from(terms[0].position.abs_diff(terms[1].position));
        sum += distance(&hits.positions(place), &hits.positions(place + 1))
            .map_or(0.0, |found| (asked / f64::from(found)).min(1.0));
    }
    if count == 0.0 {
        return None;
    }
    let kept = query.phrases.iter().filter(|phrase| occurs(phrase, hits)).count();
    let share = if query.phrases.is_empty() { 1.0 } else { kept as f64 / query.phrases.len() as f64 };
    Some(share * sum / count)
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

fn occurs(phrase: &Phrase, hits: &FieldHits) -> bool {
    let words: Vec<_> = phrase.0.iter().map(|(term, offset)| (hits.positions(*term), offset)).collect();
    let Some((first, start)) = words.first() else { return false };
    first.iter().any(|position| {
        words
            .iter()
            .all(|(positions, offset)| positions.binary_search(&(position + *offset - *start)).is_ok())
    })
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
            assert_eq!(nearness(&query_read, &hits.fields[1]), expected, "{query} in {text}");
        }
    }
}
