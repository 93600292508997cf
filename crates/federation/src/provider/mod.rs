//! The steps of one provider, in the order of the interface: query, ask, results.

mod ask;
mod asked;
mod connected;
mod question;
mod results;

pub(crate) use asked::Asked;
pub(crate) use question::Question;

pub use connected::authenticator_of;

use crate::answer_memory::RunMemory;
use crate::cpu::CpuPool;
use crate::query_step::{QuerySteps, StepError};
use crate::sources::{Sources, Verdict, whole_seconds};
use crate::transforms::RunTransforms;
use domain::contracts::{
    Connector, ConnectorError, ConnectorErrorKind, PluginContext, PluginRegistry, QueryContext, ReadPages,
    SourceBudgetStore, SourceTokens,
};
use domain::instant;
use domain::known_secrets::KnownSecrets;
use domain::message;
use domain::provider::SearchProvider;
use domain::result::{ProviderFault, ResultSet};
use domain::search::Search;
use domain::status::ProviderStatus;
use std::sync::Arc;
use tokio::time::Instant;

/// Everything that one provider's part of a search needs.
pub(crate) struct ProviderRun {
    pub search: Arc<Search>,
    pub provider: Arc<SearchProvider>,
    pub plugins: PluginRegistry,
    pub context: PluginContext,
    pub tokens: Arc<dyn SourceTokens>,
    pub pages: Arc<dyn ReadPages>,
    pub cpu: CpuPool,
    pub memory: Arc<RunMemory>,
    pub sources: Arc<Sources>,
    pub budgets: Arc<dyn SourceBudgetStore>,
    pub transforms: Arc<RunTransforms>,
    /// After the pre-query processors.
    pub query: String,
    pub results_wanted: u32,
    pub deadline: Instant,
}

impl ProviderRun {
    /// Runs all steps. Never fails: what went wrong is in the set, and is noted for the source.
    pub async fn run(self) -> ResultSet {
        let started = Instant::now();
        let source = self.sources.source(self.provider.id);
        let mut set = self.asked().empty(self.context.clock.now());
        if let Some(reason) = refusal(source.admit()) {
            self.fail(&mut set, ConnectorError::new(ConnectorErrorKind::Suspended, reason));
            return set;
        }
        match self.steps(&mut set).await {
            Ok(()) => source.succeeded(),
            Err(error) => {
                source.failed(&error, self.context.settings.source_backoff.0);
                // The request's own time limit is the same to a reader as the deadline of the search.
                if error.kind == ConnectorErrorKind::Timeout {
                    return self.asked().timed_out(self.context.clock.now(), started.elapsed());
                }
                self.fail(&mut set, error);
            }
        }
        set.time_s = instant::tenths(started.elapsed());
        set
    }

    fn fail(&self, set: &mut ResultSet, error: ConnectorError) {
        let (status, line) = match error.kind {
            ConnectorErrorKind::NotConnected => {
                (ProviderStatus::NotConnected, message::provider_failed(&set.provider_name, &error.message))
            }
            ConnectorErrorKind::Suspended => {
                (ProviderStatus::Suspended, message::provider_suspended(&set.provider_name, &error.message))
            }
            _ => (ProviderStatus::Error, message::provider_failed(&set.provider_name, &error.message)),
        };
        set.messages.push(self.stamped(&line));
        set.status = status;
        set.error = Some(ProviderFault { code: error.kind.code().to_owned(), message: error.message });
        (set.found, set.retrieved) = (0, 0);
        set.items.clear();
    }

    /// What a source repeats of the secrets that it was sent is masked here, before anybody sees it.
    async fn steps(&self, set: &mut ResultSet) -> Result<(), ConnectorError> {
        let (connector, secrets) = self.connector().await?;
        let done = self.ask_and_process(set, &connector, &secrets).await;
        set.messages.iter_mut().for_each(|line| secrets.mask_in_place(line));
        done.map_err(|mut error| {
            secrets.mask_in_place(&mut error.message);
            error
        })
    }

    async fn ask_and_process(
        &self,
        set: &mut ResultSet,
        connector: &Arc<dyn Connector>,
        secrets: &Arc<KnownSecrets>,
    ) -> Result<(), ConnectorError> {
        let query = self.process_query(&mut set.messages).await?;
        set.query_string_to_provider.clone_from(&query);
        let question = self.question(connector, query).await?;
        let answer = self.ask(connector, &question, secrets, set).await?;
        set.messages.extend(connector.remarks().iter().map(|line| self.stamped(line)));
        self.process_results(set, answer, secrets).await
    }

    /// The connector, with the asking person's own token where the source needs one, and the secrets that it sends.
    pub(crate) async fn connector(&self) -> Result<(Arc<dyn Connector>, Arc<KnownSecrets>), ConnectorError> {
        if self.provider.unreadable.is_any() {
            return Err(ConnectorError::new(
                ConnectorErrorKind::SecretsUnreadable,
                message::secrets_unreadable(),
            ));
        }
        let name = &self.provider.spec.connector;
        let kind = self.plugins.connector(name).ok_or_else(|| {
            ConnectorError::new(
                ConnectorErrorKind::ConfigInvalid,
                format!("the connector '{name}' is not known"),
            )
        })?;
        let connected = self.connected(kind).await?;
        let provider = connected.as_ref().unwrap_or(&self.provider);
        let connector = (kind.build)(provider, &self.context)?;
        Ok((Arc::from(connector), Arc::new(KnownSecrets::of(provider))))
    }

    /// The provider's query processors, then the search's own.
    pub(crate) async fn process_query(&self, messages: &mut Vec<String>) -> Result<String, ConnectorError> {
        let mut query = self.query.clone();
        if self.search.spec.is_native() {
            return Ok(query);
        }
        let cx =
            QueryContext { search: &self.search, provider: Some(&self.provider), context: &self.context };
        let steps = QuerySteps { plugins: self.plugins, transforms: &self.transforms, cpu: &self.cpu };
        let names = self.provider.spec.query_processors.iter().chain(&self.search.spec.query_processors);
        for name in names {
            let applied = match steps.take(name, &query, &cx).await {
                Ok(applied) => applied,
                Err(StepError::Unknown) => return Err(unknown_processor(name)),
                Err(StepError::Failed(reason)) => {
                    messages.push(self.stamped(&message::processor_failed(name, &reason)));
                    continue;
                }
            };
            if applied.is_cut {
                messages.push(self.stamped(&message::transform_cut(name)));
            }
            if applied.query.trim().is_empty() {
                return Err(ConnectorError::new(
                    ConnectorErrorKind::QueryInvalid,
                    format!("{name} left nothing of the query to ask for"),
                ));
            }
            if applied.query != query {
                let line = message::rewrote_provider_query(name, &self.provider.spec.name, &applied.query);
                messages.push(self.stamped(&line));
                query = applied.query;
            }
        }
        Ok(query)
    }

    /// Who was asked: kept apart, so that a set can be made for a provider whose run never came back.
    pub fn asked(&self) -> Asked {
        let with = |own: &[String], search: &[String]| own.iter().chain(search).cloned().collect();
        Asked {
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

    pub(super) fn stamped(&self, line: &str) -> String {
        message::at(self.context.clock.now(), line)
    }
}

/// Why the source is left alone, if it is.
fn refusal(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Ask => None,
        Verdict::Resting(left) => Some(message::resting(whole_seconds(left))),
        Verdict::Open(left) => Some(message::breaker_open(whole_seconds(left))),
    }
}

pub(super) fn unknown_processor(name: &str) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, format!("the processor '{name}' is not known"))
}

pub(super) fn failed_inside() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, "the answer could not be processed")
}
