//! Time of the last successful backup, by the scheduler or by a command.

use super::optional_gauge::OptionalGauge;
use domain::instant::Instant;
use prometheus_client::registry::{Registry, Unit};

#[derive(Default)]
pub struct BackupMetrics {
    last_success: OptionalGauge,
}

impl BackupMetrics {
    pub fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "tributary_backup_last_success_timestamp",
            "Unix time of the last completed backup; absent if there is none",
            Unit::Seconds,
            self.last_success.clone(),
        );
    }

    /// None: no backup is known, or the database does not respond.
    pub fn record(&self, last: Option<Instant>) {
        self.last_success.set(last.map(|last| last.timestamp()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text::encode;

    #[test]
    fn the_time_of_the_last_backup_is_exported_while_it_is_known() {
        let (metrics, mut registry) = (BackupMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        let exported = |last: Option<i64>| {
            metrics.record(last.and_then(|seconds| chrono::DateTime::from_timestamp(seconds, 0)));
            let mut text = String::new();
            encode(&mut text, &registry).expect("text");
            text
        };
        let line = "tributary_backup_last_success_timestamp_seconds 1700000000\n";
        assert!(exported(Some(1_700_000_000)).contains(line));
        assert!(!exported(None).contains("seconds 17"));
    }
}
