//! The test harness: the whole service on a free port with its own database, and a client for it.
//!
//! `SVC_TEST_BACKEND=postgres` with `SVC_TEST_POSTGRES` runs every test on PostgreSQL instead of SQLite.

use domain::ports::{TokenStore, UserStore};
use domain::secret::Secret;
use domain::settings::{Seconds, Settings};
use domain::user::{GroupSpec, TokenSpec, UserSpec};
use license::{LicenseTerms, SigningKey};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use testkit::postgres::TestDatabase;
use testkit::source::{Behavior, Source};
use tributary::app::{App, FileReaders};
use tributary::service::{Role, Service, ensure_admin};

pub const ADMIN_PASSWORD: &str = "correct horse battery";
/// How long a test waits for a search that should be quick.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct AppHarness {
    pub base: String,
    pub service: Service,
    pub admin: Client,
    database: Option<TestDatabase>,
    folder: TempDir,
}

/// A response: its status, the headers that matter, and the body as JSON (or as a JSON string).
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl AppHarness {
    pub async fn start() -> Self {
        Self::with(|settings| settings).await
    }

    pub async fn with(change: impl FnOnce(Settings) -> Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = postgres_database().await;
        let settings = change(Settings {
            port: 0,
            data_dir: folder.path().display().to_string(),
            database_url: database.as_ref().map(|one| Secret::new(one.url.clone())).unwrap_or_default(),
            admin_password: Secret::new(ADMIN_PASSWORD),
            timeout: Seconds::new(10),
            ..Settings::default()
        });
        let wired = App::build(settings, FileReaders::Threads).await.unwrap();
        ensure_admin(&wired).await.unwrap();
        let token = token_for(&wired, "admin").await;
        let service = Service::start(wired, &Role::all()).await.unwrap();
        let base = format!("http://{}", service.address.unwrap());
        let admin = Client::new(&base, Some(format!("Token {token}")));
        Self { base, service, admin, database, folder }
    }

    /// The data folder.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// A client without credentials.
    pub fn anonymous(&self) -> Client {
        Client::new(&self.base, None)
    }

    /// A client with any `Authorization` header.
    pub fn with_header(&self, authorization: &str) -> Client {
        Client::new(&self.base, Some(authorization.to_owned()))
    }

    /// Creates a user in these groups, which are created if necessary, and returns a client with a token of the user.
    pub async fn user(&self, name: &str, groups: &[&str]) -> Client {
        let wired = self.service.app();
        let now = wired.clock.now();
        for group in groups {
            let _there_already = wired.store.create_group(GroupSpec { name: (*group).to_owned() }, now).await;
        }
        let spec = UserSpec {
            username: name.to_owned(),
            password: Some("password of ".to_owned() + name),
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
            ..UserSpec::default()
        };
        let hash = server::password::hash(spec.password.as_deref().unwrap()).unwrap();
        wired.store.create_user(spec, hash, now).await.unwrap();
        let token = token_for(wired, name).await;
        Client::new(&self.base, Some(format!("Token {token}")))
    }

    /// Adds a provider for a fake source that returns `{"total", "items": [{title, body, url, date}]}`. Returns its id.
    pub async fn provider(&self, name: &str, source: &Source) -> i64 {
        self.provider_with(name, source, json!({})).await
    }

    /// Like `provider`, with additional fields.
    pub async fn provider_with(&self, name: &str, source: &Source, more: Value) -> i64 {
        let mut spec = json!({
            "name": name,
            "url": source.url(),
            "query_template": "{url}?q={query_string}",
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": "title=title,body=body,url=url,date_published=date,author=author",
        });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = self.admin.post("/svc/searchproviders/", &spec).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.body["id"].as_i64().unwrap()
    }

    /// Ingests a document that the provider returned to this person in a search. The search is deleted afterwards.
    pub async fn ingest_from_provider(
        &self,
        client: &Client,
        (provider, source): (i64, &Source),
        mut payload: Value,
    ) -> Answer {
        let title = payload["title"].as_str().unwrap_or("Levels").to_owned();
        let item = json!({"title": title, "body": title, "url": payload["url"]});
        source.reply_at("/", Behavior::Json(json!({"total": 1, "items": [item]})));
        let spec = json!({"query_string": title, "searchprovider_list": [provider]});
        let search = client.search(&spec).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
        source.reply_as_elsewhere_at("/");
        payload["provider_id"] = json!(provider);
        let answer = client.post("/svc/ingest/", &payload).await;
        let gone = client.delete(&format!("/svc/search/{}/", search["id"])).await;
        assert_eq!(gone.status, 204, "{gone:?}");
        answer
    }

    /// Stops the service and drops its database.
    pub async fn stop(self) {
        self.service.stop().await;
        if let Some(database) = self.database {
            database.drop().await;
        }
    }
}

