//! The score of a document: its similarity to the query, on a scale on which 0.50 separates related documents from
//! others.
//!
//! `SVC_CORPUS_MIN_SCORE` is compared with this score. The points were chosen with the texts and queries in
//! `tests/data/recall/development_*.txt` only; `tests/it/recall` measures them on others. The limit for weak scores is
//! taken from other collections; it was changed once after a first measurement in `tests/it/recall`.

use relevancy::embedder::MODEL_NAME;

/// Cosine similarity by the built-in model, and its score. Between two points the score is proportional.
const POINTS: [(f32, f32); 6] = [
    (0.0, 0.0),
    // Of 100 questions and paraphrases, 96 have their document above it; of 100 unrelated documents, 96 are below.
    (0.24, 0.5),
    // Four in 1,000 unrelated documents are above it.
    (0.34, 0.6),
    // No unrelated one is above it.
    (0.45, WEAK_BELOW),
    // The median of queries with words of their document.
    (0.6, 0.9),
    (1.0, 1.0),
];
/// Share of the weight of the query's words that a document has, and its score: two rare words of three are enough.
const WORD_POINTS: [(f32, f32); 3] = [(0.0, 0.0), (0.6, 0.5), (1.0, 0.95)];
/// A lower score is a weak one. Of the results on places 6 to 10, one in seven is relevant if its score is weak, and
/// one in four if it is not (five collections, 418 queries).
const WEAK_BELOW: f32 = 0.75;
/// Documents with a weak score have one of so many first places: a query that nothing fits does not get a whole page.
const WEAK_PLACES: usize = 5;
/// A lower minimum, which only an administrator sets, asks for weak documents.
const USUAL_MINIMUM: f64 = 0.5;

/// How similarities of one embedding model become scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calibration {
    BuiltIn,
    /// The similarities of other models are not known, and are used as they are.
    External,
}

impl Calibration {
    pub fn of_model(model: &str) -> Self {
        if model == MODEL_NAME { Self::BuiltIn } else { Self::External }
    }

    /// The score of a cosine similarity, 0 to 1.
    pub fn score(self, cosine: f32) -> f32 {
        match self {
            Self::BuiltIn => on_line(&POINTS, cosine),
            Self::External => cosine.clamp(0.0, 1.0),
        }
    }

    /// Whether a document with this score may have this place, counted from 0, if the minimum is `floor`.
    pub fn admits(self, place: usize, score: f32, floor: f64) -> bool {
        self == Self::External || place < WEAK_PLACES || score >= WEAK_BELOW || floor < USUAL_MINIMUM
    }
}

/// The score of a document that has this share of the query's words.
pub fn word_score(share: f32) -> f32 {
    on_line(&WORD_POINTS, share)
}

/// The value on the line through the points, which ascend.
fn on_line(points: &[(f32, f32)], place: f32) -> f32 {
    let place = place.max(0.0);
    let mut before = (0.0, 0.0);
    for point in points {
        if place <= point.0 {
            let width = point.0 - before.0;
            let part = if width > 0.0 { (place - before.0) / width } else { 0.0 };
            return before.1 + part * (point.1 - before.1);
        }
        before = *point;
    }
    before.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_have_their_scores() {
        let table = [
            (-0.3, 0.0),
            (0.0, 0.0),
            (0.12, 0.25),
            (0.24, 0.5),
            (0.29, 0.55),
            (0.34, 0.6),
            (0.45, 0.75),
            (0.6, 0.9),
            (0.8, 0.95),
            (1.0, 1.0),
            (1.1, 1.0),
        ];
        for (cosine, score) in table {
            assert!((Calibration::BuiltIn.score(cosine) - score).abs() < 1e-6, "{cosine}");
        }
        for (share, score) in [(0.0, 0.0), (0.3, 0.25), (0.6, 0.5), (0.8, 0.725), (1.0, 0.95)] {
            assert!((word_score(share) - score).abs() < 1e-6, "{share}");
        }
    }

    #[test]
    fn other_models_are_taken_as_they_are() {
        assert_eq!(Calibration::of_model(MODEL_NAME), Calibration::BuiltIn);
        let other = Calibration::of_model("text-embedding-3-small");
        assert_eq!([-0.2, 0.0, 0.4, 1.2].map(|cosine| other.score(cosine)), [0.0, 0.0, 0.4, 1.0]);
        assert!(other.admits(WEAK_PLACES, 0.5, USUAL_MINIMUM));
    }

    #[test]
    fn weak_scores_have_the_first_places_only() {
        let admits = |place, score, floor| Calibration::BuiltIn.admits(place, score, floor);
        assert!(admits(WEAK_PLACES - 1, 0.5, 0.5) && !admits(WEAK_PLACES, 0.74, 0.5));
        assert!(admits(WEAK_PLACES, 0.75, 0.5), "it is not weak");
        assert!(admits(WEAK_PLACES, 0.5, 0.49), "they are wanted");
    }

    proptest! {
        #[test]
        fn a_nearer_document_has_no_lower_score(one in -1.0_f32..=1.0, other in -1.0_f32..=1.0) {
            let (near, far) = (one.max(other), one.min(other));
            prop_assert!(Calibration::BuiltIn.score(near) >= Calibration::BuiltIn.score(far));
            prop_assert!((0.0..=1.0).contains(&Calibration::BuiltIn.score(one)));
            prop_assert!(word_score(near) >= word_score(far));
        }
    }
}
