//! Rolling one-hour window of search statistics, by minute, for the console.

use super::providers::{NOT_QUERIED, PROVIDERS_MAX};
use chrono::{DateTime, Utc};
use domain::ids::ProviderId;
use domain::ports::ProviderEnd;
use domain::status::SearchStatus;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// Minutes in the window, including the current one.
pub const MINUTES_MAX: u64 = 60;
const MINUTE_S: u64 = 60;
/// Each bucket of a time is this much longer than the previous one: a value is accurate to ten percent.
const STEP: f64 = 1.1;
/// The last bucket; longer times (about ten minutes) are counted in it.
const STEPS_MAX: u8 = 140;

/// Statistics of the last hour.
#[derive(Debug)]
pub struct RollingHour {
    started: Instant,
    started_at: DateTime<Utc>,
    /// The newest is last.
    minutes: VecDeque<Minute>,
}

#[derive(Debug, Default)]
struct Minute {
    /// Counted from the start of the process.
    number: u64,
    searches: u64,
    full: u64,
    errors: u64,
    times: Times,
    providers: BTreeMap<ProviderId, ProviderFigures>,
}

#[derive(Debug, Default, Clone)]
struct ProviderFigures {
    name: String,
    ok: u64,
    failed: u64,
    times: Times,
}

/// Histogram of times, by bucket.
#[derive(Debug, Default, Clone)]
pub struct Times(BTreeMap<u8, u64>);

/// The hour as the console shows it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Hour)]
pub struct HourView {
    /// 95th percentile of the searches, in seconds.
    pub p95: Option<f64>,
    /// Share of the searches in which every source responded.
    pub full_share: Option<f64>,
    /// The oldest is first.
    pub minutes: Vec<MinuteView>,
    pub providers: Vec<ProviderHour>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Minute)]
pub struct MinuteView {
    /// When it began.
    pub minute: DateTime<Utc>,
    /// Searches that ended in it.
    pub searches: u64,
    /// Searches that ended in an error, and failures of sources.
    pub errors: u64,
    pub p95: Option<f64>,
}

#[derive(Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ProviderHour {
    pub provider_id: ProviderId,
    pub name: String,
    pub ok: u64,
    pub failed: u64,
    /// Median time of its responses, in seconds.
    pub p50: Option<f64>,
    pub p95: Option<f64>,
}

impl RollingHour {
    pub fn beginning(now: DateTime<Utc>) -> Self {
        Self { started: Instant::now(), started_at: now, minutes: VecDeque::new() }
    }

    pub fn search_ended(&mut self, now: Instant, status: SearchStatus, took: Duration) {
        let minute = self.minute(now);
        minute.searches += 1;
        minute.times.add(took);
        let is_full = matches!(status, SearchStatus::FullResultsReady | SearchStatus::FullUpdateReady);
        minute.full += u64::from(is_full);
        minute.errors += u64::from(status.is_error());
    }

    /// A provider that was not queried is not counted.
    pub fn provider_ended(&mut self, now: Instant, end: &ProviderEnd<'_>) {
        let ProviderEnd { provider, name, error, took } = *end;
        if error == Some(NOT_QUERIED) {
            return;
        }
        let minute = self.minute(now);
        minute.errors += u64::from(error.is_some());
        if minute.providers.len() >= PROVIDERS_MAX && !minute.providers.contains_key(&provider) {
            return;
        }
        let figures = minute.providers.entry(provider).or_default();
        name.clone_into(&mut figures.name);
        figures.times.add(took);
        match error {
            None => figures.ok += 1,
            Some(_) => figures.failed += 1,
        }
    }

    /// Every minute of the hour, including those without searches.
    pub fn view(&self, now: Instant) -> HourView {
        let last = self.number(now);
        let first = (last + 1).saturating_sub(MINUTES_MAX);
        let recent = || self.minutes.iter().filter(|minute| minute.number >= first);
        let (searches, full) =
            recent().fold((0, 0), |sum, minute| (sum.0 + minute.searches, sum.1 + minute.full));
        let quiet = Minute::default();
        let shown = |number: u64| {
            let minute = recent().find(|minute| minute.number == number).unwrap_or(&quiet);
            MinuteView {
                minute: self.began(number),
                searches: minute.searches,
                errors: minute.errors,
                p95: minute.times.quantile(0.95),
            }
        };
        HourView {
            p95: Times::together(recent().map(|minute| &minute.times)).quantile(0.95),
            full_share: (searches > 0).then(|| full as f64 / searches as f64),
            minutes: (first..=last).map(shown).collect(),
            providers: providers(recent()),
        }
    }

    fn number(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.started).as_secs() / MINUTE_S
    }

    fn began(&self, number: u64) -> DateTime<Utc> {
        let seconds = i64::try_from(number * MINUTE_S).unwrap_or(i64::MAX);
        self.started_at + chrono::Duration::try_seconds(seconds).unwrap_or_default()
    }

    fn minute(&mut self, now: Instant) -> &mut Minute {
        let number = self.number(now);
        if self.minutes.back().is_none_or(|last| last.number < number) {
            self.minutes.push_back(Minute { number, ..Minute::default() });
        }
        while self.minutes.len() as u64 > MINUTES_MAX {
            self.minutes.pop_front();
        }
        // Never empty here: a minute was just pushed if there was none.
        let last = self.minutes.len().saturating_sub(1);
        &mut self.minutes[last]
    }
}

