//! A text of a record, and what it says, parsed once.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use syntax::error::SyntaxError;

/// A text as it was given, and what it says. It is stored and returned word for word, also if it cannot be parsed: then
/// everybody who needs what it says gets the error. Copies share the text and what it says.
///
/// The first use parses it, because a search loads all providers and queries some of them.
pub struct ParsedText<T>(Arc<Content<T>>);

struct Content<T> {
    text: String,
    parsed: OnceLock<Result<Arc<T>, SyntaxError>>,
}

impl<T> ParsedText<T> {
    pub fn as_str(&self) -> &str {
        &self.0.text
    }
}

impl<T: FromStr<Err = SyntaxError>> ParsedText<T> {
    /// What the text says.
    pub fn parsed(&self) -> Result<&Arc<T>, &SyntaxError> {
        let Content { text, parsed } = &*self.0;
        parsed.get_or_init(|| text.parse().map(Arc::new)).as_ref()
    }
}

impl<T> From<String> for ParsedText<T> {
    fn from(text: String) -> Self {
        Self(Arc::new(Content { text, parsed: OnceLock::new() }))
    }
}

impl<T> From<&str> for ParsedText<T> {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl<T> Default for ParsedText<T> {
    fn default() -> Self {
        String::new().into()
    }
}

impl<T> Clone for ParsedText<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for ParsedText<T> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

/// Equal texts say the same.
impl<T> PartialEq for ParsedText<T> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl<T> Eq for ParsedText<T> {}

impl<T> PartialEq<&str> for ParsedText<T> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl<T> fmt::Debug for ParsedText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<T> fmt::Display for ParsedText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<T> Serialize for ParsedText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de, T> Deserialize<'de> for ParsedText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        static PARSED: Cell<u32> = const { Cell::new(0) };
    }

    /// A number, which counts how often one was parsed in this test.
    #[derive(Debug, PartialEq)]
    struct Number(u32);

    impl FromStr for Number {
        type Err = SyntaxError;

        fn from_str(text: &str) -> Result<Self, SyntaxError> {
            PARSED.set(PARSED.get() + 1);
            text.trim().parse().map(Self).map_err(|_| format!("'{text}' is no number.").into())
        }
    }

    fn loaded(json: &str) -> ParsedText<Number> {
        serde_json::from_str(json).expect("a text")
    }

    #[test]
    fn it_is_parsed_once_for_all_copies() {
        PARSED.set(0);
        let (right, wrong) = (loaded("\" 7 \""), loaded("\"seven\""));
        let (copy, other) = (right.clone(), wrong.clone());
        assert_eq!(PARSED.get(), 0, "nobody has asked yet");
        for _ in 0..3 {
            for text in [&right, &copy] {
                assert_eq!(**text.parsed().expect("a number"), Number(7));
            }
            for text in [&wrong, &other] {
                assert_eq!(text.parsed().expect_err("a word").message(), "'seven' is no number.");
            }
        }
        assert_eq!(PARSED.get(), 2, "each text once");
        assert!(Arc::ptr_eq(right.parsed().expect("a number"), copy.parsed().expect("a number")));
    }

    #[test]
    fn it_is_returned_word_for_word() {
        for json in ["\"\"", "\" 7 \"", "\"seven\"", "\"a\\n\\\"b\\\" ä\""] {
            let text = loaded(json);
            let _either = text.parsed();
            assert_eq!(serde_json::to_string(&text).expect("JSON"), json);
        }
        for json in ["7", "null", "[]", "{}"] {
            let error = serde_json::from_str::<ParsedText<Number>>(json).expect_err(json).to_string();
            let usual = serde_json::from_str::<String>(json).expect_err(json).to_string();
            assert_eq!(error, usual);
        }
    }

    #[test]
    fn it_is_compared_and_shown_as_a_text() {
        let text = loaded("\"7\"");
        let _number = text.parsed();
        assert_eq!(text, ParsedText::from("7"), "parsed or not");
        assert_ne!(text, ParsedText::from(" 7"));
        assert_eq!(text, "7");
        assert_eq!((format!("{text}"), format!("{text:?}")), ("7".to_owned(), "\"7\"".to_owned()));
        assert!(ParsedText::<Number>::default().is_empty());
    }
}
