//! Translations of the pages. The English text is the key; each other language has a JSON file, which the scripts in
//! the browser use too.

use serde::Serialize;
use std::collections::BTreeMap;

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Language {
    pub code: &'static str,
    pub name: &'static str,
}

/// The first one is the default and has no file.
pub const LANGUAGES: &[Language] =
    &[Language { code: "en", name: "English" }, Language { code: "de", name: "Deutsch" }];

impl Language {
    pub fn of_code(code: &str) -> Option<Self> {
        let code = code.trim().get(..2)?.to_ascii_lowercase();
        LANGUAGES.iter().copied().find(|language| language.code == code)
    }

    /// The first supported language of an `Accept-Language` header. Browsers send the preferred one first.
    pub fn accepted(header: &str) -> Option<Self> {
        header.split(',').find_map(|piece| Self::of_code(piece.split(';').next().unwrap_or_default()))
    }
}

/// The texts of one language.
#[derive(Debug, Clone, Default)]
pub struct Translations(BTreeMap<String, String>);

impl Translations {
    /// Parses `{"English": "translation"}`.
    pub fn parse(json: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(json).map(Self)
    }

    /// The text in this language, else in English. `{name}` is replaced by the value.
    pub fn translate(&self, sentence: &str, values: &[(&str, String)]) -> String {
        let sentence = self.0.get(sentence).map_or(sentence, String::as_str);
        let mut text = String::with_capacity(sentence.len());
        let mut rest = sentence;
        // One pass, so that a placeholder inside a value stays as it is.
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let value = after.split_once('}').and_then(|(name, after)| {
                let (_, value) = values.iter().find(|(one, _)| *one == name)?;
                Some((value, after))
            });
            match value {
                Some((value, after)) => {
                    text.push_str(value);
                    rest = after;
                }
                None => {
                    text.push('{');
                    rest = after;
                }
            }
        }
        text + rest
    }
}

/// Marks a text that a template translates, so that the coverage test finds it.
pub const fn t(sentence: &'static str) -> &'static str {
    sentence
}

/// A count in the format of the language: `2,318` or `2.318`.
pub fn number(count: i64, language: Language) -> String {
    let mark = if language.code == "de" { '.' } else { ',' };
    let digits = count.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(mark);
        }
        text.push(digit);
    }
    if count < 0 { format!("-{text}") } else { text }
}

/// A decimal number in the format of the language: `0.97` or `0,97`.
pub fn decimal(figure: &str, language: Language) -> String {
    if language.code == "de" { figure.replace('.', ",") } else { figure.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_language_that_is_spoken_counts() {
        let code = |header: &str| Language::accepted(header).map(|language| language.code);
        assert_eq!(code("de-DE,de;q=0.9,en;q=0.8"), Some("de"));
        assert_eq!(code("fr, en-GB;q=0.7"), Some("en"));
        assert_eq!(code("fr, *"), None);
        assert_eq!(code("é"), None);
    }

    #[test]
    fn counts_are_grouped() {
        let table = [(0, "0"), (999, "999"), (1000, "1,000"), (2_318_000, "2,318,000"), (-12_345, "-12,345")];
        for (count, text) in table {
            assert_eq!(number(count, LANGUAGES[0]), text);
        }
        assert_eq!(number(2318, LANGUAGES[1]), "2.318");
        assert_eq!(["0.97", "<0.1", "2"].map(|figure| decimal(figure, LANGUAGES[1])), ["0,97", "<0,1", "2"]);
        assert_eq!(decimal("0.97", LANGUAGES[0]), "0.97");
    }

    #[test]
    fn sentences_are_filled_in() {
        let words = Translations::parse(r#"{"{n} results": "{n} Treffer"}"#.as_bytes()).expect("words");
        assert_eq!(words.translate("{n} results", &[("n", "3".to_owned())]), "3 Treffer");
        assert_eq!(words.translate("Not there", &[]), "Not there");
        let values = [("name", "{n}".to_owned()), ("n", "3".to_owned())];
        for (sentence, filled) in [
            ("{name}: {n} results", "{n}: 3 results"),
            ("{n} of {unknown} in {", "3 of {unknown} in {"),
            ("{{n}}", "{3}"),
        ] {
            assert_eq!(words.translate(sentence, &values), filled);
        }
    }
}
