//! A sent message.

use bytes::Bytes;

/// One sent message.
#[derive(Clone, Default)]
pub struct SentMessage {
    pub from: String,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    pub subject: String,
    /// The HTML body.
    pub html: String,
    /// Names, media types and contents.
    pub files: Vec<(String, String, Bytes)>,
}
