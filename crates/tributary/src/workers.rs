//! The workers of a process.

use crate::app::App;
use domain::ports::{QueueName, TaskQueue};
use domain::settings::Settings;
use std::collections::BTreeSet;
use std::sync::Arc;
use tasks::{Worker, WorkerConfig};

/// Maximum concurrent searches in a web process without the role `search` while NATS is unreachable. Low, because the
/// process also serves clients.
const OUTAGE_SEARCHES_MAX: u32 = 8;

/// Default for `SVC_SEARCHES_RUNNING_MAX`, per CPU core.
const SEARCHES_RUNNING_PER_CORE: u32 = 4;

/// One worker per queue. A web process without the search role also gets a worker that runs searches while NATS is
/// unreachable, because its clients wait for them.
pub(crate) fn workers(app: &App, queues: &BTreeSet<QueueName>, is_web: bool) -> Vec<Worker> {
    let mut workers: Vec<Worker> = queues.iter().map(|queue| worker(app, *queue)).collect();
    if let Some(queue) = &app.outage_queue
        && is_web
        && !queues.contains(&QueueName::Search)
    {
        workers.push(build(app, QueueName::Search, OUTAGE_SEARCHES_MAX, OUTAGE_SEARCHES_MAX, queue));
    }
    workers
}

fn worker(app: &App, queue: QueueName) -> Worker {
    let settings = &app.settings;
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
    build(app, queue, concurrency, running_max, &app.queue).counted_in(&app.worker_gauges)
}

/// Maximum number of searches that use this process's CPU at the same time.
pub(crate) fn searches_running_max(settings: &Settings) -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    match settings.searches_running_max {
        0 => u32::try_from(cores).unwrap_or(u32::MAX).saturating_mul(SEARCHES_RUNNING_PER_CORE),
        max => max,
    }
}

fn build(
    app: &App,
    queue: QueueName,
    concurrency: u32,
    running_max: u32,
    from: &Arc<dyn TaskQueue>,
) -> Worker {
    let (lease, grace) = (app.settings.task_lease.0, app.settings.stop_grace.0);
    let config = WorkerConfig { queue, concurrency, running_max, lease, grace };
    Worker::new(config, Arc::clone(from), Arc::clone(&app.clock), app.registry.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_follows_the_cpu_cores() {
        let named = Settings { searches_running_max: 5, ..Settings::default() };
        assert_eq!(searches_running_max(&named), 5);
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(searches_running_max(&Settings::default()) as usize, cores * 4);
    }
}
