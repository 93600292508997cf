//! PDF: the texts of pages, arranged into lines by position.

mod cmap;
mod code_ranges;
mod codes;
mod content;
mod font;
mod load;
mod matrix;
mod operators;
mod page;
mod truetype;

use crate::text_builder::{Abort, ExtractResult, TextBuilder};
use load::load;
use lopdf::{Dictionary, Document, Object};

pub fn read(bytes: &[u8], builder: &mut TextBuilder) -> ExtractResult {
    builder.check_deadline()?;
    let document = load(bytes, builder)?;
    read_properties(&document, builder);
    let mut fonts = font::Fonts::default();
    for (number, id) in document.page_iter().enumerate() {
        if number >= builder.limits.pages {
            return Err(Abort::Full);
        }
        builder.check_deadline()?;
        builder.page();
        page::read(&document, id, &mut fonts, builder)?;
    }
    Ok(())
}

fn read_properties(document: &Document, builder: &mut TextBuilder) {
    let info = document.trailer.get_deref(b"Info", document).and_then(Object::as_dict);
    let Ok(info) = info else { return };
    builder.title(&property(document, info, b"Title"));
    builder.author(&property(document, info, b"Author"));
}

/// A property: UTF-16 or UTF-8 with a byte order mark, or Latin-1.
fn property(document: &Document, info: &Dictionary, key: &[u8]) -> String {
    let Ok(bytes) = info.get_deref(key, document).and_then(Object::as_str) else { return String::new() };
    crate::plain_text::decode(bytes, Some("windows-1252")).into_owned()
}
