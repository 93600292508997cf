//! Port for mail that the service sends.

use super::PortError;
use async_trait::async_trait;

/// A mail in plain text to one person.
#[derive(Clone)]
pub struct OutgoingMail {
    /// The message id up to its `@`. It is the same in each attempt, so that a mailbox can drop a repetition.
    pub id: String,
    /// The address of the recipient.
    pub recipient: String,
    pub subject: String,
    pub text: String,
}

/// What an error means for further attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailErrorKind {
    /// The server cannot be reached, or refuses the mail for now.
    Unavailable,
    /// The mail is refused, and would be again.
    Refused,
}

/// Why a mail was not sent. Neither the text nor its causes contain an address, a password or a reply of the server.
pub type MailError = PortError<MailErrorKind>;

/// Sends mail.
#[async_trait]
pub trait SendMail: Send + Sync {
    /// Returns when the server has accepted the mail.
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError>;
}
