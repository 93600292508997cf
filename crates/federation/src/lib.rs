//! The path of a search. Knows contracts only, never a concrete plug-in.

mod events;

pub use events::{SearchEvent, SearchEvents};

use domain::contracts::{Catalogues, Clock, Store, StoreError, TaskQueue, Toolbox};
use domain::ids::{ProviderId, SearchId};
use domain::mixed::MixedResponse;
use domain::search::{Search, SearchDraft};
use domain::settings::Settings;
use domain::status::SearchStatus;
use domain::user::Principal;
use domain::validation::FieldErrors;
use std::sync::Arc;
use std::time::Duration;

/// What federation is given.
#[derive(Clone)]
pub struct FederationParts {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn TaskQueue>,
    pub catalogues: Catalogues,
    pub toolbox: Toolbox,
}

/// How a page of mixed results is asked for.
#[derive(Debug, Clone)]
pub struct MixRequest {
    /// None: the search's own mixer.
    pub mixer: Option<String>,
    /// From 1.
    pub page: u32,
    /// Only this provider's results.
    pub provider: Option<ProviderId>,
    /// None: as `SVC_EXPLAIN` says.
    pub explain: Option<bool>,
    /// Scheme, host and API prefix for links, such as `http://127.0.0.1:8000/svc`; no slash at the end.
    pub base_url: String,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum FederationError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] domain::contracts::QueueError),
    #[error("the request is not valid: {0}")]
    Invalid(FieldErrors),
    #[error("the search has not finished: {}", .0.as_str())]
    NotReady(SearchStatus),
}
