//! Masks secrets, queries and user names in a support bundle.

use super::redacted_line::{LineFields, is_private_field};
use domain::inline_secrets;
use domain::known_secrets::KnownSecrets;
use domain::secret::MASK;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;

/// Shorter names are masked only in known fields, because they occur in ordinary words.
const NAME_CHARS_MIN: usize = 3;
/// Minimum length of a word after an authentication scheme to count as a credential.
const CREDENTIAL_CHARS_MIN: usize = 12;
const SCHEMES: [&str; 4] = ["Bearer ", "Basic ", "Token ", "Digest "];
/// Everything after one of these, up to the end of the line, is a secret.
const SECRET_STARTS: [&str; 5] =
    ["password: ", "authorization: ", "cookie: ", "x-api-key: ", "authorization\": "];

/// Masks text before it is written to a bundle.
#[derive(Default)]
pub struct Redaction {
    secrets: KnownSecrets,
    names: HashSet<String>,
}

impl Redaction {
    pub fn new(secrets: KnownSecrets, names: impl IntoIterator<Item = String>) -> Self {
        let is_telling = |name: &String| {
            name.chars().count() >= NAME_CHARS_MIN
                && name != domain::password::INITIAL_ADMIN
                && !name.chars().all(|c| c.is_ascii_digit())
        };
        Self { secrets, names: names.into_iter().filter(is_telling).collect() }
    }

    /// Masks a log line, text or JSON.
    pub fn line(&self, raw: &str) -> String {
        if raw.starts_with('{')
            && let Ok(mut value @ Value::Object(_)) = serde_json::from_str(raw)
        {
            self.value(&mut value);
            return value.to_string();
        }
        self.text(raw)
    }

    /// Masks every string of a JSON value. Values of private fields are masked wherever they occur.
    pub fn value(&self, value: &mut Value) {
        let mut private = Vec::new();
        take_private(value, &mut private);
        private.retain(|text| !text.is_empty() && text != "-");
        self.mask_texts(value, &private);
    }

    fn mask_texts(&self, value: &mut Value, private: &[String]) {
        match value {
            Value::String(text) => {
                let masked = private.iter().fold(text.clone(), |text, one| without_word(&text, one));
                *text = self.text(&masked);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_texts(item, private)),
            Value::Object(fields) => fields.values_mut().for_each(|item| self.mask_texts(item, private)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Masks text of any number of lines.
    pub fn text(&self, text: &str) -> String {
        let known = self.secrets.mask(text);
        let lines: Vec<String> = known.split('\n').map(|line| LineFields::read(line).masked(line)).collect();
        let masked = inline_secrets::mask(&without_logins(&lines.join("\n")));
        self.without_names(&without_credentials(&masked))
    }

    /// Masks user names, which consist of alphanumeric characters and `@ . + - _`.
    fn without_names(&self, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || "@.+-_".contains(c);
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
            shown.push_str(&rest[..start]);
            shown.push_str(&self.without_name(&rest[start..end]));
            rest = &rest[end..];
        }
        shown + rest
    }

    fn without_name<'t>(&self, word: &'t str) -> Cow<'t, str> {
        let bare = word.trim_matches(|c| ".-+_".contains(c));
        let is_mail = bare.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
        if self.names.contains(word) || self.names.contains(bare) || is_mail {
            Cow::Owned(word.replace(bare, MASK))
        } else {
            Cow::Borrowed(word)
        }
    }
}

/// Removes the values of private fields and collects them.
fn take_private(value: &mut Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| take_private(item, found)),
        Value::Object(fields) => {
            for (name, item) in fields {
                if is_private_field(name) { take_all(item, found) } else { take_private(item, found) }
            }
        }
        _ => {}
    }
}

fn take_all(value: &mut Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text == "-" => {}
        Value::String(text) => found.push(std::mem::replace(text, MASK.to_owned())),
        Value::Number(_) => *value = Value::from(MASK),
        Value::Array(items) => items.iter_mut().for_each(|item| take_all(item, found)),
        Value::Object(fields) => fields.values_mut().for_each(|item| take_all(item, found)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Masks a word wherever it is not part of another word.
pub(super) fn without_word(text: &str, word: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for (at, _) in text.match_indices(word) {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        if !before.ends_with(is_part) && !after.starts_with(is_part) {
            shown.push_str(&text[end..at]);
            shown.push_str(MASK);
            end = at + word.len();
        }
    }
    shown.push_str(&text[end..]);
    shown
}

/// Masks user and password in URLs.
fn without_logins(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let ends = |c: char| "/?#\"'<>".contains(c) || c.is_whitespace();
        let authority = &after[..after.find(ends).unwrap_or(after.len())];
        rest = match authority.rfind('@') {
            Some(login) if login > 0 => {
                shown.push_str(MASK);
                &after[login..]
            }
            _ => after,
        };
    }
    shown + rest
}

/// Masks credentials in headers and printed passwords.
fn without_credentials(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let lower = line.to_ascii_lowercase();
        let starts = SECRET_STARTS.iter().filter_map(|start| lower.find(start).map(|at| at + start.len()));
        lines.push(match starts.min() {
            Some(at) => format!("{}{MASK}", &line[..at]),
            None => without_schemes(line),
        });
    }
    lines.join("\n")
}

fn without_schemes(line: &str) -> String {
    let mut shown = line.to_owned();
    for scheme in SCHEMES {
        let mut from = 0;
        while let Some(at) = shown[from..].find(scheme) {
            let start = from + at + scheme.len();
            let ends = |c: char| "\"',;)".contains(c) || c.is_whitespace();
            let end = shown[start..].find(ends).map_or(shown.len(), |length| start + length);
            from = start;
            if end - start >= CREDENTIAL_CHARS_MIN {
                shown.replace_range(start..end, MASK);
            }
        }
    }
    shown
}

#[cfg(test)]
#[path = "redaction_tests.rs"]
mod tests;
