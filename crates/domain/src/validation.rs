//! Validation errors by field, collected so that all are reported at once.

use std::collections::BTreeMap;

/// Errors by field name. Empty if everything is valid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors(BTreeMap<String, Vec<String>>);

impl FieldErrors {
    pub fn one(field: &str, sentence: impl Into<String>) -> Self {
        let mut errors = Self::default();
        errors.add(field, sentence);
        errors
    }

    pub fn add(&mut self, field: &str, sentence: impl Into<String>) {
        self.0.entry(field.to_owned()).or_default().push(sentence.into());
    }

    /// Adds the sentence unless `holds`.
    pub fn check(&mut self, holds: bool, field: &str, sentence: impl FnOnce() -> String) {
        if !holds {
            self.add(field, sentence());
        }
    }

    /// Checks the length of a text in characters, and that it contains no NUL, which databases reject.
    pub fn check_text(&mut self, field: &str, text: &str, chars_max: usize) {
        let count = text.chars().count();
        self.check(count <= chars_max, field, || {
            format!("At most {chars_max} characters are allowed; this has {count}.")
        });
        self.check(!text.contains('\0'), field, || "The NUL character is not allowed.".to_owned());
    }

    /// Checks a name or label: a text in one line, so that it fits into a line of a log or of a list.
    pub fn check_name(&mut self, field: &str, text: &str, chars_max: usize) {
        self.check_text(field, text, chars_max);
        let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        self.check(!text.chars().any(|c| c != '\0' && breaks(c)), field, || {
            "Line breaks and other control characters are not allowed.".to_owned()
        });
    }

    pub fn merge(&mut self, other: Self) {
        for (field, sentences) in other.0 {
            self.0.entry(field).or_default().extend(sentences);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }

    pub fn into_map(self) -> BTreeMap<String, Vec<String>> {
        self.0
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|(field, all)| all.iter().map(move |one| (field.as_str(), one.as_str())))
    }
}

impl std::fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all: Vec<String> = self.iter().map(|(field, sentence)| format!("{field}: {sentence}")).collect();
        f.write_str(&all.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME_CHARS_MAX: usize = 14;

    #[test]
    fn a_name_stays_in_its_line() {
        let table = [
            ("Rivers", true),
            ("Flüsse – 河 🦉", true),
            ("", true),
            ("a\nERROR forged", false),
            ("a\r", false),
            ("a\tb", false),
            ("a\u{1b}[2J", false),
            ("a\u{7f}", false),
            ("a\u{85}b", false),
            ("a\u{2028}b", false),
            ("a\0b", false),
            ("too long for it", false),
        ];
        for (name, is_fine) in table {
            let mut errors = FieldErrors::default();
            errors.check_name("name", name, NAME_CHARS_MAX);
            assert_eq!(errors.is_empty(), is_fine, "{name:?}: {errors}");
            assert!(errors.iter().count() <= 1, "{name:?}: {errors}");
        }
    }
}
