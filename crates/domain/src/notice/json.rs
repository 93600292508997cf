//! Notices as JSON: lines and facts. Every search writes and reads them, so the functions that are not generic are
//! compiled here once, optimized, and not at their callers.

use super::Notice;
use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt::Write;

/// Longer than most lines.
const LINE_BYTES: usize = 128;

/// Appends the lines of `messages`, as a list of texts.
pub fn push_lines(notices: &[Notice], text: &mut Vec<u8>) -> serde_json::Result<()> {
    serde_json::to_writer(text, &Lines(notices))
}

/// Appends the facts, as a list of objects.
pub fn push_facts(notices: &[Notice], text: &mut Vec<u8>) -> serde_json::Result<()> {
    serde_json::to_writer(text, notices)
}

/// Empty if a later version wrote a kind that is unknown here.
pub(super) fn facts_from_json(facts: &RawValue) -> Vec<Notice> {
    serde_json::from_str(facts.get()).unwrap_or_default()
}

/// Serializes notices as the lines of `messages`.
pub fn serialize_lines<S: Serializer>(notices: &[Notice], serializer: S) -> Result<S::Ok, S::Error> {
    Lines(notices).serialize(serializer)
}

/// Notices that are serialized as their lines.
struct Lines<'a>(&'a [Notice]);

impl Serialize for Lines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        let mut line = String::with_capacity(LINE_BYTES);
        for notice in self.0 {
            line.clear();
            write!(line, "{notice}").map_err(Error::custom)?;
            list.serialize_element(line.as_str())?;
        }
        list.end()
    }
}
