//! VersionClusteringPostResultProcessor: marks documents of the semantic cache that are versions of each other, and
//! which of them counts. Results of live sources are never versions; one with the URL of a cached document is merged
//! with it.

use super::shared::canonical_url::canonical;
use super::shared::groups::{Place, best_first, settle};
use async_trait::async_trait;
use domain::corpus::{Badge, CacheStatus, Liveness, MemberRole, apply_version_statuses, candidates};
use domain::ids::SignalId;
use domain::ports::{
    CorpusError, CorpusErrorKind, Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind,
    ProcessorError, ProcessorErrorKind, RunStage, VersionQuery,
};
use domain::result::ResultSet;
use std::collections::HashMap;
use std::time::Duration;

/// Timeout of the cache; after it the search continues without version information.
const TIME_MAX: Duration = Duration::from_secs(10);

struct VersionClusteringPostResultProcessor;

#[async_trait]
impl PostResultProcessor for VersionClusteringPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        if !cx.finds_versions {
            return Ok(Outcome::default());
        }
        let candidates = candidates(sets);
        if candidates.is_empty() {
            return Ok(Outcome::default());
        }
        let asked = VersionQuery {
            asker: cx.search.owner,
            search: cx.search.id,
            topic: cx.search.topic(),
            candidates: &candidates,
            records: cx.stage == RunStage::Ending,
            on_request: false,
        };
        let found = tokio::time::timeout(TIME_MAX, cx.context.corpus.versions(asked)).await;
        let found = found.unwrap_or_else(|late| {
            let error = CorpusError::new(CorpusErrorKind::Timeout, "the cache did not answer in time");
            Err(error.caused_by(late))
        });
        let updated = found.as_ref().map_or(0, |standings| apply_version_statuses(sets, standings));
        // Earlier deduplication left out the cache, so this also runs when no versions are known.
        let outcome = group(sets, cx.context.settings.dedupe_group_not_drop);
        match found {
            Ok(_) => Ok(Outcome { updated, ..outcome }),
            Err(error) => Err(ProcessorError::from_cause(ProcessorErrorKind::Unavailable, error)),
        }
    }
}

/// Merges results with the same URL if one of them is a cached document. What is removed from the list is listed under
/// what stays if `lists` is set, otherwise deleted.
fn group(sets: &mut [ResultSet], lists: bool) -> Outcome {
    let mut live: HashMap<String, Vec<Place>> = HashMap::new();
    let mut documents: Vec<Place> = Vec::new();
    let mut twice: Vec<(Place, Place)> = Vec::new();
    let mut first_of: HashMap<SignalId, Place> = HashMap::new();
    for place in best_first(sets) {
        let item = &sets[place.0].items[place.1];
        match (&item.cache, canonical(&item.url)) {
            (None, Some(url)) => live.entry(url).or_default().push(place),
            (None, None) => {}
            (Some(mark), _) => {
                let first = *first_of.entry(mark.signal_id).or_insert(place);
                if first == place {
                    documents.push(place);
                } else {
                    twice.push((place, first));
                }
            }
        }
    }
    let mut bests: HashMap<Place, Place> = HashMap::new();
    for place in documents {
        let item = &sets[place.0].items[place.1];
        // Each live result is used once, so that two documents do not share one.
        let Some(same) = canonical(&item.url).and_then(|url| live.remove(&url)) else { continue };
        join(sets, place, &same, &mut bests);
    }
    for (place, first) in twice {
        let best = bests.get(&first).copied().unwrap_or(first);
        bests.insert(place, best);
    }
    settle(sets, &bests, lists)
}

/// Which of a document and the live results with its URL stays.
fn join(sets: &[ResultSet], document: Place, live: &[Place], bests: &mut HashMap<Place, Place>) {
    let item = |place: Place| &sets[place.0].items[place.1];
    let is_known = |place: Place| item(place).new.is_none();
    // An update removes no result that was there before.
    let gives_way = |one: Place| is_known(document) || !is_known(one);
    let Some(mark) = &item(document).cache else { return };
    let best = live[0];
    if keeps_its_place(mark) {
        bests.extend(live.iter().filter(|one| gives_way(**one)).map(|one| (*one, document)));
    } else if is_gone(mark) || !is_known(document) || is_known(best) {
        bests.insert(document, best);
    } else {
        bests.extend(live.iter().map(|one| (*one, document)));
    }
}

