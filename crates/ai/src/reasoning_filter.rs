//! Removes the reasoning that some servers leave in the text of a reply: `<think>…</think>` before it, or only
//! `…</think>`, because the template of some models contains the opening tag.
//!
//! Without an opening tag, nobody knows whether a text is the reply until it ends. Its beginning is passed on as it
//! arrives, and revoked if it turns out to be reasoning; the rest waits. So readers never get more than
//! [`PASSED_BYTES_MAX`] bytes of reasoning, however long it is, and a reply of usual length arrives as it is written.

use crate::completion_stream::ANSWER_CHARS_MAX;
use domain::ports::CompletionChunk;

/// Maximum size of a text that is passed on before it is known to be the reply, in bytes. It is more than a reply usually
/// has, and less than any reader of completions accepts.
pub const PASSED_BYTES_MAX: usize = 12 * 1024;
/// Maximum size of a text that waits, in bytes: no reply is longer.
const HELD_BYTES_MAX: usize = ANSWER_CHARS_MAX * 4;
/// Maximum size of a chunk, in bytes.
const CHUNK_BYTES_MAX: usize = 2 * 1024;
/// The opening and closing tags of reasoning.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
/// Length of the longest tag, and of a blank line after it, in bytes.
const TAIL_BYTES_MAX: usize = 16;

/// Filters the text of one reply, which may be cut anywhere.
#[derive(Debug, Default)]
pub struct ReasoningFilter {
    place: Place,
    /// The text that is not passed on yet.
    held: String,
    /// How many bytes of `held` have no tag.
    examined: usize,
    /// What was passed on before `held`.
    passed: Passed,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing was read but white space and an incomplete tag.
    #[default]
    Start,
    Reasoning {
        closing: &'static str,
    },
    /// As `Start`, but after reasoning.
    AfterReasoning,
    /// The reply, unless a closing tag shows that it was reasoning so far.
    Text,
    /// As `Text`, but longer than a reply may be: its text is gone.
    TooLong,
    /// The reply. It is not examined, because its reasoning has ended, or because it mentions a tag itself.
    Reply,
}

/// The text of `Place::Text` that was passed on.
#[derive(Debug, Default)]
struct Passed {
    bytes: usize,
    /// The last character but blanks.
    last: Option<char>,
}

impl ReasoningFilter {
    pub fn feed(&mut self, text: &str, out: &mut Vec<CompletionChunk>) {
        if self.place == Place::Reply {
            return push(text, out);
        }
        self.held.push_str(text);
        match self.place {
            Place::Start | Place::AfterReasoning => self.begin(out),
            Place::Reasoning { closing } => self.reason(closing, out),
            Place::Text | Place::TooLong => self.examine(false, out),
            Place::Reply => {}
        }
    }

    /// Passes on what was held back. Returns whether the reply is longer than it may be.
    pub fn end(&mut self, out: &mut Vec<CompletionChunk>) -> bool {
        if matches!(self.place, Place::Text | Place::TooLong) {
            self.examine(true, out);
        }
        let is_too_long = self.place == Place::TooLong;
        match self.place {
            Place::Start | Place::Text => push(&std::mem::take(&mut self.held), out),
            Place::AfterReasoning => push(std::mem::take(&mut self.held).trim_start(), out),
            Place::Reasoning { .. } | Place::TooLong | Place::Reply => {}
        }
        is_too_long
    }

    /// Whether text is held back that may belong to the reply.
    pub fn holds_text(&self) -> bool {
        !self.held.is_empty() && !matches!(self.place, Place::Reasoning { .. } | Place::TooLong)
    }

    fn begin(&mut self, out: &mut Vec<CompletionChunk>) {
        let text = self.held.trim_start();
        let mut all = TAGS.iter().flat_map(|(opening, closing)| [opening, closing]);
        if all.any(|tag| text.len() < tag.len() && tag.starts_with(text)) {
            return;
        }
        if let Some((opening, closing)) = TAGS.iter().find(|(opening, _)| text.starts_with(opening)) {
            self.place = Place::Reasoning { closing };
            self.held = text[opening.len()..].to_owned();
            return self.reason(closing, out);
        }
        if let Some(rest) = TAGS.iter().find_map(|(_, closing)| text.strip_prefix(closing)) {
            self.place = Place::AfterReasoning;
            self.held = rest.to_owned();
            return self.begin(out);
        }
        if self.place == Place::AfterReasoning {
            self.place = Place::Reply;
            return push(std::mem::take(&mut self.held).trim_start(), out);
        }
        self.place = Place::Text;
        self.examine(false, out);
    }

    fn reason(&mut self, closing: &str, out: &mut Vec<CompletionChunk>) {
        match self.held.split_once(closing) {
            Some((_, rest)) => {
                self.place = Place::AfterReasoning;
                self.held = rest.to_owned();
                self.begin(out);
            }
            None => self.keep_tail(),
        }
    }

