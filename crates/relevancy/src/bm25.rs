//! BM25F over all results of a search.

use crate::background_frequencies;
use crate::hits::{FieldHits, Hits};
use crate::query::Query;
use domain::explain::{Field, PerField};

/// BM25 saturation of the term frequency.
const SATURATION: f64 = 1.2;
/// Most occurrences of a word in a field that count; more are repetition.
pub const OCCURRENCES_MAX: usize = 4;

/// How well a result matches the words of a query: 0 without them, close to 1 with many occurrences of all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Filled {
    /// Each word weighted by its rarity among the results.
    pub by_pool: f64,
    /// Each word weighted by its rarity in the language.
    pub by_background: f64,
}

/// Statistics over all results.
#[derive(Debug, Clone)]
pub struct PoolStatistics {
    groups: Vec<Group>,
    average_length: PerField<f64>,
    weights: PerField<f64>,
}

/// Alternative terms: one of them is enough, so together they count as much as the rarest one.
#[derive(Debug, Clone, Default)]
struct Group {
    terms: Vec<usize>,
    pool: f64,
    background: f64,
}

impl PoolStatistics {
    /// `weights` is the weight of a match in each field.
    pub fn of(query: &Query, weights: PerField<f64>, pool: &[Hits]) -> Self {
        let count = query.terms.iter().map(|term| term.group + 1).max().unwrap_or_default();
        let mut groups = vec![Group::default(); count];
        for (place, term) in query.terms.iter().enumerate() {
            // Words count as often as they occur in the query.
            let asked = query.words.iter().filter(|word| word.term == Some(place)).count().max(1) as f64;
            let containing = pool.iter().filter(|hits| hits.contains(place)).count();
            let group = &mut groups[term.group];
            group.terms.push(place);
            group.pool = group.pool.max(asked * idf(pool.len(), containing));
            group.background = group.background.max(asked * background_frequencies::idf(&term.stem));
        }
        Self { groups, average_length: Field::ALL.map(|field| average_length(field, pool)), weights }
    }

    pub fn filled(&self, hits: &Hits) -> Filled {
        let mut filled = Filled::default();
        let (mut pool, mut background) = (0.0, 0.0);
        for group in self.groups_for(hits) {
            let strengths = group.terms.iter().map(|term| self.saturation(*term, hits));
            let strongest = strengths.fold(0.0, f64::max);
            filled.by_pool += group.pool * strongest;
            filled.by_background += group.background * strongest;
            pool += group.pool;
            background += group.background;
        }
        Filled {
            by_pool: share(filled.by_pool, pool),
            by_background: share(filled.by_background, background),
        }
    }

    /// The share of the query that a result covers, 0 to 1, each word weighted by its rarity in the language.
    pub fn coverage(&self, hits: &Hits) -> f64 {
        let covered =
            self.groups_for(hits).filter(|group| group.terms.iter().any(|term| hits.contains(*term)));
        share(
            covered.map(|group| group.background).sum(),
            self.groups_for(hits).map(|group| group.background).sum(),
        )
    }

    /// A word that is a stopword in the language of the result counts neither for it nor against it.
    fn groups_for(&self, hits: &Hits) -> impl Iterator<Item = &Group> {
        let stopwords = hits.stopword_terms;
        let counts = move |group: &&Group| {
            stopwords.is_empty() || group.terms.iter().any(|term| !stopwords.contains(*term))
        };
        self.groups.iter().filter(counts)
    }

    /// The saturated frequency of a term in a result.
    fn saturation(&self, term: usize, hits: &Hits) -> f64 {
        let worth: f64 = hits.by_field().map(|(field, in_field)| self.worth(field, in_field, term)).sum();
        worth / (SATURATION + worth)
    }

    /// The weighted occurrences of a term in a field.
    fn worth(&self, field: Field, hits: &FieldHits, term: usize) -> f64 {
        let weighs_as = if hits.weighs_as_title { Field::Title } else { field };
        let occurrences = hits.occurrences(term).min(OCCURRENCES_MAX) as f64;
        self.weights[weighs_as as usize] * self.length_adjust(field, hits.length) * occurrences
    }

    /// Length normalization: above 1 for a field shorter than average, below 1 for a longer one.
    fn length_adjust(&self, field: Field, length: u32) -> f64 {
        let average = self.average_length[field as usize];
        if average <= 0.0 {
            return 1.0;
        }
        let slope = length_slope(field);
        1.0 / (1.0 - slope + slope * f64::from(length) / average)
    }
}

