//! Learned choice of sources, measured: half of the queries are remembered, and the sources of the other half chosen.

use crate::eval::collection::{Collection, Grades};
use crate::eval::measure::{PAGE, mean};
use crate::eval::rng::Rng;
use crate::eval::sources::Sources;
use anyhow::ensure;
use domain::ids::ProviderId;
use domain::result::ResultItem;
use domain::source_choice::{PAST_SEARCHES_MIN, PastSearch, Vote};
use relevancy::embedder::embed;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Numbers of chosen sources; those that are below the number of sources are measured.
const CHOSEN: [usize; 5] = [1, 2, 3, 5, 10];

/// The share of the gains of the best sources that chosen sources hold, as the mean of the measured queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shares {
    /// Number of chosen sources.
    pub chosen: usize,
    /// Chosen by the nearest remembered queries.
    pub learned: f64,
    /// Chosen by all remembered queries, whatever the query is.
    pub overall: f64,
    /// The expected value of a random choice.
    pub random: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChoiceReport {
    pub remembered: usize,
    pub measured: usize,
    pub shares: Vec<Shares>,
}

/// A query whose sources are chosen.
struct Measured {
    embedding: Vec<f32>,
    /// The gain of each source: what its results are worth.
    gains: Vec<f64>,
}

impl ChoiceReport {
    /// `pages` has the share of each source in the first page of each query, in query order.
    pub fn of(
        collection: &Collection,
        sources: &Sources,
        pages: &[Vec<(ProviderId, f32)>],
        seed: u64,
    ) -> anyhow::Result<Self> {
        let order = Rng::new(seed, "source choice").shuffled(collection.queries.len().min(pages.len()));
        let (first, second) = order.split_at(order.len() / 2);
        ensure!(
            first.len() >= PAST_SEARCHES_MIN,
            "{} queries are too few: {PAST_SEARCHES_MIN} are remembered at least, and as many measured",
            order.len()
        );
        let embedding = |place: usize| embed(&collection.queries[place].text).as_slice().to_vec();
        let past: Vec<PastSearch> = first
            .iter()
            .map(|&place| PastSearch { embedding: embedding(place).into(), shares: pages[place].clone() })
            .collect();
        let measured: Vec<Measured> = second
            .iter()
            .map(|&place| {
                let query = &collection.queries[place];
                let lists = sources.lists(&query.text);
                let gains = lists.iter().map(|list| gain(list, &query.grades)).collect();
                Measured { embedding: embedding(place), gains }
            })
            .filter(|query| query.gains.iter().any(|gain| *gain > 0.0))
            .collect();
        ensure!(!measured.is_empty(), "no source returns a relevant document for the measured queries");
        let shares = measure(&past, &measured, sources.all.len());
        Ok(Self { remembered: past.len(), measured: measured.len(), shares })
    }

    pub fn table(&self) -> String {
        let mut lines = vec![
            format!("{} queries remembered, {} measured", self.remembered, self.measured),
            String::new(),
            "sources chosen    learned    overall     random   of the gains of the best ones".to_owned(),
        ];
        lines.extend(self.shares.iter().map(|one| {
            let Shares { chosen, learned, overall, random } = one;
            format!("{chosen:<14} {learned:>10.3} {overall:>10.3} {random:>10.3}")
        }));
        lines.join("\n")
    }
}

/// The share of each source in the first page.
pub fn page_shares(results: &[ResultItem], sources: &Sources) -> Vec<(ProviderId, f32)> {
    let page = &results[..results.len().min(PAGE)];
    let mut shares: BTreeMap<ProviderId, f32> = BTreeMap::new();
    for item in page {
        if let Some(place) = sources.all.iter().position(|source| source.name == item.searchprovider) {
            *shares.entry(id_of(place)).or_default() += 1.0 / page.len() as f32;
        }
    }
    shares.into_iter().collect()
}

fn id_of(place: usize) -> ProviderId {
    ProviderId(place as i64)
}

/// What a list is worth, in whatever order. A repeated document gains nothing.
fn gain(list: &[usize], grades: &Grades) -> f64 {
    let documents: HashSet<usize> = list.iter().copied().collect();
    let grade = |document: &usize| f64::from(grades.get(document).copied().unwrap_or_default());
    documents.iter().map(|document| grade(document).exp2() - 1.0).sum()
}

fn measure(past: &[PastSearch], queries: &[Measured], sources: usize) -> Vec<Shares> {
    let nothing: &[f32] = &[];
    // Without a similar search, the mean of all decides.
    let overall = ranking(nothing, past, sources);
    let learned: Vec<Vec<usize>> =
        queries.iter().map(|query| ranking(&query.embedding, past, sources)).collect();
    let share = |query: &Measured, chosen: &[usize]| {
        sum(chosen.iter().map(|place| query.gains[*place])) / best(&query.gains, chosen.len())
    };
    let shares = |chosen: usize| Shares {
        chosen,
        learned: mean(queries.iter().zip(&learned).map(|(query, ranking)| share(query, &ranking[..chosen]))),
        overall: mean(queries.iter().map(|query| share(query, &overall[..chosen]))),
        random: mean(queries.iter().map(|query| {
            let expected = sum(query.gains.iter().copied()) * chosen as f64 / sources as f64;
            expected / best(&query.gains, chosen)
        })),
    };
    CHOSEN.into_iter().filter(|chosen| *chosen < sources).map(shares).collect()
}

