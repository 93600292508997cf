//! Whether the servers that the service depends on respond, and their waiting work.

use super::limits::COLLECT_TIME_MAX;
use crate::metrics::ServerFigures;
use crate::state::AppState;
use domain::ports::chain;

pub async fn collect(state: &AppState) -> ServerFigures {
    let now = state.clock.now();
    let work = tokio::time::timeout(COLLECT_TIME_MAX, state.store.work_figures(now));
    let nats = tokio::time::timeout(COLLECT_TIME_MAX, state.queue.broker_answers());
    let (work, nats) = tokio::join!(work, nats);
    let work = match work {
        Ok(Ok(work)) => Some(work),
        Ok(Err(error)) => {
            tracing::warn!("the database does not answer: {}", chain(&error));
            None
        }
        Err(_) => {
            tracing::warn!("the database does not answer in time");
            None
        }
    };
    ServerFigures {
        now,
        work,
        nats_up: nats.unwrap_or(Some(false)),
        pool_timeouts: state.store.pool_timeouts(),
    }
}
