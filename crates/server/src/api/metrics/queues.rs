//! Current values of every queue, from the queue itself and from the heartbeats of its workers.

use super::limits::COLLECT_TIME_MAX;
use crate::state::AppState;
use domain::ports::{QueueError, QueueName, WaitingOwners, chain};
use futures_util::future::try_join_all;
use std::time::Duration;

/// A worker that was silent for this long is gone; its heartbeat is every 5 seconds.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// One queue, or several together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueFigures {
    pub depth: u64,
    /// Tasks running in this process.
    pub active: u64,
    /// Tasks running anywhere.
    pub busy: u64,
    /// Workers and their capacity, in all processes.
    pub workers: u64,
    pub capacity: u64,
    /// How waiting tasks are distributed over users.
    pub waiting: WaitingOwners,
    /// A worker of this process serves it.
    pub is_served: bool,
}

impl QueueFigures {
    /// Over all processes, as the capacity is, so that a process without queues reports it correctly too.
    pub fn busy_ratio(&self) -> f64 {
        if self.capacity == 0 { 0.0 } else { self.busy as f64 / self.capacity as f64 }
    }

    /// The sum over the queues that this process serves.
    pub fn totals(queues: &[(QueueName, Self)]) -> Self {
        let served = queues.iter().filter(|(_, figures)| figures.is_served);
        served.fold(Self::default(), |sum, (_, one)| Self {
            depth: sum.depth + one.depth,
            active: sum.active + one.active,
            busy: sum.busy + one.busy,
            workers: sum.workers + one.workers,
            capacity: sum.capacity + one.capacity,
            waiting: WaitingOwners {
                owners: sum.waiting.owners + one.waiting.owners,
                most: sum.waiting.most.max(one.waiting.most),
            },
            is_served: true,
        })
    }
}

/// All queues, or None if they cannot be read; the log has the reason.
pub async fn collect(state: &AppState) -> Option<Vec<(QueueName, QueueFigures)>> {
    let figures = try_join_all(QueueName::ALL.map(|queue| of(state, queue)));
    match tokio::time::timeout(COLLECT_TIME_MAX, figures).await {
        Ok(Ok(figures)) => Some(figures),
        Ok(Err(error)) => {
            tracing::warn!("the queue metrics cannot be read: {}", chain(&error));
            None
        }
        Err(_) => {
            tracing::warn!("the queue metrics take too long");
            None
        }
    }
}

async fn of(state: &AppState, queue: QueueName) -> Result<(QueueName, QueueFigures), QueueError> {
    let depth = state.queue.depth(queue).await?;
    let heartbeats = state.queue.workers(queue, SILENCE_MAX).await?;
    let here = state.worker_metrics.active(queue);
    let running = |heartbeat: &domain::ports::Heartbeat| {
        // A heartbeat is seconds old; the values of our own workers are current.
        u64::from(here.get(&heartbeat.worker).copied().unwrap_or(heartbeat.active))
    };
    let figures = QueueFigures {
        depth,
        active: here.values().copied().map(u64::from).sum(),
        busy: heartbeats.iter().map(running).sum(),
        workers: heartbeats.len() as u64,
        capacity: heartbeats.iter().map(|heartbeat| u64::from(heartbeat.concurrency)).sum(),
        waiting: state.store.waiting_owners(queue).await?,
        is_served: !here.is_empty(),
    };
    Ok((queue, figures))
}
