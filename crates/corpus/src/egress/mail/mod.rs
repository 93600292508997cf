//! Mailboxes: the interface that a scan needs, and its two implementations.

mod client;
mod gmail;
mod mailbox;
mod outlook;

pub use client::Access;
pub use mailbox::{
    ANSWER_BYTES_MAX, ATTACHMENT_BYTES_MAX, Content, Head, MailError, SentMail, Window, authenticator,
};

use domain::corpus::Channel;

pub async fn open(
    access: Access<'_>,
    channel: Channel,
    window: Window,
) -> Result<Box<dyn SentMail>, MailError> {
    let client = client::Client::open(access, channel).await?;
    Ok(match channel {
        Channel::Outlook => Box::new(outlook::Outlook { client, window }),
        Channel::Gmail => Box::new(gmail::Gmail { client, window }),
    })
}
