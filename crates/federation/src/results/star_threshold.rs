//! Star threshold: by confidence, or by score for results without confidence.

use domain::result::ResultItem;
use domain::settings::Settings;

/// Minimum values for a star.
#[derive(Debug, Clone, Copy)]
pub(super) struct StarThreshold {
    confidence: f64,
    score: f64,
}

impl StarThreshold {
    pub(super) fn of(settings: &Settings) -> Self {
        Self { confidence: settings.minimum_confidence_score.0, score: settings.minimum_score }
    }

    /// Independent of the mixer. NaN is below every threshold.
    pub(super) fn is_met(self, item: &ResultItem) -> bool {
        match item.swirl_confidence_score {
            confidence if confidence > 0.0 => confidence >= self.confidence,
            _ => item.swirl_score >= self.score,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_decides_if_present() {
        let threshold = StarThreshold::of(&Settings::default());
        let cases = [
            (0.9, 0.0, true),
            (0.7, 0.0, true),
            (0.69, 5000.0, false),
            (0.0, 100.0, true),
            (0.0, 99.9, false),
            (f64::NAN, 100.0, true),
            (0.0, f64::NAN, false),
        ];
        for (confidence, score, expected) in cases {
            let item = ResultItem {
                swirl_confidence_score: confidence,
                swirl_score: score,
                ..ResultItem::default()
            };
            assert_eq!(threshold.is_met(&item), expected, "{confidence} {score}");
        }
    }
}
