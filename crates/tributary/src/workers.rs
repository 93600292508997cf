//! Workers of a process.

use crate::wiring::Wired;
use domain::contracts::{QueueName, TaskQueue};
use domain::settings::Settings;
use std::collections::BTreeSet;
use std::sync::Arc;
use tasks::{Worker, WorkerConfig};

/// Searches that a web process without the role `search` runs at once while NATS is away. Few, because it has clients.
const OUTAGE_SEARCHES_MAX: u32 = 8;

/// Searches that are worked on at once, for each processor core, where no setting says it.
const SEARCHES_RUNNING_PER_CORE: u32 = 4;

/// One worker for each of these queues. A web process that runs no searches gets one that runs them while NATS is away: its
/// clients wait for them, and the other workers may be cut off as well.
pub(crate) fn workers(wired: &Wired, queues: &BTreeSet<QueueName>, is_web: bool) -> Vec<Worker> {
    let mut workers: Vec<Worker> = queues.iter().map(|queue| worker(wired, *queue)).collect();
    if let Some(queue) = &wired.outage_queue
        && is_web
        && !queues.contains(&QueueName::Search)
    {
        let at_once = (OUTAGE_SEARCHES_MAX, OUTAGE_SEARCHES_MAX);
        workers.push(build(wired, QueueName::Search, at_once, queue));
    }
    workers
}

fn worker(wired: &Wired, queue: QueueName) -> Worker {
    let settings = &wired.settings;
    let concurrency = match queue {
        QueueName::HealthCheck => settings.health_check_concurrency,
        QueueName::Search => settings.search_concurrency,
        QueueName::PageFetch => settings.page_fetch_concurrency,
        QueueName::Interactive => settings.interactive_concurrency,
        QueueName::Maintenance => settings.maintenance_concurrency,
        QueueName::Corpus => settings.corpus_concurrency,
    };
    let running_max = match queue {
        QueueName::Search => searches_running_max(settings),
        _ => concurrency,
    };
    build(wired, queue, (concurrency, running_max), &wired.queue).counted_in(&wired.workload)
}

/// As many searches as this process works on at once.
pub(crate) fn searches_running_max(settings: &Settings) -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    match settings.searches_running_max {
        0 => u32::try_from(cores).unwrap_or(u32::MAX).saturating_mul(SEARCHES_RUNNING_PER_CORE),
        max => max,
    }
}

fn build(
    wired: &Wired,
    queue: QueueName,
    (concurrency, running_max): (u32, u32),
    from: &Arc<dyn TaskQueue>,
) -> Worker {
    let (lease, grace) = (wired.settings.task_lease.0, wired.settings.stop_grace.0);
    let config = WorkerConfig { queue, concurrency, running_max, lease, grace };
    Worker::new(config, Arc::clone(from), Arc::clone(&wired.clock), wired.registry.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_works_on_as_many_searches_as_its_machine_allows() {
        let named = Settings { searches_running_max: 5, ..Settings::default() };
        assert_eq!(searches_running_max(&named), 5);
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(searches_running_max(&Settings::default()) as usize, cores * 4);
    }
}
