//! Streaming parser of page operators. Only the current operator is in memory, so a page takes no more memory than its
//! bytes.

use crate::text_builder::{ExtractResult, TextBuilder};
use lopdf::content::Operation;
use lopdf::{Object, StringFormat};

/// Most operands of one operator; text operators have six at most.
const OPERANDS_MAX: usize = 16;
/// Most elements of one text array.
const PIECES_MAX: usize = 20_000;
/// Deepest nesting of parentheses in a string, and of arrays.
const NESTING_MAX: usize = 100;

pub struct Operators<'c> {
    bytes: &'c [u8],
    at: usize,
}

/// A token.
enum Token {
    Operand(Object),
    Operator(String),
    ListEnd,
    Nothing,
}

impl<'c> Operators<'c> {
    pub fn of(bytes: &'c [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next operator with its operands; None at the end.
    pub fn next(&mut self, builder: &mut TextBuilder) -> ExtractResult<Option<Operation>> {
        let mut operands = Vec::new();
        loop {
            builder.check_deadline()?;
            match self.token(builder)? {
                None => return Ok(None),
                Some(Token::Operand(operand)) if operands.len() < OPERANDS_MAX => operands.push(operand),
                Some(Token::Operator(name)) if name == "BI" => {
                    self.skip_image();
                    operands.clear();
                }
                Some(Token::Operator(operator)) => return Ok(Some(Operation { operator, operands })),
                Some(Token::Operand(_) | Token::ListEnd | Token::Nothing) => {}
            }
        }
    }

    fn token(&mut self, builder: &mut TextBuilder) -> ExtractResult<Option<Token>> {
        self.skip_space();
        let Some(first) = self.peek(0) else { return Ok(None) };
        let token = match first {
            b'(' => Token::Operand(Object::String(self.literal(), StringFormat::Literal)),
            b'<' if self.peek(1) == Some(b'<') => self.sign(2),
            b'>' if self.peek(1) == Some(b'>') => self.sign(2),
            b'<' => Token::Operand(Object::String(self.hex(), StringFormat::Hexadecimal)),
            b'[' => Token::Operand(Object::Array(self.list(builder)?)),
            b']' => {
                self.at += 1;
                Token::ListEnd
            }
            b'/' => {
                self.at += 1;
                Token::Operand(Object::Name(unescaped(self.word())))
            }
            b')' | b'>' | b'{' | b'}' => self.sign(1),
            b'+' | b'-' | b'.' | b'0'..=b'9' => {
                let word = self.word();
                let number = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f32>().ok());
                Token::Operand(Object::Real(number.unwrap_or(0.0)))
            }
            _ => match self.word() {
                b"true" | b"false" | b"null" => Token::Operand(Object::Null),
                word => Token::Operator(String::from_utf8_lossy(word).into_owned()),
            },
        };
        Ok(Some(token))
    }

    /// The elements of a text array: strings and gaps. Nested arrays are skipped.
    fn list(&mut self, builder: &mut TextBuilder) -> ExtractResult<Vec<Object>> {
        self.at += 1;
        let (mut pieces, mut depth) = (Vec::new(), 1);
        while depth > 0 {
            builder.check_deadline()?;
            self.skip_space();
            match self.peek(0) {
                None => break,
                Some(b'[') => {
                    depth += 1;
                    self.at += 1;
                    if depth > NESTING_MAX {
                        self.at = self.bytes.len();
                    }
                }
                Some(_) => match self.token(builder)? {
                    Some(Token::ListEnd) => depth -= 1,
                    Some(Token::Operand(piece)) if depth == 1 && pieces.len() < PIECES_MAX => {
                        pieces.push(piece)
                    }
                    // An operator in an array: the array was not closed.
                    Some(Token::Operator(_)) => break,
                    _ => {}
                },
            }
        }
        Ok(pieces)
    }

    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let (mut text, mut depth) = (Vec::new(), 1);
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'\\' => self.escaped(&mut text),
                b'(' => {
                    depth += 1;
                    text.push(byte);
                }
                b')' if depth == 1 => break,
                b')' => {
                    depth -= 1;
                    text.push(byte);
                }
                _ => text.push(byte),
            }
        }
        text
    }

    fn escaped(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.peek(0) else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            // A line continuation.
            b'\r' => self.at += usize::from(self.peek(0) == Some(b'\n')),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek(0) else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                text.push(code as u8);
            }
            other => text.push(other),
        }
    }

    fn hex(&mut self) -> Vec<u8> {
        let rest = &self.bytes[self.at + 1..];
        let end = rest.iter().position(|&byte| byte == b'>').unwrap_or(rest.len());
        self.at = (self.at + end + 2).min(self.bytes.len());
        let digits =
            rest[..end].iter().filter_map(|&byte| char::from(byte).to_digit(16)).map(|digit| digit as u8);
        let digits: Vec<u8> = digits.collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
    }

    /// Bytes up to the next whitespace or delimiter.
    fn word(&mut self) -> &'c [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&byte| is_space(byte) || is_delimiter(byte)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn sign(&mut self, bytes: usize) -> Token {
        self.at = (self.at + bytes).min(self.bytes.len());
        Token::Nothing
    }

    /// Skips an inline image: its bytes are between `ID` and `EI`.
    fn skip_image(&mut self) {
        let ends = |window: &[u8]| is_space(window[0]) && window[1..3] == *b"EI" && is_space(window[3]);
        let end = self.bytes[self.at..].windows(4).position(ends);
        self.at = end.map_or(self.bytes.len(), |end| self.at + end + 3);
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'%' => {
                    let line = self.bytes[self.at..].iter().take_while(|byte| !matches!(byte, b'\r' | b'\n'));
                    self.at += line.count();
                }
                _ if is_space(byte) => self.at += 1,
                _ => return,
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }
}

