//! Progress notifications of one call.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::sync::atomic::{AtomicU32, Ordering};

/// Sends numbered steps to a client that requested progress.
pub(crate) struct Progress {
    listener: Option<(Peer<RoleServer>, ProgressToken)>,
    steps: AtomicU32,
}

impl Progress {
    pub fn to(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        Self { listener: token.map(|token| (peer, token)), steps: AtomicU32::new(0) }
    }

    pub async fn report(&self, message: impl Into<String>) {
        let Some((peer, token)) = &self.listener else { return };
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let note = ProgressNotificationParam::new(token.clone(), f64::from(step)).with_message(message);
        if let Err(error) = peer.notify_progress(note).await {
            tracing::debug!("progress could not be sent: {error}");
        }
    }
}
