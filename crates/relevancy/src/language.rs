//! The supported languages: each has a Snowball stemmer and a list of stopwords.

use rust_stemmers::Algorithm;

/// What a stem preserves of the beginning of its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// The first two characters, except for short words in `-ying`, which preserve one.
    Two,
    /// The first character, except for its accents.
    First,
    /// Nothing reliable.
    Nothing,
}

/// A row of the table of languages.
#[derive(Debug)]
pub struct Known {
    /// The Snowball name.
    pub name: &'static str,
    /// ISO 639-1.
    pub code: &'static str,
    pub algorithm: Algorithm,
    pub keeps: Keeps,
    /// Short words are elided before a vowel and joined with the next word: `l'eau`.
    pub elides: &'static [&'static str],
}

const FRENCH_ELISIONS: &[&str] =
    &["l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"];
const ITALIAN_ELISIONS: &[&str] = &[
    "l", "d", "un", "c", "s", "m", "t", "v", "all", "dall", "dell", "nell", "sull", "coll", "quest", "quell",
    "gl", "agl", "dagl", "degl", "negl", "sugl",
];

const fn row(name: &'static str, code: &'static str, algorithm: Algorithm, keeps: Keeps) -> Known {
    Known { name, code, algorithm, keeps, elides: &[] }
}

pub(crate) static KNOWN: [Known; 18] = [
    row("arabic", "ar", Algorithm::Arabic, Keeps::Nothing),
    row("danish", "da", Algorithm::Danish, Keeps::First),
    row("dutch", "nl", Algorithm::Dutch, Keeps::First),
    row("english", "en", Algorithm::English, Keeps::Two),
    row("finnish", "fi", Algorithm::Finnish, Keeps::First),
    Known { elides: FRENCH_ELISIONS, ..row("french", "fr", Algorithm::French, Keeps::First) },
    row("german", "de", Algorithm::German, Keeps::First),
    row("greek", "el", Algorithm::Greek, Keeps::Nothing),
    row("hungarian", "hu", Algorithm::Hungarian, Keeps::First),
    Known { elides: ITALIAN_ELISIONS, ..row("italian", "it", Algorithm::Italian, Keeps::First) },
    row("norwegian", "no", Algorithm::Norwegian, Keeps::First),
    row("portuguese", "pt", Algorithm::Portuguese, Keeps::First),
    row("romanian", "ro", Algorithm::Romanian, Keeps::First),
    row("russian", "ru", Algorithm::Russian, Keeps::First),
    row("spanish", "es", Algorithm::Spanish, Keeps::First),
    row("swedish", "sv", Algorithm::Swedish, Keeps::First),
    row("tamil", "ta", Algorithm::Tamil, Keeps::Nothing),
    row("turkish", "tr", Algorithm::Turkish, Keeps::First),
];

/// The language of a query. In an unknown one, words are not stemmed and none is a stopword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language(Option<u8>);

impl Language {
    pub const ENGLISH: Self = Self(Some(3));
    pub const UNKNOWN: Self = Self(None);

    /// By its Snowball name or its two-character code, ignoring case.
    pub fn named(name: &str) -> Self {
        let name = name.trim();
        let is_named =
            |known: &Known| known.name.eq_ignore_ascii_case(name) || known.code.eq_ignore_ascii_case(name);
        Self(KNOWN.iter().position(is_named).and_then(|place| u8::try_from(place).ok()))
    }

    pub fn known(self) -> Option<&'static Known> {
        KNOWN.get(self.place()?)
    }

    /// The index in the table of languages.
    pub(crate) fn place(self) -> Option<usize> {
        self.0.map(usize::from)
    }

    #[cfg(test)]
    pub fn all() -> impl Iterator<Item = Self> {
        KNOWN.iter().map(|known| Self::named(known.name)).chain([Self::UNKNOWN])
    }
}

impl Default for Language {
    fn default() -> Self {
        Self::ENGLISH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_names_and_codes() {
        let table = [
            ("english", Some("en")),
            (" English ", Some("en")),
            ("DE", Some("de")),
            ("norwegian", Some("no")),
            ("klingon", None),
            ("", None),
        ];
        for (name, code) in table {
            assert_eq!(Language::named(name).known().map(|known| known.code), code, "{name}");
        }
        assert_eq!(Language::named("english"), Language::ENGLISH);
        assert_eq!(Language::all().count(), 19);
    }
}
