//! A font of a document: the glyphs of a text, and those that must be embedded.

use super::joining::joined;
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

/// A glyph and its width in thousandths of the font size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyph {
    pub id: u16,
    pub width: i32,
}

pub struct UsedFont<'f> {
    font: TrueType<'f>,
    name: String,
    /// By glyph, the text that it stands for.
    texts: BTreeMap<u16, String>,
}

/// The used part of a font, to be embedded.
pub struct FontPart {
    pub name: String,
    pub bytes: Vec<u8>,
    pub bounds: [i32; 4],
    pub ascent: i32,
    pub descent: i32,
    /// By glyph: its width and its text.
    pub glyphs: Vec<(u16, i32, String)>,
}

impl<'f> UsedFont<'f> {
    /// None if the font is damaged.
    pub fn of(data: &'f FontData) -> Option<Self> {
        let font = TrueType::parse(&data.bytes, data.start)?;
        Some(Self { font, name: data.name.clone(), texts: BTreeMap::new() })
    }

    pub fn has(&self, c: char) -> bool {
        self.font.glyph(c).is_some()
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
            let Some(id) = self.glyph(character) else { continue };
            self.texts.entry(id).or_insert_with(|| shown.text.to_owned());
            let glyph = Glyph { id, width: self.font.width(id) };
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

    /// None if the font is damaged.
    pub fn part(&self) -> Option<FontPart> {
        let [left, bottom, right, top, ascent, descent] = self.font.measures();
        let glyphs = self.texts.iter().map(|(id, text)| (*id, self.font.width(*id), text.clone())).collect();
        Some(FontPart {
            name: self.name.clone(),
            bytes: self.font.subset(&self.texts.keys().copied().collect())?,
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
fn mirrored(c: char) -> char {
    const PAIRS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('«', '»')];
    let other = |(open, close): &(char, char)| match c {
        _ if c == *open => Some(*close),
        _ if c == *close => Some(*open),
        _ => None,
    };
    PAIRS.iter().find_map(other).unwrap_or(c)
}
