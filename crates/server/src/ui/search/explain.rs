//! Explanation of a rank: the parts of the confidence, and where the query terms were found.

use domain::explain::{self, Explain, Field, NamedNumbers, PerField, PreferenceSubject, WordHits};
use serde::Serialize;

/// Width of the bar.
const BAR: f64 = 1000.0;
/// Most words shown per field.
const WORDS_MAX: usize = 12;
/// Kinds of evidence, and their names in `explain`.
const EVIDENCE: [(&str, &[&str]); 6] = [
    ("words", &["bm25_pool", "bm25_background", "exact"]),
    ("meaning", &["embedding"]),
    ("company", &["company"]),
    ("proximity", &["proximity"]),
    ("coverage", &["coverage"]),
    ("rank", &["source_rank"]),
];

#[derive(Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Largest first; they add up to the confidence plus the `repetition` penalty.
    parts: Vec<Part>,
    /// Penalty for repetitive text.
    repetition: Option<String>,
    score: String,
    found: Vec<FieldHits>,
    /// The excluded word that was found.
    excluded: Option<String>,
    /// Effects of the user's preferences.
    preferences: Vec<PreferenceEffect>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Part {
    kind: &'static str,
    value: String,
    /// Position and width in the bar.
    x: f64,
    width: f64,
    color: usize,
}

/// The effect of a preference for a source or a domain.
#[derive(Debug, PartialEq, Serialize)]
struct PreferenceEffect {
    of: String,
    is_raised: bool,
    factor: f64,
}

#[derive(Debug, PartialEq, Serialize)]
struct FieldHits {
    field: &'static str,
    words: String,
}

impl Explanation {
    /// None if there is nothing to explain.
    pub fn of(explain: &Explain) -> Option<Self> {
        let explanation = Self {
            parts: parts(&explain.confidence),
            repetition: number(&explain.confidence, "repetition").map(|lost| format!("{lost:.2}")),
            score: explain.score.map(|score| format!("{:.1}", score.total)).unwrap_or_default(),
            found: explain.hits.as_ref().map(found).unwrap_or_default(),
            excluded: explain.negated.as_ref().map(|negated| negated.words.clone()),
            preferences: explain.personal.iter().map(PreferenceEffect::of).collect(),
        };
        let is_empty =
            explanation.parts.is_empty() && explanation.found.is_empty() && explanation.excluded.is_none();
        (!is_empty || !explanation.preferences.is_empty()).then_some(explanation)
    }
}

fn parts(confidence: &NamedNumbers) -> Vec<Part> {
    let mut sizes: Vec<(usize, &'static str, f64)> = EVIDENCE
        .iter()
        .enumerate()
        .map(|(color, (kind, names))| {
            (color, *kind, names.iter().filter_map(|name| number(confidence, name)).sum())
        })
        .filter(|(_, _, size): &(_, _, f64)| *size >= 0.005)
        .collect();
    sizes.sort_by(|a, b| b.2.total_cmp(&a.2));
    let whole: f64 = sizes.iter().map(|(_, _, size)| size).sum();
    let mut x = 0.0;
    let mut parts = Vec::new();
    for (color, kind, size) in sizes {
        let width = (size / whole * BAR).round();
        parts.push(Part { kind, value: format!("{size:.2}"), x, width, color });
        x += width;
    }
    parts
}

fn number(parts: &NamedNumbers, name: &str) -> Option<f64> {
    parts.get(name).filter(|number| number.is_finite() && *number != 0.0)
}

fn found(hits: &PerField<Vec<WordHits>>) -> Vec<FieldHits> {
    let words = |(field, hits): (Field, &Vec<WordHits>)| {
        let words: Vec<&str> = hits.iter().take(WORDS_MAX).map(|hits| hits.word.as_str()).collect();
        (!words.is_empty()).then(|| FieldHits { field: field.name(), words: words.join(", ") })
    };
    Field::ALL.into_iter().zip(hits).filter_map(words).collect()
}

impl PreferenceEffect {
    fn of(effect: &explain::PreferenceEffect) -> Self {
        let (PreferenceSubject::Source(of) | PreferenceSubject::Domain(of)) = &effect.subject;
        Self { of: of.clone(), is_raised: effect.factor > 1.0, factor: effect.factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn explanation(explain: Value) -> Option<Explanation> {
        Explanation::of(&serde_json::from_value(explain).expect("an object"))
    }

    #[test]
    fn parts_fill_the_bar_largest_first() {
        let confidence = json!({"bm25_pool": 0.2, "bm25_background": 0.08, "exact": 0.02, "embedding": 0.5, "coverage": 0.001,
            "repetition": -0.05, "total": 0.75});
        let explanation = explanation(json!({"confidence": confidence,
            "score": {"title": 12.34, "body": 0.0, "author": 0.0, "total": 12.34},
            "hits": {"title": {"river": [0], "bank": [1]}, "body": {}, "author": {}}}))
        .expect("reasons");
        let shown: Vec<_> = explanation
            .parts
            .iter()
            .map(|part| (part.kind, part.value.as_str(), part.x, part.width))
            .collect();
        assert_eq!(shown, [("meaning", "0.50", 0.0, 625.0), ("words", "0.30", 625.0, 375.0)]);
        assert_eq!((explanation.repetition.as_deref(), explanation.score.as_str()), (Some("-0.05"), "12.3"));
        assert_eq!(explanation.found, [FieldHits { field: "title", words: "river, bank".to_owned() }]);
    }

    #[test]
    fn preferences_are_explained() {
        let preferences = json!([
            {"source": "Library", "wish": "raise", "factor": 1.25},
            {"domain": "a.example", "wish": "lower", "factor": 0.75},
        ]);
        let effects = explanation(json!({"personal": preferences})).expect("a reason").preferences;
        let shown: Vec<_> =
            effects.iter().map(|preference| (preference.of.as_str(), preference.is_raised)).collect();
        assert_eq!(shown, [("Library", true), ("a.example", false)]);
    }

    #[test]
    fn malformed_explanations_are_ignored() {
        for explain in [
            json!({}),
            json!({"confidence": 1, "hits": [], "score": "high", "NOT": 3}),
            json!({"confidence": {"embedding": "x", "total": null}, "hits": {"title": 1}}),
        ] {
            assert_eq!(explanation(explain.clone()), None, "{explain}");
        }
        let left_out = explanation(json!({"NOT": {"body": "beta"}})).expect("a reason");
        assert_eq!(left_out.excluded.as_deref(), Some("beta"));
    }
}
