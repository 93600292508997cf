//! Versions of documents in a search: with a real store, processors and mixers, and a fake corpus.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::fixture::{FixedRows, RESULT_MAPPINGS, open_store};
use domain::corpus::{Badge, CONNECTOR_NAME, DecidedBy};
use domain::ids::{ProviderId, RunId, RunNumber};
use domain::notice::NoticeKind;
use domain::pipeline::SYSTEM_DEFAULT;
use domain::ports::{
    Clock, Connector, ConnectorError, ConnectorKind, NoObserver, Outcome, PipelineStore, PluginContext,
    PluginRegistry, ProviderStore, ResultOrigin, ResultStore, SearchStore, SystemClock, TypedConnector,
    Unavailable, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::search::{Search, SearchSpec};
use domain::settings::Settings;
use domain::status::RunKind;
use domain::user::UserSpec;
use federation::{Federation, FederationDeps, MixRequest};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use store::SqlStore;
use tasks::queue::SqlQueue;
use testkit::plugins::connector_kind;
use testkit::versions::{KnownVersions, VersionStatuses, alone, decided, mark, undecided};

const PROCESSOR: &str = "VersionClusteringPostResultProcessor";

fn row(name: &str, words: &str) -> Value {
    let url = format!("https://a.example/{name}");
    json!({"title": format!("Lease {name}"), "url": url, "body": format!("the lease of the mill, {words}")})
}

/// Three documents of the corpus.
fn cache(_: &SearchProvider, _: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let document = |id: i64, words: &str| {
        let mut row = row(&id.to_string(), words);
        row["cache"] = json!(mark(id));
        row
    };
    let rows = [(1, "in a first draft"), (2, "as it was signed"), (3, "with a note on its barn")];
    let rows = rows.map(|(id, words)| document(id, words)).to_vec();
    Ok(FixedRows { rows, delay: Duration::ZERO }.boxed())
}

/// Two web pages.
fn web(_: &SearchProvider, _: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let rows = vec![row("2", "as the web has it"), row("9", "told in the news")];
    Ok(FixedRows { rows, delay: Duration::ZERO }.boxed())
}

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[
        ConnectorKind { origin: ResultOrigin::Corpus, build: cache, ..connector_kind(CONNECTOR_NAME) },
        ConnectorKind { build: web, ..connector_kind("Web") },
    ],
    query_processors: processors::query::CATALOGUE,
    result_processors: processors::result::CATALOGUE,
    post_result_processors: processors::post_result::CATALOGUE,
    mixers: mixers::CATALOGUE,
    default_post_result: processors::post_result::SYSTEM_DEFAULT,
    read_answer: |_, _| Ok(serde_json::Value::Null),
};

struct Fixture {
    store: Arc<SqlStore>,
    federation: Federation,
    corpus: Arc<KnownVersions>,
    search: Search,
}

impl Fixture {
    /// A service with one search that has not run.
    async fn with(statuses: VersionStatuses) -> Self {
        let store = open_store().await;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let now = clock.now();
        let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
        let owner = store.create_user(user, String::new(), now).await.unwrap();
        let provider = |name: &str, connector: &str| ProviderSpec {
            name: name.to_owned(),
            connector: connector.to_owned(),
            result_mappings: RESULT_MAPPINGS.into(),
            ..ProviderSpec::default()
        };
        let providers = vec![provider("Cache", CONNECTOR_NAME), provider("Web", "Web")];
        store.create_providers(providers, owner.id, now).await.unwrap();
        store.ensure_pipeline(SYSTEM_DEFAULT, PLUGINS.default_post_result, now).await.unwrap();
        let spec = SearchSpec::of_query("lease of the mill");
        let search = store.create_search(spec, owner.id, Vec::new(), now, None).await.unwrap();
        let corpus = Arc::new(KnownVersions::new(statuses));
        let settings = Arc::new(Settings::default());
        let context = PluginContext {
            corpus: corpus.clone(),
            ..PluginContext::new(Arc::new(Unavailable), Arc::clone(&clock), Arc::default())
        };
        let federation = Federation::new(FederationDeps {
            store: store.clone(),
            queue: Arc::new(SqlQueue::new(store.clone(), clock)),
            plugins: PLUGINS,
            context,
            settings,
            tokens: Arc::new(Unavailable),
            pages: Arc::new(Unavailable),
            observer: Arc::new(NoObserver),
        });
        Self { store, federation, corpus, search }
    }

