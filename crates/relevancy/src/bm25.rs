//! BM25F: how much the hits of a result weigh among all results of a search.

use crate::field::{Field, PerField};
use crate::hits::{FieldHits, Hits};
use crate::query::Query;

/// How many occurrences it takes until more of them say little.
const SATURATION: f64 = 1.2;

/// What is known of the results together.
#[derive(Debug, Clone)]
pub struct PoolStatistics {
    idf: Vec<f64>,
    average_length: PerField<f64>,
}

impl PoolStatistics {
    pub fn of(query: &Query, pool: &[Hits]) -> Self {
        let idf = (0..query.terms.len())
            .map(|term| idf(pool.len(), pool.iter().filter(|hits| hits.contains(term)).count()))
            .collect();
        Self { idf, average_length: Field::ALL.map(|field| average_length(field, pool)) }
    }

    /// How much a term tells.
    pub fn idf(&self, term: usize) -> f64 {
        self.idf.get(term).copied().unwrap_or_default()
    }

    /// Above 1 for a field shorter than its like, below 1 for a longer one.
    pub fn length_adjust(&self, field: Field, length: u32) -> f64 {
        let average = self.average_length[field as usize];
        if average <= 0.0 {
            return 1.0;
        }
        let slope = field.length_slope();
        1.0 / (1.0 - slope + slope * f64::from(length) / average)
    }

    /// The share of each word of a query: less, the more of them there are.
    pub fn query_length_adjust(&self) -> f64 {
        1.0 / self.idf.len().max(1) as f64
    }

    /// What all occurrences of a term in a field are worth together.
    pub fn worth(&self, field: Field, hits: &FieldHits, occurrences: usize) -> f64 {
        let weight = if hits.weighs_as_title { Field::Title.weight() } else { field.weight() };
        weight * self.length_adjust(field, hits.length) * occurrences as f64
    }

    /// How well a result is filled with a term: 0 without it, near 1 with very much of it.
    pub fn saturation(&self, term: usize, hits: &Hits) -> f64 {
        let worth: f64 = hits
            .by_field()
            .map(|(field, in_field)| self.worth(field, in_field, in_field.occurrences(term)))
            .sum();
        worth / (SATURATION + worth)
    }

    /// The saturation over all terms, each by how much it tells, 0 to 1.
    pub fn mean_saturation(&self, hits: &Hits) -> f64 {
        let total: f64 = self.idf.iter().sum();
        if total <= 0.0 {
            return 0.0;
        }
        let sum: f64 = self.idf.iter().enumerate().map(|(term, idf)| idf * self.saturation(term, hits)).sum();
        sum / total
    }

    /// The share of the query that a result covers, 0 to 1. Each group of alternatives counts once, by how much its
    /// most telling word tells.
    pub fn coverage(&self, query: &Query, hits: &Hits) -> f64 {
        let groups = query.terms.iter().map(|term| term.group + 1).max().unwrap_or_default();
        let mut asked = vec![0.0_f64; groups];
        let mut covered = vec![0.0_f64; groups];
        for (place, term) in query.terms.iter().enumerate() {
            let weight = self.idf(place);
            asked[term.group] = asked[term.group].max(weight);
            if hits.contains(place) {
                covered[term.group] = covered[term.group].max(weight);
            }
        }
        // One alternative is enough, so a covered group counts whole.
        let got: f64 = asked.iter().zip(&covered).filter(|(_, got)| **got > 0.0).map(|(all, _)| all).sum();
        let total: f64 = asked.iter().sum();
        if total > 0.0 { got / total } else { 0.0 }
    }
}

/// Smoothed, so that a word in every result still counts: the sources were asked for it. A word in no result
/// counts as if one had it.
fn idf(documents: usize, containing: usize) -> f64 {
    (1.0 + (documents as f64 + 1.0) / (containing.max(1) as f64 + 0.5)).ln()
}

/// Over the results that have the field.
fn average_length(field: Field, pool: &[Hits]) -> f64 {
    let lengths = pool.iter().map(|hits| hits.fields[field as usize].length).filter(|length| *length > 0);
    let (count, sum) =
        lengths.fold((0.0, 0.0), |(count, sum), length| (count + 1.0, sum + f64::from(length)));
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(query: &Query, texts: &[[&str; 3]]) -> (PoolStatistics, Vec<Hits>) {
        let hits: Vec<Hits> = texts.iter().map(|texts| Hits::read(query, *texts)).collect();
        (PoolStatistics::of(query, &hits), hits)
    }

    #[test]
    fn a_word_in_every_result_still_counts() {
        assert!(idf(100, 100) > 0.6);
        assert!(idf(100, 1) > 3.0 * idf(100, 100));
        assert_eq!(idf(100, 0), idf(100, 1));
        assert!(idf(0, 0).is_finite());
    }

    #[test]
    fn better_matches_weigh_more() {
        let query = Query::parse("river sensors");
        let texts = [
            ["river sensors", "level of a river by sensors", ""],
            ["river sensors", "level of water", ""],
            ["", "the river sensors of old towns", ""],
            ["", "the river and old towns", ""],
            ["", "towns", ""],
        ];
        let (statistics, hits) = pool(&query, &texts);
        let weights: Vec<f64> = hits.iter().map(|hits| statistics.mean_saturation(hits)).collect();
        assert!(weights.is_sorted_by(|a, b| a > b), "{weights:?}");
        assert_eq!(weights[4], 0.0);
        let coverage: Vec<f64> = hits.iter().map(|hits| statistics.coverage(&query, hits)).collect();
        assert_eq!(coverage[0], 1.0);
        assert!(coverage[3] > 0.3 && coverage[3] < 0.5, "the rare word weighs more: {coverage:?}");
    }

    #[test]
    fn one_alternative_is_enough() {
        let query = Query::parse("cats OR dogs");
        let (statistics, hits) = pool(&query, &[["cats", "", ""], ["dogs", "", ""], ["birds", "", ""]]);
        let coverage = hits.iter().map(|hits| statistics.coverage(&query, hits));
        assert_eq!(coverage.collect::<Vec<_>>(), [1.0, 1.0, 0.0]);
    }

    #[test]
    fn length_counts() {
        let query = Query::parse("x");
        let (statistics, hits) = pool(&query, &[["", "x", ""], ["", "x and so on and on", ""]]);
        assert!(statistics.saturation(0, &hits[0]) > statistics.saturation(0, &hits[1]));
        assert_eq!(statistics.length_adjust(Field::Title, 0), 1.0);
    }

    #[test]
    fn an_empty_pool_or_query_is_no_accident() {
        let (statistics, _) = pool(&Query::parse("x"), &[]);
        assert_eq!(statistics.mean_saturation(&Hits::default()), 0.0);
        let (statistics, hits) = pool(&Query::parse(""), &[["x", "", ""]]);
        assert_eq!(statistics.coverage(&Query::parse(""), &hits[0]), 0.0);
        assert_eq!(statistics.mean_saturation(&hits[0]), 0.0);
    }
}
