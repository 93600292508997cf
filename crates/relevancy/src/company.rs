//! The company that a result keeps: how near it lies to the best of the others.

use crate::confidence::Evidence;
use crate::direction::Direction;
use crate::reader::Embedding;

/// Where a text lies, by whichever model.
pub trait Place {
    /// -1 to 1.
    fn likeness(&self, other: &Self) -> f32;
}

impl Place for Embedding {
    fn likeness(&self, other: &Self) -> f32 {
        self.cosine(other)
    }
}

impl Place for Direction {
    fn likeness(&self, other: &Self) -> f32 {
        self.cosine(other)
    }
}

/// So many results, the best by their own evidence, are what others are compared with.
const LEADERS: usize = 2;
/// From this evidence of their own on, the leaders are believed in full.
const LEADERS_GOOD: f64 = 1.4;

/// Sets `company` of each: the mean likeness to the leaders, without itself, by how good the leaders are. What is None is
/// not wanted and keeps nobody company. `places` says where each text lies.
pub fn add<P: Place>(evidence: &mut [Option<Evidence>], places: &[Option<P>]) {
    let leaders = leaders(evidence);
    let strength = leaders.iter().map(|(_, own)| own).sum::<f64>() / leaders.len().max(1) as f64;
    let belief = (strength / LEADERS_GOOD).min(1.0);
    for (number, one) in evidence.iter_mut().enumerate() {
        let (Some(one), Some(place)) = (one, places.get(number).and_then(Option::as_ref)) else { continue };
        let others = leaders.iter().filter(|(leader, _)| *leader != number);
        let alike = |(leader, _): &(usize, f64)| {
            places[*leader].as_ref().map_or(0.0, |other| f64::from(place.likeness(other).max(0.0)))
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
        let place = best.iter().position(|(_, other)| own > *other).unwrap_or(best.len());
        best.insert(place, (number, own));
        best.truncate(LEADERS);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::embed;

    fn company(results: &[(f64, &str)]) -> Vec<f64> {
        let one = |own: f64| Some(Evidence { cosine: own, ..Evidence::default() }).filter(|_| own >= 0.0);
        let mut evidence: Vec<Option<Evidence>> = results.iter().map(|(own, _)| one(*own)).collect();
        let places: Vec<_> =
            results.iter().map(|(_, text)| Some(embed(text)).filter(|place| !place.is_zero())).collect();
        add(&mut evidence, &places);
        evidence.iter().map(|one| one.as_ref().map_or(-1.0, |one| one.company)).collect()
    }

    #[test]
    fn near_the_best_is_good_company() {
        let found = company(&[
            (0.9, "river level sensors"),
            (0.8, "sensors for the level of rivers"),
            (0.2, "gauges in a stream"),
            (0.2, "recipes for soup"),
        ]);
        assert!(found[2] > found[3] + 0.1, "{found:?}");
        assert!(found.iter().all(|company| (0.0..=1.0).contains(company)));
    }

    #[test]
    fn nobody_is_its_own_company() {
        assert_eq!(company(&[(0.9, "river")]), [0.0]);
        assert_eq!(company(&[]), [0.0; 0]);
        let pair = company(&[(0.9, "river"), (0.1, "soup")]);
        assert!(pair[0] < 0.3, "the best is compared with the other one: {pair:?}");
    }

    #[test]
    fn weak_leaders_are_believed_less() {
        let texts = ["river level", "river levels", "river"];
        let of = |own: f64| company(&texts.map(|text| (own, text)))[2];
        assert!(of(0.2) < of(0.9) / 3.0);
    }

    #[test]
    fn what_is_not_wanted_leads_nobody() {
        let found = company(&[(-1.0, "soup"), (0.9, "river"), (0.8, "rivers"), (0.1, "soup")]);
        assert_eq!(found[0], -1.0);
        assert!(found[3] < 0.3, "{found:?}");
        assert_eq!(
            company(&[(0.9, ""), (0.1, "river")]),
            [0.0, 0.0],
            "a text without a known word is near nobody"
        );
    }
}
