//! `/svc/metrics/tasks/`: the gauges of the interface, in text format 0.0.4.

use super::queues::{QueueFigures, collect};
use crate::metrics::TextFormat;
use crate::state::AppState;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use domain::ports::QueueName;
use std::fmt::Write;
use std::sync::Arc;

/// A gauge: its name, its help, and its value.
type Row = (&'static str, &'static str, fn(&QueueFigures) -> f64);

const GAUGES: [Row; 7] = [
    ("tasks_queue_depth", "Tasks waiting in the queue", |one| one.depth as f64),
    ("tasks_queue_active_tasks", "Tasks executing on this instance", |one| one.active as f64),
    ("tasks_queue_workers", "Workers serving the queue", |one| one.workers as f64),
    ("tasks_queue_total_capacity", "Workers times concurrency", |one| one.capacity as f64),
    ("tasks_queue_busy_ratio", "Active tasks divided by capacity", QueueFigures::busy_ratio),
    ("tasks_queue_waiting_users", "Users who have a waiting task", |one| one.waiting.owners as f64),
    ("tasks_queue_waiting_most", "Waiting tasks of the user who has the most", |one| one.waiting.most as f64),
];
const ERROR: (&str, &str) = ("tasks_metrics_collection_error", "1 when collection failed");

/// Metrics of the task queues: depth, running tasks, workers, capacity and busy ratio of each.
#[utoipa::path(get, path = "/svc/metrics/tasks/", tag = "service", operation_id = "tasks_metrics",
    responses((status = 200, description = "Gauges in the Prometheus text format.", body = String,
        content_type = "text/plain")))]
pub async fn tasks(State(state): State<Arc<AppState>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, TextFormat::Classic.content_type())], text(collect(&state).await.as_deref()))
}

/// Without values there is only the error gauge.
fn text(queues: Option<&[(QueueName, QueueFigures)]>) -> String {
    let mut text = String::new();
    if let Some(queues) = queues {
        let totals = ("totals", QueueFigures::totals(queues));
        let lines: Vec<(&str, QueueFigures)> =
            queues.iter().map(|(queue, figures)| (queue.as_str(), *figures)).chain([totals]).collect();
        for (name, help, value) in GAUGES {
            head(&mut text, name, help);
            for (queue, figures) in &lines {
                let _cannot_fail = writeln!(text, "{name}{{queue=\"{queue}\"}} {}", value(figures));
            }
        }
    }
    head(&mut text, ERROR.0, ERROR.1);
    let _cannot_fail = writeln!(text, "{} {}", ERROR.0, u8::from(queues.is_none()));
    text
}

fn head(text: &mut String, name: &str, help: &str) {
    let _cannot_fail = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::WaitingOwners;

    #[test]
    fn every_queue_stands_in_every_gauge_and_totals_are_of_the_served() {
        let figures = |depth, active, busy, workers, is_served| QueueFigures {
            depth,
            active,
            busy,
            workers,
            capacity: workers * 4,
            waiting: WaitingOwners { owners: workers, most: depth },
            is_served,
        };
        let queues: Vec<(QueueName, QueueFigures)> = QueueName::ALL
            .into_iter()
            .map(|queue| match queue {
                QueueName::Search => (queue, figures(3, 2, 6, 2, true)),
                QueueName::Corpus => (queue, figures(1, 0, 0, 1, true)),
                QueueName::PageFetch => (queue, figures(9, 0, 1, 1, false)),
                _ => (queue, QueueFigures::default()),
            })
            .collect();
        let text = text(Some(&queues));
        for (name, ..) in GAUGES {
            let lines = text.lines().filter(|line| line.starts_with(&format!("{name}{{queue=\""))).count();
            assert_eq!(lines, QueueName::ALL.len() + 1, "{name}");
        }
        for line in [
            "# HELP tasks_queue_depth Tasks waiting in the queue\n# TYPE tasks_queue_depth gauge\n\
             tasks_queue_depth{queue=\"health_check\"} 0\ntasks_queue_depth{queue=\"search\"} 3\n\
             tasks_queue_depth{queue=\"page_fetch\"} 9\n",
            "tasks_queue_depth{queue=\"totals\"} 4\n# HELP tasks_queue_active_tasks Tasks executing on this instance\n",
            "tasks_queue_active_tasks{queue=\"search\"} 2\n",
            "tasks_queue_workers{queue=\"totals\"} 3\n",
            "tasks_queue_total_capacity{queue=\"totals\"} 12\n",
            "tasks_queue_busy_ratio{queue=\"search\"} 0.75\n",
            "tasks_queue_busy_ratio{queue=\"maintenance\"} 0\n",
            "tasks_queue_busy_ratio{queue=\"totals\"} 0.5\n",
            "tasks_queue_waiting_users{queue=\"totals\"} 3\n",
            "tasks_queue_waiting_most{queue=\"search\"} 3\n",
            "tasks_queue_waiting_most{queue=\"totals\"} 3\n",
            "# TYPE tasks_metrics_collection_error gauge\ntasks_metrics_collection_error 0\n",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
    }

    #[test]
    fn a_failed_collection_tells_nothing_else() {
        assert_eq!(
            text(None),
            "# HELP tasks_metrics_collection_error 1 when collection failed\n\
             # TYPE tasks_metrics_collection_error gauge\ntasks_metrics_collection_error 1\n"
        );
    }
}
