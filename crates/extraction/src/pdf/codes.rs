//! The codes of composite fonts without a map to Unicode: those of the character sets that Adobe has named, and the
//! numbers of glyphs in an embedded TrueType font.

use super::load::STREAM_BYTES_MAX;
use super::truetype::characters;
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};
use lopdf::{Dictionary, Document, Object};
use std::collections::HashMap;

pub enum Codes {
    /// Two bytes each, with a meaning that is not known.
    Unknown,
    Utf16,
    CharacterSet(&'static Encoding),
    /// Two bytes each: the number of a glyph or of the place where it is listed.
    Glyphs(HashMap<u32, char>),
}

impl Codes {
    /// Those of a composite font.
    pub fn of(document: &Document, font: &Dictionary) -> Self {
        let name = font.get_deref(b"Encoding", document).and_then(Object::as_name).unwrap_or_default();
        match name {
            b"Identity-H" | b"Identity-V" => glyphs(document, font).map_or(Self::Unknown, Self::Glyphs),
            _ => Self::named(&String::from_utf8_lossy(name)),
        }
    }

    /// Those of a predefined map, by its name.
    fn named(name: &str) -> Self {
        let set = match name {
            _ if name.starts_with("Uni") && (name.contains("-UCS2-") || name.contains("-UTF16-")) => {
                return Self::Utf16;
            }
            _ if name.starts_with("GBK2K-") => GB18030,
            _ if name.starts_with("GBK") || name.starts_with("GB-EUC-") || name.starts_with("GBpc-") => GBK,
            _ if name.contains("-RKSJ-") => SHIFT_JIS,
            "EUC-H" | "EUC-V" => EUC_JP,
            _ if name.contains("B5") => BIG5,
            _ if name.starts_with("KSC") && name.matches('-').count() == 2 => EUC_KR,
            _ => return Self::Unknown,
        };
        Self::CharacterSet(set)
    }

    /// The bytes of the first code.
    pub fn length(&self, bytes: &[u8]) -> usize {
        let (first, second) = (bytes.first().copied().unwrap_or(0), bytes.get(1).copied().unwrap_or(0));
        let length = match self {
            // Half of a pair.
            Self::Utf16 if (0xd8..=0xdb).contains(&first) => 4,
            Self::Utf16 | Self::Unknown | Self::Glyphs(_) => 2,
            Self::CharacterSet(_) if first < 0x80 => 1,
            Self::CharacterSet(set) if *set == SHIFT_JIS && (0xa1..=0xdf).contains(&first) => 1,
            Self::CharacterSet(set) if *set == EUC_JP && first == 0x8f => 3,
            Self::CharacterSet(set) if *set == GB18030 && second.is_ascii_digit() => 4,
            Self::CharacterSet(_) => 2,
        };
        length.min(bytes.len())
    }

    /// Adds the text of one code.
    pub fn push(&self, code: &[u8], text: &mut String) {
        match self {
            Self::Unknown => {}
            Self::Utf16 => {
                let units = code.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                text.extend(char::decode_utf16(units).flatten());
            }
            Self::CharacterSet(set) => {
                if let Some(decoded) = set.decode_without_bom_handling_and_without_replacement(code) {
                    text.push_str(&decoded);
                }
            }
            Self::Glyphs(characters) => {
                let number = code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
                text.extend(characters.get(&number));
            }
        }
    }
}

/// The characters of the embedded TrueType font, by code.
fn glyphs(document: &Document, font: &Dictionary) -> Option<HashMap<u32, char>> {
    let kids = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok()?;
    let kid = document.dereference(kids.first()?).ok()?.1.as_dict().ok()?;
    let descriptor = kid.get_deref(b"FontDescriptor", document).and_then(Object::as_dict).ok()?;
    let stream = |dict: &Dictionary, key: &[u8]| {
        let stream = dict.get_deref(key, document).and_then(Object::as_stream).ok()?;
        stream.get_plain_content_with_limit(STREAM_BYTES_MAX).ok()
    };
    let by_glyph = characters(&stream(descriptor, b"FontFile2")?);
    let by_code: HashMap<u32, char> = match stream(kid, b"CIDToGIDMap") {
        None => by_glyph.into_iter().map(|(glyph, character)| (u32::from(glyph), character)).collect(),
        Some(map) => {
            let glyphs = map.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            // A code has two bytes.
            let numbered = (0..=u32::from(u16::MAX)).zip(glyphs);
            numbered.filter_map(|(code, glyph)| Some((code, *by_glyph.get(&glyph)?))).collect()
        }
    };
    (!by_code.is_empty()).then_some(by_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, mut bytes: &[u8]) -> String {
        let (codes, mut text) = (Codes::named(name), String::new());
        while !bytes.is_empty() {
            let (code, rest) = bytes.split_at(codes.length(bytes));
            codes.push(code, &mut text);
            bytes = rest;
        }
        text
    }

    #[test]
    fn predefined_maps_are_known_by_their_names() {
        for (name, bytes, want) in [
            ("UniGB-UCS2-H", &b"\x6c\x34\x4f\x4d"[..], "水位"),
            ("UniJIS-UTF16-H", b"\x6c\x34\xd8\x3d\xde\x00", "水😀"),
            ("UniKS-UTF16-V", b"\xd8\x3d\x00", ""),
            ("GBK-EUC-H", b"a\xcb\xae", "a水"),
            ("GB-EUC-H", b"\xcb\xae", "水"),
            ("GBK2K-H", b"\x95\x32\x82\x36", "𠀀"),
            ("90ms-RKSJ-H", b"\x90\x85a\xb1", "水aｱ"),
            ("EUC-H", b"\xbf\xe5\x8e\xb1", "水ｱ"),
            ("ETen-B5-H", b"\xa4\xf4", "水"),
            ("KSCms-UHC-H", b"\xb9\xb0", "물"),
            ("KSC-EUC-V", b"\xb9\xb0", "물"),
            ("Adobe-Japan1-2", b"\0\x41", ""),
            ("", b"\0\x41\0", ""),
        ] {
            assert_eq!(read(name, bytes), want, "{name}");
        }
    }
}
