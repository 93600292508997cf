//! The doors from outside: who gets in, with what, and how the others are refused.

pub mod credentials;
mod cross_site;
mod decided;
mod documents;
mod expected;
mod id_walking;
mod manners;
mod matrix;
mod passwords;
mod paths;
mod requests;
mod rights;
mod session;
mod table;

use crate::app_harness::{Answer, AppHarness, Client, items, licensed, long_text};
use decided::{Decided, with_mailbox};
use domain::authenticator::Tokens;
use domain::chat::{ChatSpec, MessageContent, Speaker};
use domain::contracts::{ChatStore, ConnectionStore, UserStore};
use domain::ids::AuthenticatorId;
use domain::secret::Secret;
use domain::settings::{Settings, Throttle};
use reqwest::Method;
use serde_json::json;
use table::{Body, Row, Thing};
use testkit::source::{Behaviour, Source};

/// A service with one of each thing. The private things belong to `ann`.
struct Furnished {
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
    /// A document in the semantic cache, the first of all.
    signal: i64,
    decided: Decided,
    _source: Source,
}

impl Furnished {
    async fn start() -> Self {
        Self::of(AppHarness::with(|settings| with_mailbox(licensed(settings))).await).await
    }

    /// The same where every door may be tried with wrong credentials, one after the other.
    async fn without_lockout() -> Self {
        let settings =
            |settings| Settings { throttle_login: Throttle(None), ..with_mailbox(licensed(settings)) };
        Self::of(AppHarness::with(settings).await).await
    }

    async fn of(app: AppHarness) -> Self {
        let source = Source::start().await;
        source.reply(Behaviour::Json(items("river", 2)));
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
            // Nobody listens there, so that a test of it ends at once.
            ai_provider: made(app.admin.post("/svc/aiproviders/", &json!({
                "name": "Spare", "model": "gpt-5", "active": false, "config": {"api_base": "http://127.0.0.1:1"},
            })).await),
            prompt: made(ann.post("/svc/prompts/", &json!({
                "name": "spare", "prompt": "Answer {query}", "tags": ["search-rag"],
            })).await),
            signal,
            decided: Decided::furnish(&app, &ann, (provider, &source), signal).await,
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

    /// The row's path with the id of the thing that is there.
    fn path(&self, row: &Row) -> String {
        let id = match row.thing {
            Thing::None => return row.path.to_owned(),
            Thing::File => return row.path.replace("{file}", "swagger-ui.css"),
            Thing::Schedule => return row.path.replace("{id}", "subscribe"),
            Thing::Log => return row.path.replace("{id}", "django"),
            Thing::ReadySource => return row.path.replace("{id}", "arxiv"),
            Thing::Lockout => return row.path.replace("{id}", "ann"),
            Thing::Search => self.search,
            Thing::Result => self.result,
            Thing::Provider => self.provider,
            Thing::Token => self.token,
            Thing::User => self.user,
            Thing::Group => self.group,
            Thing::Pipeline => self.pipeline,
            Thing::Transform => self.transform,
            Thing::Authenticator => self.authenticator,
            Thing::Chat => self.chat,
            Thing::AiProvider => self.ai_provider,
            Thing::Prompt => self.prompt,
            Thing::Branding => self.branding,
            Thing::Signal => self.signal,
            Thing::Shared => self.decided.shared,
            Thing::Run => self.decided.run,
            Thing::OtherRun => self.decided.other_run,
            Thing::Scan => self.decided.scan,
            Thing::Event => self.decided.event,
        };
        // A document is compared with itself.
        let path = row.path.replace("{id}", &id.to_string()).replace("{other}", &id.to_string());
        path.replace("{message}", &self.message.to_string())
    }

    /// Who may use this row: the owner of private things, the administrator for the rest.
    fn rightful(&self, row: &Row) -> &Client {
        match row.thing {
            Thing::Search
            | Thing::Result
            | Thing::Token
            | Thing::Chat
            | Thing::Prompt
            | Thing::Signal
            | Thing::Scan
            | Thing::Event => &self.ann,
            _ => &self.app.admin,
        }
    }
}

/// An authenticator by which the administrator has connected an account.
async fn connected_authenticator(app: &AppHarness) -> i64 {
    let spec = json!({
        "idp": "hub", "name": "Hub", "client_id": "c", "auth_uri": "https://h.example/a",
        "token_uri": "https://h.example/t",
    });
    let made = app.admin.post("/svc/authenticators/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.body["id"].as_i64().unwrap();
    let store = &app.service.wired().store;
    let admin = store.user_by_name("admin").await.unwrap().id;
    let tokens =
        Tokens { access: Secret::new("a"), refresh: Secret::default(), expires: None, scopes: String::new() };
    let now = app.service.wired().clock.now();
    store.connect(admin, AuthenticatorId(id), tokens, String::new(), now).await.unwrap();
    id
}

/// A chat of ann's with an answer, and somebody who answers there: without a model.
async fn answered_chat(app: &AppHarness) -> (i64, i64) {
    let spec =
        json!({"name": "Picker", "model": "local/extractive", "tags": ["chat", "rag"], "active": true});
    let made = app.admin.post("/svc/aiproviders/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
    let (store, now) = (&app.service.wired().store, app.service.wired().clock.now());
    let ann = store.user_by_name("ann").await.unwrap().id;
    let chat = store.create_chat(ChatSpec::default(), ann, now).await.unwrap();
    let body = MessageContent { content: "It is a river.".to_owned(), ..MessageContent::default() };
    let message = store.add_message(chat.id, Speaker::Assistant, body, now).await.unwrap();
    (chat.id.0, message.id.0)
}

/// A document of ann's in the cache, by a text of her own. Nobody listens at its address.
async fn kept_document(ann: &Client) -> i64 {
    let wish = json!({"url": "http://127.0.0.1:1/report", "body": long_text("rivers"), "wait": true});
    let kept = ann.post("/svc/ingest/", &wish).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    kept.body["signal_id"].as_i64().unwrap()
}

/// Sends a row's request, with its valid body, to any path.
async fn send(client: &Client, row: &Row, path: &str) -> Answer {
    let request = client.request(row.method.parse::<Method>().unwrap(), path);
    let request = match row.body {
        Body::None => request,
        Body::Json(text) => request.header("Content-Type", "application/json").body(text),
        Body::Form(text) => request.header("Content-Type", "application/x-www-form-urlencoded").body(text),
    };
    Answer::of(request).await
}

/// The one shape of a refusal, with the headers that every answer has.
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
