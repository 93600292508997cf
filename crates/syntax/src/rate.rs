//! Rates such as `15/minute`.

use crate::error::SyntaxError;
use std::fmt;
use std::time::Duration;

/// At most `count` in each `per`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub count: u32,
    pub per: Duration,
}

const PERIODS: [(&str, u64); 4] = [("second", 1), ("minute", 60), ("hour", 3600), ("day", 86_400)];

impl Rate {
    /// `<n>/<second|minute|hour|day>`; `None` and the empty text mean that there is no limit.
    pub fn parse(text: &str) -> Result<Option<Self>, SyntaxError> {
        let text = text.trim();
        if text.is_empty() || text.eq_ignore_ascii_case("none") {
            return Ok(None);
        }
        let wrong = || {
            format!("'{}' is not a rate; write it like 15/minute", text.chars().take(40).collect::<String>())
        };
        let (count, period) = text.split_once('/').ok_or_else(wrong)?;
        let count: u32 = count.trim().parse().ok().filter(|count| *count > 0).ok_or_else(wrong)?;
        let period = period.trim().to_ascii_lowercase();
        let (_, seconds) =
            PERIODS.into_iter().find(|(name, _)| *name == period || name[..1] == period).ok_or_else(wrong)?;
        Ok(Some(Self { count, per: Duration::from_secs(seconds) }))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let period = PERIODS.into_iter().find(|(_, seconds)| self.per == Duration::from_secs(*seconds));
        write!(f, "{}/{}", self.count, period.map_or("second", |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rates() {
        let rate = |count, seconds| Ok(Some(Rate { count, per: Duration::from_secs(seconds) }));
        let cases = [
            ("15/minute", rate(15, 60)),
            (" 2 / Second ", rate(2, 1)),
            ("1/d", rate(1, 86_400)),
            ("None", Ok(None)),
            ("", Ok(None)),
        ];
        for (text, expected) in cases {
            assert_eq!(Rate::parse(text), expected, "{text}");
        }
        for wrong in ["15", "0/minute", "x/minute", "15/fortnight", "-1/second", "15/"] {
            assert!(Rate::parse(wrong).is_err(), "{wrong}");
        }
    }
}
