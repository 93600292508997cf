//! The blocks of a text.

use serde::Serialize;

/// In templates: `blocks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Block {
    Paragraph { lines: Vec<Line> },
    Heading { lines: Vec<Line> },
    Bullets { items: Vec<Item> },
    Numbers { start: u32, items: Vec<Item> },
    Code { text: String },
    Table { head: Vec<Cell>, rows: Vec<Vec<Cell>> },
}

pub type Line = Vec<Piece>;

/// An item of a list: its text, nested lists, and whatever else is in it.
pub type Item = Vec<Block>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cell {
    pub align: Align,
    pub pieces: Line,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Align {
    Start,
    Center,
    End,
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