/// How far the length of a field affects the weight of an occurrence, 0 to 1. Titles and authors are short, so their
/// length matters less.
fn length_slope(field: Field) -> f64 {
    match field {
        Field::Body => 0.75,
        Field::Title | Field::Author => 0.4,
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Inverse document frequency: close to 0 for a word that every result has.
fn idf(documents: usize, containing: usize) -> f64 {
    let (documents, containing) = (documents as f64, containing as f64);
    (1.0 + (documents - containing + 0.5) / (containing + 0.5)).ln()
}

/// Average over the results that have the field.
fn average_length(field: Field, pool: &[Hits]) -> f64 {
    let lengths = pool.iter().map(|hits| hits.fields[field as usize].length).filter(|length| *length > 0);
    let (count, sum) =
        lengths.fold((0.0, 0.0), |(count, sum), length| (count + 1.0, sum + f64::from(length)));
    share(sum, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEIGHTS: PerField<f64> = [1.5, 1.0, 1.0];

    fn pool(query: &str, texts: &[[&str; 3]]) -> (PoolStatistics, Vec<Hits>) {
        let query = Query::parse(query);
        let hits: Vec<Hits> = texts.iter().map(|texts| Hits::read(&query, *texts)).collect();
        (PoolStatistics::of(&query, WEIGHTS, &hits), hits)
    }

    #[test]
    fn a_word_in_every_result_tells_little_and_not_nothing() {
        assert!(idf(100, 100) > 0.0 && idf(100, 100) < 0.01);
        assert!(idf(100, 0) > idf(100, 1));
        assert!(idf(0, 0).is_finite());
    }

    #[test]
    fn better_matches_weigh_more() {
        let texts = [
            ["river sensors", "level of a river by sensors", ""],
            ["river sensors", "level of water", ""],
            ["", "the river sensors of old towns", ""],
            ["", "the river and old towns", ""],
            ["", "towns", ""],
        ];
        let (statistics, hits) = pool("river sensors", &texts);
        let filled: Vec<Filled> = hits.iter().map(|hits| statistics.filled(hits)).collect();
        assert!(filled.is_sorted_by(|a, b| a.by_pool > b.by_pool), "{filled:?}");
        assert!(filled.is_sorted_by(|a, b| a.by_background > b.by_background), "{filled:?}");
        assert_eq!(filled[4], Filled::default());
        let coverage: Vec<f64> = hits.iter().map(|hits| statistics.coverage(hits)).collect();
        assert_eq!(coverage[0], 1.0);
        assert!(coverage[3] > 0.3 && coverage[3] < 0.5, "the rare word weighs more: {coverage:?}");
    }

    #[test]
    fn a_word_that_is_asked_twice_counts_twice() {
        let texts = [["", "cat", ""], ["", "dog", ""], ["", "bird", ""]];
        let filled = |query: &str| {
            let (statistics, hits) = pool(query, &texts);
            (statistics.filled(&hits[0]).by_pool, statistics.filled(&hits[1]).by_pool)
        };
        let (cat, dog) = filled("cat dog");
        assert_eq!(cat, dog);
        let (cat, dog) = filled("cat dog cats");
        assert!((cat - 2.0 * dog).abs() < 1e-12);
    }

    #[test]
    fn one_alternative_is_enough() {
        let (statistics, hits) = pool(
            "cats OR dogs",
            &[["cats", "", ""], ["dogs", "", ""], ["birds", "", ""], ["cats dogs", "", ""]],
        );
        let coverage = hits.iter().map(|hits| statistics.coverage(hits));
        assert_eq!(coverage.collect::<Vec<_>>(), [1.0, 1.0, 0.0, 1.0]);
        assert_eq!(statistics.filled(&hits[0]), statistics.filled(&hits[1]));
    }

    #[test]
    fn length_counts_and_repetition_does_not() {
        let often = "x ".repeat(OCCURRENCES_MAX);
        let more = "x ".repeat(OCCURRENCES_MAX + 20);
        let (statistics, hits) =
            pool("x", &[["", "x", ""], ["", "x and so on and on", ""], ["", &often, ""], ["", &more, ""]]);
        let filled: Vec<f64> = hits.iter().map(|hits| statistics.filled(hits).by_pool).collect();
        assert!(filled[0] > filled[1]);
        assert!(filled[2] > filled[0] && filled[2] > filled[3], "{filled:?}");
        assert_eq!(statistics.length_adjust(Field::Title, 0), 1.0);
    }

    #[test]
    fn an_empty_pool_or_query_is_no_accident() {
        let (statistics, _) = pool("x", &[]);
        assert_eq!(statistics.filled(&Hits::default()), Filled::default());
        let (statistics, hits) = pool("", &[["x", "", ""]]);
        assert_eq!(statistics.coverage(&hits[0]), 0.0);
        assert_eq!(statistics.filled(&hits[0]), Filled::default());
    }
}
