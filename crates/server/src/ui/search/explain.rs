//! Explanation of a rank: the parts of the confidence, and where the query terms were found.

use serde::Serialize;
use serde_json::{Map, Value};

/// Width of the bar.
const BAR: f64 = 1000.0;
/// Most words shown per field.
const WORDS_MAX: usize = 12;
/// Kinds of evidence, and their names in `explain`.
const EVIDENCE: [(&str, &[&str]); 6] = [
    ("words", &["bm25_pool", "bm25_background"]),
    ("meaning", &["embedding"]),
    ("company", &["company"]),
    ("proximity", &["proximity"]),
    ("coverage", &["coverage"]),
    ("rank", &["source_rank"]),
];
const FIELDS: [&str; 3] = ["title", "body", "author"];

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
    pub fn of(explain: &Map<String, Value>) -> Option<Self> {
        let score = explain.get("score").and_then(|score| score.get("total")).and_then(Value::as_f64);
        let confidence = explain.get("confidence").and_then(Value::as_object);
        let explanation = Self {
            parts: confidence.map(parts).unwrap_or_default(),
            repetition: confidence
                .and_then(|parts| number(parts, "repetition"))
                .map(|lost| format!("{lost:.2}")),
            score: score.map(|score| format!("{score:.1}")).unwrap_or_default(),
            found: explain.get("hits").and_then(Value::as_object).map(found).unwrap_or_default(),
            excluded: excluded(explain),
            preferences: explain
                .get("personal")
                .and_then(Value::as_array)
                .map(|list| preference_effects(list))
                .unwrap_or_default(),
        };
        let is_empty =
            explanation.parts.is_empty() && explanation.found.is_empty() && explanation.excluded.is_none();
        (!is_empty || !explanation.preferences.is_empty()).then_some(explanation)
    }
}

fn parts(confidence: &Map<String, Value>) -> Vec<Part> {
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

fn number(parts: &Map<String, Value>, name: &str) -> Option<f64> {
    parts.get(name).and_then(Value::as_f64).filter(|number| number.is_finite() && *number != 0.0)
}

fn found(hits: &Map<String, Value>) -> Vec<FieldHits> {
    let words = |field: &'static str| {
        let words: Vec<&str> =
            hits.get(field)?.as_object()?.keys().take(WORDS_MAX).map(String::as_str).collect();
        (!words.is_empty()).then(|| FieldHits { field, words: words.join(", ") })
    };
    FIELDS.into_iter().filter_map(words).collect()
}

fn preference_effects(preferences: &[Value]) -> Vec<PreferenceEffect> {
    let read = |preference: &Value| {
        let factor = preference.get("factor")?.as_f64()?;
        let of = preference.get("source").or_else(|| preference.get("domain"))?.as_str()?.to_owned();
        Some(PreferenceEffect { of, is_raised: factor > 1.0, factor })
    };
    preferences.iter().filter_map(read).collect()
}

fn excluded(explain: &Map<String, Value>) -> Option<String> {
    let fields = explain.get("NOT")?.as_object()?;
    fields.values().find_map(|words| words.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn explanation(explain: Value) -> Option<Explanation> {
        Explanation::of(explain.as_object().expect("an object"))
    }

    #[test]
    fn parts_fill_the_bar_largest_first() {
        let confidence = json!({"bm25_pool": 0.2, "bm25_background": 0.1, "embedding": 0.5, "coverage": 0.001,
            "repetition": -0.05, "total": 0.75});
        let explanation = explanation(json!({"confidence": confidence, "score": {"total": 12.34},
            "hits": {"title": {"river": [0], "bank": [1]}, "body": {}}}))
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
        let preferences = json!([{"source": "Library", "factor": 1.25}, {"domain": "a.example", "factor": 0.75}, {"source": "x"}, 7]);
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
