//! Retention of searches.

use crate::settings::SettingValue;
use chrono::TimeDelta;
use serde::{Deserialize, Deserializer};
use syntax::error::SyntaxError;

/// How long a search is kept after its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Retention {
    #[default]
    Forever,
    Hour,
    Day,
    Month,
    FiveMinutes,
}

impl Retention {
    /// In the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Forever, Self::Hour, Self::Day, Self::Month, Self::FiveMinutes];

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The number of the interface.
    pub fn number(self) -> u8 {
        match self {
            Self::Forever => 0,
            Self::Hour => 1,
            Self::Day => 2,
            Self::Month => 3,
            Self::FiveMinutes => 4,
        }
    }

    /// The name of the number in the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forever => "for ever",
            Self::Hour => "1 hour",
            Self::Day => "1 day",
            Self::Month => "1 month",
            Self::FiveMinutes => "5 minutes",
        }
    }

    /// The duration; None is forever. A month has 30 days.
    pub fn lasts(self) -> Option<TimeDelta> {
        match self {
            Self::Forever => None,
            Self::Hour => Some(TimeDelta::hours(1)),
            Self::Day => Some(TimeDelta::days(1)),
            Self::Month => Some(TimeDelta::days(30)),
            Self::FiveMinutes => Some(TimeDelta::minutes(5)),
        }
    }
}

impl SettingValue for Retention {
    const KIND: &'static str = "0 to 4";

    fn parse(text: &str) -> Result<Self, SyntaxError> {
        let text = text.trim();
        let is_named = |one: &Self| text == one.number().to_string() || text.eq_ignore_ascii_case(one.name());
        Self::ALL.into_iter().find(is_named).ok_or_else(|| {
            let known = Self::ALL.map(|one| format!("{} ({})", one.number(), one.name()));
            format!("one of {} is needed", known.join(", ")).into()
        })
    }

    fn show(&self) -> String {
        self.number().to_string()
    }

    fn toml(&self) -> String {
        self.show()
    }
}

/// Deserializes an explicit retention; null is None.
pub(crate) fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    u8::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_takes_the_numbers_and_names_of_the_interface() {
        let table = [
            ("0", Retention::Forever),
            ("1", Retention::Hour),
            (" 3 ", Retention::Month),
            ("4", Retention::FiveMinutes),
            ("1 month", Retention::Month),
            ("For Ever", Retention::Forever),
        ];
        for (text, expected) in table {
            assert_eq!(Retention::parse(text), Ok(expected), "{text}");
        }
        for retention in Retention::ALL {
            assert_eq!(Retention::from_number(retention.number()), Some(retention));
            assert_eq!(Retention::parse(&retention.show()), Ok(retention));
        }
    }

    #[test]
    fn days_are_not_mistaken_for_a_retention() {
        for text in ["30", "5", "-1", "month", "30d", ""] {
            let needed = Retention::parse(text).expect_err(text);
            assert!(needed.message().contains("3 (1 month)"), "{needed}");
        }
    }
}
