//! The scripts of characters: their names, and fonts of them.

use std::collections::BTreeSet;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// First and last characters of the scripts that people are most likely to use.
const SCRIPTS: &[(char, char, &str)] = &[
    ('A', '\u{2af}', "Latin"),
    ('\u{370}', '\u{3ff}', "Greek"),
    ('\u{400}', '\u{52f}', "Cyrillic"),
    ('\u{531}', '\u{58f}', "Armenian"),
    ('\u{590}', '\u{5ff}', "Hebrew"),
    ('\u{600}', '\u{6ff}', "Arabic"),
    ('\u{700}', '\u{74f}', "Syriac"),
    ('\u{750}', '\u{77f}', "Arabic"),
    ('\u{780}', '\u{7bf}', "Thaana"),
    ('\u{7c0}', '\u{7ff}', "N’Ko"),
    ('\u{860}', '\u{86f}', "Syriac"),
    ('\u{870}', '\u{8ff}', "Arabic"),
    ('\u{900}', '\u{97f}', "Devanagari"),
    ('\u{980}', '\u{9ff}', "Bengali"),
    ('\u{a00}', '\u{a7f}', "Gurmukhi"),
    ('\u{a80}', '\u{aff}', "Gujarati"),
    ('\u{b00}', '\u{b7f}', "Odia"),
    ('\u{b80}', '\u{bff}', "Tamil"),
    ('\u{c00}', '\u{c7f}', "Telugu"),
    ('\u{c80}', '\u{cff}', "Kannada"),
    ('\u{d00}', '\u{d7f}', "Malayalam"),
    ('\u{d80}', '\u{dff}', "Sinhala"),
    ('\u{e00}', '\u{e7f}', "Thai"),
    ('\u{e80}', '\u{eff}', "Lao"),
    ('\u{f00}', '\u{fff}', "Tibetan"),
    ('\u{1000}', '\u{109f}', "Burmese"),
    ('\u{10a0}', '\u{10ff}', "Georgian"),
    ('\u{1100}', '\u{11ff}', KOREAN),
    ('\u{1200}', '\u{139f}', "Ethiopic"),
    ('\u{13a0}', '\u{13ff}', "Cherokee"),
    ('\u{1400}', '\u{167f}', "Canadian syllables"),
    ('\u{1680}', '\u{169f}', "Ogham"),
    ('\u{16a0}', '\u{16ff}', "runes"),
    ('\u{1780}', '\u{17ff}', "Khmer"),
    ('\u{1800}', '\u{18af}', "Mongolian"),
    ('\u{1b00}', '\u{1b7f}', "Balinese"),
    ('\u{1c90}', '\u{1cbf}', "Georgian"),
    ('\u{2c80}', '\u{2cff}', "Coptic"),
    ('\u{2d00}', '\u{2d2f}', "Georgian"),
    ('\u{2d30}', '\u{2d7f}', "Tifinagh"),
    ('\u{2d80}', '\u{2ddf}', "Ethiopic"),
    ('\u{2e80}', '\u{303f}', CHINESE),
    ('\u{3040}', '\u{30ff}', JAPANESE),
    ('\u{3100}', '\u{312f}', CHINESE),
    ('\u{3130}', '\u{318f}', KOREAN),
    ('\u{31a0}', '\u{31ef}', CHINESE),
    ('\u{31f0}', '\u{31ff}', JAPANESE),
    ('\u{3400}', '\u{9fff}', CHINESE),
    ('\u{a000}', '\u{a4cf}', "Yi"),
    ('\u{a720}', '\u{a7ff}', "Latin"),
    ('\u{a960}', '\u{a97f}', KOREAN),
    ('\u{ab00}', '\u{ab2f}', "Ethiopic"),
    ('\u{ac00}', '\u{d7ff}', KOREAN),
    ('\u{f900}', '\u{faff}', CHINESE),
    ('\u{1b000}', '\u{1b16f}', JAPANESE),
    ('\u{20000}', '\u{3ffff}', CHINESE),
];
/// Chinese characters are also those of Japanese.
const CHINESE: &str = "Chinese";
const JAPANESE: &str = "Japanese";
const KOREAN: &str = "Korean";
const OTHERS: &str = "other scripts";

/// Whether a text loses words without this character. Symbols and marks alone are none.
pub fn is_of_script(c: char) -> bool {
    match c.general_category_group() {
        GeneralCategoryGroup::Mark | GeneralCategoryGroup::Symbol => false,
        GeneralCategoryGroup::Number => c.general_category() == GeneralCategory::DecimalNumber,
        _ => c.is_alphabetic(),
    }
}

fn script(c: char) -> &'static str {
    let found = SCRIPTS.iter().find(|(first, last, _)| (*first..=*last).contains(&c));
    found.map_or(OTHERS, |(_, _, name)| name)
}

/// The scripts in the order of their first characters.
pub fn by_script(characters: &BTreeSet<char>) -> Vec<(&'static str, Vec<char>)> {
    let mut scripts: Vec<(&'static str, Vec<char>)> = Vec::new();
    for c in characters {
        let name = script(*c);
        match scripts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, own)) => own.push(*c),
            None => scripts.push((name, vec![*c])),
        }
    }
    scripts
}

/// The Debian package with TrueType fonts of this character.
pub fn package(c: char) -> &'static str {
    match script(c) {
        CHINESE | JAPANESE | KOREAN => "fonts-droid-fallback",
        _ => "fonts-noto-core",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_scripts() {
        for (c, name, is_of) in [
            ('ą', "Latin", true),
            ('Ж', "Cyrillic", true),
            ('न', "Devanagari", true),
            ('९', "Devanagari", true),
            ('\u{93f}', "Devanagari", false),
            ('水', CHINESE, true),
            ('ー', JAPANESE, true),
            ('댐', KOREAN, true),
            ('𐌰', OTHERS, true),
            ('🅰', OTHERS, false),
            ('⅓', OTHERS, false),
            ('\u{20e3}', OTHERS, false),
        ] {
            assert_eq!((script(c), is_of_script(c)), (name, is_of), "{c}");
        }
    }

    #[test]
    fn scripts_are_in_order() {
        let last = |row: usize| SCRIPTS[row].1;
        for (row, (first, end, name)) in SCRIPTS.iter().enumerate() {
            assert!(first <= end && (row == 0 || last(row - 1) < *first), "{name}");
        }
    }
}
