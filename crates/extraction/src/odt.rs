//! OpenDocument: texts, sheets and slides keep their words in the same elements.

use crate::package::Package;
use crate::properties;
use crate::reading::{Reading, Step, Stop};
use crate::xml::{Element, Node, walk};
use bytes::Bytes;
use domain::contracts::ExtractError;

const MAIN: &str = "content.xml";
const MANIFEST: &str = "META-INF/manifest.xml";

pub fn read(bytes: Bytes, reading: &mut Reading) -> Step {
    let mut package = Package::open(bytes, reading)?;
    let manifest = package.part(MANIFEST, reading)?;
    if manifest.is_some_and(|text| text.contains("encryption-data")) {
        return Err(Stop::Failed(ExtractError::Protected));
    }
    properties::read(&mut package, properties::OPEN_DOCUMENT, reading)?;
    let main = package.needed(MAIN, reading)?;
    let mut place = Place::default();
    walk(&main, reading, |node, reading| match node {
        Node::Open(element) => place.open(element, reading),
        Node::Close(name) => {
            place.close(name, reading);
            Ok(())
        }
        Node::Text(text) if place.is_read() => reading.text(text),
        Node::Text(_) => Ok(()),
    })
}

/// Where in the document the walk is.
#[derive(Default)]
struct Place {
    /// Open elements whose words are not the document's: deleted text, comments, styles.
    skipped: usize,
    paragraphs: usize,
    cells: usize,
    pages: usize,
}

impl Place {
    fn is_read(&self) -> bool {
        self.skipped == 0 && self.paragraphs > 0
    }

    fn open(&mut self, element: &Element<'_>, reading: &mut Reading) -> Step {
        match element.name {
            name if is_skipped(name) => self.skipped += 1,
            "p" | "h" => self.paragraphs += 1,
            "table-cell" => self.cells += 1,
            "s" | "tab" => reading.space(),
            "line-break" => reading.line(),
            // A sheet or a slide.
            "table" | "page" if self.cells == 0 => {
                self.pages += 1;
                if self.pages > reading.limits.pages {
                    return Err(Stop::Full);
                }
                reading.paragraph();
                if let Some(name) = element.attribute("name").filter(|_| element.name == "table") {
                    reading.text(&name)?;
                    reading.line();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, reading: &mut Reading) {
        match name {
            name if is_skipped(name) => self.skipped = self.skipped.saturating_sub(1),
            "p" | "h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                match self.cells {
                    0 => reading.paragraph(),
                    _ => reading.space(),
                }
            }
            "table-cell" => {
                self.cells = self.cells.saturating_sub(1);
                reading.space();
            }
            "table-row" => reading.line(),
            "table" | "page" => reading.paragraph(),
            _ => {}
        }
    }
}

fn is_skipped(name: &str) -> bool {
    matches!(
        name,
        "tracked-changes" | "annotation" | "automatic-styles" | "font-face-decls" | "note-citation"
    )
}
