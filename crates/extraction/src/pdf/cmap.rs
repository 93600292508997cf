//! Maps of fonts (CMap): the lengths of codes, and their texts or the numbers of their glyphs.

use super::code_ranges::CodeRanges;
use std::rc::Rc;

/// Most rows of one map; nearly all fonts use two-byte codes.
const ROWS_MAX: usize = 70_000;
/// Most ranges that say how long codes are.
const CODE_SPACES_MAX: usize = 100;
/// Longest code.
const CODE_BYTES_MAX: usize = 4;
/// Longest text of one code, in UTF-16 units.
const TEXT_UNITS_MAX: usize = 512;

#[derive(Debug, Default)]
pub struct CMap {
    pub code_space: CodeSpace,
    /// The text of the first code of each range, in UTF-16.
    texts: CodeRanges<Rc<[u16]>>,
    /// The number of the first glyph of each range (CID).
    glyphs: CodeRanges<u32>,
    rows: usize,
}

/// How long the codes of a font are.
#[derive(Debug, Default, Clone)]
pub struct CodeSpace(Vec<(Vec<u8>, Vec<u8>)>);

impl CodeSpace {
    /// The bytes of the first code, if it is in a range.
    pub fn length(&self, bytes: &[u8]) -> Option<usize> {
        let is_within = |(low, high): &&(Vec<u8>, Vec<u8>)| {
            bytes.len() >= low.len()
                && bytes
                    .iter()
                    .zip(low.iter().zip(high))
                    .all(|(byte, (low, high))| (low..=high).contains(&byte))
        };
        self.0.iter().filter(is_within).map(|(low, _)| low.len()).min()
    }

    /// The bytes of the shortest code.
    pub fn shortest(&self) -> Option<usize> {
        self.0.iter().map(|(low, _)| low.len()).min()
    }

    fn add(&mut self, low: &Token<'_>, high: &Token<'_>) {
        if let (Token::Hex(low), Token::Hex(high)) = (low, high)
            && low.len() == high.len()
            && (1..=CODE_BYTES_MAX).contains(&low.len())
            && self.0.len() < CODE_SPACES_MAX
        {
            self.0.push((low.clone(), high.clone()));
        }
    }
}

/// The rows that follow: each has this many tokens.
#[derive(Clone, Copy, PartialEq)]
enum Rows {
    CodeSpaces,
    Chars,
    Ranges,
}

impl Rows {
    fn begun_by(word: &[u8]) -> Option<Self> {
        match word {
            b"begincodespacerange" => Some(Self::CodeSpaces),
            b"beginbfchar" | b"begincidchar" => Some(Self::Chars),
            b"beginbfrange" | b"begincidrange" => Some(Self::Ranges),
            _ => None,
        }
    }

    fn tokens(self) -> usize {
        match self {
            Self::CodeSpaces | Self::Chars => 2,
            Self::Ranges => 3,
        }
    }
}

impl CMap {
    pub fn parse(text: &[u8]) -> Self {
        let mut map = Self::default();
        let mut tokens = Tokens(text);
        let mut pending: Vec<Token<'_>> = Vec::new();
        let mut rows = None;
        while let Some(token) = tokens.next() {
            if map.rows > ROWS_MAX {
                break;
            }
            match (token, rows) {
                (Token::Word(word), _) if token_number(word).is_none() => {
                    pending.clear();
                    rows = Rows::begun_by(word);
                }
                (token, Some(of)) => {
                    pending.push(token);
                    if pending.len() == Rows::tokens(of) {
                        map.row(of, &pending);
                        pending.clear();
                    }
                }
                (_, None) => {}
            }
        }
        map
    }

    /// The text of a code.
    pub fn text(&self, code: u32) -> Option<String> {
        let (text, distance) = self.texts.get(code)?;
        let mut units = text.to_vec();
        if let Some(unit) = units.last_mut() {
            *unit = unit.wrapping_add(distance as u16);
        }
        Some(String::from_utf16_lossy(&units))
    }

    pub fn has_glyphs(&self) -> bool {
        !self.glyphs.is_empty()
    }

    /// The number of the glyph of a code.
    pub fn glyph(&self, code: u32) -> Option<u32> {
        let (first, distance) = self.glyphs.get(code)?;
        first.checked_add(distance)
    }

