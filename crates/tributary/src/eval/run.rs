//! One run: sends every judged query through the whole service and measures each merge method.

use crate::eval::collection::{Collection, Query};
use crate::eval::fusion;
use crate::eval::measure::{DEEP, Scores, measure};
use crate::eval::pairs::Pairs;
use crate::eval::ranking::{CENTRAL, Index};
use crate::eval::service::LabService;
use crate::eval::setup::Setup;
use crate::eval::sources::{Sources, document_of};
use anyhow::{Context, ensure};
use domain::result::ResultItem;
use domain::settings::Settings;
use futures_util::{StreamExt, stream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Concurrent queries.
const QUERIES_AT_ONCE: usize = 4;

/// A merge method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Merged,
    CentralBm25,
    RoundRobin,
    Rrf,
    Oracle,
}

impl Way {
    pub const ALL: [Self; 5] = [Self::Merged, Self::CentralBm25, Self::RoundRobin, Self::Rrf, Self::Oracle];

    /// The JSON key.
    pub fn key(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::CentralBm25 => "central_bm25",
            Self::RoundRobin => "round_robin",
            Self::Rrf => "rrf",
            Self::Oracle => "oracle",
        }
    }

    /// The display name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Merged => "merged",
            Self::CentralBm25 => "central BM25",
            Self::RoundRobin => "round robin",
            Self::Rrf => "RRF",
            Self::Oracle => "oracle order",
        }
    }
}

/// The scores of one query.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub query: String,
    pub took: Duration,
    /// One per mixer.
    pub merged: Vec<Scores>,
    /// The other methods, in the order of `Way::ALL`.
    pub others: [Scores; 4],
    pub pairs: Pairs,
}

impl Outcome {
    /// For the merged list, the scores of the first mixer.
    pub fn scores(&self, way: Way) -> Scores {
        match way {
            Way::Merged => self.merged.first().copied().unwrap_or_default(),
            Way::CentralBm25 => self.others[0],
            Way::RoundRobin => self.others[1],
            Way::Rrf => self.others[2],
            Way::Oracle => self.others[3],
        }
    }
}

/// The running sources and service, and the central index.
pub struct Lab {
    pub collection: Arc<Collection>,
    pub sources: Arc<Sources>,
    central: Index,
    service: LabService,
    mixers: Vec<String>,
    /// The number of results on the page of a search: all of them.
    requested: usize,
}

impl Lab {
    pub async fn open(
        collection: Collection,
        setup: &Setup,
        settings: Settings,
        mixers: Vec<String>,
    ) -> anyhow::Result<Self> {
        setup.check()?;
        let documents = collection.documents.len();
        ensure!(
            setup.sources <= documents,
            "{documents} documents cannot be split over {} sources; use --sources {documents} at most",
            setup.sources
        );
        let collection = Arc::new(collection);
        let sources = Arc::new(Sources::of(Arc::clone(&collection), setup));
        let texts = collection.documents.iter().map(|document| document.whole().into());
        let central = Index::build(CENTRAL, texts);
        let service = LabService::start(settings, &sources).await?;
        let requested = (setup.sources * setup.results).max(DEEP);
        Ok(Self { collection, sources, central, service, mixers, requested })
    }

    /// Runs every query. `each` receives the merged results in query order.
    pub async fn run(
        &self,
        mut each: impl FnMut(&Query, &Outcome, &[ResultItem]) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<Outcome>> {
        let queries = &self.collection.queries;
        // The first search warms connections and caches; it is repeated for the measurement.
        if let Some(first) = queries.first() {
            self.ask(first).await?;
        }
        let mut answers = stream::iter(queries).map(|query| self.ask(query)).buffered(QUERIES_AT_ONCE);
        let mut outcomes = Vec::new();
        while let Some(answer) = answers.next().await {
            let (outcome, merged) = answer?;
            let query = &queries[outcomes.len()];
            each(query, &outcome, &merged)?;
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Whether duplicates stay visible in groups.
    pub fn groups(&self) -> bool {
        self.service.groups
    }

    pub async fn close(self) {
        self.service.stop().await;
    }

    async fn ask(&self, query: &Query) -> anyhow::Result<(Outcome, Vec<ResultItem>)> {
        self.measure_query(query).await.with_context(|| format!("the query '{}'", query.id))
    }

    async fn measure_query(&self, query: &Query) -> anyhow::Result<(Outcome, Vec<ResultItem>)> {
        let client = &self.service.client;
        let first_mixer = self.mixers.first().context("no mixer")?;
        let started = Instant::now();
        let search = client.create(&query.text, first_mixer, self.requested).await?;
        let mixed = client.results(search, first_mixer).await?;
        let took = started.elapsed();

        let lists = self.sources.lists(&query.text);
        let given: usize = lists.iter().map(Vec::len).sum();
        ensure!(
            mixed.retrieved() == given as u64,
            "the service has {} results, but the sources returned {given}",
            mixed.retrieved()
        );
        let mut merged = vec![measure(&self.documents(&mixed.results)?, &query.grades)];
        for mixer in &self.mixers[1..] {
            let other = client.results(search, mixer).await?;
            merged.push(measure(&self.documents(&other.results)?, &query.grades));
        }
        self.service.forget(search).await?;
        let central: Vec<usize> =
            self.central.search(&query.text, DEEP).into_iter().map(|hit| hit.place).collect();
        let others = [
            central,
            fusion::round_robin(&lists),
            fusion::rrf(&lists),
            fusion::oracle(&lists, &query.grades),
        ];
        let outcome = Outcome {
            query: query.id.clone(),
            took,
            merged,
            others: others.map(|list| measure(&list, &query.grades)),
            pairs: Pairs::of(&lists, &mixed.results, &self.collection.documents),
        };
        Ok((outcome, mixed.results))
    }

    /// The documents behind the results.
    fn documents(&self, results: &[ResultItem]) -> anyhow::Result<Vec<usize>> {
        let document = |item: &ResultItem| {
            let place = document_of(&item.url).filter(|place| *place < self.collection.documents.len());
            place.with_context(|| format!("the result '{}' belongs to no source", item.url))
        };
        results.iter().map(document).collect()
    }
}
