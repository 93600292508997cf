//! Secrets inside a text: `scheme://user:password@host`, and parameters such as `api_key=…`.

use crate::secret::{MASK, Secret};
use std::ops::Range;

/// A parameter whose name contains one of these has a secret value.
const SECRET_WORDS: [&str; 15] = [
    "apikey",
    "api_key",
    "api-key",
    "auth_key",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "private_key",
    "secret",
    "session",
    "token",
];
/// These names denote a secret only as a whole.
const SECRET_NAMES: [&str; 7] = ["appkey", "auth", "key", "pass", "pwd", "sig", "signature"];
/// Names with one of these endings denote a secret: `access_key`, `subscription-key`.
const SECRET_ENDS: [&str; 2] = ["_key", "-key"];
/// Characters that end a value of `name=value` in a text.
const ENDS: [char; 9] = ['&', ',', ';', '"', '\'', '}', ')', '<', '>'];
/// Prefixes of values that are not secrets: template placeholders, and the variables of paging.
const NO_SECRETS: [&str; 2] = ["{", "RESULT_"];

/// Position of a secret in a text, and its name there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    name: String,
    range: Range<usize>,
}

/// Whether the name of a parameter or field denotes a secret. Stricter than [`crate::secret::is_secret_name`], because
/// names in templates and mappings are arbitrary: `keywords` is not a secret.
pub fn is_secret_parameter(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.contains(&name.as_str())
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Whether a value is only a placeholder, and therefore not a secret whatever its name is.
pub fn is_placeholder(value: &str) -> bool {
    NO_SECRETS.iter().any(|start| value.starts_with(start))
}

/// The text with each secret masked.
pub fn mask(text: &str) -> String {
    replaced(text, &places(text), |_, _| Some(MASK.to_owned()))
}

/// The secrets in a text.
pub fn find(text: &str) -> Vec<Secret> {
    places(text).into_iter().map(|place| Secret::new(&text[place.range])).collect()
}

/// The text with each mask replaced by the secret of the same name in the stored text. A mask without such a secret is
/// kept. A masked text that is sent back unchanged is the stored text.
pub fn restore(given: &str, stored: &str) -> String {
    if !Secret::is_masked(given) {
        return given.to_owned();
    }
    // A mask can hide the delimiters of another secret, which is then found only in the stored text.
    if given == mask(stored) {
        return stored.to_owned();
    }
    let known = places(stored);
    let given_places: Vec<Place> =
        places(given).into_iter().filter(|place| &given[place.range.clone()] == MASK).collect();
    replaced(given, &given_places, |place, position| {
        let earlier = given_places[..position].iter().filter(|one| one.name == place.name).count();
        let kept = known.iter().filter(|one| one.name == place.name).nth(earlier)?;
        Some(stored[kept.range.clone()].to_owned())
    })
}

fn replaced(text: &str, places: &[Place], new: impl Fn(&Place, usize) -> Option<String>) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for (position, place) in places.iter().enumerate() {
        let Some(value) = new(place, position) else { continue };
        shown.push_str(&text[end..place.range.start]);
        shown.push_str(&value);
        end = place.range.end;
    }
    shown.push_str(&text[end..]);
    shown
}

/// All positions, in order and without overlap.
fn places(text: &str) -> Vec<Place> {
    let mut all = passwords(text);
    all.extend(parameters(text));
    all.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
    let mut end = 0;
    all.retain(|place| {
        let is_apart = place.range.start >= end;
        end = end.max(place.range.end);
        is_apart
    });
    all
}

/// Passwords in URLs.
fn passwords(text: &str) -> Vec<Place> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(place) = text[start..].find("://") {
        start += place + 3;
        let rest = &text[start..];
        let end = rest.find(|c: char| "/?#\"',".contains(c) || c.is_whitespace()).unwrap_or(rest.len());
        if let Some((login, _)) = rest[..end].rsplit_once('@')
            && let Some((user, password)) = login.split_once(':')
            && !password.is_empty()
            && !is_placeholder(password)
        {
            let begin = start + user.len() + 1;
            found.push(Place { name: format!("{user}@"), range: begin..begin + password.len() });
        }
        start += end;
    }
    found
}

/// Values of parameters whose names denote secrets.
fn parameters(text: &str) -> Vec<Place> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(place) = text[start..].find('=') {
        let before = &text[start..start + place];
        start += place + 1;
        let after = &text[start..];
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').next();
        let end = after.find(|c: char| ENDS.contains(&c) || c.is_whitespace()).unwrap_or(after.len());
        if let Some(name) = name.filter(|name| is_secret_parameter(name))
            && end > 0
            && !is_placeholder(after)
        {
            found.push(Place { name: name.to_ascii_lowercase(), range: start..start + end });
            start += end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn secrets_are_masked_in_texts() {
        let cases = [
            ("postgres://me:abc@host:5432/db?x=1", "postgres://me:••••@host:5432/db?x=1"),
            ("https://host/@me:x?q=1", "https://host/@me:x?q=1"),
            ("a http://u:p@h/ b ftp://v:w@h", "a http://u:••••@h/ b ftp://v:••••@h"),
            ("{url}?q={query_string}&api_key=abc&n=2", "{url}?q={query_string}&api_key=••••&n=2"),
            ("{url}?key={key}&q={query_string}", "{url}?key={key}&q={query_string}"),
            ("key=abc,DATE_SORT=sort=date", "key=••••,DATE_SORT=sort=date"),
            ("PAGE=pageToken=RESULT_PAGE", "PAGE=pageToken=RESULT_PAGE"),
            ("monkey=abc", "monkey=abc"),
            ("?access_key=abc&subscription-key=def&sig=g", "?access_key=••••&subscription-key=••••&sig=••••"),
            ("keywords=abc&signal=x", "keywords=abc&signal=x"),
            ("access_token=abc==", "access_token=••••"),
            ("http://u:key=x@h/", "http://u:••••@h/"),
            ("api_key=", "api_key="),
            (
                "select a from t where token = 'x' and key='y'",
                "select a from t where token = 'x' and key='y'",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(mask(text), expected, "{text}");
        }
    }

    #[test]
    fn a_mask_stands_for_what_has_its_name() {
        let stored = "http://u:pw@h/?api_key=one&token=two&token=three";
        let cases = [
            ("http://u:••••@h/?api_key=••••&token=••••&token=••••", stored),
            ("http://u:••••@h/v2?token=••••", "http://u:pw@h/v2?token=two"),
            ("http://h/?api_key=new", "http://h/?api_key=new"),
            ("http://v:••••@h/?secret=••••", "http://v:••••@h/?secret=••••"),
            ("••••", "••••"),
        ];
        let nested = "api_key=://}u:p@";
        assert_eq!(restore(&mask(nested), nested), nested);
        for (given, expected) in cases {
            assert_eq!(restore(given, stored), expected, "{given}");
        }
    }

    proptest! {
        #[test]
        fn a_masked_text_sent_back_is_the_stored_one(text in "(api_key=|token=|://|u:p@|[a-z&,=@:{} •]){0,12}") {
            prop_assert_eq!(restore(&mask(&text), &text), text);
        }

        #[test]
        fn no_text_panics(given in ".{0,60}", stored in ".{0,60}") {
            let _ = (mask(&given), find(&given), restore(&given, &stored));
        }
    }
}
