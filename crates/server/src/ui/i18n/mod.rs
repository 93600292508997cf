//! The languages of the pages. The English text is the key; each other language is a file `web/words/<code>.json` with
//! its formats and translations, which the scripts in the browser read too.

pub(super) mod call_texts;
pub(super) mod documents;
mod format;
mod placeholders;
mod plurals;

use super::assets::Assets;
use format::LanguageFormat;
use placeholders::fill;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The code of the language of the keys.
const ENGLISH: &str = "en";

/// A language of the pages. Templates see its code and name.
#[derive(Debug, Serialize)]
pub struct Language {
    pub code: String,
    #[serde(flatten)]
    pub format: LanguageFormat,
    #[serde(skip)]
    translations: BTreeMap<String, String>,
}

/// The file of a language.
#[derive(Deserialize)]
struct WordsFile {
    #[serde(rename = "@language")]
    format: LanguageFormat,
    /// The texts of tables: settings, ready-made sources and plug-ins.
    #[serde(rename = "@catalog", default)]
    catalog: BTreeMap<String, String>,
    #[serde(flatten)]
    translations: BTreeMap<String, String>,
}

/// English, which has no file.
impl Default for Language {
    fn default() -> Self {
        let (format, translations) = (LanguageFormat::default(), BTreeMap::new());
        Self { code: ENGLISH.to_owned(), format, translations }
    }
}

impl Language {
    pub fn parse(code: &str, json: &[u8]) -> Result<Self, serde_json::Error> {
        let WordsFile { format, catalog, mut translations } = serde_json::from_slice(json)?;
        translations.extend(catalog);
        Ok(Self { code: code.to_owned(), format, translations })
    }

    /// The text in this language, else in English. `{name}` is replaced by the value.
    pub fn translate(&self, text: &str, values: &[(&str, String)]) -> String {
        fill(self.translations.get(text).map_or(text, String::as_str), values)
    }

    pub fn is_english(&self) -> bool {
        self.code == ENGLISH
    }

    /// Whether the text is shown in this language.
    pub fn knows(&self, text: &str) -> bool {
        self.is_english() || self.translations.contains_key(text)
    }

    /// The form for a count. Forms other than `one` and `many` have keys such as `{n} results|few`.
    pub fn plural(&self, one: &str, many: &str, count: i64) -> String {
        let values = [("n", self.format.number(count))];
        let form = |category: &str| self.translations.get(&format!("{many}|{category}"));
        match self.format.plural(count) {
            Some("one") => self.translate(one, &values),
            category => match category.and_then(form) {
                Some(text) => fill(text, &values),
                None => self.translate(many, &values),
            },
        }
    }
}

/// All languages, English first.
#[derive(Debug, Clone, Serialize)]
pub struct Languages(Arc<[Arc<Language>]>);

/// Only English.
impl Default for Languages {
    fn default() -> Self {
        Self(Arc::new([Arc::new(Language::default())]))
    }
}

