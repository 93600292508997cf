//! What must be known of a font file to choose it, without reading all of it: its characters and its style.

use super::big_endian::{u16_at, u32_at};
use super::character_map::CharacterMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Most fonts of a collection that are examined.
const COLLECTION_MAX: u32 = 16;
/// Most tables of a font, and the size of one that is read.
const TABLES_MAX: u16 = 128;
const TABLE_BYTES_MAX: u32 = 8 * 1024 * 1024;
/// Where `OS/2` has weight and style.
const WEIGHT: usize = 4;
const STYLE: usize = 62;
const STYLE_BYTES: u32 = 64;

pub struct FontTables {
    /// Where it begins, in a collection.
    pub start: u32,
    pub weight: u16,
    pub is_slanted: bool,
    /// First and last characters that it has, in their order.
    pub ranges: Vec<(u32, u32)>,
}

/// The fonts of a file that have TrueType outlines.
pub fn read_tables(path: &Path) -> io::Result<Vec<FontTables>> {
    let mut file = File::open(path)?;
    let mut starts = vec![0];
    if bytes_at(&mut file, 0, 4)? == b"ttcf" {
        let count = number(&bytes_at(&mut file, 8, 4)?, 0)?.min(COLLECTION_MAX);
        let offsets = bytes_at(&mut file, 12, 4 * count)?;
        starts = offsets.chunks_exact(4).filter_map(|offset| u32_at(offset, 0)).collect();
    }
    // A damaged part of a collection says nothing about the others.
    Ok(starts.into_iter().filter_map(|start| font_at(&mut file, start).ok().flatten()).collect())
}

fn font_at(file: &mut File, start: u32) -> io::Result<Option<FontTables>> {
    let count = bytes_at(file, start.saturating_add(4), 2)?;
    let count = u16_at(&count, 0).unwrap_or_default().min(TABLES_MAX);
    let directory = bytes_at(file, start.saturating_add(12), 16 * u32::from(count))?;
    let table = |name: &[u8; 4]| {
        let row = directory.chunks_exact(16).find(|row| row.starts_with(name))?;
        Some((u32_at(row, 8)?, u32_at(row, 12)?))
    };
    let map = table(b"cmap").filter(|(_, length)| *length <= TABLE_BYTES_MAX);
    let (Some((offset, length)), Some(_)) = (map, table(b"glyf")) else { return Ok(None) };
    let characters = bytes_at(file, offset, length)?;
    let (mut weight, mut is_slanted) = (400, false);
    if let Some((offset, _)) = table(b"OS/2").filter(|(_, length)| *length >= STYLE_BYTES)
        && let Ok(style) = bytes_at(file, offset, STYLE_BYTES)
    {
        weight = u16_at(&style, WEIGHT).unwrap_or(weight);
        is_slanted = u16_at(&style, STYLE).is_some_and(|style| style & 1 != 0);
    }
    let ranges = CharacterMap::parse(&characters).map(|map| map.ranges()).unwrap_or_default();
    Ok((!ranges.is_empty()).then_some(FontTables { start, weight, is_slanted, ranges }))
}

fn bytes_at(file: &mut File, offset: u32, length: u32) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset.into()))?;
    let mut bytes = vec![0; length as usize];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number(bytes: &[u8], at: usize) -> io::Result<u32> {
    u32_at(bytes, at).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}
