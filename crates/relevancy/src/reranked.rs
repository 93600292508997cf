//! Blends the score of a reranker into the confidence of a result.
//!
//! The confidence and the reranker's score count one half each. The parts in `explain` stay unchanged; one more part,
//! `reranker`, is the difference, so that they add up to the new total.

use crate::targets::rounded;
use domain::explain::TOTAL;
use domain::result::ResultItem;

/// The reranker's share of the confidence.
const SHARE: f64 = 0.5;
/// The parts are whole millionths, like those of the confidence.
const UNITS: f64 = 1_000_000.0;
const RERANKER: &str = "reranker";

/// Blends a score of 0 to 1 into the confidence. Returns false and changes nothing for a result without a confidence or
/// with a negated word. A second score replaces the first.
pub fn rerank(item: &mut ResultItem, score: f64) -> bool {
    let score = if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
    let Some(explain) = item.explain.as_mut().filter(|explain| explain.has_confidence()) else {
        return false;
    };
    let parts = &mut explain.confidence;
    parts.remove(RERANKER);
    parts.remove(TOTAL);
    let own: f64 = parts.iter().map(|(_, part)| (part * UNITS).round()).sum();
    let gained = (SHARE * (score * UNITS - own)).round();
    let total = (own + gained) / UNITS;
    parts.set(RERANKER, gained / UNITS);
    parts.set(TOTAL, total);
    explain.evidence.set(RERANKER, rounded(score));
    item.swirl_confidence_score = total;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Query, ScoringConfig, score_pool};
    use serde_json::Value;

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