/// Whether its cache status matters: pinned for this query, or one of several versions. A document that is gone at its
/// source ranks below the live result, unless somebody decided for it.
fn keeps_its_place(mark: &CacheStatus) -> bool {
    let wins = |role: Option<MemberRole>| role == Some(MemberRole::Winner);
    let is_version = mark.cluster.as_ref().is_some_and(|cluster| !is_gone(mark) || wins(cluster.role));
    mark.badge == Badge::Pinned || is_version
}

fn is_gone(mark: &CacheStatus) -> bool {
    mark.liveness == Liveness::Gone
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "VersionClusteringPostResultProcessor",
    summary: "Finds versions of one document among the results of the semantic cache, by SVC_VERSION_SIMILARITY_THRESHOLD, and marks the one that counts. Belongs at the end of a pipeline.",
    finds_versions: true,
    only_at_end: false,
    processor: &VersionClusteringPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::CATALOGUE;
    use crate::post_result::shared::fixtures::{item, listed, search, set};
    use domain::corpus::DecidedBy;
    use domain::ports::{PluginContext, SystemClock, Unavailable};
    use domain::result::ResultItem;
    use domain::settings::PluginSettings;
    use std::sync::Arc;
    use testkit::versions::{AskedVersions, KnownVersions, VersionStatuses, alone, decided, mark, undecided};

    fn cached(signal: i64, url: &str, confidence: f64) -> ResultItem {
        let cache = Some(Box::new(mark(signal)));
        ResultItem { cache, ..item(&format!("c{signal}"), url, confidence, 0.0) }
    }

    fn gone(signal: i64, url: &str, confidence: f64) -> ResultItem {
        let mut item = cached(signal, url, confidence);
        item.cache.iter_mut().for_each(|mark| mark.liveness = Liveness::Gone);
        item
    }

    fn new(item: ResultItem) -> ResultItem {
        ResultItem { new: Some(1), ..item }
    }

    struct Run {
        corpus: Arc<KnownVersions>,
        settings: PluginSettings,
        finds_versions: bool,
        stage: RunStage,
    }

    impl Run {
        fn with(standings: VersionStatuses) -> Self {
            let corpus = Arc::new(KnownVersions::new(standings));
            Self {
                corpus,
                settings: PluginSettings::default(),
                finds_versions: true,
                stage: RunStage::Ending,
            }
        }

        async fn of(&self, name: &str, sets: &mut [ResultSet]) -> Result<Outcome, ProcessorError> {
            let (clock, settings) = (Arc::new(SystemClock), Arc::new(self.settings.clone()));
            let corpus = self.corpus.clone();
            let context =
                PluginContext { corpus, ..PluginContext::new(Arc::new(Unavailable), clock, settings) };
            let (finds_versions, stage) = (self.finds_versions, self.stage);
            let search = search("lease");
            let cx = PostResultContext { search: &search, context: &context, finds_versions, stage };
            let kind = CATALOGUE.iter().find(|kind| kind.name == name).expect("a processor");
            kind.processor.process(sets, &cx).await
        }

        async fn versions(&self, sets: &mut [ResultSet]) -> Outcome {
            self.of(KIND.name, sets).await.expect("an outcome")
        }
    }

    /// The titles with what is listed under each, of a cached set and a live set.
    async fn grouped(standings: VersionStatuses, cache: Vec<ResultItem>, live: Vec<ResultItem>) -> String {
        let mut sets = [set(1, "lease", cache), set(2, "lease", live)];
        Run::with(standings).versions(&mut sets).await;
        listed(&sets).concat().join(" ")
    }

    fn pinned(id: i64) -> VersionStatuses {
        VersionStatuses::from([alone(id, Badge::Pinned)])
    }

    #[tokio::test]
    async fn versions_are_told_and_results_of_live_sources_never_are() {
        let run = Run::with(decided(&[2, 1], DecidedBy::Election, 7));
        let cache = vec![cached(1, "https://a.example/1", 0.9), cached(2, "https://a.example/2", 0.4)];
        let live = vec![item("live", "https://a.example/3", 0.8, 0.0)];
        let mut sets = [set(1, "lease", cache), set(2, "lease", live)];
        assert_eq!(run.versions(&mut sets).await, Outcome::updated(2));
        let badge = |item: &ResultItem| item.cache.as_ref().map(|mark| mark.badge);
        let badges: Vec<_> = sets.iter().flat_map(|set| &set.items).map(badge).collect();
        assert_eq!(badges, [Some(Badge::Alternate), Some(Badge::AutoSelected), None]);
        let asked = AskedVersions {
            query: "lease".to_owned(),
            candidates: vec![(1, 0.9), (2, 0.4)],
            records: true,
            on_request: false,
        };
        assert_eq!(run.corpus.asked(), [asked]);
        let line = Outcome::updated(2).notice(KIND.name, None).map(|kind| kind.to_string());
        assert_eq!(line.as_deref(), Some("VersionClusteringPostResultProcessor updated 2 results"));
    }

    #[tokio::test]
    async fn nothing_is_recorded_before_the_end_and_nothing_asked_without_a_cause() {
        let cache = || [set(1, "lease", vec![cached(1, "https://a.example/1", 0.9)])];
        let running = Run { stage: RunStage::Running, ..Run::with(undecided(&[1, 2])) };
        running.versions(&mut cache()).await;
        assert!(running.corpus.asked().iter().all(|asked| !asked.records));
        let closed = Run { finds_versions: false, ..Run::with(undecided(&[1, 2])) };
        assert_eq!(closed.versions(&mut cache()).await, Outcome::default());
        assert!(closed.corpus.asked().is_empty());
        let live = Run::with(undecided(&[1, 2]));
        let mut sets = [set(1, "lease", vec![item("live", "https://a.example/1", 0.8, 0.0)])];
        assert_eq!(live.versions(&mut sets).await, Outcome::default());
        assert!(live.corpus.asked().is_empty());
    }

    #[tokio::test]
    async fn one_address_is_one_entry() {
        let url = "https://a.example/1";
        let other = || item("other", "https://b.example", 0.3, 0.0);
        let live = || vec![item("live", "https://A.example/1/#top", 0.1, 0.0), other()];
        let one = |item: ResultItem| vec![item];
        let versions = || undecided(&[1, 2]);
        let won = || decided(&[1, 2], DecidedBy::Election, 7);
        let lost = || decided(&[2, 1], DecidedBy::Election, 7);
        let table = [
            ("alone", VersionStatuses::new(), one(cached(1, url, 0.9)), live(), "live[c1] other[]"),
            ("pinned", pinned(1), one(cached(1, url, 0.9)), live(), "c1[live] other[]"),
            ("a version", versions(), one(cached(1, url, 0.1)), live(), "c1[live] other[]"),
            ("a winner", won(), one(cached(1, url, 0.1)), live(), "c1[live] other[]"),
            ("an alternate", lost(), one(cached(1, url, 0.9)), live(), "c1[live] other[]"),
            ("gone", VersionStatuses::new(), one(gone(1, url, 0.9)), live(), "live[c1] other[]"),
            ("a gone version", versions(), one(gone(1, url, 0.9)), live(), "live[c1] other[]"),
            ("a gone alternate", lost(), one(gone(1, url, 0.9)), live(), "live[c1] other[]"),
            ("gone but chosen", won(), one(gone(1, url, 0.9)), live(), "c1[live] other[]"),
            ("no address", versions(), one(cached(1, "", 0.9)), vec![item("l", "", 0.9, 0.0)], "c1[] l[]"),
            (
                "twice",
                VersionStatuses::new(),
                vec![cached(1, url, 0.1), cached(1, url, 0.9)],
                live(),
                "live[c1 c1] other[]",
            ),
            ("a version twice", versions(), vec![cached(1, url, 0.1), cached(1, url, 0.9)], vec![], "c1[c1]"),
        ];
        for (name, standings, cache, live, expected) in table {
            assert_eq!(grouped(standings, cache, live).await, expected, "{name}");
        }
    }

    #[tokio::test]
    async fn an_update_takes_no_result_away() {
        let url = "https://a.example/1";
        let (old, fresh) = (|| item("live", url, 0.5, 0.0), || new(item("live", url, 0.5, 0.0)));
        let versions = || undecided(&[1, 2]);
        let table = [
            ("new version", versions(), new(cached(1, url, 0.9)), old(), "c1[] live[]"),
            ("new document", VersionStatuses::new(), new(cached(1, url, 0.9)), old(), "live[c1]"),
            ("new live result", VersionStatuses::new(), cached(1, url, 0.9), fresh(), "c1[live]"),
            ("new live result of a gone one", VersionStatuses::new(), gone(1, url, 0.9), fresh(), "live[c1]"),
            ("both new", versions(), new(cached(1, url, 0.9)), fresh(), "c1[live]"),
        ];
        for (name, standings, document, live, expected) in table {
            assert_eq!(grouped(standings, vec![document], vec![live]).await, expected, "{name}");
        }
    }

    #[tokio::test]
    async fn what_groups_before_leaves_the_cache_to_it() {
        let url = "https://a.example/1";
        let body = "three gauges at the lower bridge measure the level of the river every hour and send it";
        let with_body =
            |item: ResultItem| ResultItem { body: body.to_owned(), title: "Gauges".to_owned(), ..item };
        let sets = || {
            let cache =
                vec![with_body(cached(1, url, 0.9)), with_body(cached(2, "https://a.example/2", 0.8))];
            let live = vec![with_body(item("", url, 0.7, 0.0)), with_body(item("", url, 0.6, 0.0))];
            [set(1, "lease", cache), set(2, "lease", live)]
        };
        for (name, finds_versions, left, grouped) in [
            ("DedupeByFieldPostResultProcessor", true, [2, 1], 1),
            ("DedupeByFieldPostResultProcessor", false, [2, 0], 2),
            ("DedupeBySimilarityPostResultProcessor", true, [2, 1], 1),
            ("DedupeBySimilarityPostResultProcessor", false, [1, 0], 3),
        ] {
            let run = Run { finds_versions, ..Run::with(VersionStatuses::new()) };
            let mut sets = sets();
            let outcome = run.of(name, &mut sets).await;
            assert_eq!(outcome, Ok(Outcome::grouped(grouped)), "{name} {finds_versions}");
            let listed = |set: &ResultSet| set.items.iter().filter(|item| !item.is_copy()).count();
            assert_eq!([listed(&sets[0]), listed(&sets[1])], left, "{name} {finds_versions}");
        }
    }

    #[tokio::test]
    async fn duplicates_are_deleted_if_that_is_wanted() {
        let url = "https://a.example/1";
        let mut run = Run::with(undecided(&[1, 2]));
        run.settings.dedupe_group_not_drop = false;
        let mut sets =
            [set(1, "lease", vec![cached(1, url, 0.5)]), set(2, "lease", vec![item("live", url, 0.5, 0.0)])];
        assert_eq!(run.versions(&mut sets).await, Outcome { updated: 1, deleted: 1, grouped: 0 });
        assert_eq!(listed(&sets), [vec!["c1[]".to_owned()], vec![]]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_cache_that_does_not_answer_holds_nobody_up() {
        let run = Run::with(VersionStatuses::new());
        run.corpus.hang();
        let mut sets = [set(1, "lease", vec![cached(1, "https://a.example/1", 0.5)])];
        let started = tokio::time::Instant::now();
        let failed = run.of(KIND.name, &mut sets).await;
        assert_eq!(failed.expect_err("late").message(), "the cache did not answer in time");
        assert_eq!(started.elapsed(), TIME_MAX);
        assert_eq!(listed(&sets), [["c1[]"]]);
    }

    #[tokio::test]
    async fn a_cache_that_fails_is_told_and_loses_nothing() {
        let url = "https://a.example/1";
        let run = Run::with(VersionStatuses::new());
        run.corpus.fail("the vectors cannot be read");
        let mut sets =
            [set(1, "lease", vec![cached(1, url, 0.5)]), set(2, "lease", vec![item("live", url, 0.5, 0.0)])];
        let failed = run.of(KIND.name, &mut sets).await;
        assert_eq!(failed.expect_err("no vectors").message(), "the vectors cannot be read");
        assert_eq!(listed(&sets), [vec![], vec!["live[c1]".to_owned()]], "one address is still one entry");
    }
}
