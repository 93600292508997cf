//! WinAnsi encoding of the standard PDF fonts, and character widths.

/// WinAnsi characters from 0x80 to 0x9f; the rest is Latin-1.
const UPPER: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Widths of Helvetica from 0x20 to 0x7e in thousandths of the font size.
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Width of other characters; no common one is wider.
const OTHER: u16 = 667;
/// The maximum width.
const WIDEST: u16 = 1000;
/// Maximum width of bold characters relative to regular ones, in percent.
const BOLD: u32 = 112;

/// The width of a byte in thousandths of the font size.
pub(super) fn width(byte: u8, is_bold: bool) -> u32 {
    let plain = match byte {
        0x20..=0x7e => ASCII[usize::from(byte) - 0x20],
        0x85 | 0x89 | 0x8c | 0x97 | 0x99 | 0x9c | 0xc6 | 0xe6 => WIDEST,
        0xbc..=0xbe | 0xa9 | 0xae | 0xd1..=0xd6 | 0xd8..=0xdc | 0xc7 | 0xd0 => 834,
        _ => OTHER,
    };
    if is_bold { u32::from(plain) * BOLD / 100 } else { u32::from(plain) }
}

/// The code of a character that the standard fonts have.
pub(super) fn byte(c: char) -> Option<u8> {
    match c {
        ' '..='~' | '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(c)).ok(),
        _ if c.is_control() => None,
        _ => UPPER.iter().position(|own| *own == c).and_then(|at| u8::try_from(0x80 + at).ok()),
    }
}

/// The usual replacement of a character that looks like another; empty for invisible ones.
pub(super) fn instead(c: char) -> Option<&'static str> {
    Some(match c {
        '\t' => "    ",
        _ if c.is_control() || crate::prompt::is_invisible(c) => "",
        _ if c.is_whitespace() => " ",
        '\u{2010}' | '\u{2011}' | '\u{2212}' => "-",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_codes() {
        for (c, expected) in
            [('a', Some(b'a')), ('é', Some(0xe9)), ('€', Some(0x80)), ('…', Some(0x85)), ('ł', None)]
        {
            assert_eq!(byte(c), expected, "{c}");
        }
        for (c, expected) in
            [('\u{200b}', Some("")), ('\t', Some("    ")), ('\u{2212}', Some("-")), ('→', None)]
        {
            assert_eq!(instead(c), expected, "{c:?}");
        }
    }

    #[test]
    fn widths_are_known() {
        assert_eq!((width(b' ', false), width(b'W', false), width(b'i', false)), (278, 944, 222));
        assert!((0..=255).all(|byte| width(byte, true) >= width(byte, false)));
    }
}