    /// Looks for tags in the text. With `is_end`, nothing follows.
    fn examine(&mut self, is_end: bool, out: &mut Vec<CompletionChunk>) {
        while let Some(tag) = FoundTag::first_of(&self.held, self.examined) {
            if tag.is_opening && self.place == Place::Text {
                self.place = Place::Reply;
                return push(&std::mem::take(&mut self.held), out);
            }
            match tag.ends_reasoning(&self.held, self.passed.last, is_end) {
                None => {
                    self.examined = tag.start;
                    return self.pass_on(tag.start, out);
                }
                Some(false) => self.examined = tag.end,
                Some(true) => {
                    out.extend((self.passed.bytes > 0).then_some(CompletionChunk::ReasoningEnd));
                    self.place = Place::AfterReasoning;
                    self.held.drain(..tag.end);
                    return self.begin(out);
                }
            }
        }
        let tail = if is_end { self.held.len() } else { tail_start(&self.held) };
        self.examined = self.examined.max(tail);
        self.pass_on(tail, out);
    }

    /// Passes on the text up to this byte, or keeps it.
    fn pass_on(&mut self, end: usize, out: &mut Vec<CompletionChunk>) {
        if self.place == Place::TooLong {
            return self.keep_tail();
        }
        if self.passed.bytes + end <= PASSED_BYTES_MAX {
            push(&self.held[..end], out);
            let last = self.held[..end].chars().rfind(|c| !is_blank(*c));
            self.passed = Passed { bytes: self.passed.bytes + end, last: last.or(self.passed.last) };
            self.held.drain(..end);
            self.examined = self.examined.saturating_sub(end);
        } else if self.held.len() > HELD_BYTES_MAX {
            self.place = Place::TooLong;
            self.keep_tail();
        }
    }

    /// Keeps the end of the text, where a tag may have begun.
    fn keep_tail(&mut self) {
        let start = self.held.floor_char_boundary(self.held.len().saturating_sub(TAIL_BYTES_MAX));
        let last = self.held[..start].chars().rfind(|c| !is_blank(*c));
        self.passed.last = last.or(self.passed.last);
        self.held.drain(..start);
        self.examined = self.examined.saturating_sub(start);
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Passes on a text, in chunks.
fn push(mut text: &str, out: &mut Vec<CompletionChunk>) {
    while !text.is_empty() {
        let (chunk, rest) = text.split_at(text.floor_char_boundary(CHUNK_BYTES_MAX));
        out.push(CompletionChunk::Text(chunk.to_owned()));
        text = rest;
    }
}

/// Where an incomplete tag begins at the end of a text; the length of the text if there is none.
fn tail_start(text: &str) -> usize {
    let is_incomplete = |tail: &str| {
        let mut all = TAGS.iter().flat_map(|(opening, closing)| [opening, closing]);
        all.any(|tag| tail.len() < tag.len() && tag.starts_with(tail))
    };
    let start = text.rfind('<').filter(|start| is_incomplete(&text[*start..]));
    start.unwrap_or(text.len())
}

/// A tag in a text, in bytes.
struct FoundTag {
    is_opening: bool,
    start: usize,
    end: usize,
}

impl FoundTag {
    fn first_of(text: &str, from: usize) -> Option<Self> {
        let tags = TAGS.iter().flat_map(|(opening, closing)| [(true, *opening), (false, *closing)]);
        let found = tags.filter_map(|(is_opening, tag)| {
            let start = from + text[from..].find(tag)?;
            Some(Self { is_opening, start, end: start + tag.len() })
        });
        found.min_by_key(|tag| tag.start)
    }

    /// Whether a closing tag ends reasoning, and is not mentioned in a sentence: it follows a whole line or sentence, or
    /// stands before a blank line. None if that depends on what follows.
    fn ends_reasoning(&self, text: &str, passed: Option<char>, is_end: bool) -> Option<bool> {
        if self.is_opening {
            return Some(false);
        }
        let before = text[..self.start].chars().rfind(|c| !is_blank(*c)).or(passed);
        let after = &text[self.end..];
        let next = after.chars().next();
        if next.is_none() && !is_end {
            return None;
        }
        if next.is_some_and(|c| c.is_lowercase() || matches!(c, '`' | '\'' | '"' | '”' | '’' | '»')) {
            return Some(false);
        }
        let is_whole = before.is_none_or(|c| {
            matches!(c, '\n' | '.' | '!' | '?' | '…' | '。' | '！' | '？' | ')' | ']' | '}' | '*')
        });
        let line = after.trim_start_matches(is_blank);
        let blank_lines = ["\n\n", "\r\n\r\n"];
        if is_whole || blank_lines.iter().any(|blank| line.starts_with(blank)) {
            return Some(true);
        }
        let may_follow = !is_end && blank_lines.iter().any(|blank| blank.starts_with(line));
        if may_follow { None } else { Some(false) }
    }
}

#[cfg(test)]
#[path = "reasoning_filter_tests.rs"]
mod tests;
