//! Why a result stands where it stands: the parts of its confidence, and where the query's words were found.

use serde::Serialize;
use serde_json::{Map, Value};

/// The bar of the parts is this wide.
const BAR: f64 = 1000.0;
/// Words that are named for each field.
const WORDS_MAX: usize = 12;
/// The kinds of evidence as people see them, and the names that `explain` has for each.
const KINDS: [(&str, &[&str]); 6] = [
    ("words", &["bm25_pool", "bm25_background"]),
    ("meaning", &["embedding"]),
    ("company", &["company"]),
    ("proximity", &["proximity"]),
    ("coverage", &["coverage"]),
    ("rank", &["source_rank"]),
];
const FIELDS: [&str; 3] = ["title", "body", "author"];

#[derive(Debug, PartialEq, Serialize)]
pub struct Why {
    /// Largest first; together they are the confidence, but for what `repetition` takes.
    parts: Vec<Part>,
    /// What is taken away because the text repeats itself.
    repetition: Option<String>,
    score: String,
    found: Vec<Found>,
    /// The word that the query wanted to leave out.
    excluded: Option<String>,
    /// What the reader's own wishes did to it.
    personal: Vec<Personal>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Part {
    kind: &'static str,
    value: String,
    /// Its place and width in the bar.
    x: f64,
    width: f64,
    colour: usize,
}

/// A wish of the reader for a source or a site.
#[derive(Debug, PartialEq, Serialize)]
struct Personal {
    of: String,
    is_raised: bool,
    factor: f64,
}

#[derive(Debug, PartialEq, Serialize)]
struct Found {
    field: &'static str,
    words: String,
}

impl Why {
    /// None when nothing is explained.
    pub fn of(explain: &Map<String, Value>) -> Option<Self> {
        let score = explain.get("score").and_then(|score| score.get("total")).and_then(Value::as_f64);
        let confidence = explain.get("confidence").and_then(Value::as_object);
        let why = Self {
            parts: confidence.map(parts).unwrap_or_default(),
            repetition: confidence
                .and_then(|parts| number(parts, "repetition"))
                .map(|lost| format!("{lost:.2}")),
            score: score.map(|score| format!("{score:.1}")).unwrap_or_default(),
            found: explain.get("hits").and_then(Value::as_object).map(found).unwrap_or_default(),
            excluded: excluded(explain),
            personal: explain
                .get("personal")
                .and_then(Value::as_array)
                .map(|wishes| personal(wishes))
                .unwrap_or_default(),
        };
        let is_empty = why.parts.is_empty() && why.found.is_empty() && why.excluded.is_none();
        (!is_empty || !why.personal.is_empty()).then_some(why)
    }
}

fn parts(confidence: &Map<String, Value>) -> Vec<Part> {
    let mut sizes: Vec<(usize, &'static str, f64)> = KINDS
        .iter()
        .enumerate()
        .map(|(colour, (kind, names))| {
            (colour, *kind, names.iter().filter_map(|name| number(confidence, name)).sum())
        })
        .filter(|(_, _, size): &(_, _, f64)| *size >= 0.005)
        .collect();
    sizes.sort_by(|a, b| b.2.total_cmp(&a.2));
    let whole: f64 = sizes.iter().map(|(_, _, size)| size).sum();
    let mut x = 0.0;
    let mut parts = Vec::new();
    for (colour, kind, size) in sizes {
        let width = (size / whole * BAR).round();
        parts.push(Part { kind, value: format!("{size:.2}"), x, width, colour });
        x += width;
    }
    parts
}

fn number(parts: &Map<String, Value>, name: &str) -> Option<f64> {
    parts.get(name).and_then(Value::as_f64).filter(|number| number.is_finite() && *number != 0.0)
}

fn found(hits: &Map<String, Value>) -> Vec<Found> {
    let words = |field: &'static str| {
        let words: Vec<&str> =
            hits.get(field)?.as_object()?.keys().take(WORDS_MAX).map(String::as_str).collect();
        (!words.is_empty()).then(|| Found { field, words: words.join(", ") })
    };
    FIELDS.into_iter().filter_map(words).collect()
}

fn personal(wishes: &[Value]) -> Vec<Personal> {
    let read = |wish: &Value| {
        let factor = wish.get("factor")?.as_f64()?;
        let of = wish.get("source").or_else(|| wish.get("domain"))?.as_str()?.to_owned();
        Some(Personal { of, is_raised: factor > 1.0, factor })
    };
    wishes.iter().filter_map(read).collect()
}

fn excluded(explain: &Map<String, Value>) -> Option<String> {
    let fields = explain.get("NOT")?.as_object()?;
    fields.values().find_map(|words| words.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn why(explain: Value) -> Option<Why> {
        Why::of(explain.as_object().expect("an object"))
    }

    #[test]
    fn parts_fill_the_bar_largest_first() {
        let confidence = json!({"bm25_pool": 0.2, "bm25_background": 0.1, "embedding": 0.5, "coverage": 0.001,
            "repetition": -0.05, "total": 0.75});
        let why = why(json!({"confidence": confidence, "score": {"total": 12.34},
            "hits": {"title": {"river": [0], "bank": [1]}, "body": {}}}))
        .expect("reasons");
        let shown: Vec<_> =
            why.parts.iter().map(|part| (part.kind, part.value.as_str(), part.x, part.width)).collect();
        assert_eq!(shown, [("meaning", "0.50", 0.0, 625.0), ("words", "0.30", 625.0, 375.0)]);
        assert_eq!((why.repetition.as_deref(), why.score.as_str()), (Some("-0.05"), "12.3"));
        assert_eq!(why.found, [Found { field: "title", words: "river, bank".to_owned() }]);
    }

    #[test]
    fn own_wishes_are_said() {
        let wishes = json!([{"source": "Library", "wish": "raise", "factor": 1.25}, {"domain": "a.example", "wish": "lower",
            "factor": 0.75}, {"wish": "raise"}, 7]);
        let said = why(json!({"personal": wishes})).expect("a reason").personal;
        let shown: Vec<_> = said.iter().map(|wish| (wish.of.as_str(), wish.is_raised)).collect();
        assert_eq!(shown, [("Library", true), ("a.example", false)]);
    }

    #[test]
    fn strange_explanations_do_no_harm() {
        for explain in [
            json!({}),
            json!({"confidence": 1, "hits": [], "score": "high", "NOT": 3}),
            json!({"confidence": {"embedding": "x", "total": null}, "hits": {"title": 1}}),
        ] {
            assert_eq!(why(explain.clone()), None, "{explain}");
        }
        let left_out = why(json!({"NOT": {"body": "beta"}})).expect("a reason");
        assert_eq!(left_out.excluded.as_deref(), Some("beta"));
    }
}
