//! The database size check of `tributary doctor`, with a forecast of when the disk is full.

use domain::retention::Retention;
use domain::storage_forecast::StorageForecast;

const BYTES_PER_MIB: f64 = 1024.0 * 1024.0;
/// Warn if the disk is full within this time.
const SHORT_DAYS: f64 = 30.0;
/// Suggest compacting a file with more free space than this, if more than half of it is free.
const FREE_LARGE_BYTES: u64 = 256 * 1024 * 1024;

/// What was found about the size of the database.
pub struct SizeFinding {
    pub sentence: String,
    pub is_warning: bool,
}

pub fn describe(forecast: &StorageForecast, retention: Retention) -> SizeFinding {
    let mut parts = vec![format!("{} MiB", mib(forecast.database_bytes as f64))];
    match forecast.growth_bytes_per_day {
        Some(growth) => parts.push(format!("growing by {} MiB per day", mib(growth))),
        None => parts.push("growth is known after a day".to_owned()),
    }
    if let Some(days) = forecast.full_in_days {
        parts.push(format!("the disk is full in {days:.0} days"));
    } else if forecast.disk_free_bytes.is_none() {
        parts.push("monitor the free space on the database server".to_owned());
    }
    let is_short = forecast.full_in_days.is_some_and(|days| days < SHORT_DAYS);
    if is_short {
        parts.push(advice(retention).to_owned());
    }
    let free = forecast.database_bytes.saturating_sub(forecast.used_bytes);
    let is_hollow = free > FREE_LARGE_BYTES && free > forecast.used_bytes;
    if is_hollow {
        let free = mib(free as f64);
        parts.push(format!(
            "{free} MiB of it are unused; stop the service and run: tributary database compact"
        ));
    }
    SizeFinding { sentence: parts.join("; "), is_warning: is_short || is_hollow }
}

fn advice(retention: Retention) -> &'static str {
    match retention {
        Retention::Forever => "free disk space, and set SVC_DEFAULT_RETENTION=3 to keep searches for a month",
        _ => "free disk space, or shorten SVC_DEFAULT_RETENTION",
    }
}

fn mib(bytes: f64) -> String {
    format!("{:.0}", bytes / BYTES_PER_MIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    #[test]
    fn a_disk_that_is_full_soon_comes_with_advice() {
        let calm = StorageForecast {
            database_bytes: 100 * MIB,
            used_bytes: 90 * MIB,
            disk_free_bytes: Some(1000 * MIB),
            growth_bytes_per_day: Some(10.0 * MIB as f64),
            full_in_days: Some(101.0),
        };
        let short = StorageForecast { full_in_days: Some(12.4), ..calm };
        let server = StorageForecast { disk_free_bytes: None, full_in_days: None, ..calm };
        let young = StorageForecast { growth_bytes_per_day: None, full_in_days: None, ..calm };
        let hollow = StorageForecast { database_bytes: 900 * MIB, ..calm };
        let table = [
            (
                calm,
                Retention::Forever,
                false,
                "100 MiB; growing by 10 MiB per day; the disk is full in 101 days",
            ),
            (
                short,
                Retention::Forever,
                true,
                "full in 12 days; free disk space, and set SVC_DEFAULT_RETENTION=3",
            ),
            (
                short,
                Retention::Month,
                true,
                "full in 12 days; free disk space, or shorten SVC_DEFAULT_RETENTION",
            ),
            (
                server,
                Retention::Forever,
                false,
                "growing by 10 MiB per day; monitor the free space on the database server",
            ),
            (young, Retention::Forever, false, "growth is known after a day"),
            (hollow, Retention::Month, true, "810 MiB of it are unused; stop the service and run: tributary"),
        ];
        for (forecast, retention, is_warning, expected) in table {
            let found = describe(&forecast, retention);
            assert!(found.sentence.contains(expected), "{}", found.sentence);
            assert_eq!(found.is_warning, is_warning, "{}", found.sentence);
        }
    }
}
