//! PPTX: the texts of slides, each slide a block of lines, with its notes.

use crate::package::Package;
use crate::properties;
use crate::reading::{Reading, Step, Stop, damaged};
use crate::xml::{Node, walk};
use bytes::Bytes;

const SLIDE: &str = "ppt/slides/slide";
const NOTES: &str = "ppt/notesSlides/notesSlide";

pub fn read(bytes: Bytes, reading: &mut Reading) -> Step {
    let mut package = Package::open(bytes, reading)?;
    properties::read(&mut package, properties::OFFICE, reading)?;
    let slides = package.numbered(SLIDE, ".xml");
    if slides.is_empty() && package.part("ppt/presentation.xml", reading)?.is_none() {
        return damaged("its main part is missing");
    }
    let notes = package.numbered(NOTES, ".xml");
    for (number, name) in slides.iter().chain(&notes).enumerate() {
        if number >= reading.limits.pages {
            return Err(Stop::Full);
        }
        if let Some(text) = package.part(name, reading)? {
            read_slide(&text, reading)?;
            reading.paragraph();
        }
    }
    Ok(())
}

fn read_slide(text: &str, reading: &mut Reading) -> Step {
    // The number of a slide and the like are fields; nobody searches for them.
    let (mut is_text, mut fields) = (false, 0_usize);
    walk(text, reading, |node, reading| {
        match node {
            Node::Open(element) => match element.name {
                "t" => is_text = true,
                "fld" => fields += 1,
                "br" => reading.line(),
                "tab" => reading.space(),
                _ => {}
            },
            Node::Close("t") => is_text = false,
            Node::Close("fld") => fields = fields.saturating_sub(1),
            Node::Close("p") => reading.line(),
            Node::Text(text) if is_text && fields == 0 => reading.text(text)?,
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })
}
