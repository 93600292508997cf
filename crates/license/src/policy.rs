//! The configured license, evaluated at every use, so that it ends on its last day without a restart.

use crate::keys::IssuerKey;
use crate::report::{LicenseReport, signature_id};
use chrono::NaiveDate;
use domain::ports::Clock;
use domain::secret::Secret;
use std::sync::{Arc, Mutex, PoisonError};

/// The configured license, its possible issuer, and the current day. Clones share the days they have seen.
#[derive(Clone)]
pub struct LicensePolicy {
    license: Secret,
    issuer: Option<IssuerKey>,
    clock: Arc<dyn Clock>,
    state: Arc<Mutex<PolicyState>>,
}

/// The latest day, and the report for it. A report holds for a whole day, so the signature is verified once a day.
#[derive(Default)]
struct PolicyState {
    /// The latest day: setting the clock back does not make it earlier.
    latest: Option<NaiveDate>,
    report: Option<(NaiveDate, LicenseReport)>,
}

impl LicensePolicy {
    pub fn new(license: Secret, issuer: Option<IssuerKey>, clock: Arc<dyn Clock>) -> Self {
        Self { license, issuer, clock, state: Arc::default() }
    }

    pub fn report(&self) -> LicenseReport {
        let mut report = self.with_report(LicenseReport::clone);
        let latest = self.latest_day();
        if self.clock.now().date_naive() < latest && report.expiration.is_some() {
            report.message += &format!(
                " The clock was set back; the license is evaluated as of {latest}, the latest day seen."
            );
        }
        report
    }

    /// Whether the corpus may be used now.
    pub fn opens_cache(&self) -> bool {
        self.with_report(|report| report.cache)
    }

    /// The day by which the license is evaluated: today, or the latest day ever seen.
    pub fn latest_day(&self) -> NaiveDate {
        self.with_state(|_, today| today)
    }

    /// Records a day that was observed by another process or before the last start.
    pub fn observe_day(&self, day: NaiveDate) {
        self.with_state(|state, today| state.latest = Some(today.max(day)));
    }

    /// The name under which the latest day of this license is stored; None: it is not stored.
    pub fn storage_name(&self) -> Option<String> {
        Some(format!("license_day_{}", signature_id(self.license.expose(), self.issuer)?))
    }

    fn with_report<T>(&self, read: impl FnOnce(&LicenseReport) -> T) -> T {
        self.with_state(|state, today| {
            let cached = state.report.take().filter(|(day, _)| *day == today);
            let (_, report) =
                state.report.insert(cached.unwrap_or_else(|| {
                    (today, LicenseReport::of(self.license.expose(), self.issuer, today))
                }));
            read(report)
        })
    }

    /// Passes the state, after today was recorded in it.
    fn with_state<T>(&self, change: impl FnOnce(&mut PolicyState, NaiveDate) -> T) -> T {
        let now = self.clock.now().date_naive();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let today = state.latest.map_or(now, |latest| latest.max(now));
        state.latest = Some(today);
        change(&mut state, today)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SigningKey;
    use crate::report::LicenseStatus;
    use crate::terms::LicenseTerms;
    use chrono::{NaiveTime, TimeDelta};
    use domain::instant::Instant;

    struct SettableClock(Mutex<Instant>);

    impl Clock for SettableClock {
        fn now(&self) -> Instant {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl SettableClock {
        fn set(&self, day: &str) {
            let late = NaiveTime::from_hms_opt(23, 59, 59).expect("a time");
            *self.0.lock().expect("a lock") =
                day.parse::<NaiveDate>().expect("a day").and_time(late).and_utc();
        }
    }

    fn policy() -> (LicensePolicy, Arc<SettableClock>) {
        let (key, _) = SigningKey::make().expect("a key");
        let clock = Arc::new(SettableClock(Mutex::default()));
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
        assert!(policy.report().message.contains("set back"), "{}", policy.report().message);

        // Nor does a start after that, when the day was remembered.
        let (fresh, clock) = self::policy();
        assert!(fresh.opens_cache());
        fresh.observe_day("2026-11-17".parse().expect("a day"));
        assert!(!fresh.opens_cache());
        fresh.observe_day("2026-11-01".parse().expect("a day"));
        assert_eq!(fresh.latest_day().to_string(), "2026-11-17");
        clock.set("2026-11-18");
        assert!(!fresh.report().message.contains("set back"));
        assert_ne!(fresh.storage_name(), policy.storage_name(), "every license has its own memory");
    }

    #[test]
    fn without_a_license_there_is_nothing_to_remember() {
        let (_, clock) = policy();
        let policy = LicensePolicy::new(Secret::default(), None, clock);
        assert_eq!((policy.opens_cache(), policy.storage_name()), (false, None));
    }
}
