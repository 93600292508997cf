//! Every route and method of the service. The OpenAPI document must list the same.

use crate::app_harness::AppHarness;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Public: needs no credentials.
    Open,
    /// A page: without credentials it redirects to the sign-in page.
    Page,
    /// A page for administrators.
    AdminPage,
    /// Every authenticated caller, for what they may see.
    User,
    /// Members of the group `curators`, and administrators.
    Curator,
    Admin,
}

/// The kind of record that the id in the path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
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
    /// Identified by its name.
    Schedule,
    /// Identified by its name.
    Log,
    ReadySource,
    /// Identified by a user name.
    Lockout,
    Branding,
    Signal,
    /// A document of the source, visible to everybody who may use the source.
    Shared,
    /// An election that such a document won.
    Run,
    /// An election for another query, because each is decided once.
    OtherRun,
    Scan,
    Event,
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
    pub access: Access,
    pub resource: Resource,
    pub body: Body,
}

impl Row {
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Pages are not part of the API, nor of its OpenAPI document.
    pub fn is_api(&self) -> bool {
        (self.path.starts_with("/svc/") && !PAGES.contains(&self.path))
            || [METRICS, CONFIG].contains(&self.path)
    }

    /// The status of a valid request.
    pub fn success(&self) -> u16 {
        match self.method {
            "DELETE" => 204,
            "POST" if [INGEST, SCAN].contains(&self.path) => 202,
            "POST" if !ANSWERED_200.contains(&self.path) => 201,
            _ => 200,
        }
    }
}

/// POST requests that create nothing.
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

const fn row(
    method: &'static str,
    path: &'static str,
    access: Access,
    resource: Resource,
    body: Body,
) -> Row {
    Row { method, path, access, resource, body }
}

