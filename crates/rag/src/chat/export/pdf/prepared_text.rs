//! Texts in the form in which they are set: composed, without invisible characters, on one line.

use super::fonts::{JOINERS, has_unknown_forms};
use super::winansi;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The text of one paragraph, with single spaces between words.
pub(super) fn prepared(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfc() {
        match winansi::instead(c) {
            _ if JOINERS.contains(&c) => out.push(c),
            Some(other) => out.push_str(other),
            None => out.push(c),
        }
    }
    out.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The characters of prepared texts that the standard fonts lack.
pub(super) fn characters_beyond_standard<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeSet<char> {
    let beyond = |c: &char| winansi::byte(*c).is_none() && !JOINERS.contains(c);
    texts.flat_map(str::chars).filter(beyond).collect()
}

/// Whether the characters of its script change their form or order in ways that are not supported.
pub(super) fn is_of_complex_script(c: char) -> bool {
    has_unknown_forms(c)
        || matches!(c, '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1700}'..='\u{18af}' | '\u{1900}'..='\u{194f}'
            | '\u{1a00}'..='\u{1aaf}' | '\u{1b00}'..='\u{1c4f}' | '\u{a800}'..='\u{a8ff}' | '\u{a930}'..='\u{aadf}'
            | '\u{abc0}'..='\u{abff}' | '\u{10a00}'..='\u{11fff}')
}

/// Whether a text cannot be understood without this character; others are written by their code point.
pub(super) fn is_alphabetic(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Writes characters by their code point.
pub(super) fn with_code_points(text: &str, characters: &BTreeSet<char>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if characters.contains(&c) {
            out.push_str(&format!("[U+{:04X}]", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_prepared() {
        for (text, expected) in [
            ("e\u{301}  a\tb", "é a b"),
            ("a\u{200b}b\u{7}\u{202e}c", "abc"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("a‑b → c≥d\u{202f}e", "a-b -> c>=d e"),
            ("✅ 水", "✅ 水"),
            ("", ""),
        ] {
            assert_eq!(prepared(text), expected, "{text}");
        }
        let beyond = characters_beyond_standard(["é ✅", "水\u{200d}"].into_iter());
        assert_eq!(beyond, BTreeSet::from(['✅', '水']));
        assert_eq!(with_code_points("a✅水", &BTreeSet::from(['✅'])), "a[U+2705]水");
        for (c, is_complex) in
            [('न', true), ('ক', true), ('ម', true), ('ب', false), ('水', false), ('ก', false)]
        {
            assert_eq!(is_of_complex_script(c), is_complex, "{c}");
        }
        assert!(is_alphabetic('水') && is_alphabetic('\u{93f}') && !is_alphabetic('✅'));
    }
}
