//! Decides whether two documents are versions of each other.

use super::centroids::cosine;
use super::identity::{Agreement, Identity};
use super::text_profile::TextProfile;
use domain::corpus::{Signal, SourceKind};

/// How much less similar than the threshold documents with equal titles may be, in multiples of the distance that the
/// threshold leaves.
const EQUAL_TITLES: f64 = 2.0;
/// The same for equal titles with different version marks.
const MARKED_TITLES: f64 = 7.0;
/// The same for titles of which each has words of its own, as "Review Lena" and "Review Marco": they must be nearer.
const TITLES_APART: f64 = 0.5;
/// However low the threshold is set, titles do not make up for less than this.
const LEAST: f64 = 0.6;

/// A document with its text and its identity.
pub struct Comparable<'a> {
    pub signal: &'a Signal,
    pub text: &'a TextProfile,
    pub identity: Identity<'a>,
}

impl<'a> Comparable<'a> {
    pub fn of(signal: &'a Signal, text: &'a TextProfile) -> Self {
        Self { signal, text, identity: Identity::of(&signal.title, &signal.url, text) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    /// The same text, or the same id at their source.
    Same,
    /// Versions, and how similar they are, 0 to 1.
    Versions(f64),
    /// Neither.
    Unrelated,
    /// Different documents: they are not even versions of a third one.
    Different,
}

pub fn are_versions(one: &Comparable<'_>, other: &Comparable<'_>, threshold: f64) -> Relation {
    let (left, right) = (one.signal, other.signal);
    let is_one_line = left.lineage_id.is_some() && left.lineage_id == right.lineage_id;
    let is_one_text = !left.content_hash.is_empty() && left.content_hash == right.content_hash;
    if is_one_line || is_one_text {
        return Relation::Same;
    }
    if one.identity.disagrees(&other.identity) {
        return Relation::Different;
    }
    match similarity(one, other) {
        Some(similarity) if similarity >= required(one, other, threshold) => Relation::Versions(similarity),
        _ => Relation::Unrelated,
    }
}

/// The cosine of the vectors or the share of common words, whichever is higher.
fn similarity(one: &Comparable<'_>, other: &Comparable<'_>) -> Option<f64> {
    // Vectors of different models are not comparable.
    let is_comparable = one.signal.embedding_model == other.signal.embedding_model;
    let vectors = one.text.centroid.as_deref().zip(other.text.centroid.as_deref());
    let vectors = vectors.filter(|(left, right)| is_comparable && left.len() == right.len());
    let cosine = vectors.map(|(left, right)| cosine(left, right));
    let overlap = one.text.overlap(other.text);
    cosine.into_iter().chain(overlap).reduce(f64::max)
}

/// The least similarity of versions with these titles.
fn required(one: &Comparable<'_>, other: &Comparable<'_>, threshold: f64) -> f64 {
    let (left, right) = (&one.identity, &other.identity);
    let is_marked = left.has_other_marks(right);
    let distance = match left.agreement(right) {
        Agreement::Apart => TITLES_APART,
        _ if !left.is_specific(right) || !is_one_series(one, other) => 1.0,
        Agreement::Equal if is_marked && !left.has_other_dates(right) => MARKED_TITLES,
        Agreement::Equal => EQUAL_TITLES,
        Agreement::Contained if is_marked => EQUAL_TITLES,
        Agreement::Contained | Agreement::None => 1.0,
    };
    (1.0 - distance * (1.0 - threshold)).max(LEAST.min(threshold))
}

/// Whether equal titles are a hint: mails of one conversation share theirs, and a translation is a document of its own.
fn is_one_series(one: &Comparable<'_>, other: &Comparable<'_>) -> bool {
    let (left, right) = (one.signal, other.signal);
    let is_file = |signal: &Signal| !matches!(signal.source_kind, SourceKind::Mail | SourceKind::Chat);
    let is_one_language =
        left.language == right.language || left.language.is_empty() || right.language.is_empty();
    is_file(left) && is_file(right) && is_one_language
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::fixtures::signal;

    fn at(cosine: f32) -> TextProfile {
        let centroid = Some(vec![cosine, (1.0 - cosine * cosine).sqrt()]);
        TextProfile { centroid, ..TextProfile::default() }
    }

    fn relation(one: &Signal, other: &Signal, cosine: f32, threshold: f64) -> Relation {
        let (left, right) = (at(1.0), at(cosine));
        are_versions(&Comparable::of(one, &left), &Comparable::of(other, &right), threshold)
    }

    #[test]
    fn titles_change_how_similar_texts_must_be() {
        let table = [
            ("Lease of the mill", "Harbor plan", 0.95),
            ("Lease of the mill", "Lease of the mill", 0.9),
            ("Lease of the mill v1", "Lease of the mill v2", 0.65),
            ("Lease of the mill", "Lease of the mill at Stone", 0.95),
            ("Lease of the mill", "Lease of the mill wheel signed", 0.9),
            ("Review Lena", "Review Marco", 0.975),
            ("Lease v1", "Lease v2", 0.95),
        ];
        for (one, other, least) in table {
            let (left, right) = (signal(1, one), signal(2, other));
            for (cosine, expected) in [(least - 0.004, false), (least + 0.004, true)] {
                let found = relation(&left, &right, cosine, 0.95);
                assert_eq!(matches!(found, Relation::Versions(_)), expected, "{one} {other} {cosine}");
            }
            assert_eq!(relation(&left, &right, 0.999, 1.0), Relation::Unrelated, "1 admits equal texts only");
            assert_eq!(relation(&left, &right, 0.55, 0.7), Relation::Unrelated, "a low threshold");
        }
    }

    #[test]
    fn mails_and_translations_are_compared_by_their_texts() {
        let [left, right] = [1, 2].map(|id| signal(id, &format!("Lease of the mill v{id}")));
        let mail = Signal { source_kind: SourceKind::Mail, ..right.clone() };
        let german = Signal { language: "de".to_owned(), ..right.clone() };
        let english = Signal { language: "en".to_owned(), ..left.clone() };
        assert!(matches!(relation(&left, &right, 0.9, 0.95), Relation::Versions(_)));
        assert!(matches!(relation(&left, &german, 0.9, 0.95), Relation::Versions(_)));
        assert_eq!(relation(&left, &mail, 0.9, 0.95), Relation::Unrelated);
        assert_eq!(relation(&english, &german, 0.9, 0.95), Relation::Unrelated);
    }

    #[test]
    fn one_line_and_one_text_are_the_same_whatever_their_titles_say() {
        let [left, right] = ["Minutes 12 March 2025", "Minutes 9 April 2025"].map(|title| signal(1, title));
        let other = Signal { content_hash: "other".to_owned(), ..right.clone() };
        assert_eq!(relation(&left, &right, 0.0, 0.95), Relation::Same);
        assert_eq!(relation(&left, &other, 1.0, 0.95), Relation::Different);
    }
}
