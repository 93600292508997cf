//! The fonts that were found for a document.

use super::truetype::TrueType;
use super::used_font::FontData;
use std::collections::BTreeSet;

/// Most fonts of one document.
pub(super) const FONTS_MAX: usize = 8;

/// The fonts of a document.
pub struct FoundFonts {
    pub fonts: Vec<FontData>,
    /// Characters that none of them has.
    pub missing: BTreeSet<char>,
}

impl FoundFonts {
    /// Takes a font that has missing characters, unless it is damaged.
    pub fn add(&mut self, data: FontData) {
        let before = self.missing.len();
        if let Some(font) = TrueType::parse(&data.bytes, data.start) {
            self.missing.retain(|c| font.glyph(*c).is_none());
        }
        if self.missing.len() < before {
            self.fonts.push(data);
        }
    }
}
