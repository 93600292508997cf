//! Extraction: the readable text of files, one file here for each kind of them.
//!
//! Files come from anywhere, so that nothing in them is believed: every size, depth and time has its limit in
//! `limits.rs`, and a reader that gives up takes nobody with it.

mod docx;
mod eml;
mod html;
mod kind;
mod limits;
mod markdown;
mod odt;
mod package;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(not(feature = "pdf"))]
#[path = "pdf_not_built.rs"]
mod pdf;
mod plain_text;
mod pool;
mod pptx;
mod program;
mod properties;
mod reading;
mod tika;
mod xlsx;
mod xml;

pub use limits::{Limits, PROGRAM_MEMORY_BYTES_MAX};
pub use pool::Extraction;
pub use program::read_as_program;
pub use tika::{TikaAddressError, WithTika};

use domain::contracts::{ExtractError, ExtractedText, FileToRead};
use kind::Kind;
use reading::{Reading, Stop, Watch};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads a file here and now, within the limits.
pub fn read(file: &FileToRead, limits: &Limits) -> Result<ExtractedText, ExtractError> {
    read_watched(file, limits, Watch::of(limits.time))
}

/// True when a file of this name could be read.
pub fn knows(name: &str) -> bool {
    Kind::of_name(name).is_some()
}

fn read_watched(file: &FileToRead, limits: &Limits, watch: Watch) -> Result<ExtractedText, ExtractError> {
    if file.bytes.len() as u64 > limits.input_bytes {
        return Err(ExtractError::TooLarge(limits.input_bytes));
    }
    let kind = Kind::of(file)?;
    let mut reading = Reading::new(limits, watch);
    // The libraries that read foreign formats are not ours; where one gives up, the file is at fault.
    let read = catch_unwind(AssertUnwindSafe(|| read_kind(kind, file, &mut reading)));
    match read {
        Ok(Ok(())) => Ok(reading.finish(false)),
        Ok(Err(Stop::Full)) => Ok(reading.finish(true)),
        Ok(Err(Stop::Failed(error))) => Err(error),
        Err(_panic) => Err(ExtractError::Damaged("its reader gave up".to_owned())),
    }
}

fn read_kind(kind: Kind, file: &FileToRead, reading: &mut Reading) -> reading::Step {
    match kind {
        Kind::Html => html::read(&file.bytes, file.media_type.as_deref(), reading),
        Kind::Markup => html::read_all(&file.bytes, file.media_type.as_deref(), reading),
        Kind::PlainText => plain_text::read(&file.bytes, file.media_type.as_deref(), reading),
        Kind::Markdown => markdown::read(&file.bytes, file.media_type.as_deref(), reading),
        Kind::Pdf => pdf::read(&file.bytes, reading),
        Kind::Docx => docx::read(file.bytes.clone(), reading),
        Kind::Pptx => pptx::read(file.bytes.clone(), reading),
        Kind::Xlsx => xlsx::read(file.bytes.clone(), reading),
        Kind::OpenDocument => odt::read(file.bytes.clone(), reading),
        Kind::Mail => eml::read(&file.bytes, reading),
    }
}
