//! Reading: what has been read of one file so far, and the clock that is looked at on the way.

use crate::limits::{Limits, PROPERTY_CHARS_MAX};
use domain::contracts::{ExtractError, ExtractedText};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why reading ends before the end of the file.
#[derive(Debug)]
pub enum Stop {
    /// The text is as long as it may be; what was read counts.
    Full,
    Failed(ExtractError),
}

impl From<ExtractError> for Stop {
    fn from(error: ExtractError) -> Self {
        Self::Failed(error)
    }
}

pub type Step<T = ()> = Result<T, Stop>;

pub fn damaged<T>(what: &str) -> Step<T> {
    Err(Stop::Failed(ExtractError::Damaged(what.to_owned())))
}

/// Until when a file is read, and whether anyone still waits for it.
#[derive(Debug, Clone)]
pub struct Watch {
    until: Instant,
    is_abandoned: Arc<AtomicBool>,
}

impl Watch {
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

/// What parts the next text from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

/// How many looks go by until the clock is read.
const LOOKS_PER_CLOCK: u32 = 64;

pub struct Reading {
    pub limits: Limits,
    watch: Watch,
    looks: u32,
    found: ExtractedText,
    chars: usize,
    gap: Gap,
}

impl Reading {
    pub fn new(limits: &Limits, watch: Watch) -> Self {
        Self {
            limits: limits.clone(),
            watch,
            looks: 0,
            found: ExtractedText::default(),
            chars: 0,
            gap: Gap::None,
        }
    }

    #[cfg(feature = "pdf")]
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// To be called in every loop over foreign things.
    pub fn look(&mut self) -> Step {
        self.looks = self.looks.wrapping_add(1);
        if self.looks % LOOKS_PER_CLOCK == 1 && self.watch.is_over() {
            return Err(Stop::Failed(ExtractError::Timeout));
        }
        Ok(())
    }

    /// Text inside a line; runs of white space become one space, and ligatures the letters that people search for.
    pub fn text(&mut self, text: &str) -> Step {
        self.look()?;
        for c in text.chars() {
            if c.is_whitespace() {
                self.gap = self.gap.max(Gap::Space);
            } else if let Some(letters) = letters_of(c) {
                letters.chars().try_for_each(|letter| self.push(letter))?;
            } else if !is_noise(c) {
                self.push(c)?;
            }
        }
        Ok(())
    }

    /// What follows is another word.
    pub fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// What follows stands on a line of its own.
    pub fn line(&mut self) {
        self.gap = self.gap.max(Gap::Line);
    }

    /// What follows is another paragraph.
    pub fn paragraph(&mut self) {
        self.gap = Gap::Paragraph;
    }

    /// The first title that is not blank counts.
    pub fn title(&mut self, text: &str) {
        set(&mut self.found.title, text);
    }

    pub fn author(&mut self, text: &str) {
        set(&mut self.found.author, text);
    }

    pub fn finish(self, is_cut: bool) -> ExtractedText {
        ExtractedText { is_cut, ..self.found }
    }

    fn push(&mut self, c: char) -> Step {
        let between = match self.gap {
            _ if self.found.text.is_empty() => "",
            Gap::None => "",
            Gap::Space => " ",
            Gap::Line => "\n",
            Gap::Paragraph => "\n\n",
        };
        if self.chars + between.len() >= self.limits.output_chars {
            return Err(Stop::Full);
        }
        self.found.text.push_str(between);
        self.found.text.push(c);
        self.chars += between.len() + 1;
        self.gap = Gap::None;
        Ok(())
    }
}

/// The letters of a Latin ligature, which a typesetter chose and nobody types.
fn letters_of(c: char) -> Option<&'static str> {
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

/// Control characters, soft hyphens and marks that nobody sees or searches for.
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

    fn reading(output_chars: usize) -> Reading {
        let limits = Limits { output_chars, ..Limits::default() };
        Reading::new(&limits, Watch::of(Duration::from_secs(5)))
    }

    #[test]
    fn ligatures_are_spelled_out() {
        let mut reading = reading(15);
        reading.text("o\u{fb03}ce of \u{fb01}sh").unwrap();
        assert!(matches!(reading.text("\u{fb04}"), Err(Stop::Full)), "each letter counts");
        assert_eq!(reading.finish(true).text, "office of fishf");
    }

    #[test]
    fn white_space_is_put_in_order() {
        let mut reading = reading(100);
        reading.paragraph();
        reading.text(" one \t two\u{ad}fold ").unwrap();
        reading.line();
        reading.space();
        reading.text("three").unwrap();
        reading.paragraph();
        reading.line();
        reading.text("four\u{0}").unwrap();
        reading.paragraph();
        reading.title(" \n ");
        reading.title(" A  title ");
        reading.title("another");
        let found = reading.finish(false);
        assert_eq!((found.text.as_str(), found.title.as_str()), ("one twofold\nthree\n\nfour", "A title"));
    }

    #[test]
    fn text_ends_at_its_limit() {
        let mut reading = reading(5);
        assert!(matches!(reading.text("äbc def"), Err(Stop::Full)));
        assert_eq!(reading.finish(true).text, "äbc d");
        let mut reading = super::Reading::new(&Limits::default(), Watch::of(Duration::ZERO));
        assert!(matches!(reading.text("x"), Err(Stop::Failed(ExtractError::Timeout))));
        let mut reading = super::Reading::new(&Limits::default(), Watch::of(Duration::from_secs(9)));
        reading.title(&"x".repeat(PROPERTY_CHARS_MAX + 1));
        assert_eq!(reading.finish(false).title.len(), PROPERTY_CHARS_MAX);
    }
}
