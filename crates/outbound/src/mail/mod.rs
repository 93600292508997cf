//! Mail that the service sends, handed in at the server of an administrator.

mod client;
mod error;
mod message;
mod start_tls;
mod stream;

pub use client::{Authorities, GOODBYE_TIME_MAX, MAIL_TIME_MAX, SmtpClient, SmtpClientError, SmtpConfig};
pub use stream::REPLIES_BYTES_MAX;
