//! The pieces of lines: styled text, code, and citations.

use super::block::{Line, Piece};
use super::marks;
use std::collections::BTreeSet;

/// Collects the lines of a block.
pub(super) struct Inline<'a> {
    sources: &'a BTreeSet<u32>,
    bold: usize,
    emphasis: usize,
    /// Text in the current style; escaped characters have their mark.
    plain: String,
    line: Line,
    lines: Vec<Line>,
}

impl<'a> Inline<'a> {
    pub fn new(sources: &'a BTreeSet<u32>) -> Self {
        Self { sources, bold: 0, emphasis: 0, plain: String::new(), line: Vec::new(), lines: Vec::new() }
    }

    /// `is_escaped` applies to its first character.
    pub fn text(&mut self, text: &str, is_escaped: bool) {
        self.plain.extend(is_escaped.then_some(marks::ESCAPED));
        self.plain.push_str(&marks::removed(text));
    }

    pub fn code(&mut self, text: &str) {
        self.end_piece();
        let text = marks::removed(text);
        self.line.push(Piece { is_code: true, ..self.piece(text) });
    }

    pub fn start_bold(&mut self) {
        self.end_piece();
        self.bold += 1;
    }

    pub fn end_bold(&mut self) {
        self.end_piece();
        self.bold = self.bold.saturating_sub(1);
    }

    pub fn start_emphasis(&mut self) {
        self.end_piece();
        self.emphasis += 1;
    }

    pub fn end_emphasis(&mut self) {
        self.end_piece();
        self.emphasis = self.emphasis.saturating_sub(1);
    }

    pub fn end_line(&mut self) {
        self.end_piece();
        if !self.line.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
    }

    /// The lines so far.
    pub fn take(&mut self) -> Vec<Line> {
        self.end_line();
        std::mem::take(&mut self.lines)
    }

    fn piece(&self, text: String) -> Piece {
        let (is_bold, is_emphasis) = (self.bold > 0, self.emphasis > 0);
        Piece { text, is_bold, is_emphasis, is_code: false, cites: None }
    }

    /// Adds the text so far. A citation follows the word before it without a space.
    fn end_piece(&mut self) {
        let plain = std::mem::take(&mut self.plain);
        let (mut rest, mut text) = (plain.as_str(), String::new());
        while let Some(sign) = rest.chars().next() {
            if let Some((number, length)) = citation(rest, self.sources) {
                text.truncate(text.trim_end().len());
                self.add(&mut text);
                self.line.push(Piece { cites: Some(number), ..self.piece(number.to_string()) });
                rest = &rest[length..];
                continue;
            }
            rest = &rest[sign.len_utf8()..];
            let shown = if sign == marks::ESCAPED { rest.chars().next() } else { Some(sign) };
            if let (marks::ESCAPED, Some(escaped)) = (sign, shown) {
                rest = &rest[escaped.len_utf8()..];
            }
            text.extend(shown);
        }
        self.add(&mut text);
    }

    fn add(&mut self, text: &mut String) {
        if !text.is_empty() {
            self.line.push(self.piece(std::mem::take(text)));
        }
    }
}

/// `[n]` of a known source, and its length.
fn citation(rest: &str, sources: &BTreeSet<u32>) -> Option<(u32, usize)> {
    let body = rest.strip_prefix('[')?;
    let digits = &body[..body.find(|c: char| !c.is_ascii_digit())?];
    let number = digits.parse().ok().filter(|number| sources.contains(number))?;
    body[digits.len()..].starts_with(']').then_some((number, digits.len() + 2))
}
