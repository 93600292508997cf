//! The Markdown of models in blocks: paragraphs, headings, lists, tables and code, with bold, emphasis and citations.
//!
//! Everything else remains text, also tags, links and images. The blocks contain no markup, and only citations of known
//! sources are links.

mod block;
mod inline;
mod marks;
mod reader;
mod reading_order;
#[cfg(test)]
mod tests;

pub use block::{Align, Block, Cell, Item, Line, Piece};
pub use reading_order::{number_citations, with_numbers};

use pulldown_cmark::{Options, Parser};
use reader::Reader;
use std::collections::BTreeSet;

/// Longest text, in bytes; the rest is cut.
const TEXT_BYTES_MAX: usize = 128 * 1024;

/// The blocks of a text; `sources` are the numbers that may be cited.
pub fn blocks(text: &str, sources: &BTreeSet<u32>) -> Vec<Block> {
    let text = marks::added(&text[..text.floor_char_boundary(TEXT_BYTES_MAX)]);
    let mut reader = Reader::new(&text, sources);
    for (event, place) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        reader.read(event, place);
    }
    reader.finish()
}
