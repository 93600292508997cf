//! PDF in a program that was built without its reader: each file says so.

use crate::reading::{Reading, Step};
use domain::contracts::ExtractError;

const MESSAGE: &str = "PDF; its reader is not built into this program: use the released program, or build it with --features pdf";

pub fn read(_: &[u8], _: &mut Reading) -> Step {
    Err(ExtractError::Unsupported(MESSAGE.to_owned()).into())
}