pub fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

pub fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// `#41` in a name is `A`.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let digit = |place: usize| name.get(place).and_then(|&byte| char::from(byte).to_digit(16));
    let (mut text, mut at) = (Vec::with_capacity(name.len()), 0);
    while let Some(&byte) = name.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'#', Some(high), Some(low)) => {
                text.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                text.push(byte);
                at += 1;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::text_builder::Deadline;
    use proptest::prelude::*;

    fn operations(content: &[u8]) -> Vec<(String, Vec<Object>)> {
        let limits = Limits::default();
        let mut builder = TextBuilder::new(&limits, Deadline::of(limits.time));
        let mut operators = Operators::of(content);
        let mut found = Vec::new();
        while let Ok(Some(Operation { operator, operands })) = operators.next(&mut builder) {
            found.push((operator, operands));
        }
        found
    }

    fn text(bytes: &[u8]) -> Object {
        Object::String(bytes.to_vec(), StringFormat::Literal)
    }

    #[test]
    fn operators_have_operands() {
        let table: &[(&[u8], &str, Vec<Object>)] = &[
            (b"/F#31 12 Tf", "Tf", vec![Object::Name(b"F1".to_vec()), Object::Real(12.0)]),
            (b"-.5 +3 % note\n4. Td", "Td", vec![Object::Real(-0.5), Object::Real(3.0), Object::Real(4.0)]),
            (b"(a\\(b\\051 (c) \\101\\n\\\r\nd\\5) Tj", "Tj", vec![text(b"a(b) (c) A\nd\x05")]),
            (b"<4 1 4> '", "'", vec![Object::String(b"A@".to_vec(), StringFormat::Hexadecimal)]),
            (
                b"[(a)-120(b)[1 2]]TJ",
                "TJ",
                vec![Object::Array(vec![text(b"a"), Object::Real(-120.0), text(b"b")])],
            ),
            (b"/P <</MCID 0 /A [1]>> BDC", "BDC", {
                let list = Object::Array(vec![Object::Real(1.0)]);
                let name = |text: &[u8]| Object::Name(text.to_vec());
                vec![name(b"P"), name(b"MCID"), Object::Real(0.0), name(b"A"), list]
            }),
            (b"BI /W 2 ID \x01(\x02 EI Q", "Q", vec![]),
            (b") > } true T*", "T*", vec![Object::Null]),
        ];
        for (content, operator, operands) in table {
            let expected = vec![((*operator).to_owned(), operands.clone())];
            assert_eq!(operations(content), expected, "{}", String::from_utf8_lossy(content));
        }
        assert_eq!(operations(b"q 1 0 0 1 5 5 cm Q").len(), 3);
    }

    #[test]
    fn odd_content_is_bounded() {
        let many = [b"1 ".repeat(100), b"w".to_vec()].concat();
        assert_eq!(operations(&many)[0].1.len(), OPERANDS_MAX);
        let long = [b"[".to_vec(), b"(a) ".repeat(PIECES_MAX + 9), b"]TJ".to_vec()].concat();
        assert!(matches!(&operations(&long)[0].1[0], Object::Array(list) if list.len() == PIECES_MAX));
        for open in [&b"["[..], b"(", b"<", b"<<", b"[(", b"BI ", b"BI ID", b"/", b"%", b"[ q", b"\\"] {
            operations(open);
            operations(&open.repeat(10_000));
        }
    }

    proptest! {
        #[test]
        fn any_content_ends(content in proptest::collection::vec(any::<u8>(), 0..200)) {
            operations(&content);
        }
    }
}
