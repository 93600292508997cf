//! The size of the database and its forecast.

use super::gauge_value::whole;
use super::optional_gauge::OptionalGauge;
use domain::storage_forecast::StorageForecast;
use prometheus_client::registry::{Registry, Unit};

#[derive(Default)]
pub struct StorageMetrics {
    size: OptionalGauge,
    used: OptionalGauge,
    disk_free: OptionalGauge,
    growth: OptionalGauge<f64>,
    full_in_days: OptionalGauge<f64>,
}

impl StorageMetrics {
    pub fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "tributary_database_size",
            "Size of the database",
            Unit::Bytes,
            self.size.clone(),
        );
        registry.register_with_unit(
            "tributary_database_used",
            "Size of the records in the database",
            Unit::Bytes,
            self.used.clone(),
        );
        registry.register_with_unit(
            "tributary_database_disk_free",
            "Free space on the disk of the database, if it is on this machine",
            Unit::Bytes,
            self.disk_free.clone(),
        );
        registry.register_with_unit(
            "tributary_database_growth_per_day",
            "Daily growth of the records over the last week",
            Unit::Bytes,
            self.growth.clone(),
        );
        registry.register(
            "tributary_database_full_in_days",
            "Days until the disk of the database is full at the current growth",
            self.full_in_days.clone(),
        );
    }

    /// Unknown values are omitted: an old value would look current.
    pub fn record(&self, forecast: Option<&StorageForecast>) {
        let bytes = |value: Option<u64>| value.map(whole);
        self.size.set(bytes(forecast.map(|known| known.database_bytes)));
        self.used.set(bytes(forecast.map(|known| known.used_bytes)));
        self.disk_free.set(bytes(forecast.and_then(|known| known.disk_free_bytes)));
        self.growth.set(forecast.and_then(|known| known.growth_bytes_per_day));
        self.full_in_days.set(forecast.and_then(|known| known.full_in_days));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text::encode;

    #[test]
    fn an_unknown_forecast_is_omitted() {
        let (metrics, mut registry) = (StorageMetrics::default(), Registry::default());
        metrics.register(&mut registry);
        let exported = |forecast: Option<&StorageForecast>| {
            metrics.record(forecast);
            let mut text = String::new();
            encode(&mut text, &registry).expect("text");
            text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
        };
        let whole = StorageForecast {
            database_bytes: 4096,
            used_bytes: 2048,
            disk_free_bytes: Some(10_000),
            growth_bytes_per_day: Some(-1.5),
            full_in_days: Some(20.25),
        };
        let mut expected = vec![
            "tributary_database_size_bytes 4096",
            "tributary_database_used_bytes 2048",
            "tributary_database_disk_free_bytes 10000",
            "tributary_database_growth_per_day_bytes -1.5",
            "tributary_database_full_in_days 20.25",
        ];
        assert_eq!(exported(Some(&whole)), expected);
        let server = StorageForecast {
            disk_free_bytes: None,
            growth_bytes_per_day: None,
            full_in_days: None,
            ..whole
        };
        expected.truncate(2);
        assert_eq!(exported(Some(&server)), expected);
        assert!(exported(None).is_empty());
    }
}
