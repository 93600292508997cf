//! Numbers with few decimals in JSON. Scores are rounded to four, and are written far faster than other numbers.

const SCALE: f64 = 10_000.0;
/// Numbers from here on have two digits before the point; few of them are scores.
const BEYOND: f64 = 10.0;

/// A positive number below ten with at most four decimals.
pub(super) struct Decimal {
    /// The number times ten thousand.
    scaled: u32,
}

impl Decimal {
    /// `None` if the number is not one. No shorter text means the same number: texts of so few digits all mean different ones.
    #[inline]
    pub(super) fn of(number: f64) -> Option<Self> {
        // A number that is not in the range, or none at all, becomes another one and is found out.
        let scaled = (number.clamp(0.0, BEYOND) * SCALE + 0.5) as u32;
        (number < BEYOND && scaled > 0 && f64::from(scaled) / SCALE == number).then_some(Self { scaled })
    }

    /// `0.25`, `2.0`
    #[inline]
    pub(super) fn push_to(&self, text: &mut Vec<u8>) {
        // A digit is below ten.
        let digit = |place: u32| b'0' + (self.scaled / place % 10) as u8;
        let digits = [digit(10_000), b'.', digit(1000), digit(100), digit(10), digit(1)];
        let zeros = digits[3..].iter().rev().take_while(|digit| **digit == b'0').count();
        text.extend_from_slice(&digits);
        text.truncate(text.len() - zeros);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(number: f64) -> Option<String> {
        let mut text = Vec::new();
        Decimal::of(number)?.push_to(&mut text);
        Some(String::from_utf8(text).expect("digits"))
    }

    #[test]
    fn numbers_with_few_decimals() {
        let table = [
            (0.25, Some("0.25")),
            (0.0001, Some("0.0001")),
            (0.9999, Some("0.9999")),
            (2.0, Some("2.0")),
            (3.05, Some("3.05")),
            (9.9999, Some("9.9999")),
            (9.99999, None),
            (10.0, None),
            (10.5, None),
            (0.00001, None),
            (0.00005, None),
            (0.12345, None),
            (0.1 + 0.2, None),
            (0.0, None),
            (-0.0, None),
            (-0.25, None),
            (1e300, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
            (f64::NEG_INFINITY, None),
        ];
        for (number, expected) in table {
            assert_eq!(text(number).as_deref(), expected, "{number}");
        }
    }

    #[test]
    fn every_number_is_written_as_others_write_it() {
        for scaled in 1..(BEYOND * SCALE) as u32 {
            let number = f64::from(scaled) / SCALE;
            assert_eq!(text(number), Some(serde_json::to_string(&number).expect("JSON")));
        }
    }

    proptest! {
        #[test]
        fn no_number_is_changed(number in -1.0..20.0_f64) {
            if let Some(text) = text(number) {
                prop_assert_eq!(text, serde_json::to_string(&number).expect("JSON"));
            }
        }
    }
}
