//! Interprets the text operators of a page and detects the ends of words, lines and paragraphs.

use super::font::Font;
use super::matrix::Matrix;
use crate::text_builder::{ExtractResult, TextBuilder};
use lopdf::Object;
use lopdf::content::Operation;
use std::rc::Rc;

/// Most saved graphics states; beyond it states are lost, not text.
const SAVED_MAX: usize = 100;
/// In units of the font size: the gap between words, and the vertical distance to the next line and paragraph.
const WORD_GAP: f32 = 0.2;
const LINE_STEP: f32 = 0.5;
const PARAGRAPH_STEP: f32 = 1.8;

#[derive(Clone)]
struct State<'d> {
    font: Option<Rc<Font<'d>>>,
    size: f32,
    char_space: f32,
    word_space: f32,
    leading: f32,
    page: Matrix,
}

pub struct ContentInterpreter<'d> {
    state: State<'d>,
    saved: Vec<State<'d>>,
    /// The text matrix, and the matrix of the line start.
    text: Matrix,
    line: Matrix,
    /// End and size of the previous text.
    last: Option<(f32, f32, f32)>,
}

impl Default for ContentInterpreter<'_> {
    fn default() -> Self {
        let state = State {
            font: None,
            size: 1.0,
            char_space: 0.0,
            word_space: 0.0,
            leading: 0.0,
            page: Matrix::UNIT,
        };
        Self { state, saved: Vec::new(), text: Matrix::UNIT, line: Matrix::UNIT, last: None }
    }
}

/// The state that a form restores.
pub struct Before<'d>(State<'d>, Matrix, Matrix);

impl<'d> ContentInterpreter<'d> {
    pub fn use_font(&mut self, font: Option<Rc<Font<'d>>>, size: f32) {
        self.state.font = font;
        self.state.size = size;
    }

    pub fn enter(&mut self, matrix: Matrix) -> Before<'d> {
        let before = Before(self.state.clone(), self.text, self.line);
        self.state.page = matrix.then(self.state.page);
        before
    }

    pub fn leave(&mut self, before: Before<'d>) {
        let Before(state, text, line) = before;
        (self.state, self.text, self.line) = (state, text, line);
    }

    pub fn follow(&mut self, operation: &Operation, builder: &mut TextBuilder) -> ExtractResult {
        let operands = operation.operands.as_slice();
        let number = |place: usize| operands.get(place).and_then(|one| one.as_float().ok()).unwrap_or(0.0);
        match operation.operator.as_str() {
            "q" if self.saved.len() < SAVED_MAX => self.saved.push(self.state.clone()),
            "Q" => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            "cm" => self.state.page = matrix_of(operands).then(self.state.page),
            "BT" => (self.text, self.line) = (Matrix::UNIT, Matrix::UNIT),
            "Tm" => {
                self.line = matrix_of(operands);
                self.text = self.line;
            }
            "Td" => self.step(number(0), number(1)),
            "TD" => {
                self.state.leading = -number(1);
                self.step(number(0), number(1));
            }
            "T*" => self.step(0.0, -self.state.leading),
            "TL" => self.state.leading = number(0),
            "Tc" => self.state.char_space = number(0),
            "Tw" => self.state.word_space = number(0),
            "Tj" => self.show(operands.first(), builder)?,
            "'" => {
                self.step(0.0, -self.state.leading);
                self.show(operands.first(), builder)?;
            }
            "\"" => {
                (self.state.word_space, self.state.char_space) = (number(0), number(1));
                self.step(0.0, -self.state.leading);
                self.show(operands.get(2), builder)?;
            }
            "TJ" => {
                for piece in operands.first().and_then(|list| list.as_array().ok()).into_iter().flatten() {
                    match piece.as_float() {
                        Ok(back) => self.advance(-back / 1000.0 * self.state.size),
                        Err(_) => self.show(Some(piece), builder)?,
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn step(&mut self, x: f32, y: f32) {
        self.line = Matrix::moved(x, y).then(self.line);
        self.text = self.line;
    }

    fn advance(&mut self, x: f32) {
        self.text = Matrix::moved(x, 0.0).then(self.text);
    }

    fn show(&mut self, text: Option<&Object>, builder: &mut TextBuilder) -> ExtractResult {
        let Some(Object::String(bytes, _)) = text else { return Ok(()) };
        let Some(font) = self.state.font.clone() else { return Ok(()) };
        let shown = font.show(bytes);
        let placed = self.text.then(self.state.page);
        let size = (self.state.size * placed.scale()).abs();
        if !shown.text.trim().is_empty() {
            self.part(placed, size, builder);
            builder.text(&shown.text)?;
        } else if !shown.text.is_empty() {
            builder.space();
        }
        let spaces = shown.text.matches(' ').count() as f32 * self.state.word_space;
        self.advance(shown.width * self.state.size + shown.codes as f32 * self.state.char_space + spaces);
        let (x, y) = self.text.then(self.state.page).place();
        self.last = Some((x, y, size));
        Ok(())
    }

    /// Separates this text from the previous one by their distance.
    fn part(&self, placed: Matrix, size: f32, builder: &mut TextBuilder) {
        let Some((last_x, last_y, last_size)) = self.last else { return };
        let (x, y) = placed.place();
        let unit = size.max(last_size).max(f32::MIN_POSITIVE);
        let down = (last_y - y).abs();
        if down > PARAGRAPH_STEP * unit {
            builder.paragraph();
        } else if down > LINE_STEP * unit {
            builder.line();
        } else if (x - last_x).abs() > WORD_GAP * size {
            builder.space();
        }
    }
}

fn matrix_of(operands: &[Object]) -> Matrix {
    let mut matrix = Matrix::UNIT;
    for (place, operand) in matrix.0.iter_mut().zip(operands) {
        *place = operand.as_float().unwrap_or(0.0);
    }
    matrix
}
