//! The `explain` of a result: why it has its scores.
//!
//! It is written in two turns. When a provider's answer arrives, [`prepared`] notes what needs no other results;
//! when all have arrived, [`completed`] adds the numbers. Between the two stands `lengths`, which says that the
//! texts have been read; [`read_prepared`] takes the notes up again.

use crate::bm25::PoolStatistics;
use crate::confidence::Confidence;
use crate::field::{Field, PerField};
use crate::hits::{FieldHits, Hits, POSITIONS_MAX, WordHits};
use crate::query::Query;
use crate::score::Share;
use crate::stems::stem;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

const NEGATED: &str = "NOT";
const STEMS: &str = "stems";
const HITS: &str = "hits";
const LENGTHS: &str = "lengths";
const CONFIDENCE: &str = "confidence";
const BOOSTS: &str = "boosts";
const FILE_SYSTEM: &str = "FILE_SYSTEM";

/// What one result tells without the others.
pub fn prepared(query: &Query, hits: &Hits) -> Object {
    let mut explain = negated(hits).unwrap_or_default();
    explain.insert(STEMS.to_owned(), query.stems().into());
    explain.insert(HITS.to_owned(), shown_hits(hits).into());
    let lengths = hits.by_field().map(|(field, hits)| (field.name().to_owned(), hits.length.into()));
    explain.insert(LENGTHS.to_owned(), lengths.collect::<Object>().into());
    explain
}

/// The hits that [`prepared`] noted; None when it did not, or when the notes do not read as its own.
pub fn read_prepared(explain: &Object, query: &Query) -> Option<Hits> {
    let lengths = explain.get(LENGTHS)?.as_object()?;
    let words = explain.get(HITS)?.as_object()?;
    let mut hits = Hits::default();
    for field in Field::ALL {
        let length = u32::try_from(lengths.get(field.name())?.as_u64()?).ok()?;
        let words = words.get(field.name())?.as_object()?.iter();
        let words: Option<Vec<WordHits>> =
            words.map(|(word, places)| read_word(query, word, places)).collect();
        hits.fields[field as usize] = FieldHits { length, words: words?, weighs_as_title: false };
    }
    if let Some(found) = explain.get(NEGATED) {
        let (field, words) = found.as_object()?.iter().next()?;
        hits.negated = Some((Field::named(field)?, words.as_str()?.to_owned()));
    }
    Some(hits)
}

/// The explanation of a result that has its scores. `stems` are those that were looked for.
pub fn completed(
    stems: String,
    hits: &Hits,
    statistics: &PoolStatistics,
    shares: &[Share],
    confidence: &Confidence,
) -> Object {
    let mut explain = Object::new();
    explain.insert(STEMS.to_owned(), stems.into());
    let mut fields: PerField<Object> = Default::default();
    for share in shares {
        fields[share.field as usize].insert(share.key.clone(), share.points().into());
    }
    let terms_matched = |field: &FieldHits| field.words.iter().filter(|hits| hits.term.is_some()).count();
    for ((field, in_field), mut object) in hits.by_field().zip(fields) {
        if object.is_empty() || terms_matched(in_field) == 0 {
            continue;
        }
        let length_adjust = statistics.length_adjust(field, in_field.length);
        object.insert("result_length_adjust".to_owned(), rounded(length_adjust).into());
        object.insert("query_length_adjust".to_owned(), rounded(statistics.query_length_adjust()).into());
        explain.insert(field.name().to_owned(), object.into());
    }
    explain.insert(HITS.to_owned(), shown_hits(hits).into());
    if hits.fields.iter().any(|field| field.weighs_as_title) {
        mark_file_system(&mut explain);
    }
    let mut parts: Object = confidence.parts().map(|(name, value)| (name.to_owned(), value.into())).collect();
    parts.insert("total".to_owned(), confidence.total().into());
    explain.insert(CONFIDENCE.to_owned(), parts.into());
    explain
}

/// The whole explanation of a result that holds a negated word: the field, and the word.
pub fn negated(hits: &Hits) -> Option<Object> {
    let (field, words) = hits.negated.as_ref()?;
    let found = Object::from_iter([(field.name().to_owned(), words.clone().into())]);
    Some(Object::from_iter([(NEGATED.to_owned(), found.into())]))
}

/// Notes that a result comes from a file system, where titles are names of files.
pub fn mark_file_system(explain: &mut Object) {
    explain.insert(BOOSTS.to_owned(), FILE_SYSTEM.into());
}

pub fn is_file_system(explain: &Object) -> bool {
    explain.get(BOOSTS).is_some_and(|boosts| boosts == FILE_SYSTEM)
}

/// The stems that an explanation names.
pub fn stems(explain: &Object) -> Option<&str> {
    explain.get(STEMS)?.as_str()
}

fn shown_hits(hits: &Hits) -> Object {
    let words = |hits: &FieldHits| -> Object {
        hits.words.iter().map(|hits| (hits.word.clone(), hits.positions.clone().into())).collect()
    };
    hits.by_field().map(|(field, hits)| (field.name().to_owned(), words(hits).into())).collect()
}

fn read_word(query: &Query, word: &str, places: &Value) -> Option<WordHits> {
    let read = |place: &Value| u32::try_from(place.as_u64()?).ok();
    let positions: Option<Vec<u32>> = places.as_array()?.iter().take(POSITIONS_MAX).map(read).collect();
    Some(WordHits { word: word.to_owned(), term: query.place(&stem(word)), positions: positions? })
}

fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Object {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn notes_are_taken_up_again() {
        for text in ["Electric cars and a car", "no hit", "electric beta"] {
            let query = Query::parse("electric cars -beta").with_highlights(&["hit".to_owned()]);
            let hits = Hits::read(&query, [text, "Cars", ""]);
            assert_eq!(read_prepared(&prepared(&query, &hits), &query), Some(hits), "{text}");
        }
    }

    #[test]
    fn what_is_noted() {
        let query = Query::parse("electric cars");
        let explain = prepared(&query, &Hits::read(&query, ["Electric cars win", "", "A. Cars"]));
        let expected = json!({
            "stems": "electr car",
            "hits": {"title": {"electric": [0], "cars": [1]}, "body": {}, "author": {"cars": [1]}},
            "lengths": {"title": 3, "body": 0, "author": 2},
        });
        assert_eq!(Value::from(explain), expected);
    }

    #[test]
    fn foreign_notes_are_not_believed() {
        let query = Query::parse("x");
        let good = prepared(&query, &Hits::read(&query, ["x", "", ""]));
        assert!(read_prepared(&good, &query).is_some());
        for (key, value) in [
            ("lengths", json!(null)),
            ("lengths", json!({"title": -1, "body": 0, "author": 0})),
            ("hits", json!([])),
            ("hits", json!({"title": {"x": ["0"]}, "body": {}, "author": {}})),
            ("hits", json!({"title": {"x": [5_000_000_000_u64]}, "body": {}, "author": {}})),
            ("NOT", json!({"payload": "x"})),
        ] {
            let mut bad = good.clone();
            bad.insert(key.to_owned(), value);
            assert_eq!(read_prepared(&bad, &query), None, "{key}");
        }
        assert_eq!(read_prepared(&object(json!({})), &query), None);
    }
}
