//! Local sources that respond after a fixed delay, and their provider records.

use super::results;
use super::workload::Workload;
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
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

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

/// Running sources. They end when this is dropped.
pub(super) struct Sources {
    pub workload: Workload,
    pub slowest: Arc<Slowest>,
    urls: Vec<String>,
    running: JoinSet<()>,
}

impl Sources {
    pub(super) async fn start(workload: Workload) -> anyhow::Result<Self> {
        let slowest = Arc::<Slowest>::default();
        let mut sources = Self { workload, slowest, urls: Vec::new(), running: JoinSet::new() };
        for number in 0..workload.shape.sources {
            sources.start_one(number).await?;
        }
        Ok(sources)
    }

    async fn start_one(&mut self, number: u32) -> anyhow::Result<()> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        self.urls.push(format!("http://{}/", listener.local_addr()?));
        let (slowest, delay) = (Arc::clone(&self.slowest), self.workload.delay);
        let response = Bytes::from(results::response(number, &self.workload).to_string());
        let router = Router::new().route(
            "/",
            get(move || async move {
                let started = Instant::now();
                tokio::time::sleep(delay).await;
                let took = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
                slowest.0.fetch_max(took, Ordering::Relaxed);
                ([(CONTENT_TYPE, "application/json")], response)
            }),
        );
        self.running.spawn(async move {
            let _until_the_end = axum::serve(listener, router).await;
        });
        Ok(())
    }

    /// Starts a source that accepts requests and never responds. Returns its URL.
    pub(super) async fn start_hanging(&mut self) -> anyhow::Result<String> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}/", listener.local_addr()?);
        self.running.spawn(async move {
            let mut open = Vec::new();
            while let Ok((connection, _)) = listener.accept().await {
                open.push(connection);
            }
        });
        Ok(url)
    }

    /// Creates the administrator and the providers. Returns a token for the client.
    pub(super) async fn install(&self, app: &App) -> anyhow::Result<Secret> {
        ensure_admin(app).await?;
        corpus_provider::skip(app).await?;
        let admin = app.store.user_by_name("admin").await?;
        let now = app.clock.now();
        let spec = |(number, url): (usize, &String)| ProviderSpec {
            name: format!("Source {number}"),
            url: url.clone(),
            response_mappings: "FOUND=total,RESULTS=items".into(),
            result_mappings: "title=title,body=body,url=url,date_published=date".into(),
            results_per_query: self.workload.shape.results,
            ..ProviderSpec::default()
        };
        let specs = self.urls.iter().enumerate().map(spec).collect();
        app.store.create_providers(specs, admin.id, now).await?;
        token(app, admin.id).await
    }
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
