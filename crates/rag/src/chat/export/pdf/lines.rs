//! Layout of texts into lines and pages.

use super::error::{PAGES_MAX, PdfError};
use super::typesetter::{SetLine, Span, Typesetter};

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
    pub x: f32,
    pub y: u32,
    pub style: Style,
    pub spans: Vec<Span>,
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
    pub fn write(
        &mut self,
        style: Style,
        text: &str,
        typesetter: &mut Typesetter<'_>,
    ) -> Result<(), PdfError> {
        let Measures { font_size, line_height, space } = style.measures();
        if !self.page.is_empty() {
            self.used += space;
        }
        let width_max = i32::try_from((PAGE_WIDTH - 2 * MARGIN) * 1000 / font_size).unwrap_or(i32::MAX);
        for SetLine { spans, is_rtl } in typesetter.lines(text, style.is_bold(), width_max) {
            if self.used + line_height > PAGE_HEIGHT - 2 * MARGIN {
                self.full.push(std::mem::take(&mut self.page));
                self.used = 0;
            }
            if self.full.len() >= PAGES_MAX {
                return Err(PdfError::TooLong);
            }
            self.used += line_height;
            let width: i32 = spans.iter().map(Span::width).sum();
            let indent = if is_rtl { (width_max - width).max(0) } else { 0 };
            let x = MARGIN as f32 + indent as f32 * font_size as f32 / 1000.0;
            self.page.push(Line { x, y: PAGE_HEIGHT - MARGIN - self.used, style, spans });
        }
        Ok(())
    }

    pub fn finish(mut self) -> Vec<Page> {
        self.full.push(self.page);
        self.full
    }
}