    fn row(&mut self, of: Rows, tokens: &[Token<'_>]) {
        let [first, .., meaning] = tokens else { return };
        let last = if of == Rows::Ranges { &tokens[1] } else { first };
        if of == Rows::CodeSpaces {
            self.code_space.add(first, meaning);
            return;
        }
        let (Token::Hex(first), Token::Hex(last)) = (first, last) else { return };
        let (first, last) = (number(first), number(last));
        self.rows += 1;
        match meaning {
            Token::Hex(bytes) => self.texts.insert(first, last, units(bytes)),
            Token::List(list) => {
                self.rows += list.len();
                for (place, bytes) in list.iter().enumerate() {
                    let code = first.saturating_add(place as u32);
                    self.texts.insert(code, code, units(bytes));
                }
            }
            Token::Word(word) => {
                if let Some(glyph) = token_number(word) {
                    self.glyphs.insert(first, last, glyph);
                }
            }
        }
    }
}

fn token_number(word: &[u8]) -> Option<u32> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn units(bytes: &[u8]) -> Rc<[u16]> {
    match bytes {
        [one] => Rc::new([u16::from(*one)]),
        _ => bytes
            .chunks_exact(2)
            .take(TEXT_UNITS_MAX)
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect(),
    }
}

enum Token<'t> {
    Word(&'t [u8]),
    Hex(Vec<u8>),
    List(Vec<Vec<u8>>),
}

struct Tokens<'t>(&'t [u8]);

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Option<Token<'t>> {
        self.skip_space();
        match self.0.first()? {
            b'<' if self.0.get(1) != Some(&b'<') => Some(Token::Hex(self.hex())),
            b'[' => {
                self.0 = &self.0[1..];
                let mut list = Vec::new();
                loop {
                    self.skip_space();
                    match self.0.first() {
                        Some(b'<') if list.len() < ROWS_MAX => list.push(self.hex()),
                        Some(b']') => {
                            self.0 = &self.0[1..];
                            break;
                        }
                        Some(_) => self.0 = &self.0[1..],
                        None => break,
                    }
                }
                Some(Token::List(list))
            }
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'[');
                let end = self.0.iter().skip(1).position(is_end).map_or(self.0.len(), |at| at + 1);
                // `<<` is a token of two bytes.
                let end = if self.0.starts_with(b"<<") { 2 } else { end };
                let (word, rest) = self.0.split_at(end);
                self.0 = rest;
                Some(Token::Word(word))
            }
        }
    }

    fn hex(&mut self) -> Vec<u8> {
        let end = self.0.iter().position(|&byte| byte == b'>').unwrap_or(self.0.len());
        let digits: Vec<u8> = self.0[1..end.max(1)]
            .iter()
            .filter_map(|&byte| (byte as char).to_digit(16))
            .map(|d| d as u8)
            .collect();
        self.0 = &self.0[(end + 1).min(self.0.len())..];
        digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
    }

    fn skip_space(&mut self) {
        let space = self.0.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.0 = &self.0[space..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        let map = CMap::parse(
            b"/CIDInit /ProcSet findresource begin\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
              2 beginbfchar\n<0003> <0041>\n<0004><00660066>\nendbfchar\n\
              2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0391> <0392>] endbfrange",
        );
        assert_eq!(map.code_space.length(b"abc"), Some(2));
        assert!(!map.has_glyphs());
        let table = [(3, "A"), (4, "ff"), (0x11, "b"), (0x12, "c"), (0x20, "Α"), (0x21, "Β")];
        for (code, want) in table {
            assert_eq!(map.text(code).as_deref(), Some(want), "{code}");
        }
        assert_eq!((map.text(5), map.text(0x13), map.text(0)), (None, None, None));
    }

    #[test]
    fn overlapping_rows_lose_no_text() {
        let map = CMap::parse(b"2 beginbfrange <00> <ff> <0000> <41> <41> <0391> endbfrange");
        for (code, want) in [(0x40, "@"), (0x41, "Α"), (0x42, "B"), (0x50, "P")] {
            assert_eq!(map.text(code).as_deref(), Some(want), "{code}");
        }
    }

    #[test]
    fn glyphs_have_numbers() {
        let map = CMap::parse(
            b"2 begincodespacerange <00> <80> <8140> <9ffc> endcodespacerange\n\
              1 begincidrange <20> <7e> 231 endcidrange 1 begincidchar <8140> 633 endcidchar",
        );
        assert_eq!([0x20, 0x21, 0x8140].map(|code| map.glyph(code)), [Some(231), Some(232), Some(633)]);
        assert_eq!((map.glyph(0x7f), map.text(0x20)), (None, None));
        for (bytes, want) in
            [(&b"a"[..], Some(1)), (b"\x81\x40", Some(2)), (b"\x81\x20", None), (b"\x81", None)]
        {
            assert_eq!(map.code_space.length(bytes), want, "{bytes:?}");
        }
        assert_eq!((map.code_space.shortest(), CodeSpace::default().shortest()), (Some(1), None));
    }

    #[test]
    fn odd_tables_are_bounded() {
        let all = CMap::parse(b"1 beginbfrange <00000000> <ffffffff> <0041> endbfrange");
        assert_eq!(all.rows, 1);
        let rows: String = (0..ROWS_MAX + 10).map(|code| format!("<{code:08x}> <0041>\n")).collect();
        let map = CMap::parse(format!("1 beginbfchar {rows} endbfchar").as_bytes());
        assert_eq!(map.rows, ROWS_MAX + 1);
        let spaces = "<00> <ff> ".repeat(CODE_SPACES_MAX + 1);
        let map = CMap::parse(format!("1 begincodespacerange {spaces}").as_bytes());
        assert_eq!(map.code_space.0.len(), CODE_SPACES_MAX);
        let text = "0041".repeat(TEXT_UNITS_MAX + 1);
        let map = CMap::parse(format!("1 beginbfchar <01> <{text}>").as_bytes());
        assert_eq!(map.text(1).map(|text| text.len()), Some(TEXT_UNITS_MAX));
        for text in [
            &b"<"[..],
            b"[",
            b"beginbfchar <",
            b"beginbfrange [<",
            b"<<>>",
            b"beginbfchar <1",
            b"begincidrange <00> <ff> 4294967295",
            b"begincodespacerange <> <> <0000000000> <ffffffffff> 1 2",
        ] {
            let map = CMap::parse(text);
            assert_eq!((map.glyph(u32::MAX), map.glyph(1), map.code_space.0.len()), (None, None, 0));
        }
    }
}
