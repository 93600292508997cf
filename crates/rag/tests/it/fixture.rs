//! A service with one finished search, and as many processes as a test needs.

use crate::models::{Model, Pages};
use async_trait::async_trait;
use domain::mixed::MixedResponse;
use domain::ports::{
    Candidate, Clock, Fetch, FetchError, FinishedRun, GenerativeModels, HttpRequest, HttpResponse,
    MixContext, MixedOrder, Mixer, MixerKind, NoObserver, PluginContext, PluginRegistry, ProviderStore,
    ResultStore, SearchStore, SystemClock, Unavailable, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultSet;
use domain::search::{DEFAULT_MIXER, Search, SearchSpec};
use domain::secret::Secret;
use domain::settings::{PluginSettings, Settings};
use domain::status::SearchStatus;
use domain::summary::SummaryRequest;
use domain::user::UserSpec;
use federation::{Federation, FederationDeps, MixRequest};
use rag::{RagDeps, SecondReader, Summaries, TextVector};
use std::sync::Arc;
use std::time::Duration;
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use testkit::builders::{item, result_set};

/// Longer than any test step takes.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Fixture {
    pub store: Arc<SqlStore>,
    pub search: Search,
    pub model: Arc<Model>,
    pub pages: Arc<Pages>,
    pub settings: Settings,
    pub provider: SearchProvider,
    /// The model of the second reader; `None` if it is off.
    pub second_reader: Option<Arc<TextVector>>,
}

impl Fixture {
    pub async fn open() -> Self {
        Self::with("river level", Settings::default(), Pages::default()).await
    }

