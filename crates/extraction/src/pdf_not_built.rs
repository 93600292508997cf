//! PDF in a build without the PDF reader: every file is refused with a message.

use crate::text_builder::{ExtractResult, TextBuilder};
use domain::ports::ExtractError;

const MESSAGE: &str = "PDF; its reader is not built into this program: use the released program, or build it with --features pdf";

pub fn read(_: &[u8], _: &mut TextBuilder) -> ExtractResult {
    Err(ExtractError::Unsupported(MESSAGE.to_owned()).into())
}