    async fn run(&mut self) {
        self.federation
            .runner
            .run(self.search.id, self.search.run, RunKind::New, &domain::ports::NoSlot)
            .await
            .unwrap();
        self.search = self.store.search(self.search.id).await.unwrap();
    }

    async fn page(&self) -> Vec<String> {
        let mixed = self.federation.mixer.mix(&self.search, &MixRequest::default()).await.unwrap();
        mixed.results.iter().map(shown).collect()
    }

    /// The notices of the processor.
    fn notices(&self) -> Vec<NoticeKind> {
        let kinds = self.search.notices.iter().map(|notice| notice.kind.clone());
        kinds
            .filter(|kind| match kind {
                NoticeKind::Processed { processor, .. } | NoticeKind::ProcessorFailed { processor, .. } => {
                    processor == PROCESSOR
                }
                _ => false,
            })
            .collect()
    }
}

/// `name badge +duplicates` of a result.
fn shown(item: &ResultItem) -> String {
    let name = item.url.rsplit('/').next().unwrap_or_default();
    let badge = item.cache.as_ref().map_or("live".to_owned(), |mark| format!("{:?}", mark.badge));
    let also: Vec<&str> = item.duplicates.iter().map(|one| one.searchprovider.as_str()).collect();
    format!("{name} {badge}{}", also.iter().map(|name| format!(" +{name}")).collect::<String>())
}

