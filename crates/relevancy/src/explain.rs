//! Writes the `explain` of a result in two steps.
//!
//! When a provider's response arrives, [`prepared`] notes what needs no other results: the hits, the similarities, and
//! for the score the lengths of the texts and their evidence. When all have arrived, [`take_prepared`] takes the notes
//! and [`complete`] adds the numbers.

use crate::confidence::{Confidence, Evidence};
use crate::hits::{FieldHits, Hits};
use crate::score::{Adjusts, Points};
use crate::targets::{Similarities, rounded};
use crate::term_set::TermSet;
use domain::explain::{
    Explain, Field, FieldSimilarities, LengthAdjusts, PerField, ScoreParts, TOTAL, TextNotes,
};
use domain::result::ResultItem;
use std::sync::Arc;

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

/// The explanation after the first step.
pub fn prepared(stems: Arc<str>, result_notes: ResultNotes, similarities: PerField<Similarities>) -> Explain {
    let ResultNotes { hits, reading } = result_notes;
    let lengths = hits.fields.each_ref().map(|field| field.length);
    Explain {
        negated: hits.negated,
        stems: Some(stems),
        similarities: similarities
            .map(|by_match| (!by_match.is_empty()).then_some(FieldSimilarities { by_match, adjusts: None })),
        hits: Some(hits.fields.map(|field| field.words)),
        notes: Some(TextNotes {
            lengths,
            cosine: reading.cosine,
            repetition: reading.repetition,
            stopword_terms: hits.stopword_terms.bits(),
        }),
        ..Explain::default()
    }
}

/// Takes the notes of [`prepared`]; `None` if there are none. [`complete`] gives the hits back.
pub fn take_prepared(explain: &mut Explain) -> Option<ResultNotes> {
    let TextNotes { lengths, cosine, repetition, stopword_terms } = explain.notes.take()?;
    let mut words = explain.hits.take()?.into_iter();
    let fields = lengths.map(|length| FieldHits {
        length,
        words: words.next().unwrap_or_default(),
        weighs_as_title: false,
    });
    let stopword_terms = TermSet::of_bits(stopword_terms);
    let hits = Hits { fields, negated: explain.negated.take(), stopword_terms };
    Some(ResultNotes { hits, reading: TextEvidence { cosine, repetition } })
}

/// The factors of a field in the score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighing {
    pub weight: f64,
    pub adjusts: Adjusts,
}

/// Completes the explanation of a scored result, and returns the points of `swirl_score`.
pub fn complete(explain: &mut Explain, hits: Hits, weighing: PerField<Weighing>) -> Points {
    let mut points = Points::default();
    for (field, Weighing { weight, adjusts }) in Field::ALL.into_iter().zip(weighing) {
        let Some(found) = &mut explain.similarities[field as usize] else { continue };
        let values = found.by_match.iter().map(|(key, value)| (key.as_str(), *value));
        points.set(field, weight, values, adjusts);
        let Adjusts { result_length, query_length, .. } = adjusts;
        found.adjusts = Some(LengthAdjusts { result_length, query_length });
    }
    explain.is_file_system &= hits.fields.iter().any(|field| field.weighs_as_title);
    explain.hits = Some(hits.fields.map(|field| field.words));
    let fields = Field::ALL.map(|field| points.of(field));
    explain.score = Some(ScoreParts { fields, total: points.total() });
    points
}

/// Adds the evidence and the parts of the confidence.
pub fn add_confidence(explain: &mut Explain, evidence: &Evidence, confidence: &Confidence) {
    let shown = evidence.by_name().into_iter().map(|(name, value)| (name.into(), rounded(value)));
    explain.evidence = shown.collect();
    let parts = confidence.parts().chain([(TOTAL, confidence.total())]);
    explain.confidence = parts.map(|(name, value)| (name.into(), value)).collect();
}

/// The whole explanation of a result with a negated word.
pub fn negated(hits: Hits) -> Explain {
    Explain { negated: hits.negated, ..Explain::default() }
}

/// Whether the result was scored as containing a negated word.
pub fn is_negated(item: &ResultItem) -> bool {
    item.explain.as_ref().is_some_and(|explain| explain.negated.is_some())
}

/// Updates the positions of the words after the texts of a result were changed. Scores and their reasons stay; notes of
/// the first step are taken again.
pub fn found_again(old: Box<Explain>, new: Box<Explain>) -> Box<Explain> {
    if old.notes.is_some() {
        return new;
    }
    let mut explain = old;
    if explain.hits.is_some() {
        explain.hits = new.hits;
    }
    explain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use serde_json::{Value, json};

    fn notes(query: &Query, texts: PerField<&str>) -> (ResultNotes, Explain) {
        let result_notes = ResultNotes {
            hits: Hits::read(query, texts),
            reading: TextEvidence { cosine: 0.5, repetition: 0.0 },
        };
        let similarities = [vec![("x_*".to_owned(), 0.25)], vec![], vec![]];
        let explain = prepared(query.stems().into(), result_notes.clone(), similarities);
        (result_notes, explain)
    }

    #[test]
    fn notes_are_taken_once() {
        for text in ["Electric cars and a car", "no hit", "electric beta"] {
            let query = Query::parse("electric cars -beta").with_highlights(&["hit".to_owned()]);
            let (result_notes, mut explain) = notes(&query, [text, "Cars", ""]);
            assert_eq!(take_prepared(&mut explain), Some(result_notes), "{text}");
            assert_eq!(take_prepared(&mut explain), None, "{text}");
        }
    }

    #[test]
    fn what_is_noted() {
        let query = Query::parse("electric cars");
        let (_, explain) = notes(&query, ["Electric cars win", "", "A. Cars"]);
        let notes = TextNotes { lengths: [3, 0, 2], cosine: 0.5, ..TextNotes::default() };
        assert_eq!(explain.notes, Some(notes));
        let expected = json!({
            "stems": "electr car",
            "title": {"x_*": 0.25},
            "hits": {"title": {"electric": [0], "cars": [1]}, "body": {}, "author": {"cars": [1]}},
        });
        assert_eq!(Value::from(explain), expected);
    }

    #[test]
    fn a_saved_explanation_has_no_notes() {
        let (_, explain) = notes(&Query::parse("x"), ["x", "", ""]);
        let text = serde_json::to_string(&explain).unwrap();
        let mut saved: Explain = serde_json::from_str(&text).unwrap();
        assert_eq!(take_prepared(&mut saved), None);
        assert_eq!(serde_json::to_string(&saved).unwrap(), text, "and nothing was taken");
    }

    #[test]
    fn places_are_found_again_and_scores_stay() {
        let query = Query::parse("x");
        let noted = |title: &str| Box::new(notes(&query, [title, "", ""]).1);
        assert_eq!(found_again(noted("x"), noted("a x")), noted("a x"));
        let mut done = noted("b c d x");
        done.notes = None;
        done.score = Some(ScoreParts { fields: [1.0, 0.0, 0.0], total: 1.0 });
        let again = Value::from(found_again(done, noted("a x")));
        assert_eq!((&again["hits"]["title"], &again["score"]["total"]), (&json!({"x": [1]}), &json!(1.0)));
    }
}
