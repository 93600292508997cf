//! Authentication and authorization over HTTP: who may call which route, and how other callers are rejected.

pub mod credentials;
mod cross_site;
mod decisions;
mod documents;
mod expected;
mod http_basics;
mod id_enumeration;
mod invalid_requests;
mod matrix;
mod passwords;
mod paths;
mod permissions;
mod session;
mod table;

use crate::app_harness::{Answer, AppHarness, Client, items, licensed, long_text};
use decisions::{Decisions, with_mailbox};
use domain::authenticator::Tokens;
use domain::chat::{ChatSpec, MessageContent, Speaker};
use domain::ids::AuthenticatorId;
use domain::ports::{ChatStore, ConnectionStore, UserStore};
use domain::secret::Secret;
use domain::settings::{Settings, Throttle};
use reqwest::Method;
use serde_json::json;
use table::{Body, Resource, Row};
use testkit::source::{Behavior, Source};

/// A service with one record of each kind. Private records belong to `ann`.
struct Scenario {
    app: AppHarness,
    ann: Client,
    search: i64,
    result: i64,
    provider: i64,
    token: i64,
    user: i64,
    group: i64,
    pipeline: i64,
    transform: i64,
    authenticator: i64,
    chat: i64,
    /// An answer in the chat.
    message: i64,
    ai_provider: i64,
    prompt: i64,
    branding: i64,
    /// A document in the semantic cache; its id is 1.
    signal: i64,
    decisions: Decisions,
    _source: Source,
}

impl Scenario {
    async fn start() -> Self {
        Self::of(AppHarness::with(|settings| with_mailbox(licensed(settings))).await).await
    }

    /// A scenario without lockouts, so that every route can be called with wrong credentials.
    async fn without_lockout() -> Self {
        let settings =
            |settings| Settings { throttle_login: Throttle(None), ..with_mailbox(licensed(settings)) };
        Self::of(AppHarness::with(settings).await).await
    }

    async fn of(app: AppHarness) -> Self {
        let source = Source::start().await;
        source.reply(Behavior::Json(items("river", 2)));
        let provider = app.provider("Rivers", &source).await;
        let ann = app.user("ann", &[]).await;
        let search = ann.search(&json!({"query_string": "river"})).await["id"].as_i64().unwrap();
        let results = ann.get("/svc/results/").await;
        let pipelines = ann.get("/svc/pipelines/").await;
        let made = |answer: Answer| {
            assert_eq!(answer.status, 201, "{answer:?}");
            answer.body["id"].as_i64().unwrap()
        };
        let rules = json!({"name": "rivers", "config_content": "brook,river"});
        let authenticator = connected_authenticator(&app).await;
        let (chat, message) = answered_chat(&app).await;
        let signal = kept_document(&ann).await;
        let person = json!({"username": "victor", "password": "long enough"});
        Self {
            search,
            result: results.body[0]["id"].as_i64().unwrap(),
            pipeline: pipelines.body[0]["id"].as_i64().unwrap(),
            provider,
            authenticator,
            chat,
            message,
            // Nothing listens there, so that a connection test ends at once.
            ai_provider: made(app.admin.post("/svc/aiproviders/", &json!({
                "name": "Spare", "model": "gpt-5", "active": false, "config": {"api_base": "http://127.0.0.1:1"},
            })).await),
            prompt: made(ann.post("/svc/prompts/", &json!({
                "name": "spare", "prompt": "Answer {query}", "tags": ["search-rag"],
            })).await),
            signal,
            decisions: Decisions::create(&app, &ann, (provider, &source), signal).await,
            branding: made(app.admin.post("/svc/brandings/", &json!({"name": "Ours"})).await),
            transform: made(app.admin.post("/svc/querytransforms/", &rules).await),
            token: made(ann.post("/svc/tokens/", &json!({"label": "spare"})).await),
            user: made(app.admin.post("/svc/users/", &person).await),
            group: made(app.admin.post("/svc/groups/", &json!({"name": "research"})).await),
            ann,
            app,
            _source: source,
        }
    }

