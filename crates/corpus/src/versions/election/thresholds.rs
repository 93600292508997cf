//! Eligibility of versions: relevant to the query, and still available.

use super::rounding::round;
use domain::corpus::{Reason, Thresholds};

/// Why a version is not eligible; empty: it is. `best` is the highest relevance among the versions.
pub fn obstacles(relevance: f64, best: f64, is_gone: bool, thresholds: &Thresholds) -> Vec<Reason> {
    let mut found = Vec::new();
    if relevance < thresholds.relevance_min {
        found.push(Reason::BelowLeast { relevance, least: thresholds.relevance_min });
    }
    let least = round(thresholds.relevance_ratio * best);
    if relevance < least {
        found.push(Reason::BelowShare { relevance, least, share: thresholds.relevance_ratio });
    }
    if is_gone {
        found.push(Reason::Gone);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_exclude_documents() {
        let thresholds = Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 };
        let table: [(f64, f64, bool, &[&str]); 7] = [
            (0.1, 0.1, false, &[]),
            (0.099_999, 0.1, false, &["below the minimum, 0.1"]),
            (0.6, 1.0, false, &[]),
            (0.599_999, 1.0, false, &["below 0.6, which is 0.6 of the best"]),
            (0.05, 1.0, false, &["below the minimum", "of the best"]),
            (1.0, 1.0, true, &["no longer exists"]),
            (0.0, 1.0, true, &["below the minimum", "of the best", "no longer exists"]),
        ];
        for (relevance, best, is_gone, expected) in table {
            let found = obstacles(relevance, best, is_gone, &thresholds);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (reason, part) in found.iter().zip(expected) {
                assert!(reason.to_string().contains(part), "{reason}");
            }
        }
        let open = Thresholds { relevance_min: 0.0, relevance_ratio: 0.0 };
        assert!(obstacles(0.0, 1.0, false, &open).is_empty());
    }
}
