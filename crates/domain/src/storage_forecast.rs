//! Size of the database, its growth, and when its disk will be full.

use crate::instant::Instant;
use chrono::TimeDelta;
use serde::Serialize;

/// How often the size is sampled.
pub const SAMPLED_EVERY: TimeDelta = TimeDelta::hours(1);
/// How long a sample is kept: growth is measured over the last week.
pub const SAMPLES_KEPT_FOR: TimeDelta = TimeDelta::days(7);
/// Minimum time between the first and last sample: load varies over a day.
const SPAN_MIN: TimeDelta = TimeDelta::days(1);
const SECONDS_PER_DAY: f64 = 86_400.0;

/// The size of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DatabaseSize {
    /// Size of its files.
    pub bytes: u64,
    /// The part that contains records; the rest is free for new ones.
    pub used_bytes: u64,
}

/// Size of the database at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeSample {
    pub taken: Instant,
    pub used_bytes: u64,
}

/// Forecast for the disk of the database.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, utoipa::ToSchema)]
pub struct StorageForecast {
    /// Size of the database.
    pub database_bytes: u64,
    /// The part that contains records; the rest is free for new ones.
    pub used_bytes: u64,
    /// Free space on the disk of the database; null if it is on another machine.
    pub disk_free_bytes: Option<u64>,
    /// Growth of the records per day, over the last week; null until they were observed for a day.
    pub growth_bytes_per_day: Option<f64>,
    /// Days until the disk is full at this rate; null if unknown or never.
    pub full_in_days: Option<f64>,
}

impl StorageForecast {
    /// From the current size, the free space of its disk, and samples of the last days, oldest first.
    pub fn new(size: DatabaseSize, disk_free_bytes: Option<u64>, samples: &[SizeSample]) -> Self {
        let growth = growth_per_day(samples);
        let reusable = size.bytes.saturating_sub(size.used_bytes);
        let full_in_days = match (disk_free_bytes, growth) {
            (Some(free), Some(growth)) if growth > 0.0 => Some(free.saturating_add(reusable) as f64 / growth),
            _ => None,
        };
        Self {
            database_bytes: size.bytes,
            used_bytes: size.used_bytes,
            disk_free_bytes,
            growth_bytes_per_day: growth,
            full_in_days,
        }
    }
}

fn growth_per_day(samples: &[SizeSample]) -> Option<f64> {
    let (first, last) = (samples.first()?, samples.last()?);
    let span = last.taken - first.taken;
    let days = span.as_seconds_f64() / SECONDS_PER_DAY;
    (span >= SPAN_MIN).then(|| (last.used_bytes as f64 - first.used_bytes as f64) / days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    fn sample(hours: i64, used_bytes: u64) -> SizeSample {
        SizeSample { taken: DateTime::UNIX_EPOCH + TimeDelta::hours(hours), used_bytes }
    }

    #[test]
    fn days_until_full_follow_from_the_growth_of_the_last_days() {
        let size = DatabaseSize { bytes: 1_000, used_bytes: 800 };
        // samples, free space, growth, days
        let table = [
            (vec![], Some(800), None, None),
            (vec![sample(0, 100)], Some(800), None, None),
            (vec![sample(0, 100), sample(23, 200)], Some(800), None, None),
            (vec![sample(0, 100), sample(24, 200)], Some(800), Some(100.0), Some(10.0)),
            (vec![sample(0, 100), sample(30, 900), sample(48, 200)], Some(800), Some(50.0), Some(20.0)),
            (vec![sample(0, 100), sample(24, 200)], None, Some(100.0), None),
            (vec![sample(0, 200), sample(24, 200)], Some(800), Some(0.0), None),
            (vec![sample(0, 200), sample(24, 100)], Some(800), Some(-100.0), None),
        ];
        for (samples, free, growth, days) in table {
            let found = StorageForecast::new(size, free, &samples);
            assert_eq!((found.growth_bytes_per_day, found.full_in_days), (growth, days), "{samples:?}");
        }
    }
}
