//! All selected providers at once, under one deadline.

use crate::Federation;
use crate::answer_memory::{RunFetch, RunMemory};
use crate::log_text::without_query;
use crate::provider::{Asked, ProviderRun};
use crate::transforms::RunTransforms;
use domain::contracts::{ConnectorError, ConnectorErrorKind, PluginContext};
use domain::ids::ProviderId;
use domain::provider::SearchProvider;
use domain::result::ResultSet;
use domain::search::Search;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

impl Federation {
    /// One set for each provider, in the order of the providers. Cannot fail as a whole:
    /// a provider's failure is its own set's status.
    pub(crate) async fn federate(
        &self,
        search: &Search,
        providers: Vec<SearchProvider>,
        (query, transforms): (&str, &Arc<RunTransforms>),
        (memory, deadline): (&Arc<RunMemory>, Instant),
    ) -> Vec<ResultSet> {
        let started = Instant::now();
        let is_only = providers.len() == 1;
        let search = Arc::new(search.clone());
        let mut running = JoinSet::new();
        let mut asked = Vec::new();
        for (position, provider) in providers.into_iter().enumerate() {
            let run = ProviderRun {
                results_wanted: provider
                    .results_wanted(is_only, search.spec.single_provider_results_requested),
                search: Arc::clone(&search),
                provider: Arc::new(provider),
                plugins: self.plugins,
                context: self.context_of_run(memory),
                tokens: Arc::clone(&self.tokens),
                pages: Arc::clone(&self.pages),
                cpu: self.cpu.clone(),
                memory: Arc::clone(memory),
                sources: Arc::clone(&self.sources),
                budgets: self.store.clone(),
                transforms: Arc::clone(transforms),
                query: query.to_owned(),
                deadline,
            };
            asked.push(run.asked());
            let span = provider_span(run.provider.id);
            let asking = async move {
                let started = Instant::now();
                let answer = timeout_at(deadline, run.run()).await.ok();
                (position, answer, started.elapsed())
            };
            running.spawn(asking.instrument(span));
        }
        let begun = self.events.begin(search.id, search.run);
        let mut sets: Vec<Option<Arc<ResultSet>>> = asked.iter().map(|_| None).collect();
        while let Some(joined) = running.join_next().await {
            // A panicked task has no position; its set stays empty and is filled in below, so that
            // no other provider is blamed for it.
            let Ok((position, answer, took)) = joined else { continue };
            let set = match answer {
                Some(set) => set,
                None => self.timed_out(&asked[position]),
            };
            self.observe(&set, took);
            let set = Arc::new(set);
            self.events.provider_ended(search.run, &set);
            sets[position] = Some(set);
        }
        // Off the board, so that a set which nobody follows is taken and not copied.
        drop(begun);
        self.observer.federated(started.elapsed());
        let fill = |(position, set): (usize, Option<Arc<ResultSet>>)| {
            set.map(Arc::unwrap_or_clone).unwrap_or_else(|| {
                let set = self.panicked(&asked[position]);
                self.observe(&set, started.elapsed());
                set
            })
        };
        sets.into_iter().enumerate().map(fill).collect()
    }

    /// The tools of the connectors of one run: the answers that they read are counted for it.
    pub(crate) fn context_of_run(&self, memory: &Arc<RunMemory>) -> PluginContext {
        let fetch = RunFetch { fetch: Arc::clone(&self.context.fetch), memory: Arc::clone(memory) };
        PluginContext { fetch: Arc::new(fetch), ..self.context.clone() }
    }

    fn observe(&self, set: &ResultSet, took: Duration) {
        let error = set.error.as_ref().map(|fault| fault.code.as_str());
        self.observer.provider_ended((set.provider, &set.provider_name), error, took);
        let is_suspended = error == Some(ConnectorErrorKind::Suspended.code());
        let is_new = self.sources.source(set.provider).note_suspended(is_suspended);
        // A source that rests is told once, not at every search.
        let is_known = is_suspended && !is_new;
        provider_span(set.provider).in_scope(|| log(set, took, is_known));
    }

    /// The deadline cut it off; its source is noted as failed, so that its breaker can open.
    fn timed_out(&self, asked: &Asked) -> ResultSet {
        let error = ConnectorError::new(ConnectorErrorKind::Timeout, "the deadline");
        self.sources.source(asked.provider_id()).failed(&error, self.context.settings.source_backoff.0);
        asked.timed_out(self.context.clock.now(), self.context.settings.timeout.0)
    }

    fn panicked(&self, asked: &Asked) -> ResultSet {
        asked.failed_inside(self.context.clock.now())
    }
}

/// What one provider does stands in the log of the workers of searches, apart from the search as a whole.
fn provider_span(id: ProviderId) -> tracing::Span {
    tracing::info_span!("provider", queue = "search", provider.id = id.0)
}

fn log(set: &ResultSet, took: Duration, is_known: bool) {
    let ResultSet { provider_name: name, retrieved, found, .. } = set;
    let seconds = took.as_secs_f64();
    match &set.error {
        None => tracing::info!(
            retrieved,
            found,
            duration_s = seconds,
            "{name} gave {retrieved} of {found} results"
        ),
        Some(fault) => {
            let message = without_query(&fault.message, &set.query_string_to_provider);
            match is_known {
                true => tracing::debug!(error = fault.code, duration_s = seconds, "{name} failed: {message}"),
                false => tracing::warn!(error = fault.code, duration_s = seconds, "{name} failed: {message}"),
            }
        }
    }
}
