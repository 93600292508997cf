//! Observer: reports of events for the metrics.

use crate::ids::ProviderId;
use crate::status::SearchStatus;
use crate::summary::SummaryFault;
use std::time::Duration;

/// Receives events. Calls are cheap, never wait and never fail; they contain no query, user or secret.
pub trait Observer: Send + Sync {
    /// A run of a search finished; `took` counts from the request.
    fn search_ended(&self, status: SearchStatus, took: Duration);
    /// All providers of a search have responded or were cut off.
    fn federated(&self, took: Duration);
    /// A provider finished its part of a search.
    fn provider_ended(&self, end: &ProviderEnd<'_>);
    /// The generation of a summary finished in this process.
    fn summary_ended(&self, end: &SummaryEnd<'_>);
}

/// Outcome of a provider's part of a search.
#[derive(Debug, Clone, Copy)]
pub struct ProviderEnd<'a> {
    pub provider: ProviderId,
    /// The name of the provider.
    pub name: &'a str,
    /// The code of its error, if any.
    pub error: Option<&'a str>,
    pub took: Duration,
}

/// Outcome of the generation of a summary.
#[derive(Debug, Clone)]
pub struct SummaryEnd<'a> {
    /// None: there is a text.
    pub fault: Option<SummaryFault>,
    pub took: Duration,
    /// Durations of its stages, by name.
    pub stages: &'a [(&'static str, Duration)],
    /// Present if a model wrote the text here.
    pub model: Option<ModelUse<'a>>,
}

/// Use of a model for one summary.
#[derive(Debug, Clone, Copy)]
pub struct ModelUse<'a> {
    /// The name of the AI provider.
    pub provider: &'a str,
    pub model: &'a str,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

/// Ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn search_ended(&self, _status: SearchStatus, _took: Duration) {}
    fn federated(&self, _took: Duration) {}
    fn provider_ended(&self, _end: &ProviderEnd<'_>) {}
    fn summary_ended(&self, _end: &SummaryEnd<'_>) {}
}
