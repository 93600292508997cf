//! The sample sources of `tributary demo`: a fictional maker of river instruments.
//!
//! Three kinds of source exercise three connector paths: an SQLite file, a JSON API and an XML feed. Two more contain
//! contracts in several versions, for curators.

mod contracts;
mod documents;
mod library;
pub mod license;
mod newsroom;
mod providers;
pub mod settings;
mod tickets;
pub mod versions;
mod words;

use crate::app::App;
use crate::command::replace_by_name;
use anyhow::Context;
use axum::Router;
use chrono::TimeDelta;
use domain::ai_provider::{AiProviderSpec, EXTRACTIVE_MODEL};
use domain::ports::{AiProviderStore, StoreError, UserStore};
use domain::settings::SAMPLE_LIBRARY_FILE;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The running sample sources; stopped on drop.
pub struct Samples {
    pub library_file: PathBuf,
    pub address: SocketAddr,
    _server: JoinSet<()>,
}

impl Samples {
    /// Writes the library database and serves the other sources on a free loopback port.
    pub async fn start(folder: &Path) -> anyhow::Result<Self> {
        let library_file = std::path::absolute(folder.join(SAMPLE_LIBRARY_FILE))?;
        library::write(&library_file).await.context("the sample library cannot be written")?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let router =
            Router::new().merge(tickets::router()?).merge(newsroom::router()?).merge(contracts::router()?);
        let router = router.merge(documents::router()?);
        let mut server = JoinSet::new();
        server.spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!("the sample sources stopped: {error}");
            }
        });
        Ok(Self { library_file, address, _server: server })
    }
}

/// Creates the providers or updates their URLs, and enables extractive AI summaries.
pub async fn install(app: &App, samples: &Samples) -> anyhow::Result<()> {
    let owner = app.store.user_by_name("admin").await?;
    for spec in providers::specs(samples)? {
        match app.by_command().create_providers(vec![spec.clone()], owner.id, app.clock.now()).await {
            Ok(_) => {}
            Err(StoreError::Taken(_)) => replace_by_name(app, spec).await?,
            Err(error) => return Err(error.into()),
        }
    }
    enable_extractive_summaries(app).await
}

/// Enables extractive summaries, unless someone has changed the model.
async fn enable_extractive_summaries(app: &App) -> anyhow::Result<()> {
    let now = app.clock.now();
    for provider in app.store.ai_providers().await? {
        let is_untouched = provider.date_updated == provider.date_created;
        if provider.spec.model == EXTRACTIVE_MODEL && is_untouched && !provider.spec.active {
            let spec = AiProviderSpec { active: true, ..provider.spec };
            // The timestamps must differ, so that the next start recognizes the record as changed.
            let now = now.max(provider.date_updated + TimeDelta::seconds(1));
            app.by_command().replace_ai_provider(provider.id, spec, now).await?;
        }
    }
    Ok(())
}
