//! Local sources that respond after a fixed delay, and their provider records.

use crate::app::App;
use crate::corpus::provider as corpus_provider;
use crate::service::ensure_admin;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use bytes::Bytes;
use domain::ids::UserId;
use domain::ports::{ProviderStore, TokenStore, UserStore};
use domain::provider::ProviderSpec;
use domain::secret::Secret;
use domain::user::{TokenSpec, UserSpec};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

const RESULTS_PER_SOURCE: usize = 10;

/// The slowest response of the current search, measured by the sources, in microseconds.
#[derive(Default)]
pub(super) struct Slowest(AtomicU64);

impl Slowest {
    pub(super) fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    pub(super) fn took(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

/// Starts `count` sources and returns their URLs.
pub(super) async fn start(
    count: u32,
    delay: Duration,
    slowest: &Arc<Slowest>,
    running: &mut JoinSet<()>,
) -> anyhow::Result<Vec<String>> {
    let mut urls = Vec::new();
    for source in 0..count {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        urls.push(format!("http://{}/", listener.local_addr()?));
        let slowest = Arc::clone(slowest);
        let answer = Bytes::from(answer(source).to_string());
        let router = Router::new().route(
            "/",
            get(move || async move {
                let started = Instant::now();
                tokio::time::sleep(delay).await;
                let took = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
                slowest.0.fetch_max(took, Ordering::Relaxed);
                ([(CONTENT_TYPE, "application/json")], answer)
            }),
        );
        running.spawn(async move {
            let _until_the_end = axum::serve(listener, router).await;
        });
    }
    Ok(urls)
}

/// Creates the administrator and the providers. Returns a token for the client.
pub(super) async fn install(app: &App, urls: &[String]) -> anyhow::Result<Secret> {
    ensure_admin(app).await?;
    corpus_provider::skip(app).await?;
    let admin = app.store.user_by_name("admin").await?;
    let now = app.clock.now();
    let spec = |(number, url): (usize, &String)| ProviderSpec {
        name: format!("Source {number}"),
        url: url.clone(),
        response_mappings: "FOUND=total,RESULTS=items".into(),
        result_mappings: "title=title,body=body,url=url,date_published=date".into(),
        ..ProviderSpec::default()
    };
    let specs = urls.iter().enumerate().map(spec).collect();
    app.store.create_providers(specs, admin.id, now).await?;
    token(app, admin.id).await
}

/// Creates users and returns their tokens. Several, because one user only gets a share of the slots.
pub(super) async fn users(app: &App, count: u32) -> anyhow::Result<Vec<Secret>> {
    let mut tokens = Vec::new();
    for number in 1..=count {
        let spec = UserSpec { username: format!("bench-{number}"), ..UserSpec::default() };
        let user = app.store.create_user(spec, String::new(), app.clock.now()).await?;
        tokens.push(token(app, user.id).await?);
    }
    Ok(tokens)
}

async fn token(app: &App, user: UserId) -> anyhow::Result<Secret> {
    let made = server::token::make();
    let now = app.clock.now();
    app.store.create_token(user, TokenSpec::default(), made.hash, made.prefix, now).await?;
    Ok(made.token)
}

/// Starts a source that accepts requests and never responds. Returns its URL.
pub(super) async fn start_hanging(running: &mut JoinSet<()>) -> anyhow::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/", listener.local_addr()?);
    running.spawn(async move {
        let mut open = Vec::new();
        while let Ok((connection, _)) = listener.accept().await {
            open.push(connection);
        }
    });
    Ok(url)
}

/// The response of a source: ten short texts, similar but not identical.
fn answer(source: u32) -> Value {
    const TEXT: &str = "The river rose by two metres in a night and the level sensor at the old bridge reported every \
                        minute of it, which let the wardens close the lower road well before the water came.";
    let item = |number: usize| {
        json!({
            "title": format!("River report {number} of station {source}"),
            "body": format!("{TEXT} Station {source}, report {number}."),
            "url": format!("https://station{source}.example/report/{number}"),
            "date": "2024-05-01",
        })
    };
    let items: Vec<Value> = (0..RESULTS_PER_SOURCE).map(item).collect();
    json!({ "total": items.len(), "items": items })
}
