//! Unfinished scans without a live task: the process ended between storing the record and queuing the task, or the
//! task was lost.

use super::ScanSentMail;
use super::task::{ScanPayload, task_of_scan};
use async_trait::async_trait;
use domain::corpus::{Scan, ScanStatus};
use domain::ids::ScanId;
use domain::instant::Instant;
use domain::ports::{AcceptedWork, OrphanedWork, ScanEnd, StoreError, TaskError, UnfinishedTask};
use std::collections::HashSet;

#[async_trait]
impl AcceptedWork for ScanSentMail {
    async fn orphans(&self, before: Instant) -> Result<Vec<OrphanedWork>, TaskError> {
        Ok(self.find(before).await?)
    }

    async fn fail(&self, id: i64) -> Result<(), TaskError> {
        Ok(self.end_as_failed(ScanId(id)).await?)
    }
}

impl ScanSentMail {
    async fn find(&self, before: Instant) -> Result<Vec<OrphanedWork>, StoreError> {
        let (store, clock) = (&self.0.parts.store, &self.0.parts.clock);
        if store.unfinished_scans(before).await?.is_empty() {
            return Ok(Vec::new());
        }
        // Tasks are read before scans: a scan that finishes in between is no longer found.
        let tasks = store.unfinished_tasks(Some(Self::NAME), u64::MAX, clock.now()).await?;
        Ok(without_task(store.unfinished_scans(before).await?, &tasks))
    }

    async fn end_as_failed(&self, id: ScanId) -> Result<(), StoreError> {
        let (store, clock) = (&self.0.parts.store, &self.0.parts.clock);
        let scan = match store.scan(id).await {
            Err(StoreError::NotFound) => return Ok(()),
            other => other?,
        };
        let error = "its task was started as often as it may be and never ended".to_owned();
        let end = ScanEnd { status: ScanStatus::Failed, counts: scan.counts, error, truncated: false };
        store.end_scan(id, end, clock.now()).await?;
        Ok(())
    }
}

fn without_task(scans: Vec<Scan>, tasks: &[UnfinishedTask]) -> Vec<OrphanedWork> {
    let (live, given_up): (Vec<_>, Vec<_>) = tasks.iter().partition(|task| task.state.is_live());
    let scans_of = |tasks: Vec<&UnfinishedTask>| -> HashSet<ScanId> {
        let payloads = tasks
            .into_iter()
            .filter_map(|task| serde_json::from_value::<ScanPayload>(task.payload.clone()).ok());
        payloads.map(|payload| payload.scan).collect()
    };
    let (live, given_up) = (scans_of(live), scans_of(given_up));
    let orphaned = |scan: Scan| {
        (!live.contains(&scan.scan_id)).then(|| OrphanedWork {
            kind: "scan",
            id: scan.scan_id.0,
            owner: scan.user,
            since: scan.started_at.unwrap_or(scan.created_at),
            is_given_up: given_up.contains(&scan.scan_id),
            task: task_of_scan(&scan),
        })
    };
    scans.into_iter().filter_map(orphaned).collect()
}