const SEARCH: Body = Body::Json(r#"{"query_string": "river", "retention": 2}"#);
/// The id of the scenario's search is 1.
const RAG: Body = Body::Json(r#"{"search_id": 1}"#);
/// It names its search in the body.
pub const RAG_SEARCH: &str = "/svc/rag-search/";
/// It needs a query parameter.
pub const EXPORT: &str = "/svc/results/export/";
/// It needs a query parameter.
pub const RAG_DETAIL: &str = "/svc/sapi/detail-search-rag/";
/// Deletions that succeed repeatedly: resetting a state, deleting all chats, cancelling a summary that nobody
/// generates.
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
/// Nothing listens there, so that the response comes at once.
const UNREACHABLE: Body =
    Body::Json(r#"{"name": "Ponds", "url": "http://127.0.0.1:1/", "response_mappings": "RESULTS=items"}"#);
const USER: Body = Body::Json(r#"{"username": "wanda", "password": "long enough"}"#);
const AUTHENTICATOR: Body = Body::Json(
    r#"{"idp": "other", "name": "Other", "client_id": "c", "auth_uri": "https://o.example/a", "token_uri": "https://o.example/t"}"#,
);
/// Deleting all tokens revokes the one that the call uses.
pub const TOKENS: &str = "/svc/tokens/";
const GROUP: Body = Body::Json(r#"{"name": "archive"}"#);
const TOKEN: Body = Body::Json(r#"{"label": "laptop"}"#);
const SAMPLE: Body = Body::Json(r#"{"sample": [{"title": "A river", "url": "https://rivers.example/1"}]}"#);
const TRANSFORM: Body = Body::Json(r#"{"name": "lakes", "config_content": "lake,pond"}"#);
const TRIAL: Body = Body::Json(r#"{"config_content": "lake,pond", "query": "lake"}"#);
/// A JSON-RPC message.
const PING: Body = Body::Json(r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#);
/// Where MCP clients find the authorization servers; none is configured here.
pub const METADATA: &str = "/.well-known/oauth-protected-resource/";
pub const METADATA_OF_TOOLS: &str = "/.well-known/oauth-protected-resource/mcp/";
/// A document that cannot be fetched: the request is accepted, and the ingest fails.
const INGEST_BODY: Body = Body::Json(r#"{"url": "http://127.0.0.1:1/nothing"}"#);
const INGEST: &str = "/svc/ingest/";
/// The id of ann's document is 1.
const DOCUMENT: Body = Body::Json(r#"{"signal_id": 1}"#);
const CHECK: &str = "/svc/cache/check_liveness/";
const UNINDEX: &str = "/svc/cache/unindex/";
const PIN: &str = "/svc/canonical/pin-for-query/";
const UNPIN: &str = "/svc/canonical/{id}/unpin/";
const APPROVE: &str = "/svc/canonical/{id}/approve/";
const REJECT: &str = "/svc/canonical/{id}/reject/";
const ELECT: &str = "/svc/canonical/elect/";
/// The id of the source's document is 2.
const PINNED: Body = Body::Json(r#"{"signal_id": 2, "query": "river"}"#);
const SCAN: &str = "/svc/egress/scan/";
/// Routes that name their record in the body.
pub const NAMED_IN_BODY: &[&str] = &[RAG_SEARCH, CHECK, UNINDEX, PIN, ELECT];
/// The usual path for a scraper, outside of the prefixes.
pub const METRICS: &str = "/metrics/";
/// A page among the paths of the API.
const TRANSFORM_FORM: &str = "/svc/query_transform_form/";
/// Where a browser goes to sign in with another service, and where it returns.
pub const ELSEWHERE: &str = "/svc/oidc/hub/login/";
pub const CALLBACK: &str = "/svc/callback/hub-callback/";
const PAGES: &[&str] = &[TRANSFORM_FORM, ELSEWHERE, CALLBACK];
/// It needs a token signed by another service.
pub const BY_TOKEN: &str = "/svc/oidc_authenticate/";
const CONNECT: &str = "/svc/authenticators/{id}/connect/";
/// POST requests without a body.
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
/// The first request of the pages, at the path where older clients expect it.
const CONFIG: &str = "/api/config/default/";
/// Its response depends on the moment.
pub const NOW: &str = "/svc/activity/now/";
/// Its response depends on the moment.
pub const TIMINGS: &str = "/svc/timings/";
/// It exists if a branding has a logo.
pub const LOGO: &str = "/branding/logo/light/";

/// It has a second id, of a message.
const RATING: &str = "/svc/chat/{id}/messages/{message}/rating/";
const MODEL: Body = Body::Json(r#"{"name": "Other", "model": "gpt-5", "active": false}"#);
const PROMPT: Body = Body::Json(r#"{"name": "other", "prompt": "Answer {query}", "tags": ["search-rag"]}"#);
const CHAT: Body = Body::Json(r#"{"title": "Dams"}"#);
const MESSAGE: Body = Body::Json(r#"{"content": "river"}"#);
const RATED: Body = Body::Json(r#"{"rating": 1, "reasons": ["helpful"]}"#);
/// Deleting all chats succeeds repeatedly.
pub const CHATS: &str = "/svc/chat/";

use Resource::{
    AiProvider, Authenticator, Branding, Chat, Group, Pipeline, Prompt, Provider, Result, Search, Shared,
    Signal, Token, Transform, User,
};

#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    // Elections and pins need their documents, and the mailbox its connection: later rows delete them.
    row("GET", "/svc/canonical/", Access::User, Resource::None, Body::None),
    row("POST", ELECT, Access::User, Search, RAG),
    row("GET", "/svc/canonical/{id}/", Access::User, Resource::Run, Body::None),
    row("POST", PIN, Access::Curator, Shared, PINNED),
    row("POST", APPROVE, Access::Curator, Resource::Run, Body::Json(r#"{"comment": "It is signed."}"#)),
    row("POST", REJECT, Access::Curator, Resource::OtherRun, Body::Json(r#"{"reason": "outdated"}"#)),
    row("GET", "/svc/canonical/pins/", Access::Curator, Resource::None, Body::None),
    row("GET", "/svc/canonical/pins/history/", Access::Curator, Resource::None, Body::None),
    row("POST", UNPIN, Access::Curator, Shared, Body::Json("{}")),
    row("GET", "/svc/cache/{id}/diff/{other}/", Access::User, Signal, Body::None),
    row("GET", SCAN, Access::User, Resource::None, Body::None),
    row("POST", SCAN, Access::User, Resource::None, Body::Json(r#"{"channel": "outlook"}"#)),
    row("GET", "/svc/egress/scan/{id}/", Access::User, Resource::Scan, Body::None),
    row("DELETE", "/svc/egress/scan/{id}/", Access::User, Resource::Scan, Body::None),
    row("GET", "/svc/egress/events/", Access::User, Resource::None, Body::None),
    row("PATCH", "/svc/egress/events/{id}/", Access::User, Resource::Event, Body::Json(r#"{"status": "confirmed"}"#)),
    row("GET", "/svc/search/", Access::User, Resource::None, Body::None),
    row("POST", "/svc/search/", Access::User, Resource::None, SEARCH),
    row("GET", "/svc/search/suggestions/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/search/{id}/", Access::User, Search, Body::None),
    row("PUT", "/svc/search/{id}/", Access::User, Search, SEARCH),
    row("PATCH", "/svc/search/{id}/", Access::User, Search, SEARCH),
    row("GET", "/svc/search/{id}/events/", Access::User, Search, Body::None),
    row("GET", "/svc/search/{id}/runs/", Access::User, Search, Body::None),
    row("GET", "/svc/search/{id}/diff/", Access::User, Search, Body::None),
    row("GET", "/svc/results/", Access::User, Resource::None, Body::None),
    row("GET", EXPORT, Access::User, Resource::None, Body::None),
    row("GET", "/svc/preferences/", Access::User, Resource::None, Body::None),
    row("PUT", "/svc/preferences/", Access::User, Resource::None, PREFERENCES),
    row("GET", "/svc/results/{id}/", Access::User, Result, Body::None),
    row("PUT", "/svc/results/{id}/", Access::User, Result, RESULT),
    row("PATCH", "/svc/results/{id}/", Access::User, Result, RESULT),
    row("DELETE", "/svc/results/{id}/", Access::User, Result, Body::None),
    row("POST", RAG_SEARCH, Access::User, Search, RAG),
    row("POST", SUMMARY_RATING, Access::User, Search, RATED),
    row("DELETE", "/svc/rag-search/{id}/", Access::User, Search, Body::None),
    row("GET", RAG_DETAIL, Access::User, Resource::None, Body::None),
    row("GET", "/svc/sapi/is_chat_ai_provider_exists/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/sapi/ai_providers/", Access::User, Resource::None, Body::None),
    row("DELETE", "/svc/search/{id}/", Access::User, Search, Body::None),
    row("GET", "/svc/searchproviders/", Access::User, Resource::None, Body::None),
    row("POST", "/svc/searchproviders/", Access::Admin, Resource::None, PROVIDER),
    row("GET", "/svc/searchproviders/{id}/", Access::User, Provider, Body::None),
    row("GET", "/svc/searchproviders/{id}/test/", Access::User, Provider, Body::None),
    row("GET", "/svc/searchproviders/states/", Access::Admin, Resource::None, Body::None),
    row("POST", "/svc/searchproviders/test/", Access::Admin, Resource::None, UNREACHABLE),
    row("PUT", "/svc/searchproviders/{id}/", Access::Admin, Provider,
        Body::Json(r#"{"name": "Seas", "url": "https://seas.example/", "response_mappings": "RESULTS=items"}"#)),
    row("PATCH", "/svc/searchproviders/{id}/", Access::Admin, Provider, Body::Json(r#"{"active": false}"#)),
    row("GET", "/svc/searchproviders/{id}/state/", Access::User, Provider, Body::None),
    row("DELETE", "/svc/searchproviders/{id}/state/", Access::Admin, Provider, Body::None),
    row("DELETE", "/svc/searchproviders/{id}/", Access::Admin, Provider, Body::None),
    row("POST", "/svc/searchproviders/doctor/", Access::Admin, Resource::None, SAMPLE),
    row("GET", CHATS, Access::User, Resource::None, Body::None),
    row("POST", CHATS, Access::User, Resource::None, CHAT),
    row("GET", "/svc/chat/{id}/", Access::User, Chat, Body::None),
    row("PATCH", "/svc/chat/{id}/", Access::User, Chat, CHAT),
    row("POST", "/svc/chat/{id}/messages/", Access::User, Chat, MESSAGE),
    row("POST", RATING, Access::User, Chat, RATED),
    row("GET", "/svc/chat/{id}/export/", Access::User, Chat, Body::None),
    row("DELETE", "/svc/chat/{id}/", Access::User, Chat, Body::None),
    row("DELETE", CHATS, Access::User, Resource::None, Body::None),
    row("GET", "/svc/aiproviders/", Access::User, Resource::None, Body::None),
    row("POST", "/svc/aiproviders/", Access::Admin, Resource::None, MODEL),
    row("GET", "/svc/aiproviders/{id}/", Access::User, AiProvider, Body::None),
    row("PUT", "/svc/aiproviders/{id}/", Access::Admin, AiProvider, Body::Json(r#"{"name": "Spare", "model": "gpt-5-mini"}"#)),
    row("PATCH", "/svc/aiproviders/{id}/", Access::Admin, AiProvider, Body::Json(r#"{"active": false, "api_key": "k"}"#)),
    row("POST", MODEL_TEST, Access::Admin, AiProvider, Body::None),
    row("DELETE", "/svc/aiproviders/{id}/", Access::Admin, AiProvider, Body::None),
    row("GET", "/svc/prompts/", Access::User, Resource::None, Body::None),
    row("POST", "/svc/prompts/", Access::User, Resource::None, PROMPT),
    row("GET", "/svc/prompts/{id}/", Access::User, Prompt, Body::None),
    row("PUT", "/svc/prompts/{id}/", Access::User, Prompt,
        Body::Json(r#"{"name": "spare", "prompt": "Say {query}", "tags": ["chat"]}"#)),
    row("PATCH", "/svc/prompts/{id}/", Access::User, Prompt, Body::Json(r#"{"note": "In short."}"#)),
    row("DELETE", "/svc/prompts/{id}/", Access::User, Prompt, Body::None),
    row("GET", "/svc/connectors/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/processors/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/mixers/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/pipelines/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/pipelines/{id}/", Access::User, Pipeline, Body::None),
    row("PUT", "/svc/pipelines/{id}/", Access::Admin, Pipeline, PIPELINE),
    row("PATCH", "/svc/pipelines/{id}/", Access::Admin, Pipeline, PIPELINE),
    row("GET", "/svc/querytransforms/", Access::User, Resource::None, Body::None),
    row("POST", "/svc/querytransforms/", Access::Admin, Resource::None, TRANSFORM),
    row("POST", "/svc/querytransforms/preview/", Access::Admin, Resource::None, TRIAL),
    row("GET", "/svc/querytransforms/{id}/", Access::User, Transform, Body::None),
    row("PUT", "/svc/querytransforms/{id}/", Access::Admin, Transform,
        Body::Json(r#"{"name": "seas", "config_content": "sea,ocean"}"#)),
    row("PATCH", "/svc/querytransforms/{id}/", Access::Admin, Transform, Body::Json(r#"{"shared": true}"#)),
    row("DELETE", "/svc/querytransforms/{id}/", Access::Admin, Transform, Body::None),
    row("GET", "/svc/users/", Access::Admin, Resource::None, Body::None),
    row("POST", "/svc/users/", Access::Admin, Resource::None, USER),
    row("GET", "/svc/users/me/", Access::User, Resource::None, Body::None),
    row("PATCH", "/svc/users/me/", Access::User, Resource::None, Body::Json(r#"{"email": "a@example.org"}"#)),
    row("POST", PASSWORD, Access::User, Resource::None, NEW_PASSWORD),
    row("GET", "/svc/lockouts/", Access::Admin, Resource::None, Body::None),
    row("DELETE", "/svc/lockouts/", Access::Admin, Resource::None, Body::None),
    row("DELETE", "/svc/lockouts/{id}/", Access::Admin, Resource::Lockout, Body::None),
    row("GET", "/svc/users/{id}/", Access::Admin, User, Body::None),
    row("PUT", "/svc/users/{id}/", Access::Admin, User, Body::Json(r#"{"username": "viktor"}"#)),
    row("PATCH", "/svc/users/{id}/", Access::Admin, User, Body::Json(r#"{"email": "v@example.org"}"#)),
    row("DELETE", "/svc/users/{id}/", Access::Admin, User, Body::None),
    row("GET", "/svc/groups/", Access::Admin, Resource::None, Body::None),
    row("POST", "/svc/groups/", Access::Admin, Resource::None, GROUP),
    row("GET", "/svc/groups/{id}/", Access::Admin, Group, Body::None),
    row("PUT", "/svc/groups/{id}/", Access::Admin, Group, Body::Json(r#"{"name": "studies"}"#)),
    row("PATCH", "/svc/groups/{id}/", Access::Admin, Group, Body::Json(r#"{"name": "reading"}"#)),
    row("DELETE", "/svc/groups/{id}/", Access::Admin, Group, Body::None),
    row("GET", "/svc/tokens/", Access::User, Resource::None, Body::None),
    row("POST", "/svc/tokens/", Access::User, Resource::None, TOKEN),
    row("DELETE", TOKENS, Access::User, Resource::None, Body::None),
    row("GET", "/svc/tokens/{id}/", Access::User, Token, Body::None),
    row("DELETE", "/svc/tokens/{id}/", Access::User, Token, Body::None),
    row("GET", "/svc/authenticators/", Access::User, Resource::None, Body::None),
    row("POST", "/svc/authenticators/", Access::Admin, Resource::None, AUTHENTICATOR),
    row("GET", "/svc/authenticators/{id}/", Access::Admin, Authenticator, Body::None),
    row("PUT", "/svc/authenticators/{id}/", Access::Admin, Authenticator,
        Body::Json(r#"{"idp": "hub", "name": "Hub", "client_id": "c", "auth_uri": "https://h.example/a", "token_uri": "https://h.example/t"}"#)),
    row("PATCH", "/svc/authenticators/{id}/", Access::Admin, Authenticator, Body::Json(r#"{"name": "The hub"}"#)),
    row("POST", CONNECT, Access::User, Authenticator, Body::None),
    row("DELETE", "/svc/authenticators/{id}/connection/", Access::User, Authenticator, Body::None),
    row("DELETE", "/svc/authenticators/{id}/", Access::Admin, Authenticator, Body::None),
    row("POST", "/svc/login/", Access::Open, Resource::None, LOGIN),
    row("POST", BY_TOKEN, Access::Open, Resource::None, Body::None),
    row("GET", "/svc/health/live/", Access::Open, Resource::None, Body::None),
    row("GET", "/svc/health/ready/", Access::Open, Resource::None, Body::None),
    row("GET", "/svc/health/tasks/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/metrics/tasks/", Access::User, Resource::None, Body::None),
    row("GET", METRICS, Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/schedules/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/schedules/{id}/", Access::Admin, Resource::Schedule, Body::None),
    row("PATCH", "/svc/schedules/{id}/", Access::Admin, Resource::Schedule, Body::Json(r#"{"every_seconds": 7200}"#)),
    row("GET", "/svc/audit/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/audit/verify/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/readysources/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/readysources/{id}/", Access::Admin, Resource::ReadySource, Body::None),
    row("GET", "/svc/settings/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/logs/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/logs/{id}/", Access::Admin, Resource::Log, Body::None),
    row("GET", "/svc/activity/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/activity/mine/", Access::User, Resource::None, Body::None),
    row("GET", NOW, Access::Admin, Resource::None, Body::None),
    row("GET", TIMINGS, Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/license/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/brandings/", Access::Admin, Resource::None, Body::None),
    row("POST", "/svc/brandings/", Access::Admin, Resource::None, BRANDING),
    row("GET", "/svc/brandings/{id}/", Access::Admin, Branding, Body::None),
    row("PUT", "/svc/brandings/{id}/", Access::Admin, Branding, Body::Json(r#"{"name": "Winter", "product": "Delta"}"#)),
    row("POST", ACTIVATE, Access::Admin, Branding, Body::None),
    row("DELETE", "/svc/brandings/{id}/", Access::Admin, Branding, Body::None),
    row("POST", INGEST, Access::User, Resource::None, INGEST_BODY),
    row("GET", "/svc/cache/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/cache/statistics/", Access::Admin, Resource::None, Body::None),
    row("GET", "/svc/cache/{id}/", Access::User, Signal, Body::None),
    row("POST", CHECK, Access::User, Signal, DOCUMENT),
    row("POST", UNINDEX, Access::User, Signal, DOCUMENT),
    row("GET", "/svc/agent/status/", Access::User, Resource::None, Body::None),
    row("GET", CONFIG, Access::User, Resource::None, Body::None),
    row("GET", "/svc/api/schema/", Access::User, Resource::None, Body::None),
    row("GET", "/svc/api/docs/", Access::User, Resource::None, Body::None),
    // It revokes the token that it is called with, so it is the last call of the API.
    row("POST", "/svc/swirl-logout/", Access::User, Resource::None, Body::None),
    row("POST", "/mcp/", Access::User, Resource::None, PING),
    row("GET", METADATA, Access::Open, Resource::None, Body::None),
    row("GET", METADATA_OF_TOOLS, Access::Open, Resource::None, Body::None),
    row("GET", "/", Access::Page, Resource::None, Body::None),
    row("POST", "/search/", Access::User, Resource::None, Body::Form("q=river")),
    row("GET", "/search/{id}/stream/", Access::User, Search, Body::None),
    row("GET", "/search/{id}/list/", Access::User, Search, Body::None),
    row("GET", "/search/{id}/better/", Access::User, Search, Body::None),
    row("GET", "/history/", Access::Page, Resource::None, Body::None),
    row("GET", "/account/", Access::Page, Resource::None, Body::None),
    row("GET", "/chat/", Access::Page, Resource::None, Body::None),
    row("GET", "/review/", Access::Page, Resource::None, Body::None),
    row("GET", "/review/1/", Access::Page, Resource::None, Body::None),
    row("GET", "/egress/", Access::Page, Resource::None, Body::None),
    row("GET", TRANSFORM_FORM, Access::AdminPage, Resource::None, Body::None),
    row("POST", TRANSFORM_FORM, Access::Admin, Resource::None, Body::Form("name=x")),
    row("GET", ELSEWHERE, Access::Open, Resource::None, Body::None),
    row("GET", CALLBACK, Access::Open, Resource::None, Body::None),
    row("GET", "/login/", Access::Open, Resource::None, Body::None),
    row("POST", "/login/", Access::Open, Resource::None, Body::Form("username=admin&password=x")),
    row("POST", "/logout/", Access::User, Resource::None, Body::Form("")),
    row("GET", "/static/tributary.css", Access::Open, Resource::None, Body::None),
    row("GET", "/static/tributary.svg", Access::Open, Resource::None, Body::None),
    row("GET", "/branding/colours.css", Access::Open, Resource::None, Body::None),
    row("GET", "/branding/opensearch.xml", Access::Open, Resource::None, Body::None),
    row("GET", LOGO, Access::Open, Resource::None, Body::None),
];

/// The table and the OpenAPI document list the same routes, so that none can be forgotten in either.
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
    assert_eq!(listed.len(), rows.len(), "a row is listed twice");
    assert_eq!(listed.difference(&documented).collect::<Vec<_>>(), Vec::<&String>::new(), "not documented");
    assert_eq!(documented.difference(&listed).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the table");

    for row in rows {
        let operation = &document["paths"][row.path][row.method.to_lowercase()];
        let is_open = operation["security"].as_array().is_some_and(Vec::is_empty);
        assert_eq!(is_open, row.access == Access::Open, "{}: {}", row.name(), operation["security"]);
        let has_body = matches!(row.body, Body::Json(_));
        assert_eq!(operation.get("requestBody").is_some(), has_body, "{}", row.name());
        assert!(operation["responses"].get(row.success().to_string()).is_some(), "{}", row.name());
    }
    app.stop().await;
}
