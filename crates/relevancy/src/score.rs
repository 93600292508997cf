//! `swirl_score`: points for each occurrence of a query's word, on a scale where 100 separates a good match
//! from a weak one. The points shown in `explain` add up to the score.

use crate::bm25::PoolStatistics;
use crate::field::{Field, PerField};
use crate::hits::Hits;
use crate::query::Query;

/// Points of a result that is full of all words of the query.
const FULL_POINTS: f64 = 500.0;
/// Points of a field in which they stand together.
const TOGETHER_POINTS: f64 = 100.0;
/// Points are whole ten-thousandths, so that their sum is exact.
const UNITS: f64 = 10_000.0;
/// The score of a result that holds a negated word: below everything else.
pub const NEGATED_SCORE: f64 = -0.6667;
/// Most positions of a word that are shown with points; they carry the points of the others too.
pub const POSITIONS_SHOWN_MAX: usize = 5;
/// Most words of the query in the key of the whole query.
pub const KEY_WORDS_MAX: usize = 8;

/// What a score is made of.
pub struct Measures<'a> {
    pub statistics: &'a PoolStatistics,
    /// The share of the query that the result covers, 0 to 1.
    pub coverage: f64,
    /// How near the words stand in each field, 0 to 1.
    pub nearness: PerField<f64>,
}

/// Points for one key of `explain`.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    pub field: Field,
    /// `<word>_<position>`, or `<query>_*` for the query as a whole.
    pub key: String,
    units: i64,
}

impl Share {
    pub fn points(&self) -> f64 {
        self.units as f64 / UNITS
    }
}

/// The shares of a result's score, in the order of the fields.
pub fn shares(query: &Query, hits: &Hits, measures: &Measures<'_>) -> Vec<Share> {
    let statistics = measures.statistics;
    let idf_total: f64 = (0..query.terms.len()).map(|term| statistics.idf(term)).sum();
    let idf_mean = idf_total * statistics.query_length_adjust();
    // Half the words are worth a quarter of the points, so a lone word of several does not pass for a match.
    let covered = measures.coverage * measures.coverage;
    let points = FULL_POINTS * covered * statistics.query_length_adjust() / idf_mean.max(f64::MIN_POSITIVE);
    let per_term: Vec<(f64, f64)> = (0..query.terms.len())
        .map(|term| {
            let worth =
                hits.by_field().map(|(field, hits)| statistics.worth(field, hits, hits.occurrences(term)));
            (points * statistics.idf(term) * statistics.saturation(term, hits), worth.sum())
        })
        .collect();
    let mut shares = Vec::new();
    let nearest = nearest_field(&measures.nearness);
    for (field, in_field) in hits.by_field() {
        if nearest == Some(field) {
            let points = TOGETHER_POINTS * measures.coverage * measures.nearness[field as usize];
            shares.push(Share { field, key: whole_key(query), units: units(points) });
        }
        for hits in &in_field.words {
            let Some((points, total)) = hits.term.and_then(|term| per_term.get(term)) else { continue };
            let shown = hits.positions.len().min(POSITIONS_SHOWN_MAX);
            let own = points * statistics.worth(field, in_field, hits.positions.len()) / total;
            for position in &hits.positions[..shown] {
                let key = format!("{}_{position}", hits.word);
                shares.push(Share { field, key, units: units(own / shown as f64) });
            }
        }
    }
    shares
}

/// The sum of the shares.
pub fn total(shares: &[Share]) -> f64 {
    shares.iter().map(|share| share.units).sum::<i64>() as f64 / UNITS
}

fn units(points: f64) -> i64 {
    (points * UNITS).round() as i64
}

/// The field in which the words stand nearest; the first of equals.
fn nearest_field(nearness: &PerField<f64>) -> Option<Field> {
    let mut best = None;
    for field in Field::ALL {
        let here = nearness[field as usize];
        if here > 0.0 && best.is_none_or(|(_, known)| here > known) {
            best = Some((field, here));
        }
    }
    best.map(|(field, _)| field)
}

fn whole_key(query: &Query) -> String {
    let mut key = String::new();
    for term in query.terms.iter().take(KEY_WORDS_MAX) {
        key.push_str(&term.word);
        key.push('_');
    }
    key.push('*');
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_query_is_one_bounded_key() {
        assert_eq!(whole_key(&Query::parse("Electric cars")), "electric_cars_*");
        let many = (0..20).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(whole_key(&Query::parse(&many)).matches('w').count(), KEY_WORDS_MAX);
    }

    #[test]
    fn the_nearest_field_is_the_first_of_equals() {
        let table = [
            ([0.0, 0.0, 0.0], None),
            ([0.5, 0.5, 0.0], Some(Field::Title)),
            ([0.2, 0.5, 0.0], Some(Field::Body)),
            ([f64::NAN, 0.1, 0.0], Some(Field::Body)),
        ];
        for (nearness, expected) in table {
            assert_eq!(nearest_field(&nearness), expected);
        }
    }
}
