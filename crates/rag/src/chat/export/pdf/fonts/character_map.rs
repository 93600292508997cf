//! The character table of a font, `cmap`: which glyph a character has.

use super::big_endian::{u16_at, u32_at};

/// Most ranges of one font.
const RANGES_MAX: usize = 65_536;
/// Most characters of segments that are examined.
const CHARACTERS_MAX: usize = 131_072;

/// Formats 4 and 12, which all fonts of Unicode characters have.
pub struct CharacterMap<'f> {
    format: u16,
    rows: &'f [u8],
}

/// A row of format 4.
struct Segment {
    first: u16,
    last: u16,
    delta: u16,
    /// Where its list of glyphs begins, if it has one.
    glyphs: Option<usize>,
}

impl<'f> CharacterMap<'f> {
    pub fn parse(table: &'f [u8]) -> Option<Self> {
        let count = usize::from(u16_at(table, 2)?);
        let map = |row: usize| {
            let at = 4 + 8 * row;
            let (platform, encoding) = (u16_at(table, at)?, u16_at(table, at + 2)?);
            let rows = table.get(u32_at(table, at + 4)? as usize..)?;
            let is_unicode = platform == 0 || (platform == 3 && matches!(encoding, 1 | 10));
            let format = u16_at(rows, 0).filter(|format| is_unicode && matches!(format, 4 | 12))?;
            Some(Self { format, rows })
        };
        // Format 12 has all characters.
        (0..count).filter_map(map).max_by_key(|map| map.format)
    }

    pub fn glyph(&self, c: char) -> Option<u16> {
        let found = if self.format == 12 { self.in_groups(c.into()) } else { self.in_segments(c.into()) };
        found.filter(|glyph| *glyph != 0)
    }

    /// First and last characters that have glyphs, in their order.
    pub fn ranges(&self) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = if self.format == 12 {
            self.groups().map(|(first, last, _)| (first, last)).take(RANGES_MAX).collect()
        } else {
            self.characters_of_segments()
        };
        ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges.into_iter().filter(|(first, last)| first <= last) {
            match joined.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => joined.push((first, last)),
            }
        }
        joined.shrink_to_fit();
        joined
    }

    fn characters_of_segments(&self) -> Vec<(u32, u32)> {
        let with_glyphs = |segment: Segment| {
            let characters = segment.first..=segment.last;
            let has_glyph = move |c: &u16| self.in_segment(&segment, *c).is_some_and(|glyph| glyph != 0);
            characters.filter(has_glyph)
        };
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for c in self.segments().flat_map(with_glyphs).take(CHARACTERS_MAX).map(u32::from) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == c => *last = c,
                _ => ranges.push((c, c)),
            }
        }
        ranges
    }

    /// Format 12: groups of first character, last character and first glyph.
    fn groups(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let count = u32_at(self.rows, 12).unwrap_or_default() as usize;
        let rows = self.rows.get(16..).unwrap_or_default().chunks_exact(12).take(count);
        rows.filter_map(|row| Some((u32_at(row, 0)?, u32_at(row, 4)?, u32_at(row, 8)?)))
    }

    fn in_groups(&self, c: u32) -> Option<u16> {
        let (first, _, glyph) = self.groups().find(|(first, last, _)| (*first..=*last).contains(&c))?;
        u16::try_from(glyph.checked_add(c - first)?).ok()
    }

    /// Format 4: the lists of last characters, first characters, differences and offsets.
    fn segments(&self) -> impl Iterator<Item = Segment> {
        let double = usize::from(u16_at(self.rows, 6).unwrap_or_default());
        let (lasts, firsts, deltas, offsets) = (14, 16 + double, 16 + 2 * double, 16 + 3 * double);
        (0..double).step_by(2).map_while(move |at| {
            let offset = u16_at(self.rows, offsets + at)?;
            Some(Segment {
                first: u16_at(self.rows, firsts + at)?,
                last: u16_at(self.rows, lasts + at)?,
                delta: u16_at(self.rows, deltas + at)?,
                glyphs: (offset != 0).then_some(offsets + at + usize::from(offset)),
            })
        })
    }

    fn in_segments(&self, c: u32) -> Option<u16> {
        let c = u16::try_from(c).ok()?;
        let segment = self.segments().find(|segment| segment.last >= c)?;
        self.in_segment(&segment, c)
    }

    fn in_segment(&self, segment: &Segment, c: u16) -> Option<u16> {
        let place = usize::from(c.checked_sub(segment.first)?);
        let Some(glyphs) = segment.glyphs else { return Some(c.wrapping_add(segment.delta)) };
        let glyph = u16_at(self.rows, glyphs + 2 * place)?;
        Some(if glyph == 0 { 0 } else { glyph.wrapping_add(segment.delta) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Segments `A` to `C` with glyphs 1 to 3, and `水` with glyph 9.
    fn segments() -> Vec<u8> {
        let numbers: [u16; 23] = [
            4, 0, 0, 6, 0, 0, 0, // header: three segments
            0x43, 0x6c34, 0xffff, 0, // last characters
            0x41, 0x6c34, 0xffff, // first characters
            0xffc0, 0, 1, // differences
            0, 4, 0, // offsets
            9, 0, 0, // glyphs
        ];
        [&[0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12][..], &numbers.map(u16::to_be_bytes).concat()].concat()
    }

    #[test]
    fn characters_have_glyphs() {
        let table = segments();
        let map = CharacterMap::parse(&table).unwrap();
        for (c, glyph) in [('A', Some(1)), ('C', Some(3)), ('D', None), ('水', Some(9)), ('🦀', None)] {
            assert_eq!(map.glyph(c), glyph, "{c}");
        }
        assert_eq!(map.ranges(), [(0x41, 0x43), (0x6c34, 0x6c34)]);
        let groups = [12_u32 << 16, 0, 0, 3, 0x41, 0x43, 1, 0x1f980, 0x1f980, 7, 0x44, 0x44, 4];
        let groups = groups.map(u32::to_be_bytes).concat();
        let table = [&[0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12][..], &groups].concat();
        let map = CharacterMap::parse(&table).unwrap();
        for (c, glyph) in [('B', Some(2)), ('D', Some(4)), ('E', None), ('🦀', Some(7))] {
            assert_eq!(map.glyph(c), glyph, "{c}");
        }
        assert_eq!(map.ranges(), [(0x41, 0x44), (0x1f980, 0x1f980)]);
    }

    proptest! {
        #[test]
        fn damaged_tables_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), format in prop::sample::select(vec![4u8, 12])) {
            let table = [&[0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, format][..], &bytes].concat();
            for table in [&table, &bytes] {
                if let Some(map) = CharacterMap::parse(table) {
                    map.glyph('A');
                    prop_assert!(map.ranges().is_sorted());
                }
            }
        }
    }
}
