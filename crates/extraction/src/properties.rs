//! The properties of a document: its title and its author, as its program wrote them.

use crate::package::Package;
use crate::reading::{Reading, Step};
use crate::xml::{Node, walk};

/// What Office programs write.
pub const OFFICE: &str = "docProps/core.xml";
/// What OpenDocument programs write.
pub const OPEN_DOCUMENT: &str = "meta.xml";

/// Reads the properties, if there are any. Those that cannot be read do not cost the document.
pub fn read(package: &mut Package, part: &str, reading: &mut Reading) -> Step {
    let Some(text) = package.part(part, reading)? else { return Ok(()) };
    let (mut value, mut title, mut authors) = (String::new(), String::new(), [String::new(), String::new()]);
    // A part that is not well formed ends the walk; what was read before counts.
    let _ = walk(&text, reading, |node, _| {
        match node {
            Node::Open(_) => value.clear(),
            Node::Text(text) => value.push_str(text),
            Node::Close("title") => title = std::mem::take(&mut value),
            // Who began a document is its author; who saved it last stands in for a missing one.
            Node::Close("initial-creator") => authors[0] = std::mem::take(&mut value),
            Node::Close("creator") => authors[1] = std::mem::take(&mut value),
            Node::Close(_) => value.clear(),
        }
        Ok(())
    });
    reading.title(&title);
    for author in &authors {
        reading.author(author);
    }
    Ok(())
}
