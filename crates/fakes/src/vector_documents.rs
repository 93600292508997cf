//! Documents with vectors for the fake vector stores: many about rivers, with dates, and one for each hostile text.

use serde_json::{Map, Value, json};
use testkit::hostile;
use testkit::suites::connector::MANY;

pub const DIMENSIONS: usize = 16;

#[derive(Debug, Clone)]
pub struct Document {
    pub number: usize,
    pub title: String,
    pub published: String,
    pub vector: Vec<f32>,
}

impl Document {
    pub fn fields(&self) -> Map<String, Value> {
        let fields = json!({"title": self.title, "published": self.published, "number": self.number});
        fields.as_object().cloned().unwrap_or_default()
    }
}

/// A vector that distinguishes texts, good enough for tests of similarity.
pub fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01_f32; DIMENSIONS];
    for (place, byte) in text.bytes().enumerate() {
        vector[(usize::from(byte) * 7 + place) % DIMENSIONS] += 1.0 + f32::from(byte) / 64.0;
    }
    vector
}

pub fn documents() -> Vec<Document> {
    let rivers =
        (0..MANY + 5).map(|number| (format!("river {number}"), format!("2024-01-{:02}", number % 28 + 1)));
    let hostile = hostile::QUERIES.iter().map(|text| ((*text).to_owned(), "2023-01-01".to_owned()));
    let all = rivers.chain(hostile).enumerate();
    all.map(|(number, (title, published))| Document { number, vector: embed(&title), title, published })
        .collect()
}

/// Cosine similarity: 1 for the same direction.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    let length = dot(one, one).sqrt() * dot(other, other).sqrt();
    if length == 0.0 { 0.0 } else { dot(one, other) / length }
}

/// The documents, nearest first.
pub fn nearest<'a>(documents: &'a [Document], vector: &[f32]) -> Vec<(f64, &'a Document)> {
    let scored = documents.iter().map(|document| (cosine(&document.vector, vector), document));
    let mut scored: Vec<(f64, &Document)> = scored.collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_nearest_to_itself() {
        let documents = documents();
        for document in &documents {
            let found = nearest(&documents, &embed(&document.title));
            assert_eq!(found[0].1.title, document.title);
            assert!(found[0].0 > found[1].0, "{} and {}", document.title, found[1].1.title);
        }
    }
}
