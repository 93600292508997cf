//! The character table of an embedded TrueType font, read backwards: which character a glyph shows.

use std::collections::HashMap;

/// Most entries of a font that are read; its ranges may overlap.
const ENTRIES_MAX: usize = 200_000;
/// Most tables of a font, and most tables of characters in it.
const TABLES_MAX: usize = 100;

/// The characters of a font by the number of their glyph; empty if the font has no table that can be read.
pub fn characters(font: &[u8]) -> HashMap<u16, char> {
    let mut table = CharacterTable { found: HashMap::new(), left: ENTRIES_MAX };
    // A damaged font gives what was read before.
    let _ = table.read(font);
    table.found
}

struct CharacterTable {
    found: HashMap<u16, char>,
    /// How many more entries are read.
    left: usize,
}

impl CharacterTable {
    fn read(&mut self, font: &[u8]) -> Option<()> {
        let tables = table(font, *b"cmap")?;
        let count = usize::from(u16_at(tables, 2)?).min(TABLES_MAX);
        for record in (0..count).map(|place| 4 + 8 * place) {
            let platform = u16_at(tables, record)?;
            let is_unicode = platform == 0 || (platform == 3 && u16_at(tables, record + 2)? != 0);
            let part = tables.get(u32_at(tables, record + 4)? as usize..)?;
            match u16_at(part, 0)? {
                4 if is_unicode => self.segments(part)?,
                12 if is_unicode => self.groups(part)?,
                _ => {}
            }
        }
        Some(())
    }

    /// Format 4: ranges of characters of up to two bytes.
    fn segments(&mut self, part: &[u8]) -> Option<()> {
        let bytes = usize::from(u16_at(part, 6)?);
        for at in (0..bytes).step_by(2) {
            let (end, start) = (u16_at(part, 14 + at)?, u16_at(part, 16 + bytes + at)?);
            let (delta, range_at) = (u16_at(part, 16 + 2 * bytes + at)?, 16 + 3 * bytes + at);
            let range = usize::from(u16_at(part, range_at)?);
            for code in start..=end {
                let glyph = match range {
                    0 => code.wrapping_add(delta),
                    _ => match u16_at(part, range_at + range + 2 * usize::from(code - start))? {
                        0 => 0,
                        glyph => glyph.wrapping_add(delta),
                    },
                };
                self.add(u32::from(glyph), u32::from(code))?;
            }
        }
        Some(())
    }

    /// Format 12: ranges of characters of any size.
    fn groups(&mut self, part: &[u8]) -> Option<()> {
        for group in 0..u32_at(part, 12)? as usize {
            let at = group.checked_mul(12)?.checked_add(16)?;
            let (first, last, glyph) = (u32_at(part, at)?, u32_at(part, at + 4)?, u32_at(part, at + 8)?);
            for code in first..=last.min(u32::from(char::MAX)) {
                self.add(glyph.checked_add(code - first)?, code)?;
            }
        }
        Some(())
    }

    /// Notes the character of a glyph. None if there were too many entries.
    fn add(&mut self, glyph: u32, code: u32) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if let (Ok(glyph @ 1..), Some(character)) = (u16::try_from(glyph), char::from_u32(code)) {
            let known = self.found.entry(glyph).or_insert(character);
            // Many fonts have their glyphs in the private use area, too.
            if matches!(*known, '\u{e000}'..='\u{f8ff}') {
                *known = character;
            }
        }
        Some(())
    }
}

fn table(font: &[u8], name: [u8; 4]) -> Option<&[u8]> {
    let count = usize::from(u16_at(font, 4)?).min(TABLES_MAX);
    let record = (0..count).map(|place| 12 + 16 * place).find(|at| font.get(*at..at + 4) == Some(&name))?;
    font.get(u32_at(font, record + 8)? as usize..)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A font with one table of characters.
    pub fn font(table: &[u8]) -> Vec<u8> {
        let mut font = vec![0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        font.extend(b"cmap\0\0\0\0\0\0\0\x1c\0\0\0\0");
        font.extend([0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12]);
        font.extend(table);
        font
    }

    fn words(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    #[test]
    fn both_formats_are_read() {
        // a to c are glyphs 5 to 7 by their distance, α is glyph 9 by a list; one segment ends the table.
        let four =
            [4, 0, 0, 6, 0, 0, 0, 0x63, 0x3b1, 0xffff, 0, 0x61, 0x3b1, 0xffff, 0xffa4, 0, 1, 0, 4, 0, 9];
        let found = characters(&font(&words(&four)));
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!([5, 7, 9].map(|glyph| found.get(&glyph).copied()), [Some('a'), Some('c'), Some('α')]);
        let twelve = [12, 0, 0, 28, 0, 0, 0, 1, 1, 0xf600, 1, 0xf601, 0, 3];
        let found = characters(&font(&words(&twelve)));
        assert_eq!([3, 4].map(|glyph| found.get(&glyph).copied()), [Some('😀'), Some('😁')]);
    }

    #[test]
    fn damaged_fonts_are_bounded() {
        let many: Vec<u16> =
            [12, 0, 0, 28, 0, 0, 0, 60_000].into_iter().chain([0, 0, 0x10, 0, 0, 0].repeat(60_000)).collect();
        let mut table = CharacterTable { found: HashMap::new(), left: ENTRIES_MAX };
        assert_eq!(table.read(&font(&words(&many))), None);
        assert_eq!(table.left, 0);
        let whole = font(&words(&[4, 0, 0, 0xffff, 0, 0, 0]));
        for length in 0..whole.len() {
            characters(&whole[..length]);
        }
    }
}
