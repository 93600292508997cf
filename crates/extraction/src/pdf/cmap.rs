//! ToUnicode maps of fonts. Ranges are not expanded, so that a map cannot grow larger than its source.

use std::collections::BTreeMap;

/// Most rows of one map; nearly all fonts use two-byte codes.
const ROWS_MAX: usize = 70_000;

#[derive(Debug, Default)]
pub struct CMap {
    /// By first code: the last code, and the text of the first one.
    ranges: BTreeMap<u32, (u32, Vec<u16>)>,
    /// Bytes per code.
    pub code_bytes: usize,
}

impl CMap {
    pub fn parse(text: &[u8]) -> Self {
        let mut map = Self { ranges: BTreeMap::new(), code_bytes: 0 };
        let mut tokens = Tokens(text);
        let mut pending: Vec<Token> = Vec::new();
        let mut is_of = None;
        while let Some(token) = tokens.next() {
            if map.ranges.len() > ROWS_MAX {
                break;
            }
            match token {
                Token::Word(b"beginbfchar") => is_of = Some(2),
                Token::Word(b"beginbfrange") => is_of = Some(3),
                Token::Word(b"begincodespacerange") => is_of = Some(1),
                Token::Word(_) => {
                    pending.clear();
                    is_of = None;
                }
                other => pending.push(other),
            }
            match is_of {
                Some(1) if pending.len() == 2 => map.code_space(&pending),
                Some(2) if pending.len() == 2 => map.row(&pending[0], &pending[0], &pending[1]),
                Some(3) if pending.len() == 3 => map.row(&pending[0], &pending[1], &pending[2]),
                _ if pending.len() > 3 || is_of.is_none() => pending.clear(),
                _ => continue,
            }
            pending.clear();
        }
        map.code_bytes = map.code_bytes.clamp(1, 4);
        map
    }

    /// The text of a code.
    pub fn get(&self, code: u32) -> Option<String> {
        let (first, (last, meaning)) = self.ranges.range(..=code).next_back()?;
        if code > *last {
            return None;
        }
        let mut units = meaning.clone();
        if let Some(unit) = units.last_mut() {
            *unit = unit.wrapping_add((code - first) as u16);
        }
        Some(String::from_utf16_lossy(&units))
    }

    fn code_space(&mut self, tokens: &[Token<'_>]) {
        if let Some(Token::Hex(bytes)) = tokens.first() {
            self.code_bytes = self.code_bytes.max(bytes.len());
        }
    }

    fn row(&mut self, first: &Token<'_>, last: &Token<'_>, meaning: &Token<'_>) {
        let (Token::Hex(first), Token::Hex(last)) = (first, last) else { return };
        self.code_bytes = self.code_bytes.max(first.len());
        let (first, last) = (number(first), number(last));
        match meaning {
            Token::Hex(bytes) => {
                self.ranges.insert(first, (last, units(bytes)));
            }
            Token::List(list) => {
                for (place, bytes) in list.iter().enumerate() {
                    let code = first.saturating_add(place as u32);
                    self.ranges.insert(code, (code, units(bytes)));
                }
            }
            Token::Word(_) => {}
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [one] => vec![u16::from(*one)],
        _ => bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
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
        assert_eq!(map.code_bytes, 2);
        let table = [(3, "A"), (4, "ff"), (0x11, "b"), (0x12, "c"), (0x20, "Α"), (0x21, "Β")];
        for (code, want) in table {
            assert_eq!(map.get(code).as_deref(), Some(want), "{code}");
        }
        assert_eq!((map.get(5), map.get(0x13), map.get(0)), (None, None, None));
    }

    #[test]
    fn odd_tables_are_bounded() {
        let all = CMap::parse(b"1 beginbfrange <00000000> <ffffffff> <0041> endbfrange");
        assert_eq!(all.ranges.len(), 1);
        let long = "<0001> <0041>\n".to_owned();
        let rows: String = (0..ROWS_MAX + 10).map(|code| format!("<{code:08x}> <0041>\n")).collect();
        let map = CMap::parse(format!("1 beginbfchar {long}{rows} endbfchar").as_bytes());
        assert!(map.ranges.len() <= ROWS_MAX + 1, "{}", map.ranges.len());
        for text in [&b"<"[..], b"[", b"beginbfchar <", b"beginbfrange [<", b"<<>>", b"beginbfchar <1"] {
            CMap::parse(text);
        }
    }
}
