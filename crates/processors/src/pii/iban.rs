//! International bank account numbers: length by country and check digits.

use super::Kind;
use std::ops::Range;

pub const KIND: Kind = Kind { word: "IBAN_CODE", find };

/// Countries and the length of their numbers.
const LENGTHS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NL", 18),
    ("NO", 15),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("SA", 24),
    ("SC", 31),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
];

fn find(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut is_free = true;
    for (at, c) in text.char_indices() {
        if is_free && c.is_ascii_uppercase() && found.last().is_none_or(|last| last.end <= at) {
            found.extend(account_at(text, at));
        }
        is_free = !c.is_alphanumeric() && c != '_' && c != '/';
    }
    found
}

/// The account number that begins here, in one piece or with a space or hyphen between groups.
fn account_at(text: &str, at: usize) -> Option<Range<usize>> {
    let country = text.get(at..at + 2)?;
    let (_, length) = LENGTHS.iter().find(|(name, _)| *name == country)?;
    let bytes = text.as_bytes();
    let mut account = Vec::with_capacity(*length);
    let mut place = at;
    while account.len() < *length {
        let byte = *bytes.get(place)?;
        let is_gap = matches!(byte, b' ' | b'-') && account.len() >= 4 && bytes.get(place - 1) != Some(&byte);
        if byte.is_ascii_uppercase() || byte.is_ascii_digit() {
            account.push(byte);
        } else if !is_gap {
            return None;
        }
        place += 1;
    }
    let ends = !text[place..].chars().next().is_some_and(char::is_alphanumeric);
    (ends && has_check_digits(&account)).then_some(at..place)
}

/// With its first four characters at the end and A to Z as 10 to 35, the number is 1 modulo 97.
fn has_check_digits(account: &[u8]) -> bool {
    let (first, rest) = account.split_at(4);
    if !first[2..].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let remainder = rest.iter().chain(first).fold(0_u32, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        character => (remainder * 100 + u32::from(character.saturating_sub(b'A')) + 10) % 97,
    });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn finds_accounts() {
        for text in [
            "DE89370400440532013000",
            "DE89 3704 0044 0532 0130 00",
            "GB82 WEST 1234 5698 7654 32",
            "GB82-WEST-1234-5698-7654-32",
            "FR14 2004 1010 0505 0001 3M02 606",
            "NO93 8601 1117 947",
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
        ] {
            assert_eq!(found(text), [text]);
        }
        assert_eq!(found("(to DE89 3704 0044 0532 0130 00 BIC X)."), ["DE89 3704 0044 0532 0130 00"]);
    }

    #[test]
    fn leaves_the_rest() {
        for text in [
            "DE89 3704 0044 0532 0130 01",
            "DE89 3704 0044 0532 0130",
            "DE89  3704 0044 0532 0130 00",
            "XX82 WEST 1234 5698 7654 32",
            "aDE89370400440532013000",
            "DE893704004405320130001",
            "de89370400440532013000",
            "DE",
            "DEé9370400440532013000",
            "DE GB FR",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
