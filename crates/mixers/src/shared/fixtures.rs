//! Test fixtures: results for the mixers.

use domain::corpus::{CacheStatus, DecidedBy, Liveness};
use domain::ports::{Candidate, MixContext, MixerKind};
use domain::result::{DATE_UNKNOWN, ResultItem, ResultSet};
use domain::search::Search;
use domain::status::SearchStatus;
use testkit::builders::{self, item, result_set};
use testkit::versions::{decided, mark, undecided};

#[derive(Clone, Copy)]
pub struct Sample {
    pub id: i64,
    pub score: f64,
    pub confidence: f64,
    pub rank: u32,
    pub date: &'static str,
    pub url: &'static str,
    pub is_new: bool,
}

impl Default for Sample {
    fn default() -> Self {
        Self { id: 0, score: 0.0, confidence: 0.0, rank: 1, date: DATE_UNKNOWN, url: "", is_new: false }
    }
}

pub fn set(provider: i64, samples: &[Sample]) -> ResultSet {
    let items = samples.iter().map(|sample| ResultItem {
        new: sample.is_new.then_some(1),
        ..item("")
            .id(sample.id)
            .score(sample.score)
            .confidence(sample.confidence)
            .rank(sample.rank)
            .date(sample.date)
            .url(sample.url)
            .build()
    });
    result_set(provider).items(items).build()
}

/// Providers X (5, 4, 1) and Y (3, 2): the scores are the ids.
pub fn stacks() -> [ResultSet; 2] {
    let sample = |id: i64| Sample { id, score: id as f64, ..Sample::default() };
    [set(1, &[sample(5), sample(4), sample(1)]), set(2, &[sample(3), sample(2)])]
}

/// Three providers with many ties. The first is the semantic cache: two documents in three versions, one of them
/// decided.
pub fn samples() -> Vec<ResultSet> {
    let dates = ["unknown", "2024-05-01 00:00:00", "2024-05-01 00:30:00+02:00", "Spring"];
    let sample = |number: i64| Sample {
        id: 100 - number,
        score: (number % 3) as f64,
        confidence: if number % 5 == 0 { f64::NAN } else { (number % 2) as f64 },
        rank: (number % 4) as u32,
        date: dates[(number % 4) as usize],
        is_new: number % 2 == 0,
        ..Sample::default()
    };
    let samples = |provider: i64| (0..8).map(|n| sample(provider * 8 + n)).collect::<Vec<_>>();
    let mut sets: Vec<ResultSet> = (0..3).map(|provider| set(provider, &samples(provider))).collect();
    let mut standings = decided(&[97, 93, 99], DecidedBy::Election, 1);
    standings.extend(undecided(&[94, 96, 98]));
    for item in &mut sets[0].items {
        let id = item.swirl_id.0;
        let liveness = if id % 4 == 0 { Liveness::Gone } else { Liveness::Alive };
        let mut mark = CacheStatus { liveness, ..mark(id) };
        standings
            .get(&mark.signal_id)
            .into_iter()
            .for_each(|standing| mark.set_version_status(standing.clone()));
        item.cache = Some(Box::new(mark));
    }
    sets
}

pub fn search() -> Search {
    Search { status: SearchStatus::FullResultsReady, ..builders::search("query") }
}

pub fn ids(order: &[Candidate<'_>]) -> Vec<i64> {
    order.iter().map(|candidate| candidate.item.swirl_id.0).collect()
}

/// The ids in the order of a mixer on a page of 10, and its messages.
pub fn arranged(kind: &MixerKind, sets: &[ResultSet]) -> (Vec<i64>, Vec<String>) {
    arranged_as(kind, sets, true)
}

pub fn arranged_as(kind: &MixerKind, sets: &[ResultSet], promotes: bool) -> (Vec<i64>, Vec<String>) {
    let search = search();
    let candidates =
        sets.iter().flat_map(|set| set.items.iter().map(move |item| Candidate { set, item })).collect();
    let arrangement =
        kind.mixer.arrange(candidates, &MixContext { search: &search, page_size: 10, promotes });
    (ids(&arrangement.order), arrangement.notices.iter().map(ToString::to_string).collect())
}
