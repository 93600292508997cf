//! Support by neighbors: how similar a result is to the best other results.

use crate::confidence::Evidence;
use crate::embedder::Embedding;
use crate::external_embedding::ExternalEmbedding;

/// An embedding of any model.
pub trait Similar {
    /// -1 to 1.
    fn similarity(&self, other: &Self) -> f32;
}

impl Similar for Embedding {
    fn similarity(&self, other: &Self) -> f32 {
        self.cosine(other)
    }
}

impl Similar for ExternalEmbedding {
    fn similarity(&self, other: &Self) -> f32 {
        self.cosine(other)
    }
}

/// How many of the best results, by their own evidence, the others are compared with.
const LEADERS: usize = 2;
/// The evidence of their own from which on the leaders count in full.
const LEADERS_GOOD: f64 = 1.4;

/// Sets `company` of each: the mean similarity to the leaders, without itself, weighted by the quality of the leaders.
/// `None` is an unwanted result, which supports nobody.
pub fn add<P: Similar>(evidence: &mut [Option<Evidence>], vectors: &[Option<P>]) {
    let leaders = leaders(evidence);
    let strength = leaders.iter().map(|(_, own)| own).sum::<f64>() / leaders.len().max(1) as f64;
    let belief = (strength / LEADERS_GOOD).min(1.0);
    for (number, one) in evidence.iter_mut().enumerate() {
        let (Some(one), Some(vector)) = (one, vectors.get(number).and_then(Option::as_ref)) else { continue };
        let others = leaders.iter().filter(|(leader, _)| *leader != number);
        let alike = |(leader, _): &(usize, f64)| {
            vectors[*leader].as_ref().map_or(0.0, |other| f64::from(vector.similarity(other).max(0.0)))
        };
        let (count, sum) = others.fold((0.0, 0.0), |(count, sum), leader| (count + 1.0, sum + alike(leader)));
        one.company = if count > 0.0 { belief * sum / count } else { 0.0 };
    }
}

/// The best by their own evidence, the first of equals.
fn leaders(evidence: &[Option<Evidence>]) -> Vec<(usize, f64)> {
    let mut best: Vec<(usize, f64)> = Vec::with_capacity(LEADERS + 1);
    for (number, one) in evidence.iter().enumerate() {
        let Some(own) = one.as_ref().map(Evidence::sum) else { continue };
        let index = best.iter().position(|(_, other)| own > *other).unwrap_or(best.len());
        best.insert(index, (number, own));
        best.truncate(LEADERS);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedder::embed;

    fn support(results: &[(f64, &str)]) -> Vec<f64> {
        let one = |own: f64| Some(Evidence { cosine: own, ..Evidence::default() }).filter(|_| own >= 0.0);
        let mut evidence: Vec<Option<Evidence>> = results.iter().map(|(own, _)| one(*own)).collect();
        let vectors: Vec<_> =
            results.iter().map(|(_, text)| Some(embed(text)).filter(|vector| !vector.is_zero())).collect();
        add(&mut evidence, &vectors);
        evidence.iter().map(|one| one.as_ref().map_or(-1.0, |one| one.company)).collect()
    }

    #[test]
    fn near_the_best_is_good_company() {
        let found = support(&[
            (0.9, "river level sensors"),
            (0.8, "sensors for the level of rivers"),
            (0.2, "gauges in a stream"),
            (0.2, "recipes for soup"),
        ]);
        assert!(found[2] > found[3] + 0.1, "{found:?}");
        assert!(found.iter().all(|support| (0.0..=1.0).contains(support)));
    }

    #[test]
    fn nobody_is_its_own_company() {
        assert_eq!(support(&[(0.9, "river")]), [0.0]);
        assert_eq!(support(&[]), [0.0; 0]);
        let pair = support(&[(0.9, "river"), (0.1, "soup")]);
        assert!(pair[0] < 0.3, "the best is compared with the other one: {pair:?}");
    }

    #[test]
    fn weak_leaders_are_believed_less() {
        let texts = ["river level", "river levels", "river"];
        let of = |own: f64| support(&texts.map(|text| (own, text)))[2];
        assert!(of(0.2) < of(0.9) / 3.0);
    }

    #[test]
    fn what_is_not_wanted_leads_nobody() {
        let found = support(&[(-1.0, "soup"), (0.9, "river"), (0.8, "rivers"), (0.1, "soup")]);
        assert_eq!(found[0], -1.0);
        assert!(found[3] < 0.3, "{found:?}");
        assert_eq!(
            support(&[(0.9, ""), (0.1, "river")]),
            [0.0, 0.0],
            "a text without a known word is near nobody"
        );
    }
}
