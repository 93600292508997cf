//! The service under test: the whole of it, in a folder of its own, with the sources as its SearchProviders.

use crate::eval::client::Client;
use crate::eval::sources::Sources;
use crate::service::{Role, Service, ensure_admin};
use crate::wiring::Wired;
use anyhow::Context;
use domain::contracts::{ProviderStore, SearchStore, TokenStore, UserStore};
use domain::ids::SearchId;
use domain::secret::Secret;
use domain::settings::{Secs, Settings};
use domain::user::TokenSpec;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::task::JoinSet;

/// How long sources and searches may take: nothing is to be lost because the machine is slow.
const PATIENCE: Secs = Secs::new(60);

pub struct LabService {
    pub client: Client,
    /// Whether copies are listed under the best of them, or dropped.
    pub groups: bool,
    service: Service,
    _sources: JoinSet<()>,
    _folder: TempDir,
}

impl LabService {
    /// `settings` are in force, but for where the service lives and how long it waits.
    pub async fn start(settings: Settings, sources: &Arc<Sources>) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let settings = Settings {
            host: "127.0.0.1".to_owned(),
            port: 0,
            data_dir: folder.path().display().to_string(),
            database_url: Secret::default(),
            admin_password: Secret::default(),
            timeout: PATIENCE,
            search_http_connect_timeout: PATIENCE,
            search_http_read_timeout: PATIENCE,
            explain: true,
            ..settings
        };
        let groups = settings.dedupe_group_not_drop;
        let mut running = JoinSet::new();
        let providers = sources.serve(&mut running).await?;
        let wired = Wired::open(settings).await?;
        ensure_admin(&wired).await?;
        let admin = wired.store.user_by_name("admin").await?;
        let now = wired.clock.now();
        wired.store.create_providers(providers, admin.id, now).await?;
        let made = server::token::make();
        wired.store.create_token(admin.id, TokenSpec::default(), made.hash, made.prefix, now).await?;
        let service = Service::start(wired, &Role::all()).await?;
        let address = service.address.context("the lab has a web role")?;
        let client = Client::new(address, &made.token, PATIENCE.0)?;
        Ok(Self { client, groups, service, _sources: running, _folder: folder })
    }

    /// Deletes a search that has been measured, so that the database stays small.
    pub async fn forget(&self, search: i64) -> anyhow::Result<()> {
        Ok(self.service.wired().store.delete_search(SearchId(search)).await?)
    }

    pub async fn stop(self) {
        self.service.stop().await;
    }
}
