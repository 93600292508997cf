//! Reads a file of any kind, within the limits.

use crate::kind::Kind;
use crate::limits::Limits;
use crate::text_builder::{Abort, Deadline, ExtractResult, TextBuilder};
use crate::{docx, eml, html, markdown, odt, pdf, plain_text, pptx, xlsx};
use domain::ports::{ExtractError, ExtractedText, FileToRead};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Format readers recurse; the stack is large enough for the depth limit.
pub const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Reads a file on the current thread, within the limits.
pub fn read(file: &FileToRead, limits: &Limits) -> Result<ExtractedText, ExtractError> {
    read_with_deadline(file, limits, Deadline::of(limits.time))
}

/// Whether a file of this name can be read.
pub fn knows(name: &str) -> bool {
    Kind::of_name(name).is_some()
}

pub fn read_with_deadline(
    file: &FileToRead,
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, ExtractError> {
    if file.bytes.len() as u64 > limits.input_bytes {
        return Err(ExtractError::TooLarge(limits.input_bytes));
    }
    let kind = Kind::of(file)?;
    let mut builder = TextBuilder::new(limits, deadline);
    if kind == Kind::Pdf {
        builder.keep_page_starts();
    }
    // The format libraries are third-party; if one panics, the file is reported as damaged.
    let read = catch_unwind(AssertUnwindSafe(|| read_kind(kind, file, &mut builder)));
    match read {
        Ok(Ok(())) => Ok(builder.finish()),
        Ok(Err(Abort::Full)) => Ok(builder.finish_cut()),
        Ok(Err(Abort::Failed(error))) => Err(error),
        Err(_panic) => Err(ExtractError::Damaged("its reader failed".to_owned())),
    }
}

fn read_kind(kind: Kind, file: &FileToRead, builder: &mut TextBuilder) -> ExtractResult {
    match kind {
        Kind::Html => html::read(&file.bytes, file.media_type.as_deref(), builder),
        Kind::Markup => html::read_all(&file.bytes, file.media_type.as_deref(), builder),
        Kind::PlainText => plain_text::read(&file.bytes, file.media_type.as_deref(), builder),
        Kind::Markdown => markdown::read(&file.bytes, file.media_type.as_deref(), builder),
        Kind::Pdf => pdf::read(&file.bytes, builder),
        Kind::Docx => docx::read(file.bytes.clone(), builder),
        Kind::Pptx => pptx::read(file.bytes.clone(), builder),
        Kind::Xlsx => xlsx::read(file.bytes.clone(), builder),
        Kind::OpenDocument => odt::read(file.bytes.clone(), builder),
        Kind::Mail => eml::read(&file.bytes, read_kind, builder),
    }
}