    pub async fn with(query: &str, settings: Settings, pages: Pages) -> Self {
        let config =
            StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 2, key: EncryptionKey::generate() };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let now = SystemClock.now();
        let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
        let owner = store.create_user(user, String::new(), now).await.unwrap();
        let spec = ProviderSpec { name: "Rivers".to_owned(), ..ProviderSpec::default() };
        let provider = store.create_providers(vec![spec], owner.id, now).await.unwrap().remove(0);
        let search =
            store.create_search(SearchSpec::of_query(query), owner.id, Vec::new(), now, None).await.unwrap();
        let (model, pages, second_reader) = (Model::new(), Arc::new(pages), None);
        let fixture = Self { store, search, model, pages, settings, provider, second_reader };
        fixture
            .finish(&[
                ("Spring", "The river level rises in spring after the snow has melted in the hills.", 0.9),
                ("Autumn", "The river level falls in autumn when there is little rain in the hills.", 0.8),
            ])
            .await
    }

    async fn finish(mut self, items: &[(&str, &str, f64)]) -> Self {
        let search = self.store.search(self.search.id).await.unwrap();
        self.search = self.write_results(&search, items).await;
        self
    }

    /// Stores the results of the latest run with their scores, and returns the updated search.
    pub async fn write_results(&self, search: &Search, items: &[(&str, &str, f64)]) -> Search {
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: SearchStatus::FullResultsReady,
            query_string_processed: search.spec.query_string.clone(),
            notices: Vec::new(),
            time_s: 0.1,
            sets: vec![self.set(search, items)],
            found: None,
            now: SystemClock.now(),
        };
        self.store.finish_run(finished).await.unwrap().unwrap();
        self.store.search(search.id).await.unwrap()
    }

    fn set(&self, search: &Search, items: &[(&str, &str, f64)]) -> ResultSet {
        let ranked = |(rank, (title, body, score)): (u32, &(&str, &str, f64))| {
            item(*title)
                .body(*body)
                .url(format!("https://rivers.example/{}", title.to_lowercase()))
                .confidence(*score)
                .score(score * 100.0)
                .provider("Rivers")
                .rank(rank)
                .date("2024-03-05 00:00:00")
        };
        let set = result_set(self.provider.id.0).search(search.id).named("Rivers");
        set.items((1..).zip(items).map(ranked)).at(SystemClock.now()).build()
    }

    /// A process of the service. All share the store, the model and the pages.
    pub fn process(&self) -> Arc<Summaries> {
        self.process_with(self.model.clone())
    }

    /// A process with another model.
    pub fn process_with(&self, generative_models: Arc<dyn GenerativeModels>) -> Arc<Summaries> {
        let context = PluginContext { generative_models, ..self.context() };
        let settings = Arc::new(self.settings.clone());
        let federation = Arc::new(self.federation(&context));
        let (store, pages, live_pages) = (self.store.clone(), self.pages.clone(), self.pages.clone());
        let observer = Arc::new(NoObserver);
        let second_reader = self
            .second_reader
            .clone()
            .map(|model| Arc::new(SecondReader::new(federation.cpu.clone(), model)));
        let deps =
            RagDeps { store, federation, context, settings, pages, live_pages, observer, second_reader };
        Arc::new(Summaries::new(deps))
    }

    fn context(&self) -> PluginContext {
        let plugin_settings = Arc::new(PluginSettings::from(&self.settings));
        PluginContext::new(Arc::new(NoFetch), Arc::new(SystemClock), plugin_settings)
    }

    fn federation(&self, context: &PluginContext) -> Federation {
        let queue = SqlQueue::new(self.store.clone(), Arc::clone(&context.clock));
        Federation::new(FederationDeps {
            store: self.store.clone(),
            queue: Arc::new(queue),
            plugins: PLUGINS,
            context: context.clone(),
            settings: Arc::new(self.settings.clone()),
            tokens: Arc::new(Unavailable),
            pages: Arc::new(Unavailable),
            observer: Arc::new(NoObserver),
        })
    }

    /// A page of the mixed list.
    pub async fn mixed(&self, request: &MixRequest) -> MixedResponse {
        self.federation(&self.context()).mixer.mix(&self.search, request).await.unwrap()
    }

    /// The ids of the results, best first.
    pub async fn ids(&self) -> Vec<i64> {
        let sets = self.store.result_sets(self.search.id).await.unwrap();
        sets[0].items.iter().map(|item| item.swirl_id.0).collect()
    }

    /// Runs the search again with other results.
    pub async fn again(self, items: &[(&str, &str, f64)]) -> Self {
        self.restart().await;
        self.finish(items).await
    }

    /// One more finished search with results.
    pub async fn another_search(&self) -> Search {
        let (spec, owner) = (self.search.spec.clone(), self.search.owner);
        let search =
            self.store.create_search(spec, owner, Vec::new(), SystemClock.now(), None).await.unwrap();
        let items =
            [("Spring", "The river level rises in spring after the snow has melted in the hills.", 0.9)];
        self.write_results(&search, &items).await
    }

    /// Restarts the search.
    pub async fn restart(&self) {
        let seen = self.store.search(self.search.id).await.unwrap();
        let spec = seen.spec.clone();
        self.store.restart_search(&seen, spec, Vec::new(), SystemClock.now(), None).await.unwrap().unwrap();
    }
}

pub fn request(instructions: &str) -> SummaryRequest {
    SummaryRequest { instructions: instructions.to_owned(), ..SummaryRequest::default() }
}

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[],
    query_processors: &[],
    result_processors: &[],
    post_result_processors: &[],
    mixers: &[MixerKind {
        name: DEFAULT_MIXER,
        summary: "Backwards.",
        by_date: false,
        by_relevancy: true,
        shows_only_new: false,
        shows_groups: false,
        is_common: false,
        mixer: &Backwards,
    }],
    default_post_result: &[],
    read_answer: |_, _| Ok(serde_json::Value::Null),
};

/// Makes ranks differ from the order of the provider.
struct Backwards;

impl Mixer for Backwards {
    fn arrange<'a>(&self, mut candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        candidates.reverse();
        MixedOrder { order: candidates, notices: Vec::new() }
    }
}

struct NoFetch;

#[async_trait]
impl Fetch for NoFetch {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        Err(FetchError::Refused { place: request.shown_url() })
    }
}