impl Languages {
    pub fn read(assets: &Assets) -> Result<Self, String> {
        let mut found = vec![Arc::new(Language::default())];
        for name in assets.words() {
            let Some(code) = name.strip_suffix(".json") else { continue };
            let json = assets.read(&format!("words/{name}")).unwrap_or_default();
            let language = Language::parse(code, &json).map_err(|error| format!("words/{name}: {error}"))?;
            found.push(Arc::new(language));
        }
        Ok(Self(found.into()))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Language>> {
        self.0.iter()
    }

    pub fn english(&self) -> Arc<Language> {
        self.0.first().cloned().unwrap_or_default()
    }

    /// The language of a tag such as `de-AT`, or of the tag without its last parts.
    pub fn of_tag(&self, tag: &str) -> Option<Arc<Language>> {
        let mut tag = tag.trim();
        loop {
            if let Some(found) = self.iter().find(|language| language.code.eq_ignore_ascii_case(tag)) {
                return Some(Arc::clone(found));
            }
            tag = tag.rsplit_once('-')?.0;
        }
    }

    /// The first known language of an `Accept-Language` header. Browsers send the preferred one first.
    pub fn accepted(&self, header: &str) -> Option<Arc<Language>> {
        header.split(',').find_map(|part| self.of_tag(part.split(';').next().unwrap_or_default()))
    }
}

/// Marks a text that a template translates, so that the coverage test finds it.
pub const fn t(text: &'static str) -> &'static str {
    text
}

#[cfg(test)]
mod tests {
    use super::plurals::applies;
    use super::*;
    use chrono::NaiveDate;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn languages() -> Languages {
        Languages::read(&Assets::new("")).expect("words")
    }

    #[test]
    fn the_first_known_language_counts() {
        let languages = languages();
        let code = |header: &str| languages.accepted(header).map(|language| language.code.clone());
        for (header, expected) in [
            ("de-DE,de;q=0.9,en;q=0.8", Some("de")),
            ("xx, en-GB;q=0.7", Some("en")),
            ("FR-ca-x-test", Some("fr")),
            ("deu", None),
            ("xx, *", None),
            ("é", None),
            ("-", None),
            ("", None),
        ] {
            assert_eq!(code(header).as_deref(), expected, "{header}");
        }
        assert_eq!(languages.english().code, "en");
    }

    #[test]
    fn numbers_and_dates_have_the_format_of_the_language() {
        let languages = languages();
        let day = NaiveDate::from_ymd_opt(2023, 8, 2).expect("a day");
        for (code, number, decimal, date) in [
            ("en", "2,318", "0.97", "2 Aug 2023"),
            ("de", "2.318", "0,97", "02.08.2023"),
            ("fr", "2\u{202f}318", "0,97", "2 août 2023"),
        ] {
            let format = &languages.of_tag(code).expect("a language").format;
            let found = (format.number(2318), format.decimal("0.97"), format.date(day));
            assert_eq!(found, (number.to_owned(), decimal.to_owned(), date.to_owned()), "{code}");
        }
    }

    #[test]
    fn a_file_is_a_language() {
        let folder = tempfile::tempdir().expect("a folder");
        let words = folder.path().join("words");
        std::fs::create_dir(&words).expect("a folder");
        let json = r#"{"@language": {"name": "Test"}, "Search": "Test search"}"#;
        std::fs::write(words.join("xx-YY.json"), json).expect("a file");
        let assets = Assets::new(&folder.path().to_string_lossy());
        let languages = Languages::read(&assets).expect("words");
        let codes: Vec<&str> = languages.iter().map(|language| language.code.as_str()).collect();
        assert_eq!(codes, ["en", "xx-YY"]);
        let found = languages.accepted("de, xx-yy-zz").expect("a language");
        assert_eq!(
            (found.format.name.as_str(), found.translate("Search", &[])),
            ("Test", "Test search".to_owned())
        );
        std::fs::write(words.join("zz.json"), "{}").expect("a file");
        let error = Languages::read(&assets).expect_err("no format");
        assert!(error.contains("words/zz.json") && error.contains("@language"), "{error}");
    }

    #[test]
    fn every_format_is_valid() {
        let day = NaiveDate::from_ymd_opt(2023, 8, 2).expect("a day");
        let languages = languages();
        let names: BTreeSet<&str> = languages.iter().map(|language| language.format.name.as_str()).collect();
        assert_eq!(names.len(), languages.iter().count(), "every language has its own name: {names:?}");
        for language in languages.iter() {
            let date = language.format.date(day);
            assert!(date.contains("2023") && !date.contains('{'), "{}: {date}", language.code);
        }
        let assets = Assets::new("");
        for name in assets.words() {
            let json = assets.read(&format!("words/{name}")).expect("a file");
            let file: Value = serde_json::from_slice(&json).expect("JSON");
            for (category, rule) in file["@language"]["plurals"].as_object().into_iter().flatten() {
                assert!(
                    ["zero", "one", "two", "few", "many"].contains(&category.as_str()),
                    "{name}: {category}"
                );
                let rule = rule.as_str().expect("a rule");
                assert!((0..=200).all(|count| applies(rule, count).is_some()), "{name}: {rule}");
            }
        }
    }

    #[test]
    fn plurals_have_the_forms_of_the_language() {
        let json = r#"{"@language": {"name": "Test", "plurals": {"one": "n = 0..1", "few": "n = 2..4"}},
            "1 result": "{n} wynik", "{n} results": "{n} wynikow", "{n} results|few": "{n} wyniki",
            "{n} hits": "{n} other"}"#;
        let language = Language::parse("xx", json.as_bytes()).expect("words");
        let results = |count| language.plural("1 result", "{n} results", count);
        assert_eq!([0, 1, 2, 5].map(results), ["0 wynik", "1 wynik", "2 wyniki", "5 wynikow"]);
        assert_eq!(language.plural("1 hit", "{n} hits", 2), "2 other", "without a form of its own");
        let english = Language::default();
        assert_eq!(
            [1, 2000].map(|count| english.plural("1 hit", "{n} hits", count)),
            ["1 hit", "2,000 hits"]
        );
    }

    #[test]
    fn texts_are_translated_and_filled_in() {
        let json = r#"{"@language": {"name": "Test"}, "@catalog": {"The port.": "Der Port."},
            "{n} results": "{n} Treffer"}"#;
        let language = Language::parse("xx", json.as_bytes()).expect("words");
        assert_eq!(language.translate("The port.", &[]), "Der Port.");
        assert!(language.knows("The port.") && !language.knows("Not there"));
        assert!(Language::default().knows("Not there"));
        assert_eq!(language.translate("{n} results", &[("n", "3".to_owned())]), "3 Treffer");
        assert_eq!(language.translate("Not there", &[]), "Not there");
        for wrong in ["{}", r#"{"@language": {"color": "Test"}}"#, r#"{"@language": {}, "text": 1}"#] {
            assert!(Language::parse("xx", wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