#[tokio::test]
async fn the_elected_version_leads_the_others() {
    let mut fixture = Fixture::with(decided(&[2, 3, 1], DecidedBy::Election, 7)).await;
    fixture.run().await;
    let page = fixture.page().await;
    let place = page.iter().position(|row| row == "2 AutoSelected +Web").unwrap();
    assert_eq!(page[place + 1..place + 3], ["3 Alternate", "1 Alternate"], "{page:?}");
    assert_eq!(page.len(), 4, "{page:?}");
    let asked = fixture.corpus.asked();
    let ids = |asked: &[(i64, f64)]| -> Vec<i64> {
        let mut ids: Vec<i64> = asked.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!((ids(&asked[0].candidates), asked[0].query.as_str()), (vec![1, 2, 3], "lease of the mill"));
    assert!(asked[0].records && !asked[0].on_request);
    let outcome = Outcome { updated: 3, grouped: 1, ..Outcome::default() };
    assert_eq!(fixture.notices(), [outcome.notice(PROCESSOR, None).unwrap()]);
}

#[tokio::test]
async fn a_pinned_document_comes_first_and_single_versions_stay() {
    let mut fixture = Fixture::with(VersionStatuses::from([alone(3, Badge::Pinned)])).await;
    fixture.run().await;
    let page = fixture.page().await;
    assert_eq!(page[0], "3 Pinned", "{page:?}");
    assert!(page.contains(&"2 live +Cache".to_owned()), "{page:?}");
    assert_eq!(page.len(), 4, "{page:?}");
}

#[tokio::test]
async fn a_page_of_a_running_search_records_no_election() {
    let mut fixture = Fixture::with(decided(&[2, 1], DecidedBy::Election, 7)).await;
    let running = fixture.search.clone();
    fixture.run().await;
    fixture.corpus.asked();
    let sets = fixture.store.result_sets(fixture.search.id).await.unwrap();
    let mixed = fixture.federation.mixer.mix_sets(&running, sets, &MixRequest::default()).await;
    assert!(mixed.results.iter().any(|item| shown(item).starts_with("2 AutoSelected")));
    let asked = fixture.corpus.asked();
    assert!(!asked.is_empty() && asked.iter().all(|one| !one.records), "{asked:?}");
}

#[tokio::test]
async fn an_update_shows_saved_results_unchanged_until_a_source_responds() {
    let mut fixture = Fixture::with(decided(&[2, 1], DecidedBy::Election, 7)).await;
    fixture.run().await;
    fixture.corpus.asked();
    let update = Search { run: RunNumber(fixture.search.run.0 + 1), ..fixture.search.clone() };
    let mixed = fixture.federation.mixer.mix_sets(&update, Vec::new(), &MixRequest::default()).await;
    let page: Vec<String> = mixed.results.iter().map(shown).collect();
    assert_eq!(page, fixture.page().await);
    assert!(fixture.corpus.asked().is_empty(), "the post-result processors do not run");
}

#[tokio::test]
async fn an_election_on_request_is_stored_in_the_saved_results() {
    let mut fixture = Fixture::with(undecided(&[1, 2])).await;
    let error = fixture.federation.elector.elect(&fixture.search).await.unwrap_err();
    assert!(matches!(error, federation::FederationError::NotReady(_)), "{error}");
    fixture.run().await;
    assert!(fixture.page().await.contains(&"1 Cached".to_owned()));
    fixture.corpus.asked();

    fixture.corpus.say(decided(&[1, 2], DecidedBy::Election, 8));
    assert_eq!(fixture.federation.elector.elect(&fixture.search).await.unwrap(), [RunId(8)]);
    let asked = fixture.corpus.asked();
    assert!(asked.len() == 1 && asked[0].records && asked[0].on_request, "{asked:?}");
    let page = fixture.page().await;
    let place = page.iter().position(|row| row == "1 AutoSelected").unwrap();
    assert_eq!(page[place + 1], "2 Alternate +Web", "{page:?}");
    // The results stay in the sets of their providers.
    let sets = fixture.store.result_sets(fixture.search.id).await.unwrap();
    let counts: Vec<(ProviderId, usize)> = sets.iter().map(|set| (set.provider, set.items.len())).collect();
    assert_eq!(counts.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [3, 2], "{counts:?}");

    fixture.corpus.fail("the vectors cannot be read");
    assert!(fixture.federation.elector.elect(&fixture.search).await.unwrap_err().is_transient());
}

#[tokio::test]
async fn a_pin_decides_without_an_election() {
    let both = decided(&[2, 1], DecidedBy::Pin, 7).into_iter().chain([alone(3, Badge::Pinned)]);
    let mut fixture = Fixture::with(both.collect()).await;
    fixture.run().await;
    assert_eq!(fixture.federation.elector.elect(&fixture.search).await.unwrap(), []);
}

#[tokio::test]
async fn a_rejection_applies_to_saved_results() {
    let mut fixture = Fixture::with(decided(&[2, 3, 1], DecidedBy::Election, 7)).await;
    fixture.run().await;
    fixture.corpus.reject(8);
    assert!(
        fixture.page().await.contains(&"2 AutoSelected +Web".to_owned()),
        "another election was rejected"
    );
    fixture.corpus.reject(7);
    let page = fixture.page().await;
    for row in ["1 Cached", "2 Cached +Web", "3 Cached"] {
        assert!(page.contains(&row.to_owned()), "{row}: {page:?}");
    }
    let set = fixture.store.result_sets(fixture.search.id).await.unwrap().remove(0);
    let one = fixture.federation.reader.saved_result(set.items[0].swirl_id).await.unwrap().0.item;
    let all = fixture.federation.reader.saved_results(fixture.search.owner, 0, 10).await.unwrap().items;
    let marks = all.iter().map(|saved| &saved.item).chain([&one]).filter_map(|item| item.cache.as_deref());
    let statuses: Vec<_> = marks.map(|mark| (mark.badge, mark.run_id, mark.cluster.is_some())).collect();
    assert_eq!(statuses, vec![(Badge::Cached, None, true); 4], "they are still versions of one document");
    // The next election decides again.
    fixture.corpus.say(decided(&[3, 1, 2], DecidedBy::Election, 9));
    fixture.federation.elector.elect(&fixture.search).await.unwrap();
    assert!(fixture.page().await.contains(&"3 AutoSelected".to_owned()));
}

#[tokio::test]
async fn a_failing_corpus_is_reported_in_the_messages() {
    let mut fixture = Fixture::with(VersionStatuses::new()).await;
    fixture.corpus.fail("the vectors cannot be read");
    fixture.run().await;
    let notices = fixture.notices();
    assert!(
        matches!(notices.as_slice(), [NoticeKind::ProcessorFailed { reason, .. }]
            if reason.contains("the vectors cannot be read")),
        "{notices:?}"
    );
    assert_eq!(fixture.page().await.len(), 4, "no result is lost, and one address is one entry");
}
