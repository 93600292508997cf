//! Layout of texts into lines and pages, wrapped at words.

use super::error::{PAGES_MAX, PdfError};
use super::winansi::width;

/// A4, in points.
pub(super) const PAGE_WIDTH: u32 = 595;
pub(super) const PAGE_HEIGHT: u32 = 842;
const MARGIN: u32 = 56;
/// Minimum line height.
const LEADING_MIN: u32 = 12;
/// Maximum number of lines per page.
#[cfg(test)]
pub(super) const LINES_MAX: usize = ((PAGE_HEIGHT - 2 * MARGIN) / LEADING_MIN) as usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Title,
    Heading,
    Text,
    Small,
}

struct Measures {
    font_size: u32,
    line_height: u32,
    /// Space before the first line.
    space: u32,
}

impl Style {
    fn measures(self) -> Measures {
        match self {
            Self::Title => Measures { font_size: 16, line_height: 22, space: 0 },
            Self::Heading => Measures { font_size: 10, line_height: 14, space: 12 },
            Self::Text => Measures { font_size: 10, line_height: 14, space: 0 },
            Self::Small => Measures { font_size: 8, line_height: LEADING_MIN, space: 0 },
        }
    }

    pub fn size(self) -> u32 {
        self.measures().font_size
    }

    pub fn is_bold(self) -> bool {
        matches!(self, Self::Title | Self::Heading)
    }
}

/// One line and its baseline position from the lower left corner.
pub(super) struct Line {
    pub x: u32,
    pub y: u32,
    pub style: Style,
    pub bytes: Vec<u8>,
}

pub(super) type Page = Vec<Line>;

#[derive(Default)]
pub(super) struct Pages {
    full: Vec<Page>,
    page: Page,
    /// Used height of the page, from the top.
    used: u32,
}

impl Pages {
    pub fn write(&mut self, style: Style, text: &[u8]) -> Result<(), PdfError> {
        let Measures { font_size, line_height, space } = style.measures();
        if !self.page.is_empty() {
            self.used += space;
        }
        for bytes in wrapped(text, style.is_bold(), (PAGE_WIDTH - 2 * MARGIN) * 1000 / font_size) {
            if self.used + line_height > PAGE_HEIGHT - 2 * MARGIN {
                self.full.push(std::mem::take(&mut self.page));
                self.used = 0;
            }
            if self.full.len() >= PAGES_MAX {
                return Err(PdfError::TooLong);
            }
            self.used += line_height;
            self.page.push(Line { x: MARGIN, y: PAGE_HEIGHT - MARGIN - self.used, style, bytes });
        }
        Ok(())
    }

    pub fn finish(mut self) -> Vec<Page> {
        self.full.push(self.page);
        self.full
    }
}

/// Wraps a text at spaces, and splits words that are wider than the page. An empty text is an empty line.
fn wrapped(text: &[u8], is_bold: bool, width_max: u32) -> Vec<Vec<u8>> {
    let wide = |bytes: &[u8]| bytes.iter().map(|byte| width(*byte, is_bold)).sum::<u32>();
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let (mut line, mut used): (Vec<u8>, u32) = (Vec::new(), 0);
    for word in text.split(|byte| *byte == b' ').filter(|word| !word.is_empty()) {
        let space = if line.is_empty() { 0 } else { width(b' ', is_bold) };
        if used + space + wide(word) <= width_max {
            if space > 0 {
                line.push(b' ');
            }
            line.extend(word);
            used += space + wide(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        used = 0;
        for byte in word {
            if used + width(*byte, is_bold) > width_max {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(*byte);
            used += width(*byte, is_bold);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_words() {
        // A character has 556, a space 278.
        for (text, width_max, expected) in [
            ("aa bb cc", 5000, vec!["aa bb cc"]),
            ("aa bb cc", 2600, vec!["aa bb", "cc"]),
            ("aaaaa b", 1200, vec!["aa", "aa", "a", "b"]),
            ("", 1200, vec![""]),
            ("  aa   bb ", 5000, vec!["aa bb"]),
        ] {
            let lines = wrapped(text.as_bytes(), false, width_max);
            let lines: Vec<String> = lines.into_iter().map(|line| String::from_utf8(line).unwrap()).collect();
            assert_eq!(lines, expected, "{text} {width_max}");
        }
    }
}
