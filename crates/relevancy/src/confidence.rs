//! `swirl_confidence_score`: 0 to 1, comparable between queries and sources, with parts that add up.
//!
//! Each kind of evidence has a weight. One curve for all queries maps the weighted sum to the confidence; the part of
//! each kind is its share of it. Repeated text is penalized.

/// The parts are whole millionths, so that their sum is exact to the last digit shown.
const UNITS: f64 = 1_000_000.0;

/// The evidence for the confidence in a result. All values are 0 to 1, except for the rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// How well it matches the query's words, weighted by rarity among the results.
    pub bm25_pool: f64,
    /// How well it matches the query's words, weighted by rarity in the language.
    pub bm25_background: f64,
    /// Cosine similarity to the query.
    pub cosine: f64,
    /// The share of the query that it covers.
    pub coverage: f64,
    /// How close the query's words are to each other.
    pub proximity: f64,
    /// Similarity to the best other results.
    pub company: f64,
    /// Its rank at its source, from 1; 0 if the source gave none.
    pub source_rank: u32,
    /// The share of its text that repeats earlier text.
    pub repetition: f64,
}

impl Evidence {
    /// Every kind by its name, each 0 to 1.
    pub fn by_name(&self) -> [(&'static str, f64); 8] {
        [
            ("bm25_pool", self.bm25_pool),
            ("bm25_background", self.bm25_background),
            ("cosine", self.cosine),
            ("coverage", self.coverage),
            ("proximity", self.proximity),
            ("company", self.company),
            ("source_rank", by_rank(self.source_rank)),
            ("repetition", self.repetition),
        ]
    }

    /// The weighted sum.
    pub fn sum(&self) -> f64 {
        self.weighed().iter().sum()
    }

    fn weighed(&self) -> [f64; KINDS.len()] {
        KINDS.map(|kind| kind.weight * share((kind.strength)(self)))
    }
}

/// One kind of evidence: its name in `explain`, its weight, its strength in a result.
struct Kind {
    name: &'static str,
    weight: f64,
    strength: fn(&Evidence) -> f64,
}

/// The weights. Fitted by `scripts/fit_confidence.py` to the judged collections cranfield, cisi, medline, cacm and adi,
/// with ten different sources each; `docs/ranking.md` describes the method and a cross-validation.
const KINDS: [Kind; 7] = [
    Kind { name: "bm25_pool", weight: 1.5, strength: |evidence| evidence.bm25_pool },
    Kind { name: "bm25_background", weight: 0.45, strength: |evidence| evidence.bm25_background },
    Kind { name: "embedding", weight: 1.0, strength: |evidence| evidence.cosine },
    Kind { name: "coverage", weight: 0.05, strength: |evidence| evidence.coverage },
    Kind { name: "proximity", weight: 0.2, strength: |evidence| evidence.proximity },
    Kind { name: "company", weight: 0.6, strength: |evidence| evidence.company },
    // The source's own order is a hint, never the basis.
    Kind { name: "source_rank", weight: 0.06, strength: |evidence| by_rank(evidence.source_rank) },
];

/// The evidence at which the confidence is 0.7: in the collections, about half of the results with as much are
/// relevant.
const GOOD: f64 = 1.7;
const CONFIDENCE_OF_GOOD: f64 = 0.7;

/// Up to this share, repetition is normal: a title repeated in the body, a recurring term.
const REPETITION_FREE: f64 = 0.35;
/// From this share on, the confidence is 0.
const REPETITION_MAX: f64 = 0.85;

const REPETITION: &str = "repetition";
const EXACT: &str = "exact";

/// The share of the evidence that counts for a query of stopwords only: all of it gives a confidence of about 0.26.
const STOPWORDS_SHARE: f64 = 0.22;

/// The parts of a result's confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confidence {
    parts: [(&'static str, i32); KINDS.len()],
    /// The penalty for repetition: 0 or less.
    repetition: i32,
    /// What an exact match gained: 0 or more.
    exact: i32,
}

impl Confidence {
    /// Grows with each kind of evidence, and stays within 0 to 1.
    pub fn of(evidence: &Evidence) -> Self {
        Self::weakened(evidence, 1.0)
    }

    /// For a query of stopwords only, which nearly every text contains.
    pub fn of_stopwords(evidence: &Evidence) -> Self {
        Self::weakened(evidence, STOPWORDS_SHARE)
    }

    /// Only this share of the evidence counts.
    fn weakened(evidence: &Evidence, counted: f64) -> Self {
        let strengths = evidence.weighed();
        let sum: f64 = strengths.iter().sum();
        let whole = units(curve(counted * sum));
        let mut parts = [("", 0); KINDS.len()];
        for ((part, kind), strength) in parts.iter_mut().zip(&KINDS).zip(strengths) {
            let own = if sum > 0.0 { strength / sum } else { 0.0 };
            *part = (kind.name, (own * f64::from(whole)).floor() as i32);
        }
        // The rounding remainder goes to the first part, which is never the smallest one that matters.
        parts[0].1 += whole - parts.iter().map(|(_, units)| units).sum::<i32>();
        let kept = 1.0 - share((evidence.repetition - REPETITION_FREE) / (REPETITION_MAX - REPETITION_FREE));
        Self { parts, repetition: (f64::from(whole) * kept).round() as i32 - whole, exact: 0 }
    }

    /// Whether repetition lowered it.
    pub fn is_penalized(&self) -> bool {
        self.repetition != 0
    }

    /// Raises it to so many of the smallest steps above another confidence.
    pub fn raise_to(&mut self, other: f64, steps: i32) {
        let wanted = units(other).saturating_add(steps).min(units(1.0));
        self.exact = (wanted - self.whole()).max(0);
    }

    fn whole(&self) -> i32 {
        self.parts.iter().map(|(_, units)| units).sum::<i32>() + self.repetition
    }

    /// Each part by its name; the penalty for repetition, and what an exact match gained, only if there is one.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let others = [(REPETITION, self.repetition), (EXACT, self.exact)];
        let others = others.into_iter().filter(|(_, units)| *units != 0);
        self.parts.iter().copied().chain(others).map(|(name, units)| (name, f64::from(units) / UNITS))
    }

    pub fn total(&self) -> f64 {
        f64::from(self.whole() + self.exact) / UNITS
    }
}

/// 0 without evidence, 0.7 for good evidence, approaching 1 for more.
fn curve(evidence: f64) -> f64 {
    let steepness = -(1.0 - CONFIDENCE_OF_GOOD).ln();
    1.0 - (-steepness * (evidence / GOOD).powi(2)).exp()
}

fn by_rank(rank: u32) -> f64 {
    if rank == 0 { 0.0 } else { 1.0 / f64::from(rank).sqrt() }
}

/// Values that are not numbers count as 0.
fn share(strength: f64) -> f64 {
    if strength.is_nan() { 0.0 } else { strength.clamp(0.0, 1.0) }
}

fn units(confidence: f64) -> i32 {
    (confidence * UNITS).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn evidence(lexical: f64, cosine: f64, coverage: f64, proximity: f64, source_rank: u32) -> Evidence {
        Evidence {
            bm25_pool: lexical,
            bm25_background: lexical,
            cosine,
            coverage,
            proximity,
            company: 0.0,
            source_rank,
            repetition: 0.0,
        }
    }

    fn total(evidence: Evidence) -> f64 {
        Confidence::of(&evidence).total()
    }

    #[test]
    fn good_and_doubtful_matches_stand_apart() {
        let table = [
            ("all words in the title, together", evidence(0.6, 0.7, 1.0, 1.0, 1), true),
            ("all words in the body, together, late in its source", evidence(0.5, 0.5, 1.0, 1.0, 100), true),
            ("all words in the body, scattered", evidence(0.4, 0.35, 1.0, 0.1, 3), false),
            ("one word of two", evidence(0.28, 0.4, 0.5, 0.0, 1), false),
            ("nothing but the first place in its source", evidence(0.0, 0.0, 0.0, 0.0, 1), false),
            ("the same meaning in other words", evidence(0.0, 0.8, 0.0, 0.0, 1), false),
        ];
        for (what, evidence, is_good) in table {
            let total = total(evidence);
            assert_eq!(total >= 0.7, is_good, "{what}: {total}");
        }
    }

    #[test]
    fn stopwords_alone_give_little_confidence() {
        let all = Evidence { company: 1.0, ..evidence(1.0, 1.0, 1.0, 1.0, 1) };
        let confidence = Confidence::of_stopwords(&all);
        assert!((0.2..0.3).contains(&confidence.total()), "{confidence:?}");
        let sum: f64 = confidence.parts().map(|(_, value)| value).sum();
        assert_eq!((sum * UNITS).round(), (confidence.total() * UNITS).round());
    }

    #[test]
    fn an_exact_match_is_raised_by_steps_up_to_1() {
        let mut one = Confidence::of(&evidence(0.5, 0.6, 1.0, 1.0, 1));
        let before = one.total();
        one.raise_to(0.0, 1);
        assert_eq!(one.total(), before, "it is never lowered");
        one.raise_to(before, 2);
        assert!((one.total() - before - 2e-6).abs() < 1e-9);
        assert_eq!(one.parts().last().map(|(name, _)| name), Some(EXACT));
        one.raise_to(1.0, 5);
        assert_eq!(one.total(), 1.0);
    }

    #[test]
    fn the_curve_passes_where_it_should() {
        assert_eq!(curve(0.0), 0.0);
        assert!((curve(GOOD) - CONFIDENCE_OF_GOOD).abs() < 1e-12);
        assert_eq!(total(Evidence::default()), 0.0);
        let odd =
            Evidence { bm25_pool: f64::NAN, cosine: -1.0, coverage: f64::INFINITY, ..Evidence::default() };
        assert_eq!(total(odd), total(Evidence { coverage: 1.0, ..Evidence::default() }));
    }

    #[test]
    fn repetition_takes_away_what_it_gained() {
        let once = evidence(0.5, 0.6, 1.0, 1.0, 1);
        let table = [(0.0, 1.0), (REPETITION_FREE, 1.0), (0.6, 0.5), (REPETITION_MAX, 0.0), (0.99, 0.0)];
        for (repetition, kept) in table {
            let confidence = Confidence::of(&Evidence { repetition, ..once });
            assert!((confidence.total() - kept * total(once)).abs() < 2e-6, "{repetition}");
            assert_eq!(confidence.parts().any(|(name, _)| name == REPETITION), kept < 1.0);
        }
    }

    prop_compose! {
        fn any_evidence()(
            bm25_pool in 0.0..1.0f64, bm25_background in 0.0..1.0f64, cosine in -1.0..1.0f64, coverage in 0.0..1.0f64,
            proximity in 0.0..1.0f64, company in 0.0..1.0f64, source_rank in 0..1000u32, repetition in 0.0..1.0f64,
        ) -> Evidence {
            Evidence { bm25_pool, bm25_background, cosine, coverage, proximity, company, source_rank, repetition }
        }
    }

    proptest! {
        #[test]
        fn more_evidence_never_lowers_it(base in any_evidence(), more in 0.0..1.0f64) {
            let low = total(base);
            prop_assert!((0.0..=1.0).contains(&low));
            let up = |value: f64| value + more * (1.0 - value);
            for grown in [
                Evidence { bm25_pool: up(base.bm25_pool), ..base },
                Evidence { bm25_background: up(base.bm25_background), ..base },
                Evidence { cosine: up(base.cosine), ..base },
                Evidence { coverage: up(base.coverage), ..base },
                Evidence { proximity: up(base.proximity), ..base },
                Evidence { company: up(base.company), ..base },
                Evidence { repetition: base.repetition * (1.0 - more), ..base },
            ] {
                prop_assert!(total(grown) >= low);
            }
        }

        #[test]
        fn parts_add_up_to_the_last_digit(evidence in any_evidence()) {
            let confidence = Confidence::of(&evidence);
            let sum: f64 = confidence.parts().map(|(_, value)| value).sum();
            prop_assert_eq!((sum * UNITS).round(), (confidence.total() * UNITS).round());
        }
    }
}
