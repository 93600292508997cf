//! The sample sources of `tributary demo`: an invented maker of river instruments.
//!
//! Three kinds of source, so that three ways in are really walked: an SQLite file, a JSON API and an XML feed. Two more hold
//! contracts in several versions, for curators.

mod contracts;
mod documents;
mod library;
pub mod license;
mod newsroom;
mod providers;
mod tickets;
pub mod versions;
mod words;

use crate::command::replace_by_name;
use crate::wiring::Wired;
use anyhow::Context;
use axum::Router;
use chrono::TimeDelta;
use domain::ai_provider::{AiProviderSpec, EXTRACTIVE_MODEL};
use domain::contracts::{AiProviderStore, StoreError, UserStore};
use domain::settings::SAMPLE_LIBRARY_FILE;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The running sample sources; they stop when this is dropped.
pub struct Samples {
    pub library_file: PathBuf,
    pub address: SocketAddr,
    _server: JoinSet<()>,
}

impl Samples {
    /// Writes the library's database and serves the other two on a free port of loopback.
    pub async fn start(folder: &Path) -> anyhow::Result<Self> {
        let library_file = std::path::absolute(folder.join(SAMPLE_LIBRARY_FILE))?;
        library::write(&library_file).await.context("the sample library cannot be written")?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let app =
            Router::new().merge(tickets::router()?).merge(newsroom::router()?).merge(contracts::router()?);
        let app = app.merge(documents::router()?);
        let mut server = JoinSet::new();
        server.spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                tracing::error!("the sample sources stopped: {error}");
            }
        });
        Ok(Self { library_file, address, _server: server })
    }
}

/// Adds the providers, or gives them the sources' present addresses, and lets answers be made of them.
pub async fn install(wired: &Wired, samples: &Samples) -> anyhow::Result<()> {
    let owner = wired.store.user_by_name("admin").await?;
    for spec in providers::specs(samples)? {
        match wired.by_command().create_providers(vec![spec.clone()], owner.id, wired.clock.now()).await {
            Ok(_) => {}
            Err(StoreError::Taken(_)) => replace_by_name(wired, spec).await?,
            Err(error) => return Err(error.into()),
        }
    }
    answer_without_a_model(wired).await
}

/// Answers are picked out of the sources here, unless somebody has changed that.
async fn answer_without_a_model(wired: &Wired) -> anyhow::Result<()> {
    let now = wired.clock.now();
    for provider in wired.store.ai_providers().await? {
        let is_untouched = provider.date_updated == provider.date_created;
        if provider.spec.model == EXTRACTIVE_MODEL && is_untouched && !provider.spec.active {
            let spec = AiProviderSpec { active: true, ..provider.spec };
            // The times must differ, so that the next start sees that it was touched.
            let now = now.max(provider.date_updated + TimeDelta::seconds(1));
            wired.by_command().replace_ai_provider(provider.id, spec, now).await?;
        }
    }
    Ok(())
}
