//! Payment card numbers: issuer prefix, length and Luhn check digit.

use super::Kind;
use super::digits::{Number, each_number};
use std::ops::Range;

pub const KIND: Kind = Kind { word: "CREDIT_CARD", find };

/// First and last prefix, and the lengths, of the large issuers.
const ISSUERS: &[(u32, u32, &[usize])] = &[
    (4, 4, &[13, 16, 19]),
    (51, 55, &[16]),
    (2221, 2720, &[16]),
    (34, 34, &[15]),
    (37, 37, &[15]),
    (300, 305, &[14]),
    (36, 36, &[14]),
    (38, 38, &[14]),
    (3528, 3589, &[16]),
    (6011, 6011, &[16]),
    (644, 659, &[16]),
    (62, 62, &[16, 17, 18, 19]),
];

/// How the digits may be grouped.
const GROUPS: &[&[usize]] = &[&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[4, 4, 4, 4, 3], &[4, 4, 4, 1]];

fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each_number(text, |number| {
        let is_card = is_card(number);
        found.extend(is_card.then(|| number.range()));
        is_card
    });
    found
}

fn is_card(number: &Number<'_>) -> bool {
    let lengths = number.lengths();
    let is_grouped = lengths.len() == 1 || GROUPS.contains(&lengths.as_slice());
    let mut between = number.between();
    let first = between.next().unwrap_or(" ");
    let is_alike = matches!(first, " " | "-" | "\u{a0}") && between.all(|next| next == first);
    if !is_grouped || !is_alike || !number.opening().is_empty() {
        return false;
    }
    let digits = number.digits();
    let is_issued = ISSUERS.iter().any(|(from, to, lengths)| {
        let prefix = digits.get(..from.to_string().len()).and_then(|prefix| prefix.parse().ok());
        lengths.contains(&digits.len()) && prefix.is_some_and(|prefix: u32| (*from..=*to).contains(&prefix))
    });
    is_issued && has_check_digit(&digits)
}

/// Luhn: every second digit from the right counts double; the sum ends in 0.
fn has_check_digit(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| {
            let digit = u32::from(byte - b'0');
            let doubled = digit * 2;
            if place % 2 == 0 { digit } else { doubled / 10 + doubled % 10 }
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn finds_cards() {
        for text in [
            "4111111111111111",
            "4111 1111 1111 1111",
            "4111-1111-1111-1111",
            "5500005555555559",
            "2221 0000 0000 0009",
            "3782 822463 10005",
            "371449635398431",
            "3056 930902 5904",
            "6011111111111117",
            "3530111333300000",
            "6200000000000005",
        ] {
            assert_eq!(found(text), [text]);
        }
        assert_eq!(found("paid (4111 1111 1111 1111) 05/27."), ["4111 1111 1111 1111"]);
    }

    #[test]
    fn leaves_the_rest() {
        for text in [
            "4111111111111112",
            "4111 1111-1111 1111",
            "41 11 11 11 11 11 11 11",
            "1111111111111117",
            "9783161484100",
            "1700000000000",
            "411111111111111",
            "id-4111111111111111",
            "4111111111111111x",
            "https://x.example/4111111111111111",
            "0000000000000000",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
