//! Metrics of the servers that the service depends on, and of waiting work: whether the database and NATS respond, the
//! age of the oldest work, and whether the scheduler keeps up.

use super::gauge_value::whole;
use super::optional_gauge::OptionalGauge;
use domain::instant::Instant;
use domain::ports::WorkFigures;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::sync::atomic::Ordering;

/// Values at the moment of a scrape.
pub struct ServerFigures {
    pub now: Instant,
    /// None if the database did not respond.
    pub work: Option<WorkFigures>,
    /// None for an installation without NATS.
    pub nats_up: Option<bool>,
    pub pool_timeouts: u64,
}

#[derive(Default)]
pub struct ServerMetrics {
    database_up: Gauge,
    nats_up: OptionalGauge,
    pool_timeouts: Counter,
    outbox_tasks: OptionalGauge,
    outbox_oldest: OptionalGauge,
    oldest_open_search: OptionalGauge,
    scheduler_last_run: OptionalGauge,
    scheduler_overdue: OptionalGauge,
}

impl ServerMetrics {
    pub fn register(&self, registry: &mut Registry) {
        let up = self.database_up.clone();
        registry.register("tributary_database_up", "1 if the database responds", up);
        let nats = self.nats_up.clone();
        registry.register("tributary_nats_up", "1 if NATS is connected and responds", nats);
        registry.register(
            "tributary_database_pool_timeouts",
            "Timeouts while waiting for a connection to the database",
            self.pool_timeouts.clone(),
        );
        registry.register(
            "tributary_outbox_tasks",
            "Tasks waiting in the database, due or not",
            self.outbox_tasks.clone(),
        );
        registry.register_with_unit(
            "tributary_outbox_oldest",
            "Time since the oldest waiting task in the database became due",
            Unit::Seconds,
            self.outbox_oldest.clone(),
        );
        registry.register_with_unit(
            "tributary_oldest_open_search",
            "Time since the last progress of the unfinished search that has waited longest",
            Unit::Seconds,
            self.oldest_open_search.clone(),
        );
        registry.register_with_unit(
            "tributary_scheduler_last_run_timestamp",
            "Unix time at which the scheduler last started a task",
            Unit::Seconds,
            self.scheduler_last_run.clone(),
        );
        registry.register_with_unit(
            "tributary_scheduler_overdue",
            "Time since the most overdue schedule became due",
            Unit::Seconds,
            self.scheduler_overdue.clone(),
        );
    }

    pub fn record(&self, figures: &ServerFigures) {
        self.database_up.set(i64::from(figures.work.is_some()));
        self.nats_up.set(figures.nats_up.map(i64::from));
        self.pool_timeouts.inner().store(figures.pool_timeouts, Ordering::Relaxed);
        let work = figures.work.as_ref();
        // Without waiting work the age is 0; an unknown age is omitted.
        let age = |since: fn(&WorkFigures) -> Option<Instant>| {
            work.map(|work| since(work).map_or(0, |since| (figures.now - since).num_seconds().max(0)))
        };
        self.outbox_tasks.set(work.map(|work| whole(work.tasks)));
        self.outbox_oldest.set(age(|work| work.oldest_due));
        self.oldest_open_search.set(age(|work| work.oldest_open_search));
        self.scheduler_overdue.set(age(|work| work.scheduler_due));
        let last_run = work.and_then(|work| work.scheduler_ran).map(|ran| ran.timestamp());
        self.scheduler_last_run.set(last_run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use prometheus_client::encoding::text::encode;

    fn text(metrics: &ServerMetrics, registry: &Registry, figures: &ServerFigures) -> String {
        metrics.record(figures);
        let mut text = String::new();
        encode(&mut text, registry).expect("text");
        text
    }

    #[test]
    fn ages_are_exported_while_the_database_responds() {
        let (metrics, mut registry) = (ServerMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        let now = chrono::DateTime::from_timestamp(1_700_000_000, 0).expect("a time");
        let ago = |seconds| Some(now - TimeDelta::seconds(seconds));
        let work = WorkFigures {
            tasks: 7,
            oldest_due: ago(40),
            oldest_open_search: ago(90),
            scheduler_ran: ago(5),
            scheduler_due: ago(-55),
        };
        let figures = ServerFigures { now, work: Some(work), nats_up: Some(false), pool_timeouts: 3 };
        let exported = text(&metrics, &registry, &figures);
        for line in [
            "tributary_database_up 1",
            "tributary_nats_up 0",
            "tributary_database_pool_timeouts_total 3",
            "tributary_outbox_tasks 7",
            "tributary_outbox_oldest_seconds 40",
            "tributary_oldest_open_search_seconds 90",
            "tributary_scheduler_last_run_timestamp_seconds 1699999995",
            "tributary_scheduler_overdue_seconds 0",
        ] {
            assert!(exported.lines().any(|found| found == line), "{line} is not in {exported}");
        }
        let quiet = ServerFigures { work: Some(WorkFigures::default()), nats_up: None, ..figures };
        let exported = text(&metrics, &registry, &quiet);
        assert!(exported.contains("tributary_oldest_open_search_seconds 0\n"), "nothing waits: {exported}");
        assert!(!exported.contains("tributary_nats_up "), "there is no NATS: {exported}");
    }

    #[test]
    fn a_database_that_is_away_leaves_no_old_figure() {
        let (metrics, mut registry) = (ServerMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        let now = chrono::DateTime::from_timestamp(1_700_000_000, 0).expect("a time");
        let known =
            ServerFigures { now, work: Some(WorkFigures::default()), nats_up: Some(true), pool_timeouts: 0 };
        text(&metrics, &registry, &known);
        let exported = text(&metrics, &registry, &ServerFigures { work: None, ..known });
        assert!(
            exported.contains("tributary_database_up 0\n") && exported.contains("tributary_nats_up 1\n"),
            "{exported}"
        );
        for name in ["tributary_outbox", "tributary_oldest", "tributary_scheduler"] {
            let sample = exported.lines().find(|line| line.starts_with(name));
            assert_eq!(sample, None);
        }
    }
}
