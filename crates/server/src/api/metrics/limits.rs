//! How long the parts of a scrape may take. Scrapers give up after a few seconds, and what they lose then are the figures
//! of an outage.

use crate::auth::SCRAPER_TIME_MAX;
use std::time::Duration;

/// A scrape is answered within this time, whoever hangs behind the service.
const SCRAPE_TIME_MAX: Duration = Duration::from_secs(1);
/// How long any figure may take before we say that it cannot be had. All are collected at the same time.
pub const COLLECT_TIME_MAX: Duration = Duration::from_millis(700);

// The caller is identified first, and writing the text needs what is left.
const _: () = assert!(
    SCRAPER_TIME_MAX.as_millis() + COLLECT_TIME_MAX.as_millis() < SCRAPE_TIME_MAX.as_millis(),
    "a scrape takes longer than it may"
);
