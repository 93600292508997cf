//! PDF: the texts that pages show, put into lines by where they stand.

mod cmap;
mod content;
mod font;
mod load;
mod matrix;
mod operators;
mod page;

use crate::reading::{Reading, Step, Stop};
use load::{STREAM_BYTES_MAX, load};
use lopdf::{Dictionary, Document, Object};

pub fn read(bytes: &[u8], reading: &mut Reading) -> Step {
    reading.look()?;
    let document = load(bytes, reading)?;
    read_properties(&document, reading);
    let mut fonts = font::Fonts::default();
    for (number, id) in document.page_iter().enumerate() {
        if number >= reading.limits.pages {
            return Err(Stop::Full);
        }
        reading.look()?;
        page::read(&document, id, &mut fonts, reading)?;
        reading.paragraph();
    }
    Ok(())
}

fn read_properties(document: &Document, reading: &mut Reading) {
    let info = document.trailer.get_deref(b"Info", document).and_then(Object::as_dict);
    let Ok(info) = info else { return };
    reading.title(&property(document, info, b"Title"));
    reading.author(&property(document, info, b"Author"));
}

/// A text of the document itself: UTF-16 with a mark, UTF-8 with a mark, or near to Latin.
fn property(document: &Document, info: &Dictionary, key: &[u8]) -> String {
    let Ok(bytes) = info.get_deref(key, document).and_then(Object::as_str) else { return String::new() };
    crate::plain_text::decode(bytes, Some("windows-1252")).into_owned()
}
