//! Detection of personal data that has a recognizable form, in linear time.
//!
//! | Kind | Detected |
//! |---|---|
//! | `EMAIL_ADDRESS` | email addresses |
//! | `PHONE_NUMBER` | international, North American and other national numbers, in common formats |
//! | `CREDIT_CARD` | card numbers of the large issuers with a valid check digit |
//! | `IBAN_CODE` | bank accounts with a valid length and check digits |
//! | `US_SSN` | social security numbers of the United States |
//! | `IP_ADDRESS` | IPv4 and IPv6 addresses |
//! | `PERSON` | names after a title: `Mr. Smith`, `Dr. J. van Dyke`; names that an email address of the same result spells |
//!
//! Not detected: other names without a title, postal addresses, dates of birth, passport and driving license numbers,
//! tax and health numbers, account numbers without check digits, user names, and numbers written as words. If a form is
//! ambiguous (ten digits in a row), a word such as `phone` before it decides.

mod card;
mod context;
mod digits;
mod email;
mod iban;
mod ip_address;
mod mail_names;
mod person;
mod redact;
mod ssn;
mod telephone;

pub use redact::{redact_item, redacted, removed};

use mail_names::MailNames;
use std::ops::Range;

/// One kind of personal data.
pub struct Kind {
    /// The placeholder in a redacted text.
    pub word: &'static str,
    /// Finds its byte ranges in a text, in linear time.
    pub find: fn(&str) -> Vec<Range<usize>>,
}

/// If two kinds claim the same range, the earlier row wins.
const KINDS: &[Kind] =
    &[email::KIND, iban::KIND, card::KIND, ssn::KIND, ip_address::KIND, telephone::KIND, person::KIND];

/// A range of personal data in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub range: Range<usize>,
    pub word: &'static str,
}

/// All personal data in a text, in order, without overlaps. The names are those of email addresses.
fn find(text: &str, names: &MailNames) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for kind in KINDS {
        all.extend((kind.find)(text).into_iter().map(|range| Finding { range, word: kind.word }));
    }
    all.extend(names.find(text).into_iter().map(|range| Finding { range, word: mail_names::WORD }));
    // The sort is stable, so the order of the kinds decides between equals.
    all.sort_by_key(|finding| (finding.range.start, usize::MAX - finding.range.end));
    let mut end = 0;
    all.retain(|finding| {
        let is_free = finding.range.start >= end;
        end = end.max(if is_free { finding.range.end } else { 0 });
        is_free
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn find_in(text: &str) -> Vec<Finding> {
        let mut names = MailNames::default();
        names.add(text);
        find(text, &names)
    }

    fn words(text: &str) -> Vec<(&str, &'static str)> {
        find_in(text).into_iter().map(|finding| (&text[finding.range], finding.word)).collect()
    }

    #[test]
    fn all_kinds_are_found_in_order() {
        let text = "Dr. Ada Byron (ada@byron.example, +44 20 7946 0958) paid 4111 1111 1111 1111 from 203.0.113.7 to \
                    DE89 3704 0044 0532 0130 00; SSN 219-09-9999.";
        let want = [
            ("Dr. Ada Byron", "PERSON"),
            ("ada@byron.example", "EMAIL_ADDRESS"),
            ("+44 20 7946 0958", "PHONE_NUMBER"),
            ("4111 1111 1111 1111", "CREDIT_CARD"),
            ("203.0.113.7", "IP_ADDRESS"),
            ("DE89 3704 0044 0532 0130 00", "IBAN_CODE"),
            ("219-09-9999", "US_SSN"),
        ];
        assert_eq!(words(text), want);
    }

    #[test]
    fn ordinary_texts_are_left_alone() {
        for text in [
            "",
            "Published 2021-03-04, updated 2021-03-04T05:06:07.123+02:00 and 03/04/2021",
            "20210304 1700000000 1700000000000 1700000000123456",
            "ISBN 978-3-16-148410-0, ISBN-13: 9783161484100, ISBN 0-306-40615-2, ISBN 0306406152",
            "ISSN 2049-3630, 0317-8471; ORCID 0000-0002-1825-0097",
            "doi:10.1000/182, https://doi.org/10.1038/s41586-020-2649-2, 10.1093/555-123-4567",
            "version 1.2.3.4, v2.0.0.1, Firefox 115.0.2, Chrome/120.0.0.0, build 10.0.19041.1, section 3.1.4.1",
            "arXiv:2101.00001v2, PMID 12345678, PMC1234567, US 10,123,456 B2, CVE-2021-44228",
            "1,234,567 people, 3.14159, 50-100, 2019-2020, 12:30:45, 1 000 000 000, $1,234.56",
            "12.5.3, 192.168.1, 256.1.1.1, 1.2.3.4.5, 00:1a:2b:3c:4d:5e, std::vector, a::b",
            "user@localhost @mention a@b lodash@4.17.21 icon@2x.png",
            "Mr. and Mrs. are titles; Dr. of Philosophy; Dr. Pepper; Ms Excel; mr. smith",
            "RFC 2616, ISO 8601:2004, ASTM 123-45-678, part 555-1234, order 5551234567",
            "GB82 is no account, nor is XX82 WEST 1234 5698 7654 32, nor DE89 3704 0044 0532 0130 01",
        ] {
            assert_eq!(words(text), [], "{text}");
        }
    }

    /// Time is linear: four times the text takes about four times as long, not sixteen. The ratio is taken within one
    /// run, as the best of five, because machines are noisy.
    #[test]
    fn time_is_linear() {
        let best_of_five = |text: &str| {
            let once = || {
                let start = std::time::Instant::now();
                find_in(text);
                start.elapsed()
            };
            (0..5).map(|_| once()).min().unwrap_or_default()
        };
        for piece in [
            "1 ",
            "a@",
            "+1",
            "(1)",
            "1-",
            "Dr. A ",
            "GB82 ",
            "::",
            "1.1.",
            "é@é.",
            "0",
            "Jo Smi jo.smi@a.example ",
        ] {
            // Linear time gives a ratio of four, quadratic time sixteen. A busy machine may spoil a measurement, but
            // not all of them.
            let measure = || {
                let short = best_of_five(&piece.repeat(12_500 / piece.len()));
                (short, best_of_five(&piece.repeat(50_000 / piece.len())))
            };
            let mut measured = Vec::new();
            let is_linear = (0..5).any(|_| {
                let (short, long) = measure();
                measured.push((short, long));
                long < short * 10
            });
            assert!(is_linear, "{piece}: {measured:?}");
        }
    }

    proptest! {
        #[test]
        fn findings_are_parts_of_the_text(
            text in "[0-9 +().:/@a-cA-C-]{0,60}|\\PC{0,80}|((Dr|Mr)\\. ?[A-Cé ]{0,8}|[0-9]{1,4}[ -]|@|é){0,12}|(Jo|Smi|é|jo\\.smi@a\\.bc|[ ,.]){0,16}"
        ) {
            let mut end = 0;
            for finding in find_in(&text) {
                prop_assert!(finding.range.start >= end && !finding.range.is_empty());
                prop_assert!(text.get(finding.range.clone()).is_some());
                end = finding.range.end;
            }
        }
    }
}
