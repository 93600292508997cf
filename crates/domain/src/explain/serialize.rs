//! The form of `explain` on the wire: an object whose keys stand in a fixed order.

use super::{
    Explain, FieldSimilarities, LengthAdjusts, NamedNumbers, NegatedWords, ScoreParts, TOTAL, WordHits,
};
use super::{Field, PerField};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

pub(super) const NEGATED: &str = "NOT";
pub(super) const STEMS: &str = "stems";
pub(super) const HITS: &str = "hits";
pub(super) const BOOSTS: &str = "boosts";
pub(super) const FILE_SYSTEM: &str = "FILE_SYSTEM";
pub(super) const SCORE: &str = "score";
pub(super) const EVIDENCE: &str = "evidence";
pub(super) const CONFIDENCE: &str = "confidence";
pub(super) const PERSONAL: &str = "personal";
pub(super) const RESULT_LENGTH_ADJUST: &str = "result_length_adjust";
pub(super) const QUERY_LENGTH_ADJUST: &str = "query_length_adjust";

impl Serialize for Explain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(negated) = &self.negated {
            map.serialize_entry(NEGATED, negated)?;
        }
        if let Some(stems) = &self.stems {
            map.serialize_entry(STEMS, &**stems)?;
        }
        for (field, similarities) in Field::ALL.into_iter().zip(&self.similarities) {
            if let Some(similarities) = similarities {
                map.serialize_entry(field.name(), similarities)?;
            }
        }
        if let Some(hits) = &self.hits {
            map.serialize_entry(HITS, &HitsByField(hits))?;
        }
        if self.is_file_system {
            map.serialize_entry(BOOSTS, FILE_SYSTEM)?;
        }
        if let Some(score) = &self.score {
            map.serialize_entry(SCORE, score)?;
        }
        for (name, numbers) in [(EVIDENCE, &self.evidence), (CONFIDENCE, &self.confidence)] {
            if !numbers.is_empty() {
                map.serialize_entry(name, numbers)?;
            }
        }
        if !self.personal.is_empty() {
            map.serialize_entry(PERSONAL, &self.personal)?;
        }
        for (key, value) in self.other.iter().filter(|(key, _)| !self.has(key)) {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl Explain {
    /// Whether there is a value for this key besides `other`.
    fn has(&self, key: &str) -> bool {
        match key {
            NEGATED => self.negated.is_some(),
            STEMS => self.stems.is_some(),
            HITS => self.hits.is_some(),
            BOOSTS => self.is_file_system,
            SCORE => self.score.is_some(),
            EVIDENCE => !self.evidence.is_empty(),
            CONFIDENCE => !self.confidence.is_empty(),
            PERSONAL => !self.personal.is_empty(),
            _ => Field::named(key).is_some_and(|field| self.similarities[field as usize].is_some()),
        }
    }
}

impl Serialize for NegatedWords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.field.name(), &self.words)])
    }
}

impl Serialize for FieldSimilarities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in &self.by_match {
            map.serialize_entry(key, value)?;
        }
        if let Some(LengthAdjusts { result_length, query_length }) = &self.adjusts {
            map.serialize_entry(RESULT_LENGTH_ADJUST, result_length)?;
            map.serialize_entry(QUERY_LENGTH_ADJUST, query_length)?;
        }
        map.end()
    }
}

struct HitsByField<'a>(&'a PerField<Vec<WordHits>>);

impl Serialize for HitsByField<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            Field::ALL.into_iter().zip(self.0).map(|(field, words)| (field.name(), Words(words))),
        )
    }
}

struct Words<'a>(&'a [WordHits]);

impl Serialize for Words<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|hits| (&hits.word, &hits.positions)))
    }
}

impl Serialize for ScoreParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = Field::ALL.into_iter().zip(self.fields).map(|(field, points)| (field.name(), points));
        serializer.collect_map(fields.chain([(TOTAL, self.total)]))
    }
}

impl Serialize for NamedNumbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl Explain {
    /// As a JSON object, for callers that choose among its keys.
    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            // Its keys are texts and its values numbers and texts, which JSON can express.
            _ => Map::new(),
        }
    }
}

impl From<Explain> for Value {
    fn from(explain: Explain) -> Self {
        explain.to_map().into()
    }
}

impl From<Box<Explain>> for Value {
    fn from(explain: Box<Explain>) -> Self {
        explain.to_map().into()
    }
}