/// All sources, the likely ones first.
fn ranking(embedding: &[f32], past: &[PastSearch], sources: usize) -> Vec<usize> {
    let vote = Vote::of(embedding, past.iter()).unwrap_or_default();
    vote.best((0..sources).map(id_of), sources).into_iter().map(|id| id.0 as usize).collect()
}

/// The gains of the best sources together.
fn best(gains: &[f64], count: usize) -> f64 {
    let mut sorted = gains.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    sum(sorted.into_iter().take(count))
}

fn sum(gains: impl Iterator<Item = f64>) -> f64 {
    gains.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::collection::{Document, Query};
    use crate::eval::setup::Setup;
    use std::sync::Arc;

    const TEA: [f32; 2] = [1.0, 0.0];
    const CARS: [f32; 2] = [0.0, 1.0];

    fn past(embedding: [f32; 2], source: usize) -> PastSearch {
        PastSearch { embedding: embedding.into(), shares: vec![(id_of(source), 1.0)] }
    }

    fn query(embedding: [f32; 2], gains: [f64; 4]) -> Measured {
        Measured { embedding: embedding.to_vec(), gains: gains.to_vec() }
    }

    #[test]
    fn chosen_sources_hold_a_share_of_the_gains() {
        // Tea is in source 1; cars, which are asked for more often, are in source 3.
        let past: Vec<PastSearch> =
            (0..15).map(|number| if number < 5 { past(TEA, 1) } else { past(CARS, 3) }).collect();
        let queries = [query(TEA, [0.0, 3.0, 1.0, 0.0]), query(CARS, [1.0, 0.0, 0.0, 1.0])];
        let found = measure(&past, &queries, 4);
        let expected = [
            // Source 3 is worth nothing for tea. At random: a quarter of 4 of 3, and a quarter of 2 of 1.
            Shares { chosen: 1, learned: 1.0, overall: 0.5, random: (1.0 / 3.0 + 0.5) / 2.0 },
            // The sources 1 and 3, of 4 and of 2.
            Shares { chosen: 2, learned: (0.75 + 0.5) / 2.0, overall: (0.75 + 0.5) / 2.0, random: 0.5 },
            // Of the others, the one with the lowest number.
            Shares { chosen: 3, learned: (0.75 + 1.0) / 2.0, overall: (0.75 + 1.0) / 2.0, random: 0.75 },
        ];
        for (one, other) in found.iter().zip(expected) {
            let differences =
                [one.learned - other.learned, one.overall - other.overall, one.random - other.random];
            assert!(differences.iter().all(|difference| difference.abs() < 1e-9), "{one:?} {other:?}");
        }
        assert_eq!(found.len(), expected.len());
    }

    #[test]
    fn a_list_is_worth_its_documents_once() {
        let grades = Grades::from([(1, 2), (2, 1), (3, 0)]);
        assert_eq!(gain(&[1, 1, 2, 3, 9], &grades), 4.0);
        assert_eq!(gain(&[], &grades), 0.0);
    }

    fn collection(queries: usize) -> Collection {
        let topics = ["tea leaves and hot water", "the engine of a racing car"];
        let text = |number: usize| format!("{} {number}", topics[number % 2]);
        let document = |number: usize| Document { text: text(number), ..Document::default() };
        let query = |number: usize| Query {
            id: number.to_string(),
            text: text(number),
            grades: Grades::from([(number, 1)]),
        };
        Collection {
            documents: (0..40).map(document).collect(),
            queries: (0..queries).map(query).collect(),
            ..Collection::default()
        }
    }

    #[test]
    fn half_of_the_queries_are_remembered() {
        let setup = Setup { sources: 4, ..Setup::default() };
        let report = |count: usize| {
            let collection = Arc::new(collection(count));
            let sources = Sources::of(Arc::clone(&collection), &setup);
            let of_first = ResultItem { searchprovider: "Source 1".to_owned(), ..ResultItem::default() };
            let of_none = ResultItem { searchprovider: "elsewhere".to_owned(), ..ResultItem::default() };
            let page = page_shares(&[of_first, of_none], &sources);
            assert_eq!(page, [(id_of(0), 0.5)]);
            ChoiceReport::of(&collection, &sources, &vec![page; count], 1)
        };
        let found = report(2 * PAST_SEARCHES_MIN).expect("enough queries");
        assert_eq!((found.remembered, found.shares.len()), (PAST_SEARCHES_MIN, 3));
        assert!((1..=PAST_SEARCHES_MIN).contains(&found.measured));
        assert!(found.shares.iter().all(|one| one.random <= 1.0 && one.learned <= 1.0), "{found:?}");
        assert_eq!(found.table().lines().count(), 6);
        let error = report(2 * PAST_SEARCHES_MIN - 1).expect_err("too few").to_string();
        assert!(error.contains("19 queries are too few"), "{error}");
    }
}
