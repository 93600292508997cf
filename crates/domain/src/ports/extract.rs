//! Text extraction from files.

use crate::page_starts::PageStarts;
use async_trait::async_trait;
use bytes::Bytes;

/// Text and metadata of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtractedText {
    /// Title in the document; empty if it has none.
    pub title: String,
    pub author: String,
    /// Plain text, paragraphs separated by blank lines.
    pub text: String,
    /// Where its pages begin; empty if the format has no pages with numbers.
    pub page_starts: PageStarts,
    /// True if the text was cut at the limit.
    pub is_cut: bool,
}

/// Why there is no text. The messages contain nothing of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    #[error("files of this kind ({0}) cannot be read")]
    Unsupported(String),
    #[error("the file is larger than the limit of {0} bytes")]
    TooLarge(u64),
    #[error("the file is protected by a password")]
    Protected,
    #[error("the file is damaged: {0}")]
    Damaged(String),
    #[error("the file could not be read in time")]
    Timeout,
    /// The file was to be read by another program.
    #[error("the server that reads such files failed: {0}")]
    Service(String),
}

/// A file as received.
#[derive(Debug, Clone)]
pub struct FileToRead {
    /// As reported by the source; if that is not useful, the name and the first bytes decide.
    pub media_type: Option<String>,
    pub name: String,
    pub bytes: Bytes,
}

/// Reads files within limits of size and time, without blocking the runtime.
#[async_trait]
pub trait ExtractText: Send + Sync {
    /// Whether a file of this name can be read, so that others need not be opened.
    fn knows(&self, name: &str) -> bool;
    async fn extract(&self, file: FileToRead) -> Result<ExtractedText, ExtractError>;
}
