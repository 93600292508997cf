//! Queries all selected providers concurrently, or some after the others, under one deadline.

use crate::provider::{ProviderRunInput, ResultSetTemplate, past_deadline};
use crate::response_memory::RunMemory;
use crate::search::log_text::without_query;
use crate::search::provider_queue::{FinishedProvider, ProviderQueue};
use crate::search::runner::SearchRunner;
use crate::search::transform_loader::RunTransforms;
use crate::timings::RunTimer;
use domain::ids::ProviderId;
use domain::ports::{ConnectorErrorKind, ProviderEnd};
use domain::provider::SearchProvider;
use domain::result::ResultSet;
use domain::search::Search;
use domain::search_run::{PlacedEntry, RunFindings};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What the providers of a run are queried with.
pub(crate) struct ProviderInput<'a> {
    pub query: &'a str,
    /// Providers that are queried after the others.
    pub later: &'a [ProviderId],
    pub transforms: &'a Arc<RunTransforms>,
    pub memory: &'a Arc<RunMemory>,
    pub deadline: Instant,
    pub timer: &'a RunTimer,
}

impl SearchRunner {
    /// Returns one result set per provider, in the order of the providers, and what they found. Never fails as a whole:
    /// the failure of a provider is the status of its own set.
    pub(crate) async fn fan_out(
        &self,
        search: &Search,
        providers: Vec<SearchProvider>,
        input: ProviderInput<'_>,
    ) -> (Vec<ResultSet>, RunFindings) {
        let ProviderInput { query, later, transforms, memory, deadline, timer } = input;
        let started = Instant::now();
        let is_only = providers.len() == 1;
        let search = Arc::new(search.clone());
        let mut queue = ProviderQueue::new(deadline);
        let (mut templates, mut spans) = (Vec::new(), Vec::new());
        for (position, provider) in providers.into_iter().enumerate() {
            let results_wanted =
                provider.results_wanted(is_only, search.spec.single_provider_results_requested);
            let timer = timer.add_provider(&provider);
            let run = self.provider_runs.create(ProviderRunInput {
                search: Arc::clone(&search),
                provider: Arc::new(provider),
                query: query.to_owned(),
                transforms: Arc::clone(transforms),
                memory: Arc::clone(memory),
                results_wanted,
                deadline,
                timer,
            });
            templates.push(run.result_set_template());
            let span = provider_span(run.provider.id);
            if later.contains(&run.provider.id) {
                queue.start_later(position, run, span.clone());
            } else {
                queue.start(position, run, span.clone());
            }
            spans.push(span);
        }
        let guard = self.progress.begin(search.id, search.run);
        let mut sets: Vec<Option<Arc<ResultSet>>> = templates.iter().map(|_| None).collect();
        let mut found: Vec<Vec<PlacedEntry>> = templates.iter().map(|_| Vec::new()).collect();
        let wait_until = queue.wait_until();
        while let Some(joined) = queue.next(wait_until).await {
            // A panicked task has no position; its set is filled in below, so that no other provider is blamed.
            let Ok(FinishedProvider { position, set, entries, took }) = joined else { continue };
            found[position] = entries;
            let set = match set {
                Some(set) => set,
                None => {
                    let template = &templates[position];
                    // One that was queried later had less time than the setting gives.
                    if !later.contains(&template.provider_id()) {
                        self.count_timeout(template);
                    }
                    template.timed_out(self.context.clock.now(), self.settings.timeout.0)
                }
            };
            spans[position].in_scope(|| self.observe(&set, took));
            timer.provider_ended(position, &set);
            let set = Arc::new(set);
            self.progress.provider_ended(search.run, &set);
            sets[position] = Some(set);
        }
        // Removed from the in-flight runs, so that a set without followers is moved instead of cloned.
        drop(guard);
        self.observer.federated(started.elapsed());
        let fill = |(position, set): (usize, Option<Arc<ResultSet>>)| {
            set.map(Arc::unwrap_or_clone).unwrap_or_else(|| {
                let set = self.panicked(&templates[position]);
                spans[position].in_scope(|| self.observe(&set, started.elapsed()));
                set
            })
        };
        let sets: Vec<ResultSet> = sets.into_iter().enumerate().map(fill).collect();
        let findings = RunFindings::join(&sets, found);
        (sets, findings)
    }

    /// Called in the span of the provider.
    fn observe(&self, set: &ResultSet, took: Duration) {
        let error = set.error.as_ref().map(|fault| fault.code.as_str());
        let name = &set.provider_name;
        self.observer.provider_ended(&ProviderEnd { provider: set.provider, name, error, took });
        let is_suspended = error == Some(ConnectorErrorKind::Suspended.code());
        let is_new = self.provider_runs.health.provider(set.provider).note_suspended(is_suspended);
        // A suspended provider is logged once, not at every search.
        let is_known = is_suspended && !is_new;
        log(set, took, is_known);
    }

    /// A failure of the provider, so that its breaker can open.
    fn count_timeout(&self, template: &ResultSetTemplate) {
        let health = self.provider_runs.health.provider(template.provider_id());
        health.failed(&past_deadline(), self.settings.source_backoff.0);
    }

    fn panicked(&self, template: &ResultSetTemplate) -> ResultSet {
        template.internal_error(self.context.clock.now())
    }
}

/// Log lines of a provider go to the search queue's log, apart from those of the search as a whole.
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
            "{name} returned {retrieved} of {found} results"
        ),
        Some(fault) if set.status.has_responded() => {
            let message = without_query(&fault.message, &set.query_string_to_provider);
            tracing::warn!(
                error = fault.code,
                retrieved,
                found,
                duration_s = seconds,
                "{name} returned {retrieved} of {found} results, then failed: {message}"
            );
        }
        Some(fault) => {
            let message = without_query(&fault.message, &set.query_string_to_provider);
            if is_known {
                tracing::debug!(error = fault.code, duration_s = seconds, "{name} failed: {message}");
            } else {
                tracing::warn!(error = fault.code, duration_s = seconds, "{name} failed: {message}");
            }
        }
    }
}
