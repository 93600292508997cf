//! The codes of composite fonts: how long they are, the numbers of their glyphs (CID), and, for fonts without a map to
//! Unicode, their texts. Those are known for the character sets that Adobe has named, and for glyphs of an embedded
//! TrueType font.

use super::cmap::{CMap, CodeSpace};
use super::load::STREAM_BYTES_MAX;
use super::truetype::characters;
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};
use lopdf::{Dictionary, Document, Object};
use std::collections::HashMap;

pub struct Codes {
    texts: Texts,
    /// The map of the font, unless it is a predefined one.
    map: Option<CMap>,
    /// From the map of the font, or, if that is not known, from its map to Unicode. Often empty.
    space: CodeSpace,
    /// The number of the glyph of a space in a predefined character set; those of ASCII follow.
    space_glyph: Option<u32>,
}

/// The texts of codes that the map to Unicode does not have.
enum Texts {
    /// Two bytes each, with a meaning that is not known.
    Unknown,
    Utf16,
    CharacterSet(&'static Encoding),
    /// Two bytes each: the number of a glyph or of the place where it is listed.
    Glyphs(HashMap<u32, char>),
}

/// Glyphs of half the usual width for ASCII, by the beginning of the name of a map: the number of the space.
const HALF_WIDTH: &[(&str, u32)] = &[
    ("78-", 231),
    ("90ms-", 231),
    ("Add-", 231),
    ("B5-", 13_648),
    ("CNS-EUC-", 13_648),
    ("ETen-B5-", 13_648),
    ("EUC-", 231),
    ("Ext-", 231),
    ("GB-EUC-", GB_SPACE_MISSING),
    ("GBK-EUC-", GB_SPACE_MISSING),
    ("KSC-EUC-", 8_094),
    ("KSCms-UHC-HW-", 8_094),
    ("UniJIS-UCS2-HW-", 231),
];
/// These glyphs have no space before them: it is elsewhere.
const GB_SPACE_MISSING: u32 = 813;
const GB_SPACE: u32 = 7_716;

impl Codes {
    /// Those of a composite font, with its map to Unicode.
    pub fn of(document: &Document, font: &Dictionary, unicode: Option<&CMap>) -> Self {
        match font.get_deref(b"Encoding", document) {
            Ok(Object::Name(name)) if matches!(name.as_slice(), b"Identity-H" | b"Identity-V") => {
                Self { texts: glyphs(document, font), ..Self::named("") }
            }
            Ok(Object::Stream(stream)) => {
                let text = stream.get_plain_content_with_limit(STREAM_BYTES_MAX).unwrap_or_default();
                let map = CMap::parse(&text);
                let space = map.code_space.clone();
                let base = stream.dict.get(b"UseCMap").and_then(Object::as_name).unwrap_or_default();
                let base = Self::named(&String::from_utf8_lossy(base));
                let texts = match base.texts {
                    Texts::Unknown => glyphs(document, font),
                    known => known,
                };
                Self { texts, map: Some(map), space, ..base }
            }
            other => {
                let name = other.and_then(Object::as_name).unwrap_or_default();
                let codes = Self::named(&String::from_utf8_lossy(name));
                match codes.texts {
                    Texts::Unknown => {
                        Self { space: unicode.map(|map| map.code_space.clone()).unwrap_or_default(), ..codes }
                    }
                    _ => codes,
                }
            }
        }
    }

    /// Those of a predefined map, by its name.
    fn named(name: &str) -> Self {
        let texts = Texts::named(name);
        let half = HALF_WIDTH.iter().find(|(start, _)| name.starts_with(start));
        let space_glyph = match texts {
            Texts::Utf16 | Texts::CharacterSet(_) => Some(half.map_or(1, |(_, glyph)| *glyph)),
            Texts::Unknown | Texts::Glyphs(_) => None,
        };
        Self { texts, map: None, space: CodeSpace::default(), space_glyph }
    }

    /// The bytes of the first code.
    pub fn length(&self, bytes: &[u8]) -> usize {
        let is_named = self.space_glyph.is_some();
        let listed = self.space.length(bytes).or_else(|| self.space.shortest().filter(|_| !is_named));
        listed.unwrap_or_else(|| self.texts.length(bytes)).min(bytes.len())
    }

    /// The number of the glyph of a code, if it is known.
    pub fn glyph(&self, code: &[u8]) -> Option<u32> {
        let number = code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        if let Some(glyph) = self.map.as_ref().and_then(|map| map.glyph(number)) {
            return Some(glyph);
        }
        match self.space_glyph {
            None => (!self.map.as_ref().is_some_and(CMap::has_glyphs)).then_some(number),
            Some(GB_SPACE_MISSING) if number == 0x20 => Some(GB_SPACE),
            // The tables of the other characters are not here.
            Some(space) => (0x20..0x7f).contains(&number).then(|| space + (number - 0x20)),
        }
    }

