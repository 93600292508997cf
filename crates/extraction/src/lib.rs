//! Text extraction from files, one module per format.
//!
//! Files are untrusted: every size, depth and time has a limit in `limits.rs`, and a failing reader affects only its
//! file.

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
mod properties;
mod reader;
mod relationships;
mod subprocess;
mod text_builder;
mod tika;
mod xlsx;
mod xml;

pub use limits::{Limits, SUBPROCESS_MEMORY_BYTES_MAX};
pub use pool::Extraction;
pub use reader::{knows, read};
pub use subprocess::read_in_subprocess;
pub use tika::{TikaAddressError, WithTika};
