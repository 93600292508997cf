//! PPTX: the texts of slides, each a block of lines, with notes.

use crate::package::Package;
use crate::properties;
use crate::relationships::Relationships;
use crate::text_builder::{Abort, ExtractResult, TextBuilder, damaged};
use crate::xml::{Node, walk};
use bytes::Bytes;

const MAIN: &str = "ppt/presentation.xml";
const SLIDE: &str = "ppt/slides/slide";
const NOTES: &str = "ppt/notesSlides/notesSlide";

pub fn read(bytes: Bytes, builder: &mut TextBuilder) -> ExtractResult {
    let mut package = Package::open(bytes, builder)?;
    properties::read(&mut package, properties::OFFICE, builder)?;
    let slides = slides(&mut package, builder)?;
    let notes = package.numbered(NOTES, ".xml");
    for (number, name) in slides.iter().chain(&notes).enumerate() {
        if number >= builder.limits.pages {
            return Err(Abort::Full);
        }
        if let Some(text) = package.part(name, builder)? {
            read_slide(&text, builder)?;
            builder.paragraph();
        }
    }
    Ok(())
}

/// The parts of the slides in the order of the presentation, or of their numbers if it names none.
fn slides(package: &mut Package, builder: &mut TextBuilder) -> ExtractResult<Vec<String>> {
    let numbered = package.numbered(SLIDE, ".xml");
    let main = match package.part(MAIN, builder)? {
        Some(main) => main,
        None if numbered.is_empty() => return damaged("its main part is missing"),
        None => return Ok(numbered),
    };
    let parts = Relationships::of(package, MAIN, builder)?;
    let mut named = Vec::new();
    walk(&main, builder, |node, builder| {
        if let Node::Open(element) = node
            && element.name == "sldId"
            // One more than is read, so that the text is marked as cut.
            && named.len() <= builder.limits.pages
            && let Some(part) = element.reference().and_then(|id| parts.part(&id).map(str::to_owned))
        {
            named.push(part);
        }
        Ok(())
    })?;
    Ok(if named.is_empty() { numbered } else { named })
}

fn read_slide(text: &str, builder: &mut TextBuilder) -> ExtractResult {
    // Slide numbers and the like are fields, which are skipped.
    let (mut is_text, mut fields) = (false, 0_usize);
    walk(text, builder, |node, builder| {
        match node {
            Node::Open(element) => match element.name {
                "t" => is_text = true,
                "fld" => fields += 1,
                "br" => builder.line(),
                "tab" => builder.space(),
                _ => {}
            },
            Node::Close("t") => is_text = false,
            Node::Close("fld") => fields = fields.saturating_sub(1),
            Node::Close("p") => builder.line(),
            Node::Text(text) if is_text && fields == 0 => builder.text(text)?,
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })
}
