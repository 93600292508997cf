//! ExtractText: the readable text of a file, whatever program wrote it.

use async_trait::async_trait;
use bytes::Bytes;

/// What was read out of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtractedText {
    /// What the document calls itself; empty when it does not say.
    pub title: String,
    pub author: String,
    /// Plain text, paragraphs parted by blank lines.
    pub text: String,
    /// True when the text was cut at the limit.
    pub is_cut: bool,
}

/// Why there is no text. The sentences hold nothing of the file.
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
    /// Another program was to read it.
    #[error("the server that reads such files failed: {0}")]
    Service(String),
}

/// A file as it came.
#[derive(Debug, Clone)]
pub struct FileToRead {
    /// As the source says; the name and the first bytes decide when it says nothing useful.
    pub media_type: Option<String>,
    pub name: String,
    pub bytes: Bytes,
}

/// Reads files within limits of size and time, beside the runtime.
#[async_trait]
pub trait ExtractText: Send + Sync {
    /// True when a file of this name could be read, so that others need not be opened.
    fn knows(&self, name: &str) -> bool;
    async fn extract(&self, file: FileToRead) -> Result<ExtractedText, ExtractError>;
}
