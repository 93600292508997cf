//! Message bus between the processes of one installation.

use super::PortError;
use async_trait::async_trait;

/// Maximum length of a message on any bus, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 512 * 1024;

/// Why a message was not sent or received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageBusErrorKind {
    /// The server cannot be reached at the moment.
    Unreachable,
    /// A message was received that cannot be read; the next one may be.
    Unreadable,
}

pub type MessageBusError = PortError<MessageBusErrorKind>;

/// Delivers messages between processes at most once: a message may be lost, so nothing may depend on one. Messages are
/// delivered only to processes of the same installation.
#[async_trait]
pub trait MessageBus: Send + Sync {
    /// The random name of this process, consisting of a-z and 0-9.
    fn node_id(&self) -> &str;
    /// Current maximum length of a message, in bytes; at most [`MESSAGE_BYTES_MAX`].
    fn message_bytes_max(&self) -> usize;
    /// Sends a message to the named process, or to all including this one.
    async fn send(&self, to: Option<&str>, message: &str) -> Result<(), MessageBusError>;
    /// The next message to this process or to all. The first call starts listening; one caller at a time.
    async fn recv(&self) -> Result<String, MessageBusError>;
}