fn providers<'a>(minutes: impl Iterator<Item = &'a Minute>) -> Vec<ProviderHour> {
    let mut all: BTreeMap<ProviderId, ProviderFigures> = BTreeMap::new();
    for (id, figures) in minutes.flat_map(|minute| &minute.providers) {
        let sum = all.entry(*id).or_default();
        figures.name.clone_into(&mut sum.name);
        sum.ok += figures.ok;
        sum.failed += figures.failed;
        sum.times.take_in(&figures.times);
    }
    let shown = |(provider_id, one): (ProviderId, ProviderFigures)| ProviderHour {
        provider_id,
        ok: one.ok,
        failed: one.failed,
        p50: one.times.quantile(0.5),
        p95: one.times.quantile(0.95),
        name: one.name,
    };
    all.into_iter().map(shown).collect()
}

impl Times {
    pub fn add(&mut self, took: Duration) {
        let steps = (took.as_secs_f64() * 1000.0).max(1.0).log(STEP).ceil();
        *self.0.entry(steps.min(f64::from(STEPS_MAX)) as u8).or_default() += 1;
    }

    fn take_in(&mut self, other: &Self) {
        for (step, count) in &other.0 {
            *self.0.entry(*step).or_default() += count;
        }
    }

    fn together<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        all.for_each(|one| sum.take_in(one));
        sum
    }

    /// The quantile in seconds; None without values.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let total: u64 = self.0.values().sum();
        let wanted = (total as f64 * share).ceil().max(1.0) as u64;
        let mut passed = 0;
        let step = self.0.iter().find_map(|(step, count)| {
            passed += count;
            (passed >= wanted).then_some(*step)
        })?;
        let seconds = STEP.powf(f64::from(step) - 0.5) / 1000.0;
        Some((seconds * 1000.0).round() / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hour() -> RollingHour {
        RollingHour::beginning(DateTime::from_timestamp(1_700_000_000, 0).expect("a time"))
    }

    fn searches(view: &HourView) -> u64 {
        view.minutes.iter().map(|minute| minute.searches).sum()
    }

    #[test]
    fn quantiles_are_right_within_a_tenth() {
        let mut times = Times::default();
        assert_eq!(times.quantile(0.5), None);
        for number in 1..=1000 {
            times.add(Duration::from_millis(number));
        }
        for (share, expected) in [(0.5, 0.5), (0.95, 0.95), (1.0, 1.0)] {
            let found = times.quantile(share).expect("times");
            assert!((found - expected).abs() <= expected * 0.1, "{share}: {found}");
        }
        times.add(Duration::from_secs(100_000));
        assert!(times.0.len() <= usize::from(STEPS_MAX) + 1, "endless times share the last step");
    }

    #[test]
    fn only_one_hour_is_kept() {
        let mut hour = hour();
        for minute in 0..(MINUTES_MAX + 30) {
            let now = hour.started + Duration::from_secs(minute * MINUTE_S);
            hour.search_ended(now, SearchStatus::FullResultsReady, Duration::from_millis(100));
        }
        assert_eq!(hour.minutes.len() as u64, MINUTES_MAX);
        let now = hour.started + Duration::from_secs((MINUTES_MAX + 29) * MINUTE_S);
        let view = hour.view(now);
        assert_eq!((searches(&view), view.minutes.len() as u64), (MINUTES_MAX, MINUTES_MAX));
        let later = hour.view(now + Duration::from_secs(50 * MINUTE_S));
        assert_eq!((searches(&later), later.minutes.len() as u64), (10, MINUTES_MAX));
        assert_eq!(later.minutes[59].searches, 0, "minutes without searches are included");
        assert_eq!(hour.view(now + Duration::from_secs(7200)).full_share, None);
    }

    #[test]
    fn failures_are_counted_and_unqueried_providers_are_not() {
        let mut hour = hour();
        let now = hour.started;
        let took = Duration::from_millis(200);
        for error in [None, None, Some("timeout"), Some(NOT_QUERIED)] {
            let end = ProviderEnd { provider: ProviderId(1), name: "Library", error, took };
            hour.provider_ended(now, &end);
        }
        hour.search_ended(now, SearchStatus::PartialResultsReady, took);
        hour.search_ended(now, SearchStatus::ErrRunFailed, took);
        let view = hour.view(now);
        assert_eq!((view.providers[0].ok, view.providers[0].failed), (2, 1));
        assert_eq!((view.minutes[0].errors, view.full_share), (2, Some(0.0)));
        for number in 0..i64::try_from(PROVIDERS_MAX).expect("small") + 10 {
            let end = ProviderEnd { provider: ProviderId(number), name: "many", error: None, took };
            hour.provider_ended(now, &end);
        }
        assert_eq!(hour.view(now).providers.len(), PROVIDERS_MAX);
    }
}
