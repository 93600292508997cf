//! Observer: where crates report what happened, for the metrics.

use crate::answer::AnswerFault;
use crate::ids::ProviderId;
use crate::status::SearchStatus;
use std::time::Duration;

/// Hears of what happened. Telling is cheap, never waits and never fails; no query, user or secret is told.
pub trait Observer: Send + Sync {
    /// A run of a search ended; `took` counts from the moment when it was asked for.
    fn search_ended(&self, status: SearchStatus, took: Duration);
    /// All providers of a search were asked, and have answered or were cut off.
    fn federated(&self, took: Duration);
    /// A provider's part of a search ended. `error` is the code of its fault, if it has one.
    fn provider_ended(&self, provider: (ProviderId, &str), error: Option<&str>, took: Duration);
    /// The making of an AI summary ended here.
    fn answer_ended(&self, end: &AnswerEnd<'_>);
}

/// How the making of an AI summary ended.
#[derive(Debug, Clone)]
pub struct AnswerEnd<'a> {
    /// None: there is a text.
    pub fault: Option<AnswerFault>,
    pub took: Duration,
    /// The stages that it went through, by name.
    pub stages: &'a [(&'static str, Duration)],
    /// Of a text that a model wrote here.
    pub model: Option<ModelUse<'a>>,
}

/// What a model was used for one summary.
#[derive(Debug, Clone, Copy)]
pub struct ModelUse<'a> {
    /// The name of its AIProvider.
    pub provider: &'a str,
    pub model: &'a str,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn search_ended(&self, _status: SearchStatus, _took: Duration) {}
    fn federated(&self, _took: Duration) {}
    fn provider_ended(&self, _provider: (ProviderId, &str), _error: Option<&str>, _took: Duration) {}
    fn answer_ended(&self, _end: &AnswerEnd<'_>) {}
}