async fn token_for(wired: &App, username: &str) -> String {
    let user = wired.store.user_by_name(username).await.unwrap();
    let made = server::token::make();
    let spec = TokenSpec::default();
    wired.store.create_token(user.id, spec, made.hash, made.prefix, wired.clock.now()).await.unwrap();
    made.token.expose().to_owned()
}

/// A client of the service.
#[derive(Clone)]
pub struct Client {
    base: String,
    authorization: Option<String>,
    http: reqwest::Client,
}

impl Client {
    #[expect(clippy::disallowed_methods, reason = "the test's own client is outside the service")]
    pub fn new(base: &str, authorization: Option<String>) -> Self {
        let _done_already = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        Self { base: base.to_owned(), authorization, http }
    }

    /// Begins a request that the test completes.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.authorization {
            Some(header) => request.header("Authorization", header),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::DELETE, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PUT, path, body).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PATCH, path, body).await
    }

    pub async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        let request = self.request(method, path).header("Content-Type", "application/json");
        Answer::of(request.body(body.to_string())).await
    }

    /// Creates a search and waits until it is ready or has failed. Returns the search.
    pub async fn search(&self, spec: &Value) -> Value {
        let created = self.post("/svc/search/", spec).await;
        assert_eq!(created.status, 201, "{created:?}");
        self.ready(created.body["id"].as_i64().unwrap()).await
    }

    pub async fn ready(&self, id: i64) -> Value {
        let started = Instant::now();
        loop {
            let answer = self.get(&format!("/svc/search/{id}/")).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let status = answer.body["status"].as_str().unwrap();
            if status.ends_with("_READY") || status.starts_with("ERR_") {
                return answer.body;
            }
            assert!(started.elapsed() < PATIENCE, "search {id} is still {status}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Answer {
    pub async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let text = String::from_utf8_lossy(&response.bytes().await.unwrap()).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Self { status, headers, body }
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The machine-readable code of an error.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

#[expect(clippy::disallowed_methods, reason = "the environment tells tests which servers are running")]
async fn postgres_database() -> Option<TestDatabase> {
    if std::env::var("SVC_TEST_BACKEND").as_deref() != Ok("postgres") {
        return None;
    }
    let server =
        std::env::var("SVC_TEST_POSTGRES").expect("SVC_TEST_BACKEND=postgres needs SVC_TEST_POSTGRES");
    Some(TestDatabase::create(&server).await)
}

/// Settings with a license for the semantic cache.
pub fn licensed(settings: Settings) -> Settings {
    let (key, _) = SigningKey::make().unwrap();
    let terms = LicenseTerms {
        owner: "A test".to_owned(),
        issued: "2026-01-01".parse().unwrap(),
        expiration: "2099-12-31".parse().unwrap(),
        cache: true,
        cache_expiration: None,
    };
    Settings {
        license: Secret::new(terms.issue(&key)),
        license_public_key: key.issuer().unwrap().pem(),
        ..settings
    }
}

/// A text that is long enough to be ingested as a document.
pub fn long_text(topic: &str) -> String {
    let sentence =
        |number: usize| format!("Sentence {number} of this report tells something about {topic}. ");
    (1..=40).map(sentence).collect()
}

/// Waits until a condition holds; fails if it does not come to hold.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < PATIENCE, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Items for a source: `count` texts about `topic`.
pub fn items(topic: &str, count: usize) -> Value {
    let item = |number: usize| {
        json!({
            "title": format!("{topic} number {number}"),
            "body": format!("A text about {topic}, the {number}th of its kind."),
            "url": format!("https://{}.example/{number}", topic.replace(' ', "-")),
            "date": "2024-03-05",
            "author": "A. Writer",
        })
    };
    let items: Vec<Value> = (1..=count).map(item).collect();
    json!({ "total": count, "items": items })
}
