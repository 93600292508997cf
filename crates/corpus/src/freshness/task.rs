//! Background liveness checks for documents shown on a page of results.

use super::due::due;
use crate::SemanticCache;
use async_trait::async_trait;
use domain::ids::{SignalId, UserId};
use domain::ports::{ClaimedTask, NewTask, QueueName, TaskError, TaskHandler, chain};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most queued tasks before checks are skipped; a document that is shown again is checked then.
pub const WAITING_MAX: u64 = 500;
/// An interrupted check is not worth more attempts.
const ATTEMPTS_MAX: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
struct LivenessJob {
    asker: UserId,
    signals: Vec<SignalId>,
}

/// Queues one task for the documents of one page.
pub async fn push(cache: &SemanticCache, asker: UserId, signals: &[SignalId]) {
    if signals.is_empty() {
        return;
    }
    let queue = &cache.parts.queue;
    let pushed = match queue.depth(QueueName::Corpus).await {
        Ok(depth) if depth >= WAITING_MAX => return,
        Ok(_) => {
            let payload = serde_json::json!(LivenessJob { asker, signals: signals.to_vec() });
            let name = CheckLiveness::NAME.to_owned();
            let (attempts_max, owner) = (ATTEMPTS_MAX, Some(asker));
            let task = NewTask { queue: QueueName::Corpus, name, payload, attempts_max, owner };
            queue.push(task.of_current_request()).await
        }
        Err(error) => Err(error),
    };
    if let Err(error) = pushed {
        tracing::warn!("a check of cached documents could not be queued: {}", chain(&error));
    }
}

/// Runs a check task. Several tasks may name the same document; the first one checks it.
pub struct CheckLiveness(pub Arc<SemanticCache>);

impl CheckLiveness {
    pub const NAME: &'static str = "check_liveness";
}

#[async_trait]
impl TaskHandler for CheckLiveness {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        let job: LivenessJob = task.read_payload()?;
        if !self.0.parts.license.opens_cache() {
            return Ok(());
        }
        let signals = due(&self.0, &job.signals).await?;
        let time_max = self.0.parts.settings.cache_liveness_probe_timeout.0;
        self.0.check_all(signals, job.asker, time_max).await?;
        Ok(())
    }
}
