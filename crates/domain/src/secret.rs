//! Text that must not be shown: it prints as `***` and leaves only by [`Secret::expose`].

use std::fmt;

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

/// What stands in an answer in place of a secret value.
pub const MASK: &str = "••••";

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself. Every call is a place to look at in a review.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How the secret is shown to its owner: keys stay readable, values do not
    /// (`key=abc,other=d` becomes `key=••••,other=••••`).
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

    /// True for a text that [`Secret::masked`] made: sent back, it keeps the stored secret.
    pub fn is_masked(text: &str) -> bool {
        text.contains(MASK)
    }
}

/// A piece before `=` is shown only when it looks like a name, not like the start of a padded key.
fn is_key(text: &str) -> bool {
    let named = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    !text.is_empty() && text.len() <= 24 && named
}

/// Nothing, or the rest of the `=` at the end of a key: what stands before it is the secret itself.
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
}
