//! Time limits of a scrape. Scrapers give up after a few seconds, and would lose the metrics of an outage.

use crate::auth::SCRAPER_TIME_MAX;
use std::time::Duration;

/// A scrape takes no longer than this, even if a dependency hangs.
const SCRAPE_TIME_MAX: Duration = Duration::from_secs(1);
/// How long a value may take before it is omitted. All are collected concurrently.
pub const COLLECT_TIME_MAX: Duration = Duration::from_millis(700);

// The caller is identified first, and the rest is left for writing the text.
const _: () = assert!(
    SCRAPER_TIME_MAX.as_millis() + COLLECT_TIME_MAX.as_millis() < SCRAPE_TIME_MAX.as_millis(),
    "a scrape takes longer than it may"
);
