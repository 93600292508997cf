//! The `explain` of a result: why it has its scores.
//!
//! It is written in two steps. When a provider's response arrives, [`prepared`] notes what needs no other results: the
//! hits, the similarities, and temporarily `lengths`, `cosine` and `repetition`, which show that the texts have been
//! read. When all have arrived, [`read_prepared`] reads the notes and [`complete`] adds the numbers.

use crate::confidence::{Confidence, Evidence};
use crate::field::{Field, PerField};
use crate::hits::{FieldHits, Hits, POSITIONS_MAX, WordHits};
use crate::query::Query;
use crate::score::{Adjusts, Points};
use crate::targets::{Similarities, rounded};
use domain::result::ResultItem;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

const NEGATED: &str = "NOT";
const STEMS: &str = "stems";
const HITS: &str = "hits";
const LENGTHS: &str = "lengths";
const COSINE: &str = "cosine";
const REPETITION: &str = "repetition";
const SCORE: &str = "score";
pub(crate) const EVIDENCE: &str = "evidence";
pub(crate) const CONFIDENCE: &str = "confidence";
const BOOSTS: &str = "boosts";
const FILE_SYSTEM: &str = "FILE_SYSTEM";
pub(crate) const TOTAL: &str = "total";

/// What is known about one result without the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResultNotes {
    pub hits: Hits,
    pub reading: TextEvidence,
}

/// Evidence from the text as a whole, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TextEvidence {
    /// Similarity of the query and the result.
    pub cosine: f64,
    /// The share of its text that repeats earlier text.
    pub repetition: f64,
}

/// The notes of the first step.
pub fn prepared(query: &Query, result_notes: &ResultNotes, similarities: PerField<Similarities>) -> Object {
    let mut explain = negated(&result_notes.hits).unwrap_or_default();
    explain.insert(STEMS.to_owned(), query.stems().into());
    for (field, found) in Field::ALL.into_iter().zip(similarities) {
        if !found.is_empty() {
            let found = found.into_iter().map(|(key, value)| (key, value.into()));
            explain.insert(field.name().to_owned(), found.collect::<Object>().into());
        }
    }
    explain.insert(HITS.to_owned(), shown_hits(&result_notes.hits).into());
    let lengths =
        result_notes.hits.by_field().map(|(field, hits)| (field.name().to_owned(), hits.length.into()));
    explain.insert(LENGTHS.to_owned(), lengths.collect::<Object>().into());
    explain.insert(COSINE.to_owned(), result_notes.reading.cosine.into());
    explain.insert(REPETITION.to_owned(), result_notes.reading.repetition.into());
    explain
}

/// Parses the notes of [`prepared`]; `None` if there are none, or if they were changed.
pub fn read_prepared(explain: &Object, query: &Query) -> Option<ResultNotes> {
    let lengths = explain.get(LENGTHS)?.as_object()?;
    let words = explain.get(HITS)?.as_object()?;
    let number = |name: &str| explain.get(name).and_then(share);
    let reading = TextEvidence { cosine: number(COSINE)?, repetition: number(REPETITION)? };
    let mut result_notes = ResultNotes { reading, ..ResultNotes::default() };
    for field in Field::ALL {
        let length = u32::try_from(lengths.get(field.name())?.as_u64()?).ok()?;
        let words = words.get(field.name())?.as_object()?.iter();
        let words: Option<Vec<WordHits>> =
            words.map(|(word, places)| read_word(query, word, places)).collect();
        result_notes.hits.fields[field as usize] =
            FieldHits { length, words: words?, weighs_as_title: false };
        if let Some(found) = explain.get(field.name()) {
            found.as_object()?.values().all(|value| share(value).is_some()).then_some(())?;
        }
    }
    if let Some(found) = explain.get(NEGATED) {
        let (field, words) = found.as_object()?.iter().next()?;
        result_notes.hits.negated = Some((Field::named(field)?, words.as_str()?.to_owned()));
    }
    Some(result_notes)
}

/// The factors of a field in the score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighing {
    pub weight: f64,
    pub adjusts: Adjusts,
}

/// Turns the notes into the explanation of a scored result, and returns the points of `swirl_score`.
pub fn complete(explain: &mut Object, hits: &Hits, weighing: PerField<Weighing>) -> Points {
    let mut points = Points::default();
    for (field, Weighing { weight, adjusts }) in Field::ALL.into_iter().zip(weighing) {
        let Some(Value::Object(found)) = explain.get_mut(field.name()) else { continue };
        let values = found.iter().map(|(key, value)| (key.as_str(), value.as_f64().unwrap_or_default()));
        points.set(field, weight, values, adjusts);
        found.insert("result_length_adjust".to_owned(), adjusts.result_length.into());
        found.insert("query_length_adjust".to_owned(), adjusts.query_length.into());
    }
    for note in [LENGTHS, COSINE, REPETITION] {
        explain.shift_remove(note);
    }
    if !hits.fields.iter().any(|field| field.weighs_as_title) {
        explain.shift_remove(BOOSTS);
    }
    let mut score: Object =
        Field::ALL.into_iter().map(|field| (field.name().to_owned(), points.of(field).into())).collect();
    score.insert(TOTAL.to_owned(), points.total().into());
    explain.insert(SCORE.to_owned(), score.into());
    points
}

