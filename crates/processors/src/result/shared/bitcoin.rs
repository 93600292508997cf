//! Satoshi to Bitcoin in decimal digits, without rounding errors.

/// More digits than the largest possible number of Satoshi has.
const DIGITS_MAX: usize = 17;
const SIGNIFICANT_DIGITS: u32 = 10;

/// A whole number of Satoshi in Bitcoin, with ten significant digits; `None` for any other text.
pub fn to_bitcoin(satoshi: &str) -> Option<String> {
    let is_number = !satoshi.is_empty() && satoshi.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || satoshi.len() > DIGITS_MAX {
        return None;
    }
    let (mut digits, mut places) = (satoshi.parse::<u64>().ok()?, 8_u32);
    let excess = digits.checked_ilog10().unwrap_or(0).saturating_sub(SIGNIFICANT_DIGITS - 1);
    let unit = 10_u64.pow(excess);
    if digits % unit != 0 {
        digits = round_half_even(digits, unit);
        places -= excess;
    } else {
        while places > 0 && digits % 10 == 0 {
            digits /= 10;
            places -= 1;
        }
    }
    Some(written(digits, places))
}

fn round_half_even(number: u64, unit: u64) -> u64 {
    let (quotient, rest) = (number / unit, number % unit);
    let up = rest * 2 > unit || (rest * 2 == unit && quotient % 2 == 1);
    quotient + u64::from(up)
}

/// Plain decimals; below a millionth, with an exponent.
fn written(digits: u64, places: u32) -> String {
    let text = digits.to_string();
    let places = places as usize;
    if digits > 0 && places > text.len() + 5 {
        let exponent = places + 1 - text.len();
        let (first, rest) = text.split_at(1);
        return if rest.is_empty() {
            format!("{first}E-{exponent}")
        } else {
            format!("{first}.{rest}E-{exponent}")
        };
    }
    if places == 0 {
        return text;
    }
    let padded = format!("{text:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts() {
        let table = [
            ("100000000", Some("1")),
            ("123456789", Some("1.23456789")),
            ("1000000000000", Some("10000")),
            ("150000000", Some("1.5")),
            ("12345678901234", Some("123456.7890")),
            ("100", Some("0.000001")),
            ("10", Some("1E-7")),
            ("12", Some("1.2E-7")),
            ("1", Some("1E-8")),
            ("0", Some("0")),
            ("99999999999999999", Some("1000000000.0")),
            ("100000000000000000", None),
            ("1.5", None),
            ("-1", None),
            ("", None),
        ];
        for (satoshi, want) in table {
            assert_eq!(to_bitcoin(satoshi).as_deref(), want, "{satoshi}");
        }
    }
}
