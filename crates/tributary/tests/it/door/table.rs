//! Every route and method of the service, once. The OpenAPI document must say the same.

use crate::app_harness::AppHarness;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Needs no credentials.
    Open,
    /// A page: without credentials it leads to the sign-in page.
    Page,
    /// The same, and for administrators only.
    AdminPage,
    /// Anybody with credentials, for what they may see.
    User,
    /// Members of the group `curators`, and administrators.
    Curator,
    Admin,
}

/// What the id in the path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    None,
    Search,
    Result,
    Provider,
    Token,
    User,
    Group,
    Pipeline,
    Transform,
    Authenticator,
    Chat,
    AiProvider,
    Prompt,
    /// Its id is its name.
    Schedule,
    /// The same.
    Log,
    ReadySource,
    /// By the name of a user.
    Lockout,
    Branding,
    Signal,
    /// A document of the source, which all see who may use that.
    Shared,
    /// An election that such a document won.
    Run,
    /// The same of another query, because each is decided once.
    OtherRun,
    Scan,
    Event,
    File,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    None,
    Json(&'static str),
    Form(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub method: &'static str,
    pub path: &'static str,
    pub who: Who,
    pub thing: Thing,
    pub body: Body,
}

impl Row {
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The pages for people are not part of the API, nor of its document.
    pub fn is_api(&self) -> bool {
        (self.path.starts_with("/svc/") && !PAGES.contains(&self.path))
            || [METRICS, CONFIG].contains(&self.path)
    }

    /// What a right request is answered.
    pub fn success(&self) -> u16 {
        match self.method {
            "DELETE" => 204,
            "POST" if [INGEST, SCAN].contains(&self.path) => 202,
            "POST" if !ANSWERED_200.contains(&self.path) => 201,
            _ => 200,
        }
    }
}

/// What is posted and creates nothing.
const ANSWERED_200: &[&str] = &[
    "/svc/login/",
    "/svc/swirl-logout/",
    BY_TOKEN,
    CONNECT,
    "/svc/searchproviders/test/",
    "/svc/searchproviders/doctor/",
    "/svc/querytransforms/preview/",
    RAG_SEARCH,
    RATING,
    SUMMARY_RATING,
    PASSWORD,
    ACTIVATE,
    MODEL_TEST,
    CHECK,
    UNINDEX,
    APPROVE,
    REJECT,
    ELECT,
    UNPIN,
];

const fn row(method: &'static str, path: &'static str, who: Who, thing: Thing, body: Body) -> Row {
    Row { method, path, who, thing, body }
}

const SEARCH: Body = Body::Json(r#"{"query_string": "river", "retention": 2}"#);
/// The search of the scenario is the first of all.
const RAG: Body = Body::Json(r#"{"search_id": 1}"#);
/// It names its search in the body.
pub const RAG_SEARCH: &str = "/svc/rag-search/";
/// It needs a parameter.
pub const EXPORT: &str = "/svc/results/export/";
/// It needs a parameter.
pub const RAG_DETAIL: &str = "/svc/sapi/detail-search-rag/";
/// What may be deleted as often as one likes: a state is forgotten, all chats are, an answer that nobody makes ends.
pub const DELETED_AGAIN: &[&str] = &[
    "/svc/searchproviders/{id}/state/",
    CHATS,
    "/svc/rag-search/{id}/",
    "/svc/lockouts/",
    "/svc/lockouts/{id}/",
    "/svc/egress/scan/{id}/",
];
const PREFERENCES: Body = Body::Json(r#"{"domains": [{"domain": "example.org", "wish": "raise"}]}"#);
const RESULT: Body = Body::Json(r#"{"title": "another title"}"#);
const PROVIDER: Body = Body::Json(
    r#"{"name": "Lakes", "url": "https://lakes.example/", "response_mappings": "RESULTS=items", "active": false}"#,
);
/// Nobody listens there, so that the answer comes at once.
const UNREACHABLE: Body =
    Body::Json(r#"{"name": "Ponds", "url": "http://127.0.0.1:1/", "response_mappings": "RESULTS=items"}"#);
const USER: Body = Body::Json(r#"{"username": "wanda", "password": "long enough"}"#);
const AUTHENTICATOR: Body = Body::Json(
    r#"{"idp": "other", "name": "Other", "client_id": "c", "auth_uri": "https://o.example/a", "token_uri": "https://o.example/t"}"#,
);
/// Deleted as a whole it revokes the token that the call is made with.
pub const TOKENS: &str = "/svc/tokens/";
const GROUP: Body = Body::Json(r#"{"name": "archive"}"#);
const TOKEN: Body = Body::Json(r#"{"label": "laptop"}"#);
const SAMPLE: Body = Body::Json(r#"{"sample": [{"title": "A river", "url": "https://rivers.example/1"}]}"#);
const TRANSFORM: Body = Body::Json(r#"{"name": "lakes", "config_content": "lake,pond"}"#);
const TRIAL: Body = Body::Json(r#"{"config_content": "lake,pond", "query": "lake"}"#);
/// A message of JSON-RPC.
const PING: Body = Body::Json(r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#);
/// Where clients of the tools learn who gives out tokens; here nobody does.
pub const METADATA: &str = "/.well-known/oauth-protected-resource/";
pub const METADATA_OF_TOOLS: &str = "/.well-known/oauth-protected-resource/mcp/";
/// A document that nobody gives: it is accepted, and does not come.
const WISH: Body = Body::Json(r#"{"url": "http://127.0.0.1:1/nothing"}"#);
const INGEST: &str = "/svc/ingest/";
/// The document of the scenario is the first of all.
const DOCUMENT: Body = Body::Json(r#"{"signal_id": 1}"#);
const CHECK: &str = "/svc/cache/check_liveness/";
const UNINDEX: &str = "/svc/cache/unindex/";
const PIN: &str = "/svc/canonical/pin-for-query/";
const UNPIN: &str = "/svc/canonical/{id}/unpin/";
const APPROVE: &str = "/svc/canonical/{id}/approve/";
const REJECT: &str = "/svc/canonical/{id}/reject/";
const ELECT: &str = "/svc/canonical/elect/";
/// The document of the source is the second of all.
const PINNED: Body = Body::Json(r#"{"signal_id": 2, "query": "river"}"#);
const SCAN: &str = "/svc/egress/scan/";
/// They name their thing in the body.
pub const NAMED_IN_BODY: &[&str] = &[RAG_SEARCH, CHECK, UNINDEX, PIN, ELECT];
/// The usual place for a scraper, outside of the prefixes.
pub const METRICS: &str = "/metrics/";
/// A page that stands among the paths of the API.
const TRANSFORM_FORM: &str = "/svc/query_transform_form/";
/// Where a browser goes to sign in elsewhere, and where it comes back to.
pub const ELSEWHERE: &str = "/svc/oidc/hub/login/";
pub const CALLBACK: &str = "/svc/callback/hub-callback/";
const PAGES: &[&str] = &[TRANSFORM_FORM, ELSEWHERE, CALLBACK];
/// It needs a token that another service has signed.
pub const BY_TOKEN: &str = "/svc/oidc_authenticate/";
const CONNECT: &str = "/svc/authenticators/{id}/connect/";
/// What is posted without a body.
pub const WITHOUT_BODY: &[&str] = &["/svc/swirl-logout/", BY_TOKEN, CONNECT, ACTIVATE, MODEL_TEST];
const MODEL_TEST: &str = "/svc/aiproviders/{id}/test/";
const PIPELINE: Body = Body::Json(r#"{"processors": ["CosineRelevancyPostResultProcessor"]}"#);
const LOGIN: Body = Body::Json(r#"{"username": "admin", "password": "correct horse battery"}"#);

/// The same password again, because other rows sign in with it.
const NEW_PASSWORD: Body =
    Body::Json(r#"{"current": "correct horse battery", "new": "correct horse battery"}"#);
pub const PASSWORD: &str = "/svc/users/me/password/";
const ACTIVATE: &str = "/svc/brandings/{id}/activate/";
const BRANDING: Body = Body::Json(r##"{"name": "Autumn", "accent": "#7c2d12"}"##);
const SUMMARY_RATING: &str = "/svc/rag-search/{id}/rating/";
/// What pages ask first, where older clients look for it.
const CONFIG: &str = "/api/config/default/";
/// It tells of this moment.
pub const NOW: &str = "/svc/activity/now/";
/// It is there when a branding has one.
pub const LOGO: &str = "/branding/logo/light/";

/// It has a second id, of a message.
const RATING: &str = "/svc/chat/{id}/messages/{message}/rating/";
const MODEL: Body = Body::Json(r#"{"name": "Other", "model": "gpt-5", "active": false}"#);
const PROMPT: Body = Body::Json(r#"{"name": "other", "prompt": "Answer {query}", "tags": ["search-rag"]}"#);
const CHAT: Body = Body::Json(r#"{"title": "Dams"}"#);
const MESSAGE: Body = Body::Json(r#"{"content": "river"}"#);
const RATED: Body = Body::Json(r#"{"rating": 1, "reasons": ["helpful"]}"#);
/// Deleting all of them is done as often as one likes.
pub const CHATS: &str = "/svc/chat/";

use Thing::{
    AiProvider, Authenticator, Branding, Chat, File, Group, Pipeline, Prompt, Provider, Result, Search,
    Shared, Signal, Token, Transform, User,
};

#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    // Elections and pins need their documents, and the mailbox its connection: later rows take them away.
    row("GET", "/svc/canonical/", Who::User, Thing::None, Body::None),
    row("POST", ELECT, Who::User, Search, RAG),
    row("GET", "/svc/canonical/{id}/", Who::User, Thing::Run, Body::None),
    row("POST", PIN, Who::Curator, Shared, PINNED),
    row("POST", APPROVE, Who::Curator, Thing::Run, Body::Json(r#"{"comment": "It is signed."}"#)),
    row("POST", REJECT, Who::Curator, Thing::OtherRun, Body::Json(r#"{"reason": "outdated"}"#)),
    row("GET", "/svc/canonical/pins/", Who::Curator, Thing::None, Body::None),
    row("GET", "/svc/canonical/pins/history/", Who::Curator, Thing::None, Body::None),
    row("POST", UNPIN, Who::Curator, Shared, Body::Json("{}")),
    row("GET", "/svc/cache/{id}/diff/{other}/", Who::User, Signal, Body::None),
    row("GET", SCAN, Who::User, Thing::None, Body::None),
    row("POST", SCAN, Who::User, Thing::None, Body::Json(r#"{"channel": "outlook"}"#)),
    row("GET", "/svc/egress/scan/{id}/", Who::User, Thing::Scan, Body::None),
    row("DELETE", "/svc/egress/scan/{id}/", Who::User, Thing::Scan, Body::None),
    row("GET", "/svc/egress/events/", Who::User, Thing::None, Body::None),
    row("PATCH", "/svc/egress/events/{id}/", Who::User, Thing::Event, Body::Json(r#"{"status": "confirmed"}"#)),
    row("GET", "/svc/search/", Who::User, Thing::None, Body::None),
    row("POST", "/svc/search/", Who::User, Thing::None, SEARCH),
    row("GET", "/svc/search/{id}/", Who::User, Search, Body::None),
    row("PUT", "/svc/search/{id}/", Who::User, Search, SEARCH),
    row("PATCH", "/svc/search/{id}/", Who::User, Search, SEARCH),
    row("GET", "/svc/search/{id}/events/", Who::User, Search, Body::None),
    row("GET", "/svc/search/{id}/runs/", Who::User, Search, Body::None),
    row("GET", "/svc/search/{id}/diff/", Who::User, Search, Body::None),
    row("GET", "/svc/results/", Who::User, Thing::None, Body::None),
    row("GET", EXPORT, Who::User, Thing::None, Body::None),
    row("GET", "/svc/preferences/", Who::User, Thing::None, Body::None),
    row("PUT", "/svc/preferences/", Who::User, Thing::None, PREFERENCES),
    row("GET", "/svc/results/{id}/", Who::User, Result, Body::None),
    row("PUT", "/svc/results/{id}/", Who::User, Result, RESULT),
    row("PATCH", "/svc/results/{id}/", Who::User, Result, RESULT),
    row("DELETE", "/svc/results/{id}/", Who::User, Result, Body::None),
    row("POST", RAG_SEARCH, Who::User, Search, RAG),
    row("POST", SUMMARY_RATING, Who::User, Search, RATED),
    row("DELETE", "/svc/rag-search/{id}/", Who::User, Search, Body::None),
    row("GET", RAG_DETAIL, Who::User, Thing::None, Body::None),
    row("GET", "/svc/sapi/is_chat_ai_provider_exists/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/sapi/ai_providers/", Who::User, Thing::None, Body::None),
    row("DELETE", "/svc/search/{id}/", Who::User, Search, Body::None),
    row("GET", "/svc/searchproviders/", Who::User, Thing::None, Body::None),
    row("POST", "/svc/searchproviders/", Who::Admin, Thing::None, PROVIDER),
    row("GET", "/svc/searchproviders/{id}/", Who::User, Provider, Body::None),
    row("GET", "/svc/searchproviders/{id}/test/", Who::User, Provider, Body::None),
    row("GET", "/svc/searchproviders/states/", Who::Admin, Thing::None, Body::None),
    row("POST", "/svc/searchproviders/test/", Who::Admin, Thing::None, UNREACHABLE),
    row("PUT", "/svc/searchproviders/{id}/", Who::Admin, Provider,
        Body::Json(r#"{"name": "Seas", "url": "https://seas.example/", "response_mappings": "RESULTS=items"}"#)),
    row("PATCH", "/svc/searchproviders/{id}/", Who::Admin, Provider, Body::Json(r#"{"active": false}"#)),
    row("GET", "/svc/searchproviders/{id}/state/", Who::User, Provider, Body::None),
    row("DELETE", "/svc/searchproviders/{id}/state/", Who::Admin, Provider, Body::None),
    row("DELETE", "/svc/searchproviders/{id}/", Who::Admin, Provider, Body::None),
    row("POST", "/svc/searchproviders/doctor/", Who::Admin, Thing::None, SAMPLE),
    row("GET", CHATS, Who::User, Thing::None, Body::None),
    row("POST", CHATS, Who::User, Thing::None, CHAT),
    row("GET", "/svc/chat/{id}/", Who::User, Chat, Body::None),
    row("PATCH", "/svc/chat/{id}/", Who::User, Chat, CHAT),
    row("POST", "/svc/chat/{id}/messages/", Who::User, Chat, MESSAGE),
    row("POST", RATING, Who::User, Chat, RATED),
    row("GET", "/svc/chat/{id}/export/", Who::User, Chat, Body::None),
    row("DELETE", "/svc/chat/{id}/", Who::User, Chat, Body::None),
    row("DELETE", CHATS, Who::User, Thing::None, Body::None),
    row("GET", "/svc/aiproviders/", Who::User, Thing::None, Body::None),
    row("POST", "/svc/aiproviders/", Who::Admin, Thing::None, MODEL),
    row("GET", "/svc/aiproviders/{id}/", Who::User, AiProvider, Body::None),
    row("PUT", "/svc/aiproviders/{id}/", Who::Admin, AiProvider, Body::Json(r#"{"name": "Spare", "model": "gpt-5-mini"}"#)),
    row("PATCH", "/svc/aiproviders/{id}/", Who::Admin, AiProvider, Body::Json(r#"{"active": false, "api_key": "k"}"#)),
    row("POST", MODEL_TEST, Who::Admin, AiProvider, Body::None),
    row("DELETE", "/svc/aiproviders/{id}/", Who::Admin, AiProvider, Body::None),
    row("GET", "/svc/prompts/", Who::User, Thing::None, Body::None),
    row("POST", "/svc/prompts/", Who::User, Thing::None, PROMPT),
    row("GET", "/svc/prompts/{id}/", Who::User, Prompt, Body::None),
    row("PUT", "/svc/prompts/{id}/", Who::User, Prompt,
        Body::Json(r#"{"name": "spare", "prompt": "Say {query}", "tags": ["chat"]}"#)),
    row("PATCH", "/svc/prompts/{id}/", Who::User, Prompt, Body::Json(r#"{"note": "In short."}"#)),
    row("DELETE", "/svc/prompts/{id}/", Who::User, Prompt, Body::None),
    row("GET", "/svc/connectors/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/processors/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/mixers/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/pipelines/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/pipelines/{id}/", Who::User, Pipeline, Body::None),
    row("PUT", "/svc/pipelines/{id}/", Who::Admin, Pipeline, PIPELINE),
    row("PATCH", "/svc/pipelines/{id}/", Who::Admin, Pipeline, PIPELINE),
    row("GET", "/svc/querytransforms/", Who::User, Thing::None, Body::None),
    row("POST", "/svc/querytransforms/", Who::Admin, Thing::None, TRANSFORM),
    row("POST", "/svc/querytransforms/preview/", Who::Admin, Thing::None, TRIAL),
    row("GET", "/svc/querytransforms/{id}/", Who::User, Transform, Body::None),
    row("PUT", "/svc/querytransforms/{id}/", Who::Admin, Transform,
        Body::Json(r#"{"name": "seas", "config_content": "sea,ocean"}"#)),
    row("PATCH", "/svc/querytransforms/{id}/", Who::Admin, Transform, Body::Json(r#"{"shared": true}"#)),
    row("DELETE", "/svc/querytransforms/{id}/", Who::Admin, Transform, Body::None),
    row("GET", "/svc/users/", Who::Admin, Thing::None, Body::None),
    row("POST", "/svc/users/", Who::Admin, Thing::None, USER),
    row("GET", "/svc/users/me/", Who::User, Thing::None, Body::None),
    row("PATCH", "/svc/users/me/", Who::User, Thing::None, Body::Json(r#"{"email": "a@example.org"}"#)),
    row("POST", PASSWORD, Who::User, Thing::None, NEW_PASSWORD),
    row("GET", "/svc/lockouts/", Who::Admin, Thing::None, Body::None),
    row("DELETE", "/svc/lockouts/", Who::Admin, Thing::None, Body::None),
    row("DELETE", "/svc/lockouts/{id}/", Who::Admin, Thing::Lockout, Body::None),
    row("GET", "/svc/users/{id}/", Who::Admin, User, Body::None),
    row("PUT", "/svc/users/{id}/", Who::Admin, User, Body::Json(r#"{"username": "viktor"}"#)),
    row("PATCH", "/svc/users/{id}/", Who::Admin, User, Body::Json(r#"{"email": "v@example.org"}"#)),
    row("DELETE", "/svc/users/{id}/", Who::Admin, User, Body::None),
    row("GET", "/svc/groups/", Who::Admin, Thing::None, Body::None),
    row("POST", "/svc/groups/", Who::Admin, Thing::None, GROUP),
    row("GET", "/svc/groups/{id}/", Who::Admin, Group, Body::None),
    row("PUT", "/svc/groups/{id}/", Who::Admin, Group, Body::Json(r#"{"name": "studies"}"#)),
    row("PATCH", "/svc/groups/{id}/", Who::Admin, Group, Body::Json(r#"{"name": "reading"}"#)),
    row("DELETE", "/svc/groups/{id}/", Who::Admin, Group, Body::None),
    row("GET", "/svc/tokens/", Who::User, Thing::None, Body::None),
    row("POST", "/svc/tokens/", Who::User, Thing::None, TOKEN),
    row("DELETE", TOKENS, Who::User, Thing::None, Body::None),
    row("GET", "/svc/tokens/{id}/", Who::User, Token, Body::None),
    row("DELETE", "/svc/tokens/{id}/", Who::User, Token, Body::None),
    row("GET", "/svc/authenticators/", Who::User, Thing::None, Body::None),
    row("POST", "/svc/authenticators/", Who::Admin, Thing::None, AUTHENTICATOR),
    row("GET", "/svc/authenticators/{id}/", Who::Admin, Authenticator, Body::None),
    row("PUT", "/svc/authenticators/{id}/", Who::Admin, Authenticator,
        Body::Json(r#"{"idp": "hub", "name": "Hub", "client_id": "c", "auth_uri": "https://h.example/a", "token_uri": "https://h.example/t"}"#)),
    row("PATCH", "/svc/authenticators/{id}/", Who::Admin, Authenticator, Body::Json(r#"{"name": "The hub"}"#)),
    row("POST", CONNECT, Who::User, Authenticator, Body::None),
    row("DELETE", "/svc/authenticators/{id}/connection/", Who::User, Authenticator, Body::None),
    row("DELETE", "/svc/authenticators/{id}/", Who::Admin, Authenticator, Body::None),
    row("POST", "/svc/login/", Who::Open, Thing::None, LOGIN),
    row("POST", BY_TOKEN, Who::Open, Thing::None, Body::None),
    row("GET", "/svc/health/live/", Who::Open, Thing::None, Body::None),
    row("GET", "/svc/health/ready/", Who::Open, Thing::None, Body::None),
    row("GET", "/svc/health/tasks/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/metrics/tasks/", Who::User, Thing::None, Body::None),
    row("GET", METRICS, Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/schedules/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/schedules/{id}/", Who::Admin, Thing::Schedule, Body::None),
    row("PATCH", "/svc/schedules/{id}/", Who::Admin, Thing::Schedule, Body::Json(r#"{"every_seconds": 7200}"#)),
    row("GET", "/svc/audit/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/audit/verify/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/readysources/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/readysources/{id}/", Who::Admin, Thing::ReadySource, Body::None),
    row("GET", "/svc/settings/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/logs/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/logs/{id}/", Who::Admin, Thing::Log, Body::None),
    row("GET", "/svc/activity/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/activity/mine/", Who::User, Thing::None, Body::None),
    row("GET", NOW, Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/license/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/brandings/", Who::Admin, Thing::None, Body::None),
    row("POST", "/svc/brandings/", Who::Admin, Thing::None, BRANDING),
    row("GET", "/svc/brandings/{id}/", Who::Admin, Branding, Body::None),
    row("PUT", "/svc/brandings/{id}/", Who::Admin, Branding, Body::Json(r#"{"name": "Winter", "product": "Delta"}"#)),
    row("POST", ACTIVATE, Who::Admin, Branding, Body::None),
    row("DELETE", "/svc/brandings/{id}/", Who::Admin, Branding, Body::None),
    row("POST", INGEST, Who::User, Thing::None, WISH),
    row("GET", "/svc/cache/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/cache/statistics/", Who::Admin, Thing::None, Body::None),
    row("GET", "/svc/cache/{id}/", Who::User, Signal, Body::None),
    row("POST", CHECK, Who::User, Signal, DOCUMENT),
    row("POST", UNINDEX, Who::User, Signal, DOCUMENT),
    row("GET", "/svc/agent/status/", Who::User, Thing::None, Body::None),
    row("GET", CONFIG, Who::User, Thing::None, Body::None),
    row("GET", "/svc/api/schema/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/api/docs/", Who::User, Thing::None, Body::None),
    row("GET", "/svc/api/docs/{file}", Who::User, File, Body::None),
    // It revokes the token it is called with, so it stands last among the calls of the API.
    row("POST", "/svc/swirl-logout/", Who::User, Thing::None, Body::None),
    row("POST", "/mcp/", Who::User, Thing::None, PING),
    row("GET", METADATA, Who::Open, Thing::None, Body::None),
    row("GET", METADATA_OF_TOOLS, Who::Open, Thing::None, Body::None),
    row("GET", "/", Who::Page, Thing::None, Body::None),
    row("POST", "/search/", Who::User, Thing::None, Body::Form("q=river")),
    row("GET", "/search/{id}/stream/", Who::User, Search, Body::None),
    row("GET", "/search/{id}/list/", Who::User, Search, Body::None),
    row("GET", "/history/", Who::Page, Thing::None, Body::None),
    row("GET", "/account/", Who::Page, Thing::None, Body::None),
    row("GET", "/chat/", Who::Page, Thing::None, Body::None),
    row("GET", "/review/", Who::Page, Thing::None, Body::None),
    row("GET", "/review/1/", Who::Page, Thing::None, Body::None),
    row("GET", "/egress/", Who::Page, Thing::None, Body::None),
    row("GET", TRANSFORM_FORM, Who::AdminPage, Thing::None, Body::None),
    row("POST", TRANSFORM_FORM, Who::Admin, Thing::None, Body::Form("name=x")),
    row("GET", ELSEWHERE, Who::Open, Thing::None, Body::None),
    row("GET", CALLBACK, Who::Open, Thing::None, Body::None),
    row("GET", "/login/", Who::Open, Thing::None, Body::None),
    row("POST", "/login/", Who::Open, Thing::None, Body::Form("username=admin&password=x")),
    row("POST", "/logout/", Who::User, Thing::None, Body::Form("")),
    row("GET", "/static/tributary.css", Who::Open, Thing::None, Body::None),
    row("GET", "/static/tributary.svg", Who::Open, Thing::None, Body::None),
    row("GET", "/branding/colours.css", Who::Open, Thing::None, Body::None),
    row("GET", LOGO, Who::Open, Thing::None, Body::None),
];

/// A new route cannot be forgotten here, nor a route in the document.
#[tokio::test(flavor = "multi_thread")]
async fn the_document_and_the_table_name_the_same_routes() {
    let app = AppHarness::start().await;
    let document = app.admin.get("/svc/api/schema/").await.body;
    let mut documented = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            documented.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let rows: Vec<&Row> = TABLE.iter().filter(|row| row.is_api()).collect();
    let listed: BTreeSet<String> = rows.iter().map(|row| row.name()).collect();
    assert_eq!(listed.len(), rows.len(), "a row stands twice");
    assert_eq!(listed.difference(&documented).collect::<Vec<_>>(), Vec::<&String>::new(), "not documented");
    assert_eq!(documented.difference(&listed).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the table");

    for row in rows {
        let operation = &document["paths"][row.path][row.method.to_lowercase()];
        let is_open = operation["security"].as_array().is_some_and(Vec::is_empty);
        assert_eq!(is_open, row.who == Who::Open, "{}: {}", row.name(), operation["security"]);
        let has_body = matches!(row.body, Body::Json(_));
        assert_eq!(operation.get("requestBody").is_some(), has_body, "{}", row.name());
        assert!(operation["responses"].get(row.success().to_string()).is_some(), "{}", row.name());
    }
    app.stop().await;
}