/// Adds the evidence and the parts of the confidence.
pub fn add_confidence(explain: &mut Object, evidence: &Evidence, confidence: &Confidence) {
    let shown = evidence.by_name().into_iter().map(|(name, value)| (name.to_owned(), rounded(value).into()));
    explain.insert(EVIDENCE.to_owned(), shown.collect::<Object>().into());
    let mut parts: Object = confidence.parts().map(|(name, value)| (name.to_owned(), value.into())).collect();
    parts.insert(TOTAL.to_owned(), confidence.total().into());
    explain.insert(CONFIDENCE.to_owned(), parts.into());
}

/// The whole explanation of a result with a negated word: the field, and the word.
pub fn negated(hits: &Hits) -> Option<Object> {
    let (field, words) = hits.negated.as_ref()?;
    let found = Object::from_iter([(field.name().to_owned(), words.clone().into())]);
    Some(Object::from_iter([(NEGATED.to_owned(), found.into())]))
}

/// Whether the result was scored as containing a negated word.
pub fn is_negated(item: &ResultItem) -> bool {
    item.explain.as_ref().is_some_and(|explain| explain.contains_key(NEGATED))
}

/// Whether the field has similarities that count.
pub fn tells(explain: &Object, field: Field) -> bool {
    explain.contains_key(field.name())
}

/// Notes that a result comes from a file system, where titles are file names.
pub fn mark_file_system(explain: &mut Object) {
    explain.insert(BOOSTS.to_owned(), FILE_SYSTEM.into());
}

pub fn is_file_system(explain: &Object) -> bool {
    explain.get(BOOSTS).is_some_and(|boosts| boosts == FILE_SYSTEM)
}

/// The stems in an explanation.
pub fn stems(explain: &Object) -> Option<&str> {
    explain.get(STEMS)?.as_str()
}

/// Updates the positions of the words after the texts of a result were changed. Scores and their reasons stay; notes of
/// the first step are taken again.
pub fn found_again(old: Object, new: Object) -> Object {
    if old.contains_key(LENGTHS) {
        return new;
    }
    let mut explain = old;
    if let (Some(old), Some(new)) = (explain.get_mut(HITS), new.get(HITS)) {
        old.clone_from(new);
    }
    explain
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
    Some(WordHits {
        word: word.to_owned(),
        term: query.find(word).and_then(|found| found.term()),
        positions: positions?,
    })
}

fn share(value: &Value) -> Option<f64> {
    value.as_f64().filter(|value| (0.0..=1.0).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Object {
        value.as_object().cloned().unwrap_or_default()
    }

    fn notes(query: &Query, texts: PerField<&str>) -> (ResultNotes, Object) {
        let result_notes = ResultNotes {
            hits: Hits::read(query, texts),
            reading: TextEvidence { cosine: 0.5, repetition: 0.0 },
        };
        let explain = prepared(query, &result_notes, [vec![("x_*".to_owned(), 0.25)], vec![], vec![]]);
        (result_notes, explain)
    }

    #[test]
    fn notes_are_taken_up_again() {
        for text in ["Electric cars and a car", "no hit", "electric beta"] {
            let query = Query::parse("electric cars -beta").with_highlights(&["hit".to_owned()]);
            let (result_notes, explain) = notes(&query, [text, "Cars", ""]);
            assert_eq!(read_prepared(&explain, &query), Some(result_notes), "{text}");
        }
    }

    #[test]
    fn what_is_noted() {
        let query = Query::parse("electric cars");
        let (_, explain) = notes(&query, ["Electric cars win", "", "A. Cars"]);
        let expected = json!({
            "stems": "electr car",
            "title": {"x_*": 0.25},
            "hits": {"title": {"electric": [0], "cars": [1]}, "body": {}, "author": {"cars": [1]}},
            "lengths": {"title": 3, "body": 0, "author": 2},
            "cosine": 0.5,
            "repetition": 0.0,
        });
        assert_eq!(Value::from(explain), expected);
    }

    #[test]
    fn foreign_notes_are_not_believed() {
        let query = Query::parse("x");
        let (_, good) = notes(&query, ["x", "", ""]);
        assert!(read_prepared(&good, &query).is_some());
        for (key, value) in [
            ("lengths", json!(null)),
            ("lengths", json!({"title": -1, "body": 0, "author": 0})),
            ("hits", json!([])),
            ("hits", json!({"title": {"x": ["0"]}, "body": {}, "author": {}})),
            ("hits", json!({"title": {"x": [5_000_000_000_u64]}, "body": {}, "author": {}})),
            ("NOT", json!({"payload": "x"})),
            ("cosine", json!(2)),
            ("title", json!({"x_*": 1e9})),
            ("body", json!({"x_*": "high"})),
            ("author", json!([])),
        ] {
            let mut bad = good.clone();
            bad.insert(key.to_owned(), value);
            assert_eq!(read_prepared(&bad, &query), None, "{key}");
        }
        assert_eq!(read_prepared(&object(json!({})), &query), None);
    }

    #[test]
    fn places_are_found_again_and_scores_stay() {
        let query = Query::parse("x");
        let (_, new) = notes(&query, ["a x", "", ""]);
        let (_, result_notes) = notes(&query, ["x", "", ""]);
        assert_eq!(found_again(result_notes, new.clone()), new);
        let done = object(json!({"stems": "x", "hits": {"title": {"x": [7]}}, "score": {"total": 1}}));
        let again = Value::from(found_again(done, new));
        assert_eq!((&again["hits"]["title"], &again["score"]), (&json!({"x": [1]}), &json!({"total": 1})));
        assert!(again.get("lengths").is_none());
    }
}
