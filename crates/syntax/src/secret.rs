//! Secret texts: displayed as `***` and readable only by [`Secret::expose`].

use std::fmt;

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

/// Replaces a secret value in responses.
pub const MASK: &str = "••••";

/// A name that contains one of these denotes a secret: `Authorization`, `Set-Cookie`, `X-Api-Key`, `Ocp-Session`.
const SECRET_NAMES: [&str; 10] =
    ["auth", "cookie", "credential", "key", "passphrase", "passwd", "password", "secret", "session", "token"];

/// Whether the name of a header or field denotes a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Whether a text contains a URL with a user or a password: `https://user:password@host`.
pub fn has_login(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let ends = |c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace();
        rest.split(ends).next().is_some_and(|authority| authority.contains('@'))
    })
}

/// Removes the value from a deserializer's message about a wrong type, because it may be a secret in the wrong place
/// (`invalid type: string "abc", expected a map` becomes `invalid type: string, expected a map`).
pub fn without_value(sentence: &str) -> String {
    let is_of_kind = sentence.starts_with("invalid type: ") || sentence.starts_with("invalid value: ");
    let starts = sentence.find(['"', '`']).filter(|_| is_of_kind);
    match (starts, sentence.rfind(", expected ")) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{}", sentence[..start].trim_end(), &sentence[end..])
        }
        _ => sentence.to_owned(),
    }
}

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself. Every call deserves a look in a review.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The secret as shown to its owner: keys stay readable, values are masked (`key=abc,other=d` becomes
    /// `key=••••,other=••••`).
    pub fn masked(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let pieces: Vec<String> = self
            .0
            .split(',')
            .map(|piece| match piece.split_once('=') {
                Some((key, value)) if is_key(key.trim()) && !is_padding(value) => {
                    format!("{}={MASK}", key.trim())
                }
                _ => MASK.to_owned(),
            })
            .collect();
        if pieces.iter().all(|piece| piece == MASK) { MASK.to_owned() } else { pieces.join(",") }
    }

    /// Whether a text was produced by [`Secret::masked`]: sent back, it keeps the stored secret.
    pub fn is_masked(text: &str) -> bool {
        text.contains(MASK)
    }
}

/// A piece before `=` is shown only if it looks like a name, not like the start of a padded key.
fn is_key(text: &str) -> bool {
    let named = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    !text.is_empty() && text.len() <= 24 && named
}

/// Empty, or the rest of the `=` padding at the end of a key: the text before it is the secret itself.
fn is_padding(value: &str) -> bool {
    value.chars().all(|c| c == '=')
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_values_and_keeps_names() {
        let cases = [
            ("", ""),
            ("key=abc", "key=••••"),
            ("login=me,password=x y", "login=••••,password=••••"),
            ("bearer=abc==", "bearer=••••"),
            ("HTTPBasicAuth('user','pass')", "••••"),
            ("user:password", "••••"),
            ("c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0=", "••••"),
            ("c2VjcmV0cw==", "••••"),
            ("c2VjcmV0czE=", "••••"),
        ];
        for (secret, masked) in cases {
            assert_eq!(Secret::new(secret).masked(), masked, "{secret}");
        }
        assert_eq!(format!("{:?}", Secret::new("abc")), "***");
    }
    #[test]
    fn secrets_are_known_by_name() {
        for name in [
            "Authorization",
            "proxy-authorization",
            "Cookie",
            "X-API-KEY",
            "Ocp-Apim-Subscription-Key",
            "X-Auth-Token",
            "client_secret",
            "PASSWORD",
            "X-Session-Id",
            "credentials",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["Accept", "User-Agent", "Accept-Language", "timeout", "cache", "X-Team", ""] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn sentences_of_readers_lose_the_value() {
        for (sentence, want) in [
            (
                "invalid type: string \"can, expected ary\", expected a map",
                "invalid type: string, expected a map",
            ),
            ("invalid type: integer `4711`, expected a string", "invalid type: integer, expected a string"),
            ("invalid value: string \"a\", expected b", "invalid value: string, expected b"),
            ("invalid type: map, expected a string", "invalid type: map, expected a string"),
            ("unknown variant `a`, expected `b` or `c`", "unknown variant `a`, expected `b` or `c`"),
        ] {
            assert_eq!(without_value(sentence), want);
        }
    }

    #[test]
    fn a_login_in_an_address_is_seen() {
        for text in ["https://u:p@h.example/", "nats://token@h", "via http://u:p@h:1 and on", "a://b://u:p@c"]
        {
            assert!(has_login(text), "{text}");
        }
        for text in
            ["https://h.example/@home", "https://h.example?a=b@c", "me@h.example", "http://h #a@b", ""]
        {
            assert!(!has_login(text), "{text}");
        }
    }
}
