//! The error behind an error: kept for the log, never part of the text for people.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Characters of one cause in a log line. Some causes repeat foreign text, such as the names in a certificate.
const CAUSE_CHARS_MAX: usize = 1_000;

/// The value of the field `source` of an error.
///
/// Any two causes are equal, because most errors cannot be compared. `Debug` shows the texts of the chain only, because
/// that of many errors shows more, such as URLs and the values of columns.
#[derive(Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    pub fn from_boxed(error: Box<dyn Error + Send + Sync>) -> Self {
        Self(error.into())
    }

    /// The operation that ended with an error, as a link in front of that error.
    pub fn of_operation(name: impl Into<Cow<'static, str>>, source: Option<Self>) -> Self {
        Operation { name: name.into(), source }.into()
    }
}

/// `Cause` itself is no error, so that every error can become one.
impl<E: Error + Send + Sync + 'static> From<E> for Cause {
    fn from(error: E) -> Self {
        Self(Arc::new(error))
    }
}

impl Deref for Cause {
    type Target = dyn Error + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Cause {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Cause {}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", chain(&**self))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{name}")]
struct Operation {
    name: Cow<'static, str>,
    source: Option<Cause>,
}

/// An error with its causes, for a log line: `the cache cannot be read: the database failed: disk full`. What is
/// already there is not repeated.
pub fn chain(error: &dyn Error) -> String {
    joined(error, in_one_line)
}

/// An error with its causes, for a terminal: as [`chain`], but the texts keep their lines.
pub fn chain_with_lines(error: &dyn Error) -> String {
    joined(error, str::to_owned)
}

fn joined(error: &dyn Error, shown: fn(&str) -> String) -> String {
    let text = error.to_string();
    match added(&text, error.source(), shown) {
        Some(causes) => format!("{}: {causes}", text.trim_end_matches('.')),
        None => text,
    }
}

/// What a cause and the causes behind it add to a text, in one line and outermost first; None if it is nothing.
pub(super) fn added_by_causes(text: &str, first: Option<&(dyn Error + 'static)>) -> Option<String> {
    added(text, first, in_one_line)
}

fn added(text: &str, first: Option<&(dyn Error + 'static)>, shown: fn(&str) -> String) -> Option<String> {
    let mut texts = vec![text.to_owned()];
    let mut added = Vec::new();
    let mut next = first;
    while let Some(cause) = next {
        let text = shown(&cause.to_string());
        // Many errors contain the text of their cause.
        if !texts.iter().any(|known| known.contains(&text)) {
            added.push(without_known_part(&text, &texts));
            texts.push(text);
        }
        next = cause.source();
    }
    (!added.is_empty()).then(|| added.join(": "))
}

/// No word is cut: callers remove secrets and words of a query from it, and would not know a part of one.
fn in_one_line(text: &str) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        chars += word.chars().count() + 1;
        if chars > CAUSE_CHARS_MAX {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// A text without the part in which a known text ends: after `disk full`, `error 13: disk full` adds `error 13`.
fn without_known_part(text: &str, known: &[String]) -> String {
    let ends = known.iter().flat_map(|known| {
        let after = known.match_indices(": ").map(|(place, separator)| place + separator.len());
        std::iter::once(0).chain(after).map(move |start| &known[start..])
    });
    for end in ends.filter(|end| !end.is_empty()) {
        let Some((before, after)) = text.split_once(end) else { continue };
        let is_part = before.ends_with(": ") || before.ends_with(") ");
        if is_part && !after.starts_with(char::is_alphanumeric) {
            return before.trim_end_matches([' ', ':']).to_owned() + after;
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Link {
        text: &'static str,
        source: Option<Cause>,
    }

    fn links(texts: &[&'static str]) -> Cause {
        let link = |source, &text: &&'static str| -> Option<Cause> { Some(Link { text, source }.into()) };
        texts.iter().rev().fold(None, link).expect("a text")
    }

    #[test]
    fn a_log_line_shows_every_cause_once() {
        let table: [(&[&'static str], &str); 11] = [
            (&["No cause."], "No cause."),
            (&["A sentence.", "a cause"], "A sentence: a cause"),
            (&["a", "b", "c"], "a: b: c"),
            (&["the cache failed: disk full", "disk full"], "the cache failed: disk full"),
            (&["the cache failed", "disk full", "disk full"], "the cache failed: disk full"),
            (
                &[
                    "it failed: disk full",
                    "error of the database: (code: 13) disk full",
                    "(code: 13) disk full",
                ],
                "it failed: disk full: error of the database: (code: 13)",
            ),
            (&["it failed: a: b", "error: a: b"], "it failed: a: b: error"),
            (&["it failed: a", "error: a at line 7", "a at line 7"], "it failed: a: error at line 7"),
            (&["it failed: full", "the disk is full"], "it failed: full: the disk is full"),
            (&["it failed", "two\nlines\tand \u{1b}[31mcolor"], "it failed: two lines and [31mcolor"),
            (&["it failed", ""], "it failed"),
        ];
        for (texts, expected) in table {
            assert_eq!(chain(&*links(texts)), expected, "{texts:?}");
        }
        assert_eq!(
            chain_with_lines(&*links(&["it failed: a", "b\nc", "error: a"])),
            "it failed: a: b\nc: error"
        );
        let long = io::Error::other("a word ".repeat(CAUSE_CHARS_MAX));
        let shown = chain(&Link { text: "it failed", source: Some(long.into()) });
        assert!(shown.len() <= "it failed: ".len() + CAUSE_CHARS_MAX, "{}", shown.len());
        assert!(shown.ends_with(" a word") || shown.ends_with(" a"), "no word is cut: {shown}");
        let word = io::Error::other("x".repeat(2 * CAUSE_CHARS_MAX));
        assert_eq!(chain(&Link { text: "it failed", source: Some(word.into()) }), "it failed");
    }

    #[test]
    fn a_cause_is_the_source_and_shows_its_texts_only() {
        #[derive(thiserror::Error)]
        #[error("refused")]
        struct Telling;
        impl fmt::Debug for Telling {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("secret")
            }
        }
        let error = Link { text: "it failed", source: Some(Telling.into()) };
        assert!(error.source().is_some_and(|cause| cause.is::<Telling>()));
        assert_eq!(format!("{:?}", error.source), "Some(\"refused\")");
        assert_eq!(Some(Cause::from(Telling)), Some(Cause::from(fmt::Error)), "causes are not compared");
    }

    #[test]
    fn an_operation_is_a_link_of_the_chain() {
        let source = Cause::of_operation("migration 7", Some(io::Error::other("disk full").into()));
        let error = Link { text: "it failed", source: Some(source) };
        assert_eq!(chain(&error), "it failed: migration 7: disk full");
    }
}
