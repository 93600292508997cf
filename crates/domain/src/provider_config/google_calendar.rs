//! `config.swirl.google_calendar`: which days of a calendar are searched.

use super::field::ConfigField;
use crate::validation::FieldErrors;
use serde::Deserialize;

/// Default number of days before and after today, and the most that a provider may set.
const DAYS: u32 = 365;
const DAYS_MAX: u32 = 3650;

/// `config.swirl.google_calendar` of one provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalendarDays {
    pub back: u32,
    pub ahead: u32,
}

impl Default for CalendarDays {
    fn default() -> Self {
        Self { back: DAYS, ahead: DAYS }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CalendarBlock {
    calendar_lookback_days: ConfigField<u64>,
    calendar_lookahead_days: ConfigField<u64>,
}

impl CalendarDays {
    /// Invalid values are reported and replaced by the default.
    pub(super) fn read(block: CalendarBlock, errors: &mut FieldErrors) -> Self {
        let mut days = |key: &str, field: ConfigField<u64>| match field {
            ConfigField::Missing => DAYS,
            ConfigField::Valid(days) if days <= u64::from(DAYS_MAX) => {
                u32::try_from(days).unwrap_or(DAYS_MAX)
            }
            ConfigField::Valid(_) | ConfigField::Invalid => {
                let needed = format!("a whole number of days from 0 to {DAYS_MAX} is needed.");
                errors.add("config", format!("swirl.google_calendar.{key}: {needed}"));
                DAYS
            }
        };
        Self {
            back: days("calendar_lookback_days", block.calendar_lookback_days),
            ahead: days("calendar_lookahead_days", block.calendar_lookahead_days),
        }
    }
}