    /// Adds the text of one code.
    pub fn push(&self, code: &[u8], text: &mut String) {
        match &self.texts {
            Texts::Unknown => {}
            Texts::Utf16 => {
                let units = code.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                text.extend(char::decode_utf16(units).flatten());
            }
            Texts::CharacterSet(set) => {
                if let Some(decoded) = set.decode_without_bom_handling_and_without_replacement(code) {
                    text.push_str(&decoded);
                }
            }
            Texts::Glyphs(characters) => {
                text.extend(self.glyph(code).and_then(|glyph| characters.get(&glyph)));
            }
        }
    }
}

impl Texts {
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
            _ if name.starts_with("KSC") && (name.contains("-EUC-") || name.contains("-UHC-")) => EUC_KR,
            _ => return Self::Unknown,
        };
        Self::CharacterSet(set)
    }

    fn length(&self, bytes: &[u8]) -> usize {
        let (first, second) = (bytes.first().copied().unwrap_or(0), bytes.get(1).copied().unwrap_or(0));
        match self {
            // Half of a pair.
            Self::Utf16 if (0xd8..=0xdb).contains(&first) => 4,
            Self::Utf16 | Self::Unknown | Self::Glyphs(_) => 2,
            Self::CharacterSet(_) if first < 0x80 => 1,
            Self::CharacterSet(set) if *set == SHIFT_JIS && (0xa1..=0xdf).contains(&first) => 1,
            Self::CharacterSet(set) if *set == EUC_JP && first == 0x8f => 3,
            Self::CharacterSet(set) if *set == GB18030 && second.is_ascii_digit() => 4,
            Self::CharacterSet(_) => 2,
        }
    }
}

/// The texts of the glyphs of the embedded TrueType font, if there is one.
fn glyphs(document: &Document, font: &Dictionary) -> Texts {
    truetype_characters(document, font).map_or(Texts::Unknown, Texts::Glyphs)
}

/// The characters of the embedded TrueType font, by the numbers that codes give.
fn truetype_characters(document: &Document, font: &Dictionary) -> Option<HashMap<u32, char>> {
    let kids = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array).ok()?;
    let kid = document.dereference(kids.first()?).ok()?.1.as_dict().ok()?;
    let descriptor = kid.get_deref(b"FontDescriptor", document).and_then(Object::as_dict).ok()?;
    let stream = |dict: &Dictionary, key: &[u8]| {
        let stream = dict.get_deref(key, document).and_then(Object::as_stream).ok()?;
        stream.get_plain_content_with_limit(STREAM_BYTES_MAX).ok()
    };
    let by_glyph = characters(&stream(descriptor, b"FontFile2")?);
    let by_number: HashMap<u32, char> = match stream(kid, b"CIDToGIDMap") {
        None => by_glyph.into_iter().map(|(glyph, character)| (u32::from(glyph), character)).collect(),
        Some(map) => {
            let glyphs = map.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            // Such a number has two bytes.
            let numbered = (0..=u32::from(u16::MAX)).zip(glyphs);
            numbered.filter_map(|(number, glyph)| Some((number, *by_glyph.get(&glyph)?))).collect()
        }
    };
    (!by_number.is_empty()).then_some(by_number)
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
            ("KSCms-UHC-HW-H", b"\xb9\xb0", "물"),
            ("KSC-Johab-H", b"\xb9\xb0", ""),
            ("Adobe-Japan1-2", b"\0\x41", ""),
            ("", b"\0\x41\0", ""),
        ] {
            assert_eq!(read(name, bytes), want, "{name}");
        }
    }
    #[test]
    fn ascii_has_the_glyphs_of_its_character_set() {
        for (name, code, want) in [
            ("UniGB-UCS2-H", &b"\0 "[..], Some(1)),
            ("UniJIS-UTF16-H", b"\0A", Some(34)),
            ("UniJIS-UCS2-HW-H", b"\0A", Some(264)),
            ("90ms-RKSJ-H", b"A", Some(264)),
            ("90msp-RKSJ-H", b"A", Some(34)),
            ("EUC-H", b"!", Some(232)),
            ("GBK-EUC-H", b" ", Some(7_716)),
            ("GBK-EUC-H", b"!", Some(814)),
            ("GBKp-EUC-H", b" ", Some(1)),
            ("ETen-B5-H", b" ", Some(13_648)),
            ("ETenms-B5-H", b" ", Some(1)),
            ("KSCms-UHC-HW-H", b" ", Some(8_094)),
            ("KSCms-UHC-H", b"~", Some(95)),
            ("UniGB-UCS2-H", b"\x6c\x34", None),
            ("Identity-H", b"\x6c\x34", Some(0x6c34)),
        ] {
            assert_eq!(Codes::named(name).glyph(code), want, "{name}");
        }
    }
}