    /// The path of the row with the id of the existing record.
    fn path(&self, row: &Row) -> String {
        let id = match row.resource {
            Resource::None => return row.path.to_owned(),
            Resource::Schedule => return row.path.replace("{id}", "subscribe"),
            Resource::Log => return row.path.replace("{id}", "django"),
            Resource::ReadySource => return row.path.replace("{id}", "arxiv"),
            Resource::Lockout => return row.path.replace("{id}", "ann"),
            Resource::Search => self.search,
            Resource::Result => self.result,
            Resource::Provider => self.provider,
            Resource::Token => self.token,
            Resource::User => self.user,
            Resource::Group => self.group,
            Resource::Pipeline => self.pipeline,
            Resource::Transform => self.transform,
            Resource::Authenticator => self.authenticator,
            Resource::Chat => self.chat,
            Resource::AiProvider => self.ai_provider,
            Resource::Prompt => self.prompt,
            Resource::Branding => self.branding,
            Resource::Signal => self.signal,
            Resource::Shared => self.decisions.shared,
            Resource::Run => self.decisions.run,
            Resource::OtherRun => self.decisions.other_run,
            Resource::Scan => self.decisions.scan,
            Resource::Event => self.decisions.event,
        };
        // A document is compared with itself.
        let path = row.path.replace("{id}", &id.to_string()).replace("{other}", &id.to_string());
        path.replace("{message}", &self.message.to_string())
    }

    /// A client that may use this row: the owner for private records, otherwise the administrator.
    fn allowed_client(&self, row: &Row) -> &Client {
        match row.resource {
            Resource::Search
            | Resource::Result
            | Resource::Token
            | Resource::Chat
            | Resource::Prompt
            | Resource::Signal
            | Resource::Scan
            | Resource::Event => &self.ann,
            _ => &self.app.admin,
        }
    }
}

/// An authenticator with which the administrator has connected an account.
async fn connected_authenticator(app: &AppHarness) -> i64 {
    let spec = json!({
        "idp": "hub", "name": "Hub", "client_id": "c", "auth_uri": "https://h.example/a",
        "token_uri": "https://h.example/t",
    });
    let made = app.admin.post("/svc/authenticators/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.body["id"].as_i64().unwrap();
    let store = &app.service.app().store;
    let admin = store.user_by_name("admin").await.unwrap().id;
    let tokens =
        Tokens { access: Secret::new("a"), refresh: Secret::default(), expires: None, scopes: String::new() };
    let now = app.service.app().clock.now();
    store.connect(admin, AuthenticatorId(id), tokens, String::new(), now).await.unwrap();
    id
}

/// A chat of ann's with an answer, and an AI provider for chats that needs no model.
async fn answered_chat(app: &AppHarness) -> (i64, i64) {
    let spec =
        json!({"name": "Picker", "model": "local/extractive", "tags": ["chat", "rag"], "active": true});
    let made = app.admin.post("/svc/aiproviders/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
    let (store, now) = (&app.service.app().store, app.service.app().clock.now());
    let ann = store.user_by_name("ann").await.unwrap().id;
    let chat = store.create_chat(ChatSpec::default(), ann, now).await.unwrap();
    let body = MessageContent { content: "It is a river.".to_owned(), ..MessageContent::default() };
    let message = store.add_message(chat.id, Speaker::Assistant, body, now).await.unwrap();
    (chat.id.0, message.id.0)
}

/// A document of ann's in the cache, with a text that she supplied. Nothing listens at its address.
async fn kept_document(ann: &Client) -> i64 {
    let payload = json!({"url": "http://127.0.0.1:1/report", "body": long_text("rivers"), "wait": true});
    let kept = ann.post("/svc/ingest/", &payload).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    kept.body["signal_id"].as_i64().unwrap()
}

/// Sends the request of a row, with its valid body, to any path.
async fn send(client: &Client, row: &Row, path: &str) -> Answer {
    let request = client.request(row.method.parse::<Method>().unwrap(), path);
    let request = match row.body {
        Body::None => request,
        Body::Json(text) => request.header("Content-Type", "application/json").body(text),
        Body::Form(text) => request.header("Content-Type", "application/x-www-form-urlencoded").body(text),
    };
    Answer::of(request).await
}

/// Checks the common form of an error response and the headers of every response.
#[track_caller]
fn assert_refused(answer: &Answer, status: u16, code: &str, what: &str) {
    assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{what}: {answer:?}");
    assert!(answer.body["detail"].as_str().is_some_and(|text| !text.is_empty()), "{what}: {answer:?}");
    let id = answer.header("x-request-id");
    assert!(!id.is_empty() && answer.body["request_id"] == id, "{what}: {answer:?}");
    assert_eq!(answer.header("content-type"), "application/json", "{what}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{what}");
    let keys: Vec<&str> = answer.body.as_object().unwrap().keys().map(String::as_str).collect();
    let allowed = ["detail", "code", "request_id", "errors"];
    assert!(keys.iter().all(|key| allowed.contains(key)), "{what}: {keys:?}");
    let challenge = if status == 401 { "Basic realm=\"api\"" } else { "" };
    assert_eq!(answer.header("www-authenticate"), challenge, "{what}");
}
