//! TrueType: characters, widths and outlines of a font, and a font that has only some of its glyphs.

use super::big_endian::{u16_at, u32_at};
use super::character_map::CharacterMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// Tables of the smaller font; the last three belong to the instructions in its glyphs.
const TABLES: [&[u8; 4]; 9] =
    [b"head", b"hhea", b"maxp", b"hmtx", b"loca", b"glyf", b"cvt ", b"fpgm", b"prep"];
/// Offsets in `head`, `hhea` and `maxp`.
const UNITS_PER_EM: usize = 18;
const BOUNDS: usize = 36;
const LONG_OFFSETS: usize = 50;
const ASCENT: usize = 4;
const METRICS: usize = 34;
const GLYPHS: usize = 4;
/// Bytes of a row of `hmtx`.
const METRIC_BYTES: usize = 4;
/// Most bytes of the outlines of a smaller font. Damaged offsets may repeat those of a font.
const OUTLINES_BYTES_MAX: usize = 64 * 1024 * 1024;

pub struct TrueType<'f> {
    bytes: &'f [u8],
    /// Where the font begins, in a collection.
    start: usize,
    map: CharacterMap<'f>,
    glyphs: u16,
    metrics: u16,
    units: u16,
    has_long_offsets: bool,
    widths: &'f [u8],
    offsets: &'f [u8],
    outlines: &'f [u8],
}

impl<'f> TrueType<'f> {
    /// None if the font is damaged or has other outlines.
    pub fn parse(bytes: &'f [u8], start: u32) -> Option<Self> {
        let start = start as usize;
        let table = |name: &[u8; 4]| table(bytes, start, name);
        let (head, hhea) = (table(b"head")?, table(b"hhea")?);
        let metrics = u16_at(hhea, METRICS)?.max(1);
        Some(Self {
            bytes,
            start,
            map: CharacterMap::parse(table(b"cmap")?)?,
            glyphs: u16_at(table(b"maxp")?, GLYPHS)?,
            metrics,
            units: u16_at(head, UNITS_PER_EM).filter(|units| *units > 0)?,
            has_long_offsets: u16_at(head, LONG_OFFSETS)? != 0,
            widths: table(b"hmtx").filter(|widths| widths.len() >= METRIC_BYTES * usize::from(metrics))?,
            offsets: table(b"loca")?,
            outlines: table(b"glyf")?,
        })
    }

    /// None also if its outline is missing.
    pub fn glyph(&self, c: char) -> Option<u16> {
        self.map.glyph(c).filter(|glyph| *glyph < self.glyphs && self.outline(*glyph).is_some())
    }

    /// In thousandths of the font size.
    pub fn width(&self, glyph: u16) -> i32 {
        let row = usize::from(glyph.min(self.metrics - 1));
        self.thousandths(u16_at(self.widths, METRIC_BYTES * row).unwrap_or_default().into())
    }

    /// The box around all glyphs, then ascent and descent, in thousandths.
    pub fn measures(&self) -> [i32; 6] {
        let signed = |name: &[u8; 4], offset: usize| {
            let number = table(self.bytes, self.start, name).and_then(|table| u16_at(table, offset));
            self.thousandths(i32::from(number.unwrap_or_default().cast_signed()))
        };
        let edge = |number: usize| signed(b"head", BOUNDS + 2 * number);
        [edge(0), edge(1), edge(2), edge(3), signed(b"hhea", ASCENT), signed(b"hhea", ASCENT + 2)]
    }

    /// A font with the same numbers of glyphs that has the outlines of these only. None if it would be too large.
    pub fn subset(&self, used: &BTreeSet<u16>) -> Option<Vec<u8>> {
        let used = self.with_components(used);
        let count = used.last().copied().unwrap_or_default().checked_add(1)?;
        let (mut outlines, mut offsets) = (Vec::new(), Vec::new());
        for glyph in 0..count {
            offsets.extend(u32::try_from(outlines.len()).ok()?.to_be_bytes());
            if used.contains(&glyph) {
                outlines.extend(self.outline(glyph).unwrap_or_default());
                outlines.resize(outlines.len().next_multiple_of(4), 0);
            }
            if outlines.len() > OUTLINES_BYTES_MAX {
                return None;
            }
        }
        offsets.extend(u32::try_from(outlines.len()).ok()?.to_be_bytes());
        let metrics = self.metrics.min(count);
        let widths = METRIC_BYTES * usize::from(metrics) + 2 * usize::from(count - metrics);
        let mut tables: Vec<(&[u8; 4], Vec<u8>)> = Vec::new();
        for name in TABLES {
            let Some(own) = table(self.bytes, self.start, name) else { continue };
            let mut own = match name {
                b"glyf" => std::mem::take(&mut outlines),
                b"loca" => std::mem::take(&mut offsets),
                b"hmtx" => own[..widths.min(own.len())].to_vec(),
                _ => own.to_vec(),
            };
            match name {
                b"head" => set_u16(&mut own, LONG_OFFSETS, 1)?,
                b"hhea" => set_u16(&mut own, METRICS, metrics)?,
                b"maxp" => set_u16(&mut own, GLYPHS, count)?,
                _ => {}
            }
            tables.push((name, own));
        }
        Some(assembled(tables))
    }

