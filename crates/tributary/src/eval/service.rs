//! The service under test, in a temporary folder, with the sources as SearchProviders.

use crate::app::{App, FileReaders};
use crate::eval::client::Client;
use crate::eval::sources::Sources;
use crate::second_reader;
use crate::service::{Role, Service, ensure_admin};
use anyhow::Context;
use domain::ids::SearchId;
use domain::ports::{ProviderStore, SearchEdits, TokenStore, UserStore};
use domain::secret::Secret;
use domain::settings::{Seconds, Settings};
use domain::user::TokenSpec;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::task::JoinSet;

/// Time limit of sources and searches; generous, so that a slow machine loses no results.
const PATIENCE: Seconds = Seconds::new(60);

pub struct LabService {
    pub client: Client,
    /// Whether duplicates are grouped instead of dropped.
    pub groups: bool,
    service: Service,
    _sources: JoinSet<()>,
    _folder: TempDir,
}

impl LabService {
    /// Starts the service with these settings, except for its address, folder and timeouts.
    pub async fn start(settings: Settings, sources: &Arc<Sources>) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        if settings.second_reader {
            let installed = second_reader::model_path(Path::new(&settings.data_dir));
            std::fs::copy(&installed, second_reader::model_path(folder.path())).with_context(|| {
                format!("{} cannot be read; run: tributary reader install PATH", installed.display())
            })?;
        }
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
        let (groups, has_second_reader) = (settings.dedupe_group_not_drop, settings.second_reader);
        let mut running = JoinSet::new();
        let providers = sources.serve(&mut running).await?;
        let app = App::build(settings, FileReaders::Threads).await?;
        ensure_admin(&app).await?;
        let admin = app.store.user_by_name("admin").await?;
        let now = app.clock.now();
        app.store.create_providers(providers, admin.id, now).await?;
        let made = server::token::make();
        app.store.create_token(admin.id, TokenSpec::default(), made.hash, made.prefix, now).await?;
        let service = Service::start(app, &Role::all()).await?;
        let address = service.address.context("the lab has no listener")?;
        let client = Client::new(address, &made.token, PATIENCE.0)?;
        let client = if has_second_reader { client.in_better_order() } else { client };
        Ok(Self { client, groups, service, _sources: running, _folder: folder })
    }

    /// Deletes a measured search, to keep the database small.
    pub async fn forget(&self, search: i64) -> anyhow::Result<()> {
        Ok(self.service.app().store.delete_search(SearchId(search)).await?)
    }

    pub async fn stop(self) {
        self.service.stop().await;
    }
}
