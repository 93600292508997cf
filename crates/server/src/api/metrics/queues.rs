//! The figures of every queue at this moment, from the queue itself and from the signs of life of its workers.

use super::limits::COLLECT_TIME_MAX;
use crate::AppState;
use domain::contracts::{QueueError, QueueName, WaitingOwners};
use futures_util::future::try_join_all;
use std::time::Duration;

/// A worker that was silent for so long serves no more; it gives a sign every 5 seconds.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// One queue, or several together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueFigures {
    pub depth: u64,
    /// Tasks that run in this process.
    pub active: u64,
    /// Tasks that run anywhere.
    pub busy: u64,
    /// Workers and their places, anywhere.
    pub workers: u64,
    pub capacity: u64,
    /// How what waits is spread over users.
    pub waiting: WaitingOwners,
    /// A worker of this process serves it.
    pub is_served: bool,
}

impl QueueFigures {
    /// Over all processes, because the capacity is: a process that serves no queue tells the truth as well.
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

/// All queues, or None when they cannot be read; the log says why.
pub async fn collect(state: &AppState) -> Option<Vec<(QueueName, QueueFigures)>> {
    let figures = try_join_all(QueueName::ALL.map(|queue| of(state, queue)));
    match tokio::time::timeout(COLLECT_TIME_MAX, figures).await {
        Ok(Ok(figures)) => Some(figures),
        Ok(Err(error)) => {
            tracing::warn!("the figures of the queues cannot be read: {error}");
            None
        }
        Err(_) => {
            tracing::warn!("the figures of the queues take too long");
            None
        }
    }
}

async fn of(state: &AppState, queue: QueueName) -> Result<(QueueName, QueueFigures), QueueError> {
    let depth = state.queue.depth(queue).await?;
    let beats = state.queue.workers(queue, SILENCE_MAX).await?;
    let here = state.workload.active(queue);
    let running = |beat: &domain::contracts::WorkerBeat| {
        // A beat is seconds old; of our own workers we know the truth.
        u64::from(here.get(&beat.worker).copied().unwrap_or(beat.active))
    };
    let figures = QueueFigures {
        depth,
        active: here.values().copied().map(u64::from).sum(),
        busy: beats.iter().map(running).sum(),
        workers: beats.len() as u64,
        capacity: beats.iter().map(|beat| u64::from(beat.concurrency)).sum(),
        waiting: state.store.waiting_owners(queue).await?,
        is_served: !here.is_empty(),
    };
    Ok((queue, figures))
}
