//! DOCX: the paragraphs of a document, followed by its notes.

use crate::package::Package;
use crate::properties;
use crate::text_builder::{ExtractResult, TextBuilder};
use crate::xml::{Node, walk};
use bytes::Bytes;

const MAIN: &str = "word/document.xml";
const NOTES: [&str; 3] = ["word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"];

pub fn read(bytes: Bytes, builder: &mut TextBuilder) -> ExtractResult {
    let mut package = Package::open(bytes, builder)?;
    properties::read(&mut package, properties::OFFICE, builder)?;
    let main = package.needed(MAIN, builder)?;
    read_part(&main, builder)?;
    for name in NOTES {
        if let Some(text) = package.part(name, builder)? {
            builder.paragraph();
            read_part(&text, builder)?;
        }
    }
    Ok(())
}

/// Reads the texts of a part: only those in `t`, which excludes deleted text and field codes.
fn read_part(text: &str, builder: &mut TextBuilder) -> ExtractResult {
    let (mut is_text, mut skipped, mut cells) = (false, 0_usize, 0_usize);
    walk(text, builder, |node, builder| {
        match node {
            // Repeats the content of the preceding choice.
            Node::Open(element) if element.name == "Fallback" => skipped += 1,
            Node::Close("Fallback") => skipped = skipped.saturating_sub(1),
            _ if skipped > 0 => {}
            Node::Open(element) => match element.name {
                "t" => is_text = true,
                "tab" => builder.space(),
                "br" | "cr" => builder.line(),
                "tc" => cells += 1,
                _ => {}
            },
            Node::Close("t") => is_text = false,
            Node::Close("p") if cells > 0 => builder.space(),
            Node::Close("p") => builder.paragraph(),
            Node::Close("tc") => {
                cells = cells.saturating_sub(1);
                builder.space();
            }
            Node::Close("tr") => builder.line(),
            Node::Close("tbl") => builder.paragraph(),
            Node::Text(text) if is_text => builder.text(text)?,
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })
}
