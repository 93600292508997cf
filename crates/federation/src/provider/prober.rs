//! Provider probe: a dry run and a live test of one provider. Nothing is stored.

use super::factory::{ProviderRunFactory, ProviderRunInput};
use super::provider_run::ProviderRun;
use crate::error::FederationError;
use crate::provider_health::HealthState;
use crate::search::transform_loader::TransformLoader;
use crate::timings::ProviderTimer;
use domain::ids::{ProviderId, RunNumber, SearchId, UserId};
use domain::ports::{
    Capability, ConnectorError, ConnectorErrorKind, PluginContext, PluginRegistry, SourceTokens,
};
use domain::provider::SearchProvider;
use domain::provider_probe::{DryRequest, DryRun, ProviderProbe};
use domain::result::ProviderError;
use domain::search::{Search, SearchSpec, Sort};
use domain::secret::Secret;
use domain::status::SearchStatus;
use domain::user::Principal;
use domain::validation::FieldErrors;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Checks and probes providers, one at a time.
pub struct ProviderProber {
    pub(crate) plugins: PluginRegistry,
    pub(crate) context: PluginContext,
    pub(crate) tokens: Arc<dyn SourceTokens>,
    pub(crate) transforms: Arc<TransformLoader>,
    pub(crate) provider_runs: Arc<ProviderRunFactory>,
    /// The time limit of a probe.
    pub(crate) timeout: Duration,
}

impl ProviderProber {
    /// The requests that this query would send to the provider, one per page, with every secret masked.
    pub async fn dry_run(
        &self,
        provider: &SearchProvider,
        owner: &Principal,
        query: &str,
        sort: Sort,
    ) -> Result<DryRun, FederationError> {
        let run = self.probe_run(provider, owner, query, sort).await?;
        Ok(match requests(&run).await {
            Ok(requests) => DryRun { requests, error: None },
            Err(error) => {
                let fault = ProviderError { code: error.kind.code().to_owned(), message: error.to_string() };
                DryRun { requests: Vec::new(), error: Some(fault) }
            }
        })
    }

    /// Queries this provider alone, as a search would, and reports the outcome.
    pub async fn probe(
        &self,
        provider: &SearchProvider,
        owner: &Principal,
        query: &str,
        sort: Sort,
    ) -> Result<ProviderProbe, FederationError> {
        let run = self.probe_run(provider, owner, query, sort).await?;
        let (template, deadline) = (run.result_set_template(), run.deadline);
        let set = match timeout_at(deadline, run.run()).await {
            Ok(set) => set,
            Err(_) => template.timed_out(self.context.clock.now(), self.timeout),
        };
        Ok(ProviderProbe {
            status: if set.status.has_delivered() { "OK" } else { "FAIL" },
            provider: set.provider_name,
            found: set.found,
            retrieved: set.retrieved,
            time: set.time_s,
            sample: set.items.into_iter().next(),
            error: set.error,
        })
    }

    /// Errors of a provider whose fields are valid by themselves but not in this installation, such as a folder that
    /// may not be searched here. An inactive provider may be saved before it is complete.
    pub fn check_against_installation(&self, provider: &SearchProvider) -> FieldErrors {
        let kind = self.plugins.connector(&provider.spec.connector);
        // A bundled provider has placeholders such as `<your-domain>` until they are filled in.
        let is_complete =
            provider.spec.active && !provider.spec.url.contains('<') && !provider.unreadable.is_any();
        let Some(kind) = kind.filter(|_| is_complete) else { return FieldErrors::default() };
        match (kind.build)(provider, &self.context) {
            Err(error) if error.kind == ConnectorErrorKind::ConfigInvalid => {
                match error.field.filter(|field| kind.settings.contains(field)) {
                    Some(field) => FieldErrors::one(field, error.message),
                    None => FieldErrors::one("connector", error.to_string()),
                }
            }
            _ => FieldErrors::default(),
        }
    }

    /// Capabilities of the provider; None if its connector cannot be built from the fields.
    pub fn capability(&self, provider: &SearchProvider) -> Option<Capability> {
        let kind = self.plugins.connector(&provider.spec.connector)?;
        // The capabilities do not depend on the user, so no real token is needed here.
        let provider = SearchProvider { user_token: Some(Secret::new("none")), ..provider.clone() };
        (kind.build)(&provider, &self.context).ok().map(|connector| connector.capability())
    }

    /// Why the user cannot query the provider now, if it needs an account that is not connected.
    pub async fn missing_connection(&self, user: UserId, provider: &SearchProvider) -> Option<String> {
        let authenticator = self.plugins.authenticator_of(provider)?;
        self.tokens.access_token(user, authenticator).await.err().map(|error| error.to_string())
    }

    /// State of a provider's circuit breaker in this process; None if the provider was not queried yet.
    pub fn health(&self, provider: ProviderId) -> Option<HealthState> {
        self.provider_runs.health.state(provider)
    }

    /// Closes the circuit breaker of a provider.
    pub fn reset_health(&self, provider: ProviderId) {
        self.provider_runs.health.reset(provider);
    }

    /// A run of a search that exists only in memory.
    async fn probe_run(
        &self,
        provider: &SearchProvider,
        owner: &Principal,
        query: &str,
        sort: Sort,
    ) -> Result<ProviderRun, FederationError> {
        let spec = SearchSpec { sort, ..SearchSpec::of_query(query) };
        let errors = spec.check();
        if !errors.is_empty() {
            return Err(FederationError::Invalid(errors));
        }
        let now = self.context.clock.now();
        let search = Search {
            id: SearchId(0),
            owner: owner.user,
            spec,
            query_string_processed: query.to_owned(),
            status: SearchStatus::Federating,
            notices: Vec::new(),
            time_s: 0.0,
            run: RunNumber(0),
            date_created: now,
            date_updated: now,
        };
        let transforms =
            self.transforms.run_transforms(&search, owner, std::slice::from_ref(provider)).await?;
        let mut run = self.provider_runs.create(ProviderRunInput {
            search: Arc::new(search),
            provider: Arc::new(provider.clone()),
            query: query.to_owned(),
            transforms,
            memory: self.provider_runs.memory.for_run(),
            results_wanted: provider.results_wanted_alone(None),
            deadline: Instant::now() + self.timeout,
            timer: ProviderTimer::default(),
        });
        // An unsaved provider has no health history, and leaves none.
        if provider.id == ProviderId(0) {
            run.health = Arc::default();
        }
        Ok(run)
    }
}

async fn requests(run: &ProviderRun) -> Result<Vec<DryRequest>, ConnectorError> {
    let (connector, secrets) = run.build_connector().await?;
    let query = run.process_query(&mut Vec::new()).await?;
    let query_input = run.query_input(&connector, query).await?;
    let pages = connector.pages(run.results_wanted).max(1);
    let place = run.provider.spec.url.as_str();
    let request = |page| {
        let request = run.prepare_request(&connector, &query_input, page)?;
        Ok(DryRequest::of(request.description(), place).masked(&secrets))
    };
    (0..pages).map(request).collect()
}
