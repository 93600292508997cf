//! Collects the text of one file, and checks the limits and the deadline.

use crate::limits::{Limits, PROPERTY_CHARS_MAX};
use domain::page_starts::PAGE_STARTS_MAX;
use domain::ports::{ExtractError, ExtractedText};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why reading ends before the end of the file.
#[derive(Debug)]
pub enum Abort {
    /// The text has reached its limit; what was read counts.
    Full,
    Failed(ExtractError),
}

impl From<ExtractError> for Abort {
    fn from(error: ExtractError) -> Self {
        Self::Failed(error)
    }
}

pub type ExtractResult<T = ()> = Result<T, Abort>;

pub fn damaged<T>(what: &str) -> ExtractResult<T> {
    Err(Abort::Failed(ExtractError::Damaged(what.to_owned())))
}

/// The time limit of a file, and whether a caller still waits.
#[derive(Debug, Clone)]
pub struct Deadline {
    until: Instant,
    is_abandoned: Arc<AtomicBool>,
}

impl Deadline {
    pub fn of(time: Duration) -> Self {
        Self::shared(time, Arc::default())
    }

    pub fn shared(time: Duration, is_abandoned: Arc<AtomicBool>) -> Self {
        Self { until: Instant::now() + time, is_abandoned }
    }

    pub fn is_over(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed) || Instant::now() >= self.until
    }
}

/// The gap between two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

/// Checks between two reads of the clock.
const CHECKS_PER_CLOCK_READ: u32 = 64;

pub struct TextBuilder {
    pub limits: Limits,
    deadline: Deadline,
    checks: u32,
    found: ExtractedText,
    chars: usize,
    gap: Gap,
    keeps_page_starts: bool,
    /// Pages that began after the last character of the text.
    begun_pages: usize,
}

impl TextBuilder {
    pub fn new(limits: &Limits, deadline: Deadline) -> Self {
        Self {
            limits: limits.clone(),
            deadline,
            checks: 0,
            found: ExtractedText::default(),
            chars: 0,
            gap: Gap::None,
            keeps_page_starts: false,
            begun_pages: 0,
        }
    }

    /// Keeps where pages begin. For a file that has pages itself, not for one that contains such files.
    pub fn keep_page_starts(&mut self) {
        self.keeps_page_starts = true;
    }

    #[cfg(feature = "pdf")]
    pub fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// Must be called in every loop over untrusted input.
    pub fn check_deadline(&mut self) -> ExtractResult {
        self.checks = self.checks.wrapping_add(1);
        if self.checks % CHECKS_PER_CLOCK_READ == 1 && self.deadline.is_over() {
            return Err(Abort::Failed(ExtractError::Timeout));
        }
        Ok(())
    }

    /// Appends text to the current line; whitespace is collapsed, and ligatures are expanded.
    pub fn text(&mut self, text: &str) -> ExtractResult {
        self.check_deadline()?;
        for c in text.chars() {
            if c.is_whitespace() {
                self.gap = self.gap.max(Gap::Space);
            } else if let Some(expansion) = ligature_chars(c) {
                expansion.chars().try_for_each(|c| self.push(c))?;
            } else if !is_noise(c) {
                self.push(c)?;
            }
        }
        Ok(())
    }

    /// Starts a new word.
    pub fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// Starts a new line.
    pub fn line(&mut self) {
        self.gap = self.gap.max(Gap::Line);
    }

    /// Starts a new paragraph.
    pub fn paragraph(&mut self) {
        self.gap = Gap::Paragraph;
    }

    /// Starts a new page.
    pub fn page(&mut self) {
        self.paragraph();
        self.begun_pages += usize::from(self.keeps_page_starts);
    }

    /// The first non-blank title counts.
    pub fn title(&mut self, text: &str) {
        set(&mut self.found.title, text);
    }

    pub fn author(&mut self, text: &str) {
        set(&mut self.found.author, text);
    }

    /// The whole text.
    pub fn finish(mut self) -> ExtractedText {
        self.place_begun_pages();
        ExtractedText { is_cut: false, ..self.found }
    }

    /// The text up to the limit.
    pub fn finish_cut(self) -> ExtractedText {
        ExtractedText { is_cut: true, ..self.found }
    }

    /// The pages that have begun start at the end of the text, where the next character will be.
    fn place_begun_pages(&mut self) {
        for _ in 0..std::mem::take(&mut self.begun_pages).min(PAGE_STARTS_MAX + 1) {
            self.found.page_starts.begin_page(self.found.text.len());
        }
    }

    fn push(&mut self, c: char) -> ExtractResult {
        let between = match self.gap {
            _ if self.found.text.is_empty() => "",
            Gap::None => "",
            Gap::Space => " ",
            Gap::Line => "\n",
            Gap::Paragraph => "\n\n",
        };
        if self.chars + between.len() >= self.limits.output_chars {
            return Err(Abort::Full);
        }
        self.found.text.push_str(between);
        self.place_begun_pages();
        self.found.text.push(c);
        self.chars += between.len() + 1;
        self.gap = Gap::None;
        Ok(())
    }
}

/// The expansion of a Latin ligature.
fn ligature_chars(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}

/// Control characters, soft hyphens and invisible marks.
fn is_noise(c: char) -> bool {
    c.is_control() || matches!(c, '\u{ad}' | '\u{200b}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn set(field: &mut String, text: &str) {
    if field.is_empty() {
        let words: Vec<&str> = text.split_whitespace().collect();
        let joined = words.join(" ");
        *field = joined.chars().filter(|&c| !is_noise(c)).take(PROPERTY_CHARS_MAX).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder(output_chars: usize) -> TextBuilder {
        let limits = Limits { output_chars, ..Limits::default() };
        TextBuilder::new(&limits, Deadline::of(Duration::from_secs(5)))
    }

    #[test]
    fn ligatures_are_spelled_out() {
        let mut builder = builder(15);
        builder.text("o\u{fb03}ce of \u{fb01}sh").unwrap();
        assert!(matches!(builder.text("\u{fb04}"), Err(Abort::Full)), "each character counts");
        assert_eq!(builder.finish_cut().text, "office of fishf");
    }

    #[test]
    fn white_space_is_put_in_order() {
        let mut builder = builder(100);
        builder.paragraph();
        builder.text(" one \t two\u{ad}fold ").unwrap();
        builder.line();
        builder.space();
        builder.text("three").unwrap();
        builder.paragraph();
        builder.line();
        builder.text("four\u{0}").unwrap();
        builder.paragraph();
        builder.title(" \n ");
        builder.title(" A  title ");
        builder.title("another");
        let found = builder.finish();
        assert_eq!((found.text.as_str(), found.title.as_str()), ("one twofold\nthree\n\nfour", "A title"));
    }

    #[test]
    fn text_ends_at_its_limit() {
        let mut builder = builder(5);
        assert!(matches!(builder.text("äbc def"), Err(Abort::Full)));
        assert_eq!(builder.finish_cut().text, "äbc d");
        let mut builder = super::TextBuilder::new(&Limits::default(), Deadline::of(Duration::ZERO));
        assert!(matches!(builder.text("x"), Err(Abort::Failed(ExtractError::Timeout))));
        let mut builder = super::TextBuilder::new(&Limits::default(), Deadline::of(Duration::from_secs(9)));
        builder.title(&"x".repeat(PROPERTY_CHARS_MAX + 1));
        assert_eq!(builder.finish().title.len(), PROPERTY_CHARS_MAX);
    }
}
