//! Fake site with an OpenSearch description. It answers with RSS and Atom, accepts its parameters and no others, and
//! requires a password for a part of it.

use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

/// `user:password`, as a header.
const LOGIN: &str = "Basic cmVhZGVyOm9wZW4tc2VhcmNoLTE5";
pub const CREDENTIALS: &str = "HTTPBasicAuth('reader','open-search-19')";
pub const DOCUMENTS: usize = 60;
/// Most results per request.
const PAGE_MAX: usize = 50;

pub struct OpenSearch {
    pub listener: HttpListener,
    state: Arc<Mutex<ServerState>>,
}

#[derive(Default)]
struct ServerState {
    seen: Option<String>,
    descriptions: usize,
    throttled: usize,
}

type Shared = State<Arc<Mutex<ServerState>>>;
type Parameters = Query<Vec<(String, String)>>;

impl OpenSearch {
    pub async fn start() -> Self {
        let state: Arc<Mutex<ServerState>> = Arc::default();
        let router = Router::new()
            .route("/osdd.xml", get(description))
            .route(
                "/elsewhere.xml",
                get(|| async { described("https://elsewhere.example/rss?q={searchTerms}") }),
            )
            .route("/page.html", get(|| async { ([("content-type", "text/html")], "<html>hello</html>") }))
            .route("/rss", get(rss))
            .route("/atom.xml", get(|| async { described("/atom?q={searchTerms}&p={startPage}") }))
            .route("/atom", get(atom))
            .with_state(Arc::clone(&state));
        Self { listener: HttpListener::start(router).await, state }
    }

    pub fn seen(&self) -> impl Fn() -> Option<String> + Send + Sync + use<> {
        let state = Arc::clone(&self.state);
        move || state.lock().expect("the lock").seen.clone()
    }

    /// How often the description was requested.
    pub fn descriptions(&self) -> usize {
        self.state.lock().expect("the lock").descriptions
    }

    /// Answers the next search with 429.
    pub fn throttle(&self) {
        self.state.lock().expect("the lock").throttled = 1;
    }
}

fn described(template: &str) -> Response {
    let kind = if template.starts_with("/atom") { "application/atom+xml" } else { "application/rss+xml" };
    let text = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
        <ShortName>Stand</ShortName><Url type="text/html" template="https://unused.example/?q={{searchTerms}}"/>
        <Url type="{kind}" template="{}"/></OpenSearchDescription>"#,
        template.replace('&', "&amp;")
    );
    ([("content-type", "application/opensearchdescription+xml")], text).into_response()
}

async fn description(State(state): Shared, headers: HeaderMap) -> Response {
    if headers.get("authorization").is_none_or(|value| value != LOGIN) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    state.lock().expect("the lock").descriptions += 1;
    described("/rss?q={searchTerms}&n={count?}&i={startIndex?}&l={language?}")
}

async fn rss(State(state): Shared, headers: HeaderMap, Query(parameters): Parameters) -> Response {
    let mut state = state.lock().expect("the lock");
    if headers.get("authorization").is_none_or(|value| value != LOGIN) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if state.throttled > 0 {
        state.throttled -= 1;
        return (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", "9")], "").into_response();
    }
    let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let number = |place: usize| parameters.get(place).and_then(|(_, value)| value.parse::<usize>().ok());
    let (Some(count), Some(start)) = (number(1), number(2)) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if names != ["q", "n", "i", "l"] || count > PAGE_MAX || start == 0 {
        return StatusCode::BAD_REQUEST.into_response();
    }
    state.seen = Some(parameters[0].1.clone());
    let mut text = format!(
        r#"<?xml version="1.0"?><rss version="2.0" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><channel>
        <title>Stand</title><opensearch:totalResults>{DOCUMENTS}</opensearch:totalResults>"#
    );
    for number in (start - 1)..(start - 1 + count).min(DOCUMENTS) {
        let _ = write!(
            text,
            "<item><title>Document {number}</title><link>https://docs.example/{number}</link>\
             <description>&lt;p&gt;About {number}&lt;/p&gt;</description></item>"
        );
    }
    text.push_str("</channel></rss>");
    ([("content-type", "application/rss+xml")], text).into_response()
}

/// Pages of seven, whatever is requested.
async fn atom(Query(parameters): Parameters) -> Response {
    let page =
        parameters.get(1).filter(|(name, _)| name == "p").and_then(|(_, value)| value.parse::<usize>().ok());
    let Some(page) = page.filter(|page| *page > 0) else { return StatusCode::BAD_REQUEST.into_response() };
    let mut text = r#"<feed xmlns="http://www.w3.org/2005/Atom">"#.to_owned();
    for number in ((page - 1) * 7..page * 7).take_while(|number| *number < DOCUMENTS) {
        let _ = write!(
            text,
            r#"<entry><title>Entry {number}</title><link rel="alternate" href="https://docs.example/e{number}"/>
            <summary type="html">&lt;b&gt;About&lt;/b&gt; it</summary><updated>2024-03-01T00:00:00Z</updated></entry>"#
        );
    }
    text.push_str("</feed>");
    ([("content-type", "application/atom+xml")], text).into_response()
}
