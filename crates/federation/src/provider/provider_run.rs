//! One provider's part of a search.

use super::result_set::ResultSetTemplate;
use crate::cpu_pool::CpuPool;
use crate::provider_health::HealthRegistry;
use crate::response_memory::RunMemory;
use crate::search::transform_loader::RunTransforms;
use crate::timings::ProviderTimer;
use domain::known_secrets::KnownSecrets;
use domain::notice::{Notice, NoticeKind, reason};
use domain::ports::{
    Connector, ConnectorError, ConnectorErrorKind, PluginContext, PluginRegistry, RateLimitStore, ReadPages,
    SourceTokens,
};
use domain::provider::SearchProvider;
use domain::search::Search;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// One provider's part of a search.
pub(crate) struct ProviderRun {
    pub search: Arc<Search>,
    pub provider: Arc<SearchProvider>,
    pub plugins: PluginRegistry,
    pub context: PluginContext,
    pub tokens: Arc<dyn SourceTokens>,
    pub pages: Arc<dyn ReadPages>,
    pub cpu: CpuPool,
    pub memory: Arc<RunMemory>,
    pub health: Arc<HealthRegistry>,
    pub budgets: Arc<dyn RateLimitStore>,
    pub transforms: Arc<RunTransforms>,
    /// After the pre-query processors.
    pub query: String,
    pub results_wanted: u32,
    pub deadline: Instant,
    /// How long to pause a provider that is overloaded and does not say for how long.
    pub backoff: Duration,
    pub timer: ProviderTimer,
}

impl ProviderRun {
    /// Builds the connector, with the user's own token if the provider needs one, and collects the secrets that it
    /// sends.
    pub(crate) async fn build_connector(
        &self,
    ) -> Result<(Arc<dyn Connector>, Arc<KnownSecrets>), ConnectorError> {
        if self.provider.unreadable.is_any() {
            return Err(ConnectorError::new(
                ConnectorErrorKind::SecretsUnreadable,
                reason::secrets_unreadable(),
            ));
        }
        let name = &self.provider.spec.connector;
        let kind = self.plugins.connector(name).ok_or_else(|| {
            ConnectorError::new(
                ConnectorErrorKind::ConfigInvalid,
                format!("the connector '{name}' is not known"),
            )
        })?;
        let with_token = self.with_user_token(kind).await?;
        let provider = with_token.as_ref().unwrap_or(&self.provider);
        let connector = (kind.build)(provider, &self.context)?;
        Ok((Arc::from(connector), Arc::new(KnownSecrets::of(provider))))
    }

    /// Template for the result set of this provider, also if its run does not return.
    pub fn result_set_template(&self) -> ResultSetTemplate {
        let with = |own: &[String], search: &[String]| own.iter().chain(search).cloned().collect();
        ResultSetTemplate {
            search: Arc::clone(&self.search),
            provider: Arc::clone(&self.provider),
            query: self.query.clone(),
            query_processors: with(&self.provider.spec.query_processors, &self.search.spec.query_processors),
            result_processors: with(
                &self.provider.spec.result_processors,
                &self.search.spec.result_processors,
            ),
        }
    }

    pub(super) fn notice(&self, kind: NoticeKind) -> Notice {
        Notice::new(self.context.clock.now(), kind)
    }
}
