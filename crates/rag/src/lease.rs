//! Lease on the summary of a search: the store grants it to one process at a time.

use crate::context::RagContext;
use crate::error::SummaryError;
use crate::events::{Stage, SummaryEvent};
use crate::in_progress::Generation;
use crate::request::serves_request;
use domain::ids::SearchId;
use domain::instant::Instant;
use domain::ports::{StoreError, chain};
use domain::search::Search;
use domain::summary::StoredSummary;
use std::time::Duration;

/// Lifetime of a lease without renewal; after a crash, other processes wait this long.
pub(crate) const LEASE_TTL: Duration = Duration::from_secs(10);
/// Renewal interval, and so the delay until a cancellation by another process is noticed.
pub(crate) const RENEW_INTERVAL: Duration = Duration::from_secs(2);
/// Polling interval while another process holds the lease.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(250);

pub(crate) enum LeaseOutcome {
    Acquired,
    /// Another process generated the summary in the meantime.
    AlreadyGenerated(Box<StoredSummary>),
}

impl RagContext {
    /// Waits for the lease, or for an equivalent summary of another process.
    pub(crate) async fn acquire_lease(
        &self,
        search: &Search,
        generation: &Generation,
        lease_holder: &str,
    ) -> Result<LeaseOutcome, SummaryError> {
        let mut has_reported = false;
        loop {
            let now = self.context.clock.now();
            let is_ours = self.store.begin_summary(search.id, lease_holder, self.lease_end(), now).await?;
            // Checked with the lease as well: another process may just have finished.
            if let Some(answer) = self.federation.reader.saved_summary(search).await?
                && serves_request(&answer, search, &generation.request)
            {
                if is_ours {
                    self.store.end_summary(search.id, lease_holder).await?;
                }
                return Ok(LeaseOutcome::AlreadyGenerated(Box::new(answer)));
            }
            if is_ours {
                return Ok(LeaseOutcome::Acquired);
            }
            if !has_reported {
                generation.emit(SummaryEvent::stage(Stage::Waiting));
                has_reported = true;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Renews the lease; returns when it is lost.
    pub(crate) async fn hold_lease(&self, search: SearchId, lease_holder: &str) {
        loop {
            tokio::time::sleep(RENEW_INTERVAL).await;
            match self.store.renew_summary(search, lease_holder, self.lease_end()).await {
                Ok(true) => {}
                Ok(false) | Err(StoreError::NotFound) => return,
                // The lease outlasts several renewals; saving checks it again.
                Err(error) => tracing::warn!(
                    search.id = search.0,
                    %error,
                    "the right to answer search {search} could not be renewed: {}",
                    chain(&error)
                ),
            }
        }
    }

    fn lease_end(&self) -> Instant {
        self.context.clock.now() + LEASE_TTL
    }
}
