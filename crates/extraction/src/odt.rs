//! OpenDocument: texts, spreadsheets and presentations use the same elements for text.

use crate::package::Package;
use crate::properties;
use crate::text_builder::{Abort, ExtractResult, TextBuilder};
use crate::xml::{Element, Node, walk};
use bytes::Bytes;
use domain::ports::ExtractError;

const MAIN: &str = "content.xml";
const MANIFEST: &str = "META-INF/manifest.xml";

pub fn read(bytes: Bytes, builder: &mut TextBuilder) -> ExtractResult {
    let mut package = Package::open(bytes, builder)?;
    let manifest = package.part(MANIFEST, builder)?;
    if manifest.is_some_and(|text| text.contains("encryption-data")) {
        return Err(Abort::Failed(ExtractError::Protected));
    }
    properties::read(&mut package, properties::OPEN_DOCUMENT, builder)?;
    let main = package.needed(MAIN, builder)?;
    let mut place = Place::default();
    walk(&main, builder, |node, builder| match node {
        Node::Open(element) => place.open(element, builder),
        Node::Close(name) => {
            place.close(name, builder);
            Ok(())
        }
        Node::Text(text) if place.is_read() => builder.text(text),
        Node::Text(_) => Ok(()),
    })
}

/// Current position in the document.
#[derive(Default)]
struct Place {
    /// Open elements without document text: deletions, comments, styles.
    skipped: usize,
    paragraphs: usize,
    cells: usize,
    pages: usize,
}

impl Place {
    fn is_read(&self) -> bool {
        self.skipped == 0 && self.paragraphs > 0
    }

    fn open(&mut self, element: &Element<'_>, builder: &mut TextBuilder) -> ExtractResult {
        match element.name {
            name if is_skipped(name) => self.skipped += 1,
            "p" | "h" => self.paragraphs += 1,
            "table-cell" => self.cells += 1,
            "s" | "tab" => builder.space(),
            "line-break" => builder.line(),
            // A sheet or a slide.
            "table" | "page" if self.cells == 0 => {
                self.pages += 1;
                if self.pages > builder.limits.pages {
                    return Err(Abort::Full);
                }
                builder.paragraph();
                if let Some(name) = element.attribute("name").filter(|_| element.name == "table") {
                    builder.text(&name)?;
                    builder.line();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, builder: &mut TextBuilder) {
        match name {
            name if is_skipped(name) => self.skipped = self.skipped.saturating_sub(1),
            "p" | "h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                match self.cells {
                    0 => builder.paragraph(),
                    _ => builder.space(),
                }
            }
            "table-cell" => {
                self.cells = self.cells.saturating_sub(1);
                builder.space();
            }
            "table-row" => builder.line(),
            "table" | "page" => builder.paragraph(),
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
