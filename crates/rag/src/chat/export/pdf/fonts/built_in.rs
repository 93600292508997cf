//! The font in the program: Latin, Greek, Cyrillic, Hebrew, Arabic and other small scripts, and symbols.
//! `scripts/chat_font.py` makes it.

use super::used_font::FontData;

/// Maximum decompressed size of the font.
const BYTES_MAX: usize = 512 * 1024;
const PACKED: &[u8] = include_bytes!("../../../../../data/chat-font.ttf.zst");

/// It is unpacked for each document, because few need it and it takes a millisecond.
pub fn font() -> Option<FontData> {
    let bytes = zstd::bulk::decompress(PACKED, BYTES_MAX).ok()?;
    Some(FontData { bytes, start: 0, name: "TributaryChat".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::super::truetype::TrueType;
    use super::*;

    #[test]
    fn it_has_the_characters_of_many_languages() {
        let data = font().unwrap();
        let font = TrueType::parse(&data.bytes, data.start).unwrap();
        for (language, characters) in [
            ("Polish", "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ"),
            ("Czech", "áčďéěíňóřšťúůýžĚŘŮ"),
            ("Turkish", "ğışçöüİĞŞ"),
            ("Vietnamese", "ăâđêôơưẳệộữựỹỵĐƯỰ"),
            ("Greek", "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊϋΐΰςΩἀᾧ"),
            ("Russian and Ukrainian", "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґЖЩЇ"),
            ("Hebrew", "אבגדהוזחטיכלמנסעפצקרשתםןץףך"),
            ("Arabic and Persian", "\u{fe8d}\u{fe91}\u{fef4}\u{fe96}\u{fefb}\u{fb58}\u{fb7b}\u{64e}"),
            ("Armenian and Georgian", "աբգԱაბგ"),
            ("mathematics", "₂⁵⅓½π∑∫√∞≤≥≠≈∈∀∃⇒↔→←ℝ"),
            ("signs", "€₽₹№…—“”′″①☑✓✔✅❌★│┌█■●"),
        ] {
            for c in characters.chars() {
                assert!(font.glyph(c).is_some(), "{language}: {c}");
            }
        }
        for c in ['水', 'ไ', 'न', '🚀'] {
            assert_eq!(font.glyph(c), None, "{c}");
        }
    }

    #[test]
    fn it_makes_the_program_little_larger() {
        assert!(PACKED.len() < 200_000, "{}", PACKED.len());
    }
}
