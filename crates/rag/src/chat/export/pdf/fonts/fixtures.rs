//! Font files for tests, made from the font in the program.

use super::built_in;
use super::truetype::{assembled, table};

/// Tables that a font may lack.
const TABLES: [&[u8; 4]; 7] = [b"head", b"hhea", b"maxp", b"hmtx", b"loca", b"glyf", b"cmap"];
/// Bytes before the offsets of a collection.
const COLLECTION_HEADER: usize = 12;

/// A font that has these characters alone, without one table.
pub fn font_of(characters: &str, without: Option<&[u8; 4]>) -> Vec<u8> {
    let data = built_in::font().unwrap();
    let own = |name: &[u8; 4]| match name {
        b"cmap" => map_of(characters),
        name => table(&data.bytes, 0, name).unwrap().to_vec(),
    };
    let tables = TABLES.into_iter().filter(|name| Some(*name) != without);
    assembled(tables.map(|name| (name, own(name))).collect())
}

/// A character table of format 12 with a glyph for each character.
fn map_of(characters: &str) -> Vec<u8> {
    let mut characters: Vec<u32> = characters.chars().map(u32::from).collect();
    characters.sort_unstable();
    let count = u32::try_from(characters.len()).unwrap();
    let mut numbers = vec![12 << 16, 16 + 12 * count, 0, count];
    for (c, glyph) in characters.into_iter().zip(40..) {
        numbers.extend([c, c, glyph]);
    }
    let groups: Vec<u8> = numbers.into_iter().flat_map(u32::to_be_bytes).collect();
    [&[0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12][..], &groups].concat()
}

/// A collection of one font, between two offsets that lead nowhere.
pub fn damaged_collection(font: &[u8]) -> Vec<u8> {
    let offsets = 3;
    let start = COLLECTION_HEADER + 4 * offsets;
    let mut file = b"ttcf\0\x01\0\0".to_vec();
    for number in [offsets, 0xffff_ff00, start, 0xffff_0000] {
        file.extend(u32::try_from(number).unwrap().to_be_bytes());
    }
    let mut font = font.to_vec();
    let tables = usize::from(u16::from_be_bytes([font[4], font[5]]));
    for row in font[12..12 + 16 * tables].chunks_exact_mut(16) {
        let offset = u32::from_be_bytes(row[8..12].try_into().unwrap()) + u32::try_from(start).unwrap();
        row[8..12].copy_from_slice(&offset.to_be_bytes());
    }
    file.extend(font);
    file
}
