//! The path of a search. Knows contracts only, never a concrete plug-in.
//!
//! Read `run.rs` first: it is the path, top to bottom. `provider.rs` holds the steps of one provider.

mod conclude;
mod cpu;
mod events;
mod federate;
mod mix;
mod post_result;
mod pre_query;
mod provider;
mod request;
mod run;
mod select;
mod tasks;
mod wait;

pub use events::{SearchEvent, SearchEvents};
pub use mix::MixRequest;
pub use tasks::RunSearch;

use cpu::CpuPool;
use domain::contracts::{Catalogues, QueueError, Store, StoreError, TaskQueue, Toolbox};
use domain::status::SearchStatus;
use domain::validation::FieldErrors;
use std::sync::Arc;

/// What federation is given.
#[derive(Clone)]
pub struct FederationParts {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn TaskQueue>,
    pub catalogues: Catalogues,
    pub toolbox: Toolbox,
}

/// Takes searches, runs them, and mixes what they found.
pub struct Federation {
    store: Arc<dyn Store>,
    queue: Arc<dyn TaskQueue>,
    catalogues: Catalogues,
    toolbox: Toolbox,
    events: SearchEvents,
    cpu: CpuPool,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum FederationError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error("the request is not valid: {0}")]
    Invalid(FieldErrors),
    #[error("the search has not finished: {}", .0.as_str())]
    NotReady(SearchStatus),
}

impl Federation {
    pub fn new(parts: FederationParts) -> Self {
        let FederationParts { store, queue, catalogues, toolbox } = parts;
        Self { store, queue, catalogues, toolbox, events: SearchEvents::default(), cpu: CpuPool::new() }
    }

    /// What happens to searches that run in this process.
    pub fn events(&self) -> &SearchEvents {
        &self.events
    }
}
