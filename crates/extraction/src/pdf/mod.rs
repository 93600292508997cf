//! PDF: the texts that pages show, put into lines by where they stand.

mod cmap;
mod content;
mod font;
mod matrix;
mod page;

use crate::reading::{Reading, Step, Stop, damaged};
use domain::contracts::ExtractError;
use lopdf::{Dictionary, Document, Error, LoadOptions, Object};

/// Most bytes that one packed stream may hold; the structure of a document is in many small ones.
const STREAM_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most streams that hold packed objects; all of them are unpacked before the first page is seen.
const OBJECT_STREAMS_MAX: usize = 2_000;
const OBJECT_STREAM_MARK: &[u8] = b"/ObjStm";

pub fn read(bytes: &[u8], reading: &mut Reading) -> Step {
    let streams = bytes.windows(OBJECT_STREAM_MARK.len()).filter(|window| *window == OBJECT_STREAM_MARK);
    if streams.count() > OBJECT_STREAMS_MAX {
        return damaged(&format!("it holds more than {OBJECT_STREAMS_MAX} packed streams"));
    }
    reading.look()?;
    let document = load(bytes)?;
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

/// A document that only asks for an owner's password opens; one that needs a password to be read does not.
fn load(bytes: &[u8]) -> Step<Document> {
    let options = LoadOptions::with_max_decompressed_size(STREAM_BYTES_MAX);
    let document = match Document::load_mem_with_options(bytes, options) {
        Ok(document) => document,
        Err(Error::Decryption(_) | Error::InvalidPassword) => {
            return Err(Stop::Failed(ExtractError::Protected));
        }
        Err(_) => return damaged("its structure cannot be read"),
    };
    if document.is_encrypted() {
        return Err(Stop::Failed(ExtractError::Protected));
    }
    Ok(document)
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
