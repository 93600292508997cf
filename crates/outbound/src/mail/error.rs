//! Errors of the exchange with a mail server. They name the step and the status, never what the server said: its text
//! may contain addresses.

use super::stream::{REPLIES_BYTES_MAX, TOO_LARGE};
use domain::ports::{MailError, MailErrorKind};
use lettre::transport::smtp;
use std::error::Error;
use std::io;

pub(super) fn unavailable(sentence: impl Into<String>) -> MailError {
    MailError::new(MailErrorKind::Unavailable, sentence)
}

pub(super) fn refused(sentence: impl Into<String>) -> MailError {
    MailError::new(MailErrorKind::Refused, sentence)
}

/// The error for a reply that is not the expected one. A status from 500 is final.
pub(super) fn unexpected_status(step: &str, status: u16) -> MailError {
    let sentence = format!("the mail server responded to {step} with status {status}");
    if status >= 500 { refused(sentence) } else { unavailable(sentence) }
}

pub(super) fn too_large() -> MailError {
    unavailable(format!(
        "the replies of the mail server are larger than the limit of {REPLIES_BYTES_MAX} bytes"
    ))
}

pub(super) fn ended(step: &str) -> MailError {
    unavailable(format!("the connection to the mail server ended at {step}"))
}

pub(super) fn unreadable(step: &str) -> MailError {
    unavailable(format!("the reply of the mail server to {step} cannot be read"))
}

/// What stopped the exchange at this step.
pub(super) fn broken(step: &str, error: &smtp::Error) -> MailError {
    if let Some(status) = error.status() {
        return unexpected_status(step, status.into());
    }
    match io_kind(error) {
        Some(TOO_LARGE) => too_large(),
        Some(io::ErrorKind::InvalidData) => unreadable(step),
        Some(kind) => ended(step).caused_by(io::Error::from(kind)),
        None if error.is_client() => refused(format!("the mail server does not offer what {step} needs")),
        None => unreadable(step),
    }
}

/// The kind of the first I/O error among the causes. Their texts are not used.
fn io_kind(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    let mut next = error.source();
    while let Some(cause) = next {
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        next = cause.source();
    }
    None
}
