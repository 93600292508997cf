//! Fonts for characters that the standard fonts lack: one in the program, then those of the system.

mod big_endian;
mod built_in;
mod character_map;
mod file_tables;
mod found_fonts;
mod installed;
mod joining;
mod truetype;
mod used_font;

#[cfg(test)]
pub(super) mod fixtures;

pub use installed::FontFolders;
pub(super) use joining::{JOINERS, has_unknown_forms};
pub(super) use used_font::{FontData, FontPart, Glyph, PartGlyph, UsedFont, mirrored};

use found_fonts::FoundFonts;
use std::collections::BTreeSet;

impl FontFolders {
    /// As few fonts as possible that have these characters, and the characters that none has. Reads files, so it must
    /// not run in the async runtime.
    pub(super) fn find(&self, needed: &BTreeSet<char>) -> FoundFonts {
        let mut found = FoundFonts { fonts: Vec::new(), missing: needed.clone() };
        if needed.is_empty() {
            return found;
        }
        built_in::font().into_iter().for_each(|font| found.add(font));
        self.add_installed(&mut found);
        found
    }
}
