//! Blends the score of a reranker into the confidence of a result.
//!
//! The confidence and the reranker's score count one half each. The parts in `explain` stay unchanged; one more part,
//! `reranker`, is the difference, so that they add up to the new total.

use crate::explain::{CONFIDENCE, EVIDENCE, TOTAL};
use crate::targets::rounded;
use domain::result::ResultItem;
use serde_json::{Map, Value};

/// The reranker's share of the confidence.
const SHARE: f64 = 0.5;
/// The parts are whole millionths, like those of the confidence.
const UNITS: f64 = 1_000_000.0;
const RERANKER: &str = "reranker";

/// Blends a score of 0 to 1 into the confidence. Returns false and changes nothing for a result without a confidence or
/// with a negated word. A second score replaces the first.
pub fn rerank(item: &mut ResultItem, score: f64) -> bool {
    let score = if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
    let Some(explain) = item.explain.as_mut() else { return false };
    let Some(Value::Object(parts)) = explain.get_mut(CONFIDENCE) else { return false };
    parts.shift_remove(RERANKER);
    let own: f64 = parts.iter().filter(|(name, _)| *name != TOTAL).map(|(_, part)| units(part)).sum();
    let gained = (SHARE * (score * UNITS - own)).round();
    let total = (own + gained) / UNITS;
    // The total comes last.
    parts.shift_remove(TOTAL);
    parts.insert(RERANKER.to_owned(), (gained / UNITS).into());
    parts.insert(TOTAL.to_owned(), total.into());
    if let Value::Object(evidence) = explain.entry(EVIDENCE).or_insert_with(|| Map::new().into()) {
        evidence.insert(RERANKER.to_owned(), rounded(score).into());
    }
    item.swirl_confidence_score = total;
    true
}

fn units(part: &Value) -> f64 {
    (part.as_f64().unwrap_or_default() * UNITS).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Query, ScoringConfig, score_pool};

    fn scored(title: &str) -> ResultItem {
        let mut item =
            ResultItem { title: title.to_owned(), searchprovider_rank: 1, ..ResultItem::default() };
        score_pool(&Query::parse("river level -soup"), &ScoringConfig::default(), &mut [&mut item]);
        item
    }

    #[test]
    fn both_count_one_half_and_parts_add_up() {
        let before = scored("River level sensors");
        assert!(before.swirl_confidence_score > 0.1);
        for score in [0.0, 0.3333333, 1.0] {
            let mut item = before.clone();
            // The second score replaces the first.
            for wrong_then_right in [0.77, score] {
                assert!(rerank(&mut item, wrong_then_right));
            }
            let expected = f64::midpoint(before.swirl_confidence_score, score);
            assert!((item.swirl_confidence_score - expected).abs() < 2e-6, "{score}");
            let explain = Value::from(item.explain.clone().unwrap_or_default());
            let parts = explain["confidence"].as_object().unwrap();
            let sum: f64 =
                parts.iter().filter(|(name, _)| *name != TOTAL).filter_map(|(_, part)| part.as_f64()).sum();
            assert_eq!(format!("{sum:.6}"), format!("{:.6}", item.swirl_confidence_score));
            assert_eq!(parts[TOTAL].as_f64(), Some(item.swirl_confidence_score));
            assert_eq!(explain["evidence"]["reranker"].as_f64(), Some(rounded(score)));
            assert_eq!(item.swirl_score, before.swirl_score);
        }
    }

    #[test]
    fn what_has_no_confidence_gets_none() {
        for mut item in [ResultItem::default(), scored("River level, and soup")] {
            let before = item.clone();
            assert!(!rerank(&mut item, 1.0));
            assert_eq!(item, before);
        }
    }

    #[test]
    fn a_score_never_leaves_its_bounds() {
        for score in [f64::NAN, -3.0, 9.0, f64::INFINITY] {
            let mut item = scored("River level");
            assert!(rerank(&mut item, score));
            assert!((0.0..=1.0).contains(&item.swirl_confidence_score), "{score}");
        }
    }
}
