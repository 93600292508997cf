//! The background task of a scan. It may run twice: events are unique per person, document and message, and each run
//! starts its counts anew.

use super::scan::{Progress, ScanError, scan_mailbox};
use crate::{CacheParts, SemanticCache};
use async_trait::async_trait;
use domain::corpus::{Scan, ScanStatus};
use domain::ids::{ScanId, TaskId};
use domain::ports::{
    ClaimedTask, NewTask, QueueError, QueueName, ScanEnd, StoreError, TaskError, TaskHandler, chain,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Most attempts after a worker or the database was lost.
const ATTEMPTS_MAX: u32 = 3;
/// How often to check whether the owner canceled the scan; the scan itself may wait minutes for the mailbox.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// For one run of a scan.
const TIME_MAX: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ScanPayload {
    pub(super) scan: ScanId,
}

/// The task that runs the scan.
pub(super) fn task_of_scan(scan: &Scan) -> NewTask {
    NewTask {
        queue: QueueName::Corpus,
        name: ScanSentMail::NAME.to_owned(),
        payload: serde_json::json!(ScanPayload { scan: scan.scan_id }),
        attempts_max: ATTEMPTS_MAX,
        owner: Some(scan.user),
    }
}

pub async fn push(parts: &CacheParts, scan: &Scan) -> Result<TaskId, QueueError> {
    parts.queue.push(task_of_scan(scan).of_current_request()).await
}

/// Scans one person's sent mail; runs on the queue `corpus`.
pub struct ScanSentMail(pub Arc<SemanticCache>);

impl ScanSentMail {
    /// Task name.
    pub const NAME: &str = "scan_sent_mail";
}

#[async_trait]
impl TaskHandler for ScanSentMail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        let payload: ScanPayload = task.read_payload()?;
        Ok(run(&self.0.parts, payload.scan, task.attempt).await?)
    }
}

/// An error means: retry.
async fn run(parts: &CacheParts, id: ScanId, attempt: u32) -> Result<(), StoreError> {
    let scan = match parts.store.scan(id).await {
        Err(StoreError::NotFound) => return Ok(()),
        other => other?,
    };
    if scan.status.is_over() {
        return Ok(());
    }
    let mut progress = Progress::default();
    let ended = if parts.license.opens_cache() {
        tokio::select! {
            ended = within(TIME_MAX, scan_mailbox(parts, &scan, &mut progress)) => ended,
            stop = ended_elsewhere(parts, id) => Err(stop),
        }
    } else {
        Err(ScanError::failed("the license does not include the semantic cache"))
    };
    match ended {
        Ok(()) => end(parts, &scan, progress, None).await,
        Err(ScanError::Over) => Ok(()),
        Err(error @ ScanError::Failed { .. }) => end(parts, &scan, progress, Some(error)).await,
        Err(ScanError::Store(StoreError::NotFound)) => Ok(()), // the user and the scan were deleted
        Err(ScanError::Store(error)) if attempt < ATTEMPTS_MAX => Err(error),
        Err(ScanError::Store(error)) => {
            tracing::error!(scan.id = id.0, "a scan of sent mail failed: {}", chain(&error));
            end(parts, &scan, progress, Some(ScanError::failed("the records could not be written"))).await
        }
    }
}

/// Returns when the scan is finished or deleted.
async fn ended_elsewhere(parts: &CacheParts, id: ScanId) -> ScanError {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        match parts.store.scan(id).await {
            Ok(scan) if scan.status.is_over() => return ScanError::Over,
            Err(StoreError::NotFound) => return ScanError::Over,
            // The scan itself handles an unavailable store.
            Ok(_) | Err(_) => {}
        }
    }
}

async fn within(
    time_max: Duration,
    scan: impl Future<Output = Result<(), ScanError>>,
) -> Result<(), ScanError> {
    let late = |late| {
        let minutes = time_max.as_secs() / 60;
        let sentence =
            format!("the scan took longer than {minutes} minutes; choose fewer days and scan again");
        Err(ScanError::failed(sentence).caused_by(late))
    };
    tokio::time::timeout(time_max, scan).await.unwrap_or_else(late)
}

async fn end(
    parts: &CacheParts,
    scan: &Scan,
    progress: Progress,
    error: Option<ScanError>,
) -> Result<(), StoreError> {
    let Progress { counts, truncated } = progress;
    let status = if error.is_some() { ScanStatus::Failed } else { ScanStatus::Completed };
    let (id, channel) = (scan.scan_id, scan.channel.as_str());
    let (messages, found) = (counts.messages_seen, counts.matches + counts.candidates);
    match &error {
        None => tracing::info!(
            scan.id = id.0,
            channel,
            messages,
            "scan {id} saw {messages} messages and found {found} documents anew"
        ),
        Some(error) => tracing::warn!(
            scan.id = id.0,
            channel,
            messages,
            "scan {id} failed after {messages} messages: {}",
            chain(error)
        ),
    }
    // The owner sees the sentence without its causes.
    let error = error.map(|error| error.to_string()).unwrap_or_default();
    parts.store.end_scan(id, ScanEnd { status, counts, error, truncated }, parts.clock.now()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_scan_without_an_end_is_ended() {
        let began = tokio::time::Instant::now();
        let ended = within(TIME_MAX, std::future::pending()).await.unwrap_err();
        assert_eq!(
            ended.to_string(),
            "the scan took longer than 60 minutes; choose fewer days and scan again"
        );
        assert_eq!(began.elapsed().as_secs(), TIME_MAX.as_secs());
        assert!(within(TIME_MAX, async { Ok(()) }).await.is_ok());
    }
}
