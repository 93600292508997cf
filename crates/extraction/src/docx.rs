//! DOCX: the paragraphs of a word processor's document, its notes after them.

use crate::package::Package;
use crate::properties;
use crate::reading::{Reading, Step};
use crate::xml::{Node, walk};
use bytes::Bytes;

const MAIN: &str = "word/document.xml";
const NOTES: [&str; 3] = ["word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"];

pub fn read(bytes: Bytes, reading: &mut Reading) -> Step {
    let mut package = Package::open(bytes, reading)?;
    properties::read(&mut package, properties::OFFICE, reading)?;
    let main = package.needed(MAIN, reading)?;
    read_part(&main, reading)?;
    for name in NOTES {
        if let Some(text) = package.part(name, reading)? {
            reading.paragraph();
            read_part(&text, reading)?;
        }
    }
    Ok(())
}

/// The texts of a part: only those in `t`, so that what was deleted and the code of fields stay out.
fn read_part(text: &str, reading: &mut Reading) -> Step {
    let (mut is_text, mut skipped, mut cells) = (false, 0_usize, 0_usize);
    walk(text, reading, |node, reading| {
        match node {
            // What stands here says again what the choice beside it says.
            Node::Open(element) if element.name == "Fallback" => skipped += 1,
            Node::Close("Fallback") => skipped = skipped.saturating_sub(1),
            _ if skipped > 0 => {}
            Node::Open(element) => match element.name {
                "t" => is_text = true,
                "tab" => reading.space(),
                "br" | "cr" => reading.line(),
                "tc" => cells += 1,
                _ => {}
            },
            Node::Close("t") => is_text = false,
            Node::Close("p") if cells > 0 => reading.space(),
            Node::Close("p") => reading.paragraph(),
            Node::Close("tc") => {
                cells = cells.saturating_sub(1);
                reading.space();
            }
            Node::Close("tr") => reading.line(),
            Node::Close("tbl") => reading.paragraph(),
            Node::Text(text) if is_text => reading.text(text)?,
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })
}
