//! A service in memory, and helpers to send requests to it.

use crate::plugins::{NoFetch, PLUGINS};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use corpus::{CacheParts, MailParts, SemanticCache};
use domain::corpus::LicensePolicy;
use domain::ids::SearchId;
use domain::ports::{Clock, NoObserver, PluginContext, Store, SystemClock, TaskQueue, Unavailable};
use domain::provider::ProviderSpec;
use domain::secret::Secret;
use domain::settings::{Seconds, Settings};
use domain::user::{TokenSpec, User, UserSpec};
use federation::{Federation, FederationDeps};
use provider_doctor::Doctor;
use rag::{RagDeps, Summaries};
use serde_json::Value;
use server::{AppDeps, AppState};
use std::sync::Arc;
use store::bodies::FolderBodies;
use store::vectors::NoVectors;
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tower::ServiceExt;

pub const PASSWORD: &str = "correct horse";

pub struct AppHarness {
    pub router: Router,
    pub store: Arc<dyn Store>,
    pub federation: Arc<Federation>,
    clock: Arc<dyn Clock>,
}

/// A response with its body.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// A cache without a license.
fn closed_cache(
    sql: Arc<SqlStore>,
    queue: &Arc<dyn TaskQueue>,
    clock: &Arc<dyn Clock>,
    settings: &Arc<Settings>,
) -> SemanticCache {
    SemanticCache::new(CacheParts {
        store: sql,
        vectors: Arc::new(NoVectors),
        // Nothing is ever written there.
        bodies: Arc::new(FolderBodies::new("/dev/null/bodies".into(), settings.storage_max_body_mb)),
        pages: Arc::new(Unavailable),
        embedding_models: Arc::new(Unavailable),
        queue: Arc::clone(queue),
        plugins: PLUGINS,
        mail: MailParts {
            fetch: Arc::new(Unavailable),
            extract: Arc::new(Unavailable),
            tokens: Arc::new(Unavailable),
            key: Secret::new("a test key"),
        },
        license: LicensePolicy::new(Secret::default(), None, Arc::clone(clock)),
        clock: Arc::clone(clock),
        settings: Arc::clone(settings),
    })
}

impl AppHarness {
    pub async fn open() -> Self {
        Self::with(Settings { timeout: Seconds::new(10), ..Settings::default() }).await
    }

    pub async fn with(settings: Settings) -> Self {
        let config =
            StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 2, key: EncryptionKey::generate() };
        let sql = Arc::new(SqlStore::open(config).await.expect("a store"));
        let store: Arc<dyn Store> = sql.clone();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let queue: Arc<dyn TaskQueue> = Arc::new(SqlQueue::new(Arc::clone(&store), Arc::clone(&clock)));
        let settings = Arc::new(settings);
        let context = PluginContext::new(Arc::new(NoFetch), Arc::clone(&clock), Arc::clone(&settings));
        let federation = Arc::new(Federation::new(FederationDeps {
            store: Arc::clone(&store),
            queue: Arc::clone(&queue),
            plugins: PLUGINS,
            context: context.clone(),
            tokens: Arc::new(Unavailable),
            pages: Arc::new(Unavailable),
            observer: Arc::new(NoObserver),
        }));
        let summaries = Arc::new(Summaries::new(RagDeps {
            store: Arc::clone(&store),
            federation: Arc::clone(&federation),
            context: context.clone(),
            pages: Arc::new(Unavailable),
            observer: Arc::new(NoObserver),
        }));
        let corpus = Arc::new(closed_cache(sql, &queue, &clock, &settings));
        let mcp = Arc::new(mcp::Mcp::new(mcp::McpDeps {
            store: Arc::clone(&store),
            federation: Arc::clone(&federation),
            summaries: Arc::clone(&summaries),
            corpus: Arc::clone(&corpus),
            pages: Arc::new(Unavailable),
            plugins: PLUGINS,
            clock: Arc::clone(&clock),
            settings: Arc::clone(&settings),
        }));
        let fetch: Arc<dyn domain::ports::Fetch> = Arc::new(NoFetch);
        let model_probe = ai::ModelProbe::new(
            Arc::new(ai::AiGenerativeModels::new(
                store.clone(),
                Arc::clone(&fetch),
                Arc::clone(&clock),
                settings.clone(),
            )),
            Arc::new(ai::AiEmbeddingModels::new(store.clone(), fetch, Arc::clone(&clock), settings.clone())),
        );
        let app = AppState::new(AppDeps {
            corpus,
            model_probe: Arc::new(model_probe),
            summaries,
            mcp,
            oauth: Arc::new(Unavailable),
            store: Arc::clone(&store),
            queue,
            doctor: Doctor::new(context, PLUGINS.read_answer, federation.cpu_pool().clone()),
            federation: Arc::clone(&federation),
            plugins: PLUGINS,
            clock: Arc::clone(&clock),
            settings,
            metrics: Arc::new(server::Metrics::new(clock.now())),
            worker_gauges: Arc::default(),
            instance_info: Default::default(),
        });
        Self { router: server::router(Arc::new(app)), store, federation, clock }
    }

    /// A user with [`PASSWORD`], and a token.
    pub async fn user(&self, username: &str, is_admin: bool) -> (User, String) {
        let spec = UserSpec { username: username.to_owned(), is_admin, ..UserSpec::default() };
        let hash = server::password::hash(PASSWORD).expect("a hash");
        let now = self.clock.now();
        let user = self.store.create_user(spec, hash, now).await.expect("a user");
        let made = server::token::make();
        self.store
            .create_token(user.id, TokenSpec::default(), made.hash, made.prefix, now)
            .await
            .expect("a token");
        (user, format!("Token {}", made.token.expose()))
    }

    pub async fn provider(&self, owner: &User, name: &str) -> i64 {
        let spec = ProviderSpec {
            name: name.to_owned(),
            connector: "Fixed".to_owned(),
            credentials: "key=abc".to_owned(),
            query_processors: Vec::new(),
            result_processors: vec!["Plain".to_owned()],
            ..ProviderSpec::default()
        };
        let made = self.store.create_providers(vec![spec], owner.id, self.clock.now()).await.expect("one");
        made[0].id.0
    }

    /// Runs the search as a worker would.
    pub async fn run(&self, id: i64) {
        let search = self.store.search(SearchId(id)).await.expect("a search");
        self.federation.run(search.id, search.run, false, &domain::ports::NoSlot).await.expect("a run");
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, 16 * 1024 * 1024).await.expect("a body");
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    pub async fn get(&self, path: &str, authorization: &str) -> Answer {
        self.send(request("GET", path, authorization, None)).await
    }

    pub async fn call(&self, method: &str, path: &str, authorization: &str, body: Value) -> Answer {
        self.send(request(method, path, authorization, Some(body))).await
    }
}

/// A request as a client would send it; without a header if the authorization is empty.
pub fn request(method: &str, path: &str, authorization: &str, body: Option<Value>) -> Request<Body> {
    let mut builder = Request::builder().method(method).uri(path).header("host", "search.example:8000");
    if !authorization.is_empty() {
        builder = builder.header("authorization", authorization);
    }
    let body = match body {
        Some(value) => {
            builder = builder.header("content-type", "application/json");
            Body::from(value.to_string())
        }
        None => Body::empty(),
    };
    builder.body(body).expect("a request")
}