    /// Some glyphs are made of others.
    fn with_components(&self, used: &BTreeSet<u16>) -> BTreeSet<u16> {
        let mut all = used.clone();
        // The glyph for missing characters comes first in every font.
        all.insert(0);
        let mut open: Vec<u16> = all.iter().copied().collect();
        while let Some(glyph) = open.pop() {
            let outline = self.outline(glyph).unwrap_or_default();
            open.extend(
                components(outline).into_iter().filter(|part| *part < self.glyphs && all.insert(*part)),
            );
        }
        all
    }

    fn outline(&self, glyph: u16) -> Option<&'f [u8]> {
        let place = |number: usize| {
            if self.has_long_offsets {
                Some(u32_at(self.offsets, 4 * number)? as usize)
            } else {
                Some(2 * usize::from(u16_at(self.offsets, 2 * number)?))
            }
        };
        let range: Range<usize> = place(glyph.into())?..place(usize::from(glyph) + 1)?;
        self.outlines.get(range)
    }

    fn thousandths(&self, length: i32) -> i32 {
        length * 1000 / i32::from(self.units)
    }
}

/// The glyphs that a glyph is made of; none for a simple one.
fn components(outline: &[u8]) -> Vec<u16> {
    const HEADER: usize = 10;
    const WORD_ARGUMENTS: u16 = 0x01;
    const SCALE: u16 = 0x08;
    const MORE: u16 = 0x20;
    const TWO_SCALES: u16 = 0x40;
    const MATRIX: u16 = 0x80;
    let mut parts = Vec::new();
    let is_composite = u16_at(outline, 0).is_some_and(|contours| contours.cast_signed() < 0);
    if !is_composite {
        return parts;
    }
    let mut at = HEADER;
    while let (Some(flags), Some(part)) = (u16_at(outline, at), u16_at(outline, at + 2)) {
        parts.push(part);
        at += if flags & WORD_ARGUMENTS != 0 { 8 } else { 6 };
        let scale = [(SCALE, 2), (TWO_SCALES, 4), (MATRIX, 8)];
        at += scale.iter().filter(|(flag, _)| flags & flag != 0).map(|(_, bytes)| bytes).sum::<usize>();
        if flags & MORE == 0 {
            break;
        }
    }
    parts
}

pub fn table<'f>(bytes: &'f [u8], start: usize, name: &[u8; 4]) -> Option<&'f [u8]> {
    let count = usize::from(u16_at(bytes, start + 4)?);
    let rows = bytes.get(start + 12..)?.chunks_exact(16).take(count);
    let row = rows.into_iter().find(|row| row.starts_with(name))?;
    let offset = u32_at(row, 8)? as usize;
    bytes.get(offset..offset.checked_add(u32_at(row, 12)? as usize)?)
}

/// A font file of these tables.
pub fn assembled(mut tables: Vec<(&[u8; 4], Vec<u8>)>) -> Vec<u8> {
    tables.sort();
    let count = u16::try_from(tables.len()).unwrap_or_default();
    let power = count.checked_ilog2().unwrap_or_default();
    let range = 16 << power;
    let mut file = 0x0001_0000_u32.to_be_bytes().to_vec();
    for number in [count, range, u16::try_from(power).unwrap_or_default(), 16 * count - range] {
        file.extend(number.to_be_bytes());
    }
    let mut offset = 12 + 16 * tables.len();
    for (name, table) in &tables {
        file.extend(*name);
        for number in [checksum(table), offset as u32, table.len() as u32] {
            file.extend(number.to_be_bytes());
        }
        offset += table.len().next_multiple_of(4);
    }
    for (_, table) in tables {
        file.extend(table);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    file
}

fn checksum(table: &[u8]) -> u32 {
    let word =
        |chunk: &[u8]| (0..4).fold(0, |word, at| word << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
    table.chunks(4).map(word).fold(0, u32::wrapping_add)
}

fn set_u16(bytes: &mut [u8], at: usize, number: u16) -> Option<()> {
    bytes.get_mut(at..at + 2)?.copy_from_slice(&number.to_be_bytes());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn glyphs_are_made_of_others() {
        let numbers: [u16; 12] = [0xffff, 0, 0, 0, 0, 0x0021, 5, 0, 0, 0x0008, 6, 0];
        assert_eq!(components(&numbers.map(u16::to_be_bytes).concat()), [5, 6]);
        assert_eq!(components(&[0, 1, 0, 0]), Vec::<u16>::new());
        assert_eq!(components(&[0xff, 0xff]), Vec::<u16>::new());
    }

    proptest! {
        #[test]
        fn damaged_fonts_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), start in 0u32..9) {
            if let Some(font) = TrueType::parse(&bytes, start) {
                font.subset(&BTreeSet::from([1, 2, 9]));
            }
            components(&bytes);
        }
    }
}
