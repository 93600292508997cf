//! A font of a document: the glyphs of a text, and those that must be embedded.

use super::joining::{JOINERS, joined};
use super::truetype::TrueType;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A font file, and where the font begins in it.
pub struct FontData {
    pub bytes: Vec<u8>,
    pub start: u32,
    pub name: String,
}

/// A glyph by its code in the document, and its width in thousandths of the font size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyph {
    pub code: u16,
    pub width: i32,
}

pub struct UsedFont<'f> {
    font: TrueType<'f>,
    name: String,
    /// By glyph and the text that it stands for, its code. A bracket stands for another one in a text from right to
    /// left, so a glyph may have several.
    codes: BTreeMap<(u16, String), u16>,
}

/// The used part of a font, to be embedded.
pub struct FontPart {
    pub name: String,
    pub bytes: Vec<u8>,
    pub bounds: [i32; 4],
    pub ascent: i32,
    pub descent: i32,
    /// In the order of their codes, which begin with 1.
    pub glyphs: Vec<PartGlyph>,
}

pub struct PartGlyph {
    pub id: u16,
    pub width: i32,
    pub text: String,
}

impl<'f> UsedFont<'f> {
    /// None if the font is damaged.
    pub fn of(data: &'f FontData) -> Option<Self> {
        let font = TrueType::parse(&data.bytes, data.start)?;
        Some(Self { font, name: data.name.clone(), codes: BTreeMap::new() })
    }

    pub fn has_all(&self, text: &str) -> bool {
        text.chars().all(|c| JOINERS.contains(&c) || self.font.glyph(c).is_some())
    }

    /// The width of a text in thousandths of the font size.
    pub fn width(&self, text: &str) -> i32 {
        let glyphs = joined(text).into_iter().filter_map(|shown| self.glyph(shown.character));
        glyphs.map(|glyph| self.font.width(glyph)).sum()
    }

    /// The glyphs of a text from left to right. Each is embedded.
    pub fn set(&mut self, text: &str, is_rtl: bool) -> Vec<Glyph> {
        let mut clusters: Vec<Vec<Glyph>> = Vec::new();
        for shown in joined(text) {
            let character = if is_rtl { mirrored(shown.character) } else { shown.character };
            let Some(glyph) = self.used_glyph(character, shown.text) else { continue };
            // A mark is drawn over the glyph before it, in both directions.
            match clusters.last_mut() {
                Some(cluster) if is_combining_mark(character) => cluster.push(glyph),
                _ => clusters.push(vec![glyph]),
            }
        }
        if is_rtl {
            clusters.reverse();
        }
        clusters.concat()
    }

    fn used_glyph(&mut self, character: char, text: &str) -> Option<Glyph> {
        let id = self.glyph(character)?;
        let next = u16::try_from(self.codes.len() + 1).ok()?;
        let code = *self.codes.entry((id, text.to_owned())).or_insert(next);
        Some(Glyph { code, width: self.font.width(id) })
    }

    /// None if the font is damaged.
    pub fn part(&self) -> Option<FontPart> {
        let [left, bottom, right, top, ascent, descent] = self.font.measures();
        let mut codes: Vec<_> = self.codes.iter().collect();
        codes.sort_unstable_by_key(|(_, code)| **code);
        let glyph = |(id, text): &(u16, String)| PartGlyph {
            id: *id,
            width: self.font.width(*id),
            text: text.clone(),
        };
        let glyphs = codes.into_iter().map(|(used, _)| glyph(used)).collect();
        Some(FontPart {
            name: self.name.clone(),
            bytes: self.font.subset(&self.codes.keys().map(|(id, _)| *id).collect())?,
            bounds: [left, bottom, right, top],
            ascent,
            descent,
            glyphs,
        })
    }

    /// If the font lacks the form of a character, the character itself.
    fn glyph(&self, character: char) -> Option<u16> {
        let plain = || std::iter::once(character).nfkc().next().and_then(|plain| self.font.glyph(plain));
        self.font.glyph(character).or_else(plain)
    }
}

/// A bracket in a text from right to left.
pub fn mirrored(c: char) -> char {
    const PAIRS: [(char, char); 9] = [
        ('(', ')'),
        ('[', ']'),
        ('{', '}'),
        ('<', '>'),
        ('«', '»'),
        ('‹', '›'),
        ('≤', '≥'),
        ('⟨', '⟩'),
        ('⟦', '⟧'),
    ];
    let other = |(open, close): &(char, char)| match c {
        _ if c == *open => Some(*close),
        _ if c == *close => Some(*open),
        _ => None,
    };
    PAIRS.iter().find_map(other).unwrap_or(c)
}
