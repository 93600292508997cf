//! Document properties: title and author.

use crate::package::Package;
use crate::text_builder::{ExtractResult, TextBuilder};
use crate::xml::{Node, walk};

/// In Office formats.
pub const OFFICE: &str = "docProps/core.xml";
/// In OpenDocument.
pub const OPEN_DOCUMENT: &str = "meta.xml";

/// Reads the properties, if there are any. Unreadable properties do not fail the document.
pub fn read(package: &mut Package, part: &str, builder: &mut TextBuilder) -> ExtractResult {
    let Some(text) = package.part(part, builder)? else { return Ok(()) };
    let (mut value, mut title, mut authors) = (String::new(), String::new(), [String::new(), String::new()]);
    // A malformed part ends the walk; what was read before counts.
    let _ = walk(&text, builder, |node, _| {
        match node {
            Node::Open(_) => value.clear(),
            Node::Text(text) => value.push_str(text),
            Node::Close("title") => title = std::mem::take(&mut value),
            // The creator is the author; the last editor is used if it is missing.
            Node::Close("initial-creator") => authors[0] = std::mem::take(&mut value),
            Node::Close("creator") => authors[1] = std::mem::take(&mut value),
            Node::Close(_) => value.clear(),
        }
        Ok(())
    });
    builder.title(&title);
    for author in &authors {
        builder.author(author);
    }
    Ok(())
}
