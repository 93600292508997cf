//! `swirl_confidence_score`: 0 to 1, made of parts that are shown and add up.

/// The parts are whole millionths, so that their sum is exact to the last digit shown.
const UNITS: f64 = 1_000_000.0;

const COVERAGE: f64 = 0.45;
const BM25F: f64 = 0.35;
const PROXIMITY: f64 = 0.15;
/// The source's own order is a hint, never the basis.
const SOURCE_RANK: f64 = 0.05;

/// What the confidence in a result rests on; the first three are 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The share of the query that the result covers.
    pub coverage: f64,
    /// How well it is filled with the query's words.
    pub saturation: f64,
    /// How near they stand to each other.
    pub nearness: f64,
    /// From 1; 0 when the source gave none.
    pub source_rank: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confidence {
    parts: [(&'static str, u32); 4],
}

impl Confidence {
    /// Grows with each kind of evidence, and never leaves 0 to 1.
    pub fn of(evidence: Evidence) -> Self {
        let rank = match evidence.source_rank {
            0 => 0.0,
            rank => 1.0 / f64::from(rank).sqrt(),
        };
        Self {
            parts: [
                ("coverage", part(COVERAGE, evidence.coverage)),
                ("bm25f", part(BM25F, evidence.saturation)),
                ("proximity", part(PROXIMITY, evidence.nearness)),
                ("source_rank", part(SOURCE_RANK, rank)),
            ],
        }
    }

    pub fn parts(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.parts.iter().map(|(name, units)| (*name, f64::from(*units) / UNITS))
    }

    pub fn total(&self) -> f64 {
        f64::from(self.parts.iter().map(|(_, units)| units).sum::<u32>()) / UNITS
    }
}

fn part(weight: f64, evidence: f64) -> u32 {
    // NaN becomes 0 here: casts from floats saturate.
    (weight * evidence.clamp(0.0, 1.0) * UNITS).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(coverage: f64, saturation: f64, nearness: f64, source_rank: u32) -> f64 {
        Confidence::of(Evidence { coverage, saturation, nearness, source_rank }).total()
    }

    #[test]
    fn good_and_doubtful_matches_stand_apart() {
        let table = [
            ("all words in the title, together", total(1.0, 0.55, 1.0, 1), true),
            ("all words in the body, together, late in its source", total(1.0, 0.45, 1.0, 100), true),
            ("all words in the body, scattered", total(1.0, 0.45, 0.1, 3), false),
            ("one word of two", total(0.5, 0.28, 0.0, 1), false),
            ("nothing but the first place in its source", total(0.0, 0.0, 0.0, 1), false),
        ];
        for (what, total, is_good) in table {
            assert_eq!(total >= 0.7, is_good, "{what}: {total}");
        }
        assert_eq!(total(1.0, 1.0, 1.0, 1), 1.0);
        assert_eq!(total(f64::NAN, f64::INFINITY, -1.0, 0), 0.35);
    }

    proptest! {
        #[test]
        fn more_evidence_never_lowers_it(
            a in 0.0..1.0f64, b in 0.0..1.0f64, c in 0.0..1.0f64, rank in 2..1000u32, more in 0.0..1.0f64,
        ) {
            let base = total(a, b, c, rank);
            prop_assert!((0.0..=1.0).contains(&base));
            let up = |value: f64| value + more * (1.0 - value);
            for grown in [total(up(a), b, c, rank), total(a, up(b), c, rank), total(a, b, up(c), rank),
                          total(a, b, c, rank - 1)] {
                prop_assert!(grown >= base);
            }
        }

        #[test]
        fn parts_add_up_to_the_last_digit(
            coverage in 0.0..1.0f64, saturation in 0.0..1.0f64, nearness in 0.0..1.0f64, source_rank in 0..1000u32,
        ) {
            let confidence = Confidence::of(Evidence { coverage, saturation, nearness, source_rank });
            let sum: f64 = confidence.parts().map(|(_, value)| value).sum();
            prop_assert_eq!(format!("{sum:.6}"), format!("{:.6}", confidence.total()));
        }
    }
}
