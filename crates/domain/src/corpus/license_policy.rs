//! Whether the license opens the cache at this moment. Asked at every gated call, so that no restart is needed.

use crate::contracts::Clock;
use crate::license::{IssuerKey, LicenseReport, signature_id};
use crate::secret::Secret;
use chrono::NaiveDate;
use std::sync::{Arc, Mutex, PoisonError};

/// The license that was given, who may have signed it, and what day it is. Its clones know the same days.
#[derive(Clone)]
pub struct LicensePolicy {
    license: Secret,
    issuer: Option<IssuerKey>,
    clock: Arc<dyn Clock>,
    seen: Arc<Mutex<Seen>>,
}

/// What was seen so far. A report holds for a whole day, so that a signature is checked once a day only.
#[derive(Default)]
struct Seen {
    /// The latest day: a clock that is turned back does not make it earlier.
    latest: Option<NaiveDate>,
    report: Option<(NaiveDate, LicenseReport)>,
}

impl LicensePolicy {
    pub fn new(license: Secret, issuer: Option<IssuerKey>, clock: Arc<dyn Clock>) -> Self {
        Self { license, issuer, clock, seen: Arc::default() }
    }

    pub fn report(&self) -> LicenseReport {
        let mut report = self.with_report(LicenseReport::clone);
        let latest = self.latest_day();
        if self.clock.now().date_naive() < latest && report.expiration.is_some() {
            report.message += &format!(
                " The clock was turned back; the license is judged by {latest}, the latest day seen."
            );
        }
        report
    }

    /// True when the cache may be used now.
    pub fn opens_cache(&self) -> bool {
        self.with_report(|report| report.cache)
    }

    /// The day by which the license is judged: today, or the latest day that was ever seen.
    pub fn latest_day(&self) -> NaiveDate {
        self.with_seen(|_, today| today)
    }

    /// This day was seen, by another process or before the last start.
    pub fn saw(&self, day: NaiveDate) {
        self.with_seen(|seen, today| seen.latest = Some(today.max(day)));
    }

    /// The name under which the latest day of this license is remembered; None: it is not one to remember.
    pub fn memory_name(&self) -> Option<String> {
        Some(format!("license_day_{}", signature_id(self.license.expose(), self.issuer)?))
    }

    fn with_report<T>(&self, told: impl FnOnce(&LicenseReport) -> T) -> T {
        self.with_seen(|seen, today| {
            let kept = seen.report.take().filter(|(day, _)| *day == today);
            let (_, report) =
                seen.report.insert(kept.unwrap_or_else(|| {
                    (today, LicenseReport::of(self.license.expose(), self.issuer, today))
                }));
            told(report)
        })
    }

    /// Hands out what was seen, with today in it.
    fn with_seen<T>(&self, change: impl FnOnce(&mut Seen, NaiveDate) -> T) -> T {
        let now = self.clock.now().date_naive();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let today = seen.latest.map_or(now, |latest| latest.max(now));
        seen.latest = Some(today);
        change(&mut seen, today)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instant::Instant;
    use crate::license::{LicenseStatus, LicenseTerms, SigningKey};
    use chrono::{NaiveTime, TimeDelta};

    struct Hands(Mutex<Instant>);

    impl Clock for Hands {
        fn now(&self) -> Instant {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl Hands {
        fn set(&self, day: &str) {
            let late = NaiveTime::from_hms_opt(23, 59, 59).expect("a time");
            *self.0.lock().expect("a lock") =
                day.parse::<NaiveDate>().expect("a day").and_time(late).and_utc();
        }
    }

    fn policy() -> (LicensePolicy, Arc<Hands>) {
        let (key, _) = SigningKey::make().expect("a key");
        let clock = Arc::new(Hands(Mutex::default()));
        clock.set("2026-11-15");
        let issued = clock.now().date_naive() - TimeDelta::days(100);
        let terms = LicenseTerms {
            owner: "Ann".to_owned(),
            issued,
            expiration: "2026-12-31".parse().expect("a day"),
            cache: true,
            cache_expiration: Some("2026-11-16".parse().expect("a day")),
        };
        (LicensePolicy::new(Secret::new(terms.issue(&key)), key.issuer(), clock.clone()), clock)
    }

    #[test]
    fn the_license_ends_while_it_is_asked() {
        let (policy, clock) = policy();
        let clone = policy.clone();
        for (day, is_open) in [("2026-11-15", true), ("2026-11-16", true), ("2026-11-17", false)] {
            clock.set(day);
            assert_eq!((policy.opens_cache(), clone.opens_cache()), (is_open, is_open), "{day}");
        }
        assert_eq!(policy.report().status, LicenseStatus::Valid);
        clock.set("2027-01-01");
        assert_eq!(policy.report().status, LicenseStatus::Expired);
    }

    #[test]
    fn a_clock_that_is_turned_back_revives_nothing() {
        let (policy, clock) = policy();
        clock.set("2026-11-17");
        assert!(!policy.opens_cache());
        clock.set("2026-11-15");
        assert!(!policy.opens_cache() && !policy.clone().opens_cache());
        assert!(policy.report().message.contains("turned back"), "{}", policy.report().message);

        // Nor does a start after that, when the day was remembered.
        let (fresh, clock) = self::policy();
        assert!(fresh.opens_cache());
        fresh.saw("2026-11-17".parse().expect("a day"));
        assert!(!fresh.opens_cache());
        fresh.saw("2026-11-01".parse().expect("a day"));
        assert_eq!(fresh.latest_day().to_string(), "2026-11-17");
        clock.set("2026-11-18");
        assert!(!fresh.report().message.contains("turned back"));
        assert_ne!(fresh.memory_name(), policy.memory_name(), "every license has its own memory");
    }

    #[test]
    fn without_a_license_there_is_nothing_to_remember() {
        let (_, clock) = policy();
        let policy = LicensePolicy::new(Secret::default(), None, clock);
        assert_eq!((policy.opens_cache(), policy.memory_name()), (false, None));
    }
}
