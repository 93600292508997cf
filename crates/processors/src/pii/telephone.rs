//! Telephone numbers in common formats. Digits alone, or separated by spaces only, count only after a word that
//! announces them: dates, codes and quantities look the same.

use super::Kind;
use super::context::is_after;
use super::digits::{Number, each_number};
use std::ops::Range;

pub const KIND: Kind = Kind { word: "PHONE_NUMBER", find };

const WORDS: &[&str] = &[
    "phone",
    "telephone",
    "tel",
    "fax",
    "mobile",
    "cell",
    "call",
    "ph",
    "whatsapp",
    "hotline",
    "telefon",
    "handy",
    "mobil",
    "téléphone",
];
/// Words that announce other kinds of numbers.
const OTHER_WORDS: &[&str] = &["isbn", "isbn-10", "isbn-13", "issn", "doi", "orcid", "pmid", "ean", "sku"];

fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each_number(text, |number| {
        let start = number.range().start;
        let is_phone = !is_after(text, start, OTHER_WORDS)
            && (has_form(number) || is_after(text, start, WORDS) && may_be_dialled(number));
        found.extend(is_phone.then(|| number.range()));
        is_phone
    });
    found
}

/// Unambiguous formats.
fn has_form(number: &Number<'_>) -> bool {
    if number.opening().contains('+') {
        return is_international(number);
    }
    is_north_american(number) || (!number.is_inner && is_national(number))
}

/// `+49 30 1234567`: the country code, and 8 to 15 digits in all.
fn is_international(number: &Number<'_>) -> bool {
    let digits = number.digits();
    (8..=15).contains(&digits.len()) && !digits.starts_with('0')
}

/// `(212) 555-0123`, `212-555-0123`, `1.212.555.0123`: area and exchange do not begin with 0 or 1.
fn is_north_american(number: &Number<'_>) -> bool {
    let groups: Vec<&str> = number.groups().collect();
    let own = match groups.as_slice() {
        ["1", own @ ..] => own,
        own => own,
    };
    let [area, exchange, line] = own else { return false };
    let lengths = (area.len(), exchange.len(), line.len());
    let is_dialled = |group: &str| !group.starts_with(['0', '1']);
    let between: Vec<&str> = number.between().collect();
    let ends = between.len();
    let is_parted = match between.get(ends.wrapping_sub(2)..) {
        Some([first, last]) => {
            let is_sign = |sign: &str| matches!(sign, "-" | "." | "\u{2011}");
            (is_sign(first) && first == last) || (first.contains(')') && (is_sign(last) || *last == " "))
        }
        _ => false,
    };
    lengths == (3, 3, 4) && is_dialled(area) && is_dialled(exchange) && is_parted
}

/// `020 7946 0958`, `0171/1234567`, `(030) 123456`, `01 23 45 67 89`, `0049 30 123456`.
fn is_national(number: &Number<'_>) -> bool {
    let groups: Vec<&str> = number.groups().collect();
    let between: Vec<&str> = number.between().collect();
    let [first, second, ..] = groups.as_slice() else { return false };
    let is_parted = |signs: &[&str]| between.iter().all(|sign| signs.contains(sign));
    let digits: usize = groups.iter().map(|group| group.len()).sum();
    if groups.iter().all(|group| group.len() == 2) {
        return groups.len() == 5 && first.starts_with('0') && *first != "00" && is_parted(&[" "]);
    }
    if let Some(country) = first.strip_prefix("00") {
        return (2..=3).contains(&country.len())
            && !country.starts_with('0')
            && (10..=15).contains(&digits)
            && is_parted(&[" "]);
    }
    first.starts_with('0')
        && (3..=5).contains(&first.len())
        && second.len() >= 3
        && (9..=12).contains(&digits)
        && is_parted(&[" ", "-", "/", " / ", " - ", ") ", ")"])
}

/// Seven to fifteen digits in at most five groups, after a word that announces them.
fn may_be_dialled(number: &Number<'_>) -> bool {
    let is_date = matches!(number.lengths().as_slice(), [4, 2, 2] | [2, 2, 4]);
    (7..=15).contains(&number.digits().len()) && number.lengths().len() <= 5 && !is_date
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn finds_numbers() {
        let table: &[(&str, &[&str])] = &[
            ("+49 30 1234567", &["+49 30 1234567"]),
            ("+442079460958, (+44) 20 7946 0958.", &["+442079460958", "(+44) 20 7946 0958"]),
            ("+1 (212) 555-0123 or +33 1 23 45 67 89", &["+1 (212) 555-0123", "+33 1 23 45 67 89"]),
            ("(212) 555-0123 212-555-0123", &["(212) 555-0123", "212-555-0123"]),
            ("1-800-555-0199; 212.555.0123!", &["1-800-555-0199", "212.555.0123"]),
            ("020 7946 0958", &["020 7946 0958"]),
            ("07700 900123", &["07700 900123"]),
            ("0171/1234567", &["0171/1234567"]),
            ("(030) 123456", &["(030) 123456"]),
            ("01 23 45 67 89", &["01 23 45 67 89"]),
            ("0049 30 123456", &["0049 30 123456"]),
            ("Tel: 2125550123", &["2125550123"]),
            ("phone 212 555 0123", &["212 555 0123"]),
            ("call 555-0123 now", &["555-0123"]),
        ];
        for (text, want) in table {
            assert_eq!(found(text), *want, "{text}");
        }
    }

    #[test]
    fn leaves_the_rest() {
        for text in [
            "2021-03-04",
            "01/02/2021 03-04-2021 01.02.2021",
            "2125550123",
            "212 555 0123",
            "555-0123",
            "112-555-0123 212-155-0123",
            "ISBN 020 7946 0958",
            "0-306-40615-2 978-0-306-40615-7",
            "0000-0002-1825-0097",
            "1.2.3.4 10.15.7",
            "0317-8471",
            "+1 +12",
            "a+49301234567",
            "x=1+49301234567",
            "call 2021-03-04",
            "10.1093/212-555-0123",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
