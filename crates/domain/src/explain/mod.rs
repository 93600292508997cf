//! The `explain` of a result: why it has its scores.
//!
//! A search writes one for each of its results, so it is a struct that is serialized directly; [`serialize`] has the
//! form of the wire. What a person wrote into a saved result in another form is kept as it is in `other`.

mod field;
mod parse;
mod serialize;

pub use field::{Field, PerField};

use crate::preferences::Preference;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// The name of the sum in `score` and `confidence`.
pub const TOTAL: &str = "total";

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explain {
    /// The negated word or phrase that the result contains.
    pub negated: Option<NegatedWords>,
    /// The stems of the query's words, separated by spaces. Results of one source share them.
    pub stems: Option<Arc<str>>,
    pub similarities: PerField<Option<FieldSimilarities>>,
    /// Where the query's words occur in each field.
    pub hits: Option<PerField<Vec<WordHits>>>,
    /// It comes from a file system, where titles are file names.
    pub is_file_system: bool,
    pub score: Option<ScoreParts>,
    /// The evidence for the confidence, each kind 0 to 1.
    pub evidence: NamedNumbers,
    /// The parts of the confidence, and [`TOTAL`] last.
    pub confidence: NamedNumbers,
    /// The effects of the user's preferences.
    pub personal: Vec<PreferenceEffect>,
    /// What is not in the form above.
    pub other: Map<String, Value>,
    /// What the score needs of the texts; available from reading until scoring, and never saved.
    pub notes: Option<TextNotes>,
}

/// A negated word or phrase, and the field that contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NegatedWords {
    pub field: Field,
    pub words: String,
}

/// The similarities of parts of the query to a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldSimilarities {
    /// By the words and the place of each match.
    pub by_match: Vec<(String, f64)>,
    /// The factors of these matches in the score, once it is known.
    pub adjusts: Option<LengthAdjusts>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthAdjusts {
    pub result_length: f64,
    pub query_length: f64,
}

/// A word that matched, in lower case, and its positions, counted in tokens from 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordHits {
    pub word: String,
    /// The index of its term in the query; `None` for a word that only the source highlighted. Not saved.
    pub term: Option<usize>,
    pub positions: Vec<u32>,
}

/// The points of each field in `swirl_score`, and their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreParts {
    pub fields: PerField<f64>,
    pub total: f64,
}

/// What is known of the texts of a result before the other results have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TextNotes {
    /// In tokens.
    pub lengths: PerField<u32>,
    /// Similarity of the query and the result, 0 to 1.
    pub cosine: f64,
    /// The share of its text that repeats earlier text, 0 to 1.
    pub repetition: f64,
    /// The terms of the query that are stopwords in the language of the result: one bit each.
    pub stopword_terms: u64,
}

/// The effect of a preference for a source or a domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreferenceEffect {
    #[serde(flatten)]
    pub subject: PreferenceSubject,
    #[serde(rename = "wish")]
    pub preference: Preference,
    pub factor: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PreferenceSubject {
    Source(String),
    Domain(String),
}

/// Numbers by name, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NamedNumbers(Vec<(Cow<'static, str>, f64)>);

impl NamedNumbers {
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }

    /// Adds a number, or replaces the one with this name in its place.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, number: f64) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = number,
            None => self.0.push((name, number)),
        }
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, number)| (name.as_ref(), *number))
    }
}

impl FromIterator<(Cow<'static, str>, f64)> for NamedNumbers {
    fn from_iter<I: IntoIterator<Item = (Cow<'static, str>, f64)>>(numbers: I) -> Self {
        Self(numbers.into_iter().collect())
    }
}

impl Explain {
    /// Whether the result was scored, and not as one with a negated word.
    pub fn has_confidence(&self) -> bool {
        !self.confidence.is_empty()
    }
}

#[cfg(test)]
mod tests;
