//! Sources of this process that answer after a fixed delay, and their records in the service that is measured.

use crate::cache_source;
use crate::service::ensure_admin;
use crate::wiring::Wired;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use bytes::Bytes;
use domain::contracts::{ProviderStore, TokenStore, UserStore};
use domain::ids::UserId;
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

/// The slowest answer of the current search, as the sources themselves measured it, in microseconds.
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

/// Starts so many sources and returns their addresses.
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
        let app = Router::new().route(
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
            let _until_the_end = axum::serve(listener, app).await;
        });
    }
    Ok(urls)
}

/// Adds the administrator, the sources as providers, and a token for the client.
pub(super) async fn install(wired: &Wired, urls: &[String]) -> anyhow::Result<Secret> {
    ensure_admin(wired).await?;
    cache_source::leave_out(wired).await?;
    let admin = wired.store.user_by_name("admin").await?;
    let now = wired.clock.now();
    let spec = |(number, url): (usize, &String)| ProviderSpec {
        name: format!("Source {number}"),
        url: url.clone(),
        response_mappings: "FOUND=total,RESULTS=items".to_owned(),
        result_mappings: "title=title,body=body,url=url,date_published=date".to_owned(),
        ..ProviderSpec::default()
    };
    let specs = urls.iter().enumerate().map(spec).collect();
    wired.store.create_providers(specs, admin.id, now).await?;
    token(wired, admin.id).await
}

/// So many users, each with a token: one user alone would be given a share of the slots.
pub(super) async fn users(wired: &Wired, count: u32) -> anyhow::Result<Vec<Secret>> {
    let mut tokens = Vec::new();
    for number in 1..=count {
        let spec = UserSpec { username: format!("bench-{number}"), ..UserSpec::default() };
        let user = wired.store.create_user(spec, String::new(), wired.clock.now()).await?;
        tokens.push(token(wired, user.id).await?);
    }
    Ok(tokens)
}

async fn token(wired: &Wired, user: UserId) -> anyhow::Result<Secret> {
    let made = server::token::make();
    let now = wired.clock.now();
    wired.store.create_token(user, TokenSpec::default(), made.hash, made.prefix, now).await?;
    Ok(made.token)
}

/// Starts a source that takes requests and never answers; its address.
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

/// What one source answers: ten short texts, alike but not the same.
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
