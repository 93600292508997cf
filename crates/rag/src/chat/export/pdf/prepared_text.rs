//! Texts in the form in which they are set: composed, without invisible characters, on one line, without characters that
//! no font has.

use super::fonts::{JOINERS, has_unknown_forms};
use super::winansi;
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;

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

/// Plain characters that say the same: `1/3` for `⅓`.
pub(super) fn plain_form(c: char) -> Option<String> {
    const FRACTION_SLASH: char = '\u{2044}';
    let plain = std::iter::once(c).nfkc().map(|plain| if plain == FRACTION_SLASH { '/' } else { plain });
    let plain: String = plain.collect();
    (!plain.chars().eq([c]) && !plain.starts_with(' ')).then_some(plain)
}

pub(super) fn code_point(c: char) -> String {
    format!("[U+{:04X}]", u32::from(c))
}

/// Writes these characters in another way.
pub(super) fn with_substitutes(text: &str, substitutes: &BTreeMap<char, String>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let Some(other) = substitutes.get(&c) else {
            out.push(c);
            continue;
        };
        // `2⅓` is not 21/3.
        let is_digit = |c: char| c.is_ascii_digit();
        if out.ends_with(is_digit) && other.starts_with(is_digit) {
            out.push(' ');
        }
        out.push_str(other);
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
            ("a‑b → c≥d\u{202f}e", "a-b → c≥d e"),
            ("1️⃣ ✅ 水", "1\u{20e3} ✅ 水"),
            ("", ""),
        ] {
            assert_eq!(prepared(text), expected, "{text}");
        }
        let beyond = characters_beyond_standard(["é ✅", "水\u{200d}"].into_iter());
        assert_eq!(beyond, BTreeSet::from(['✅', '水']));
        for (c, is_complex) in
            [('न', true), ('ক', true), ('ម', true), ('ب', false), ('水', false), ('ก', false)]
        {
            assert_eq!(is_of_complex_script(c), is_complex, "{c}");
        }
    }

    #[test]
    fn characters_are_written_in_another_way() {
        for (c, plain) in
            [('₂', Some("2")), ('⅓', Some("1/3")), ('㎏', Some("kg")), ('\u{20e3}', None), ('水', None)]
        {
            assert_eq!(plain_form(c).as_deref(), plain, "{c}");
        }
        let mut substitutes: BTreeMap<char, String> =
            ['₂', '⅓'].into_iter().map(|c| (c, plain_form(c).unwrap())).collect();
        substitutes.insert('🚀', code_point('🚀'));
        for (text, expected) in [("CO₂ 2⅓ ⅓", "CO2 2 1/3 1/3"), ("a🚀水", "a[U+1F680]水"), ("", "")]
        {
            assert_eq!(with_substitutes(text, &substitutes), expected, "{text}");
        }
    }
}
