//! What the connections of a mail server share: its options, the replaced replies and the accepted mail.

use super::mail::ReceivedMail;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio_rustls::TlsAcceptor;

pub const USER: &str = "alerts@mail.example";
pub const PASSWORD: &str = "canary of the mail server";

/// The place of a reply in the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    Greeting,
    Hello,
    StartTls,
    SignIn,
    Sender,
    Recipient,
    /// The reply to DATA.
    Data,
    /// The reply to the end of the mail.
    Message,
    Quit,
}

/// A reply in place of the usual one.
#[derive(Debug, Clone, Copy)]
pub enum Reply {
    /// One line, or several with line ends between them.
    Line(&'static str),
    /// This text over and over again.
    Endless(&'static str),
    /// Nothing until the client disconnects.
    Silence,
    /// The end of the connection.
    HangUp,
}

#[derive(Default)]
pub enum Encryption {
    #[default]
    None,
    Offered(TlsAcceptor),
    FromStart(TlsAcceptor),
}

pub struct ServerState {
    pub encryption: Encryption,
    pub needs_sign_in: bool,
    /// The mechanisms of AUTH.
    pub mechanisms: &'static str,
    pub(super) replies: Mutex<HashMap<Step, VecDeque<Reply>>>,
    pub(super) mails: Mutex<Vec<ReceivedMail>>,
    pub(super) connections: AtomicUsize,
}

impl Default for ServerState {
    fn default() -> Self {
        Self {
            encryption: Encryption::None,
            needs_sign_in: false,
            mechanisms: "PLAIN LOGIN",
            replies: Mutex::default(),
            mails: Mutex::default(),
            connections: AtomicUsize::new(0),
        }
    }
}

impl ServerState {
    pub fn script(&self, step: Step, replies: impl IntoIterator<Item = Reply>) {
        let mut scripted = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        scripted.entry(step).or_default().extend(replies);
    }

    /// The reply that replaces the usual one this time.
    pub fn next_reply(&self, step: Step) -> Option<Reply> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&step)?.pop_front()
    }

    pub fn keep(&self, mail: ReceivedMail) {
        self.mails.lock().unwrap_or_else(PoisonError::into_inner).push(mail);
    }

    pub fn mails(&self) -> Vec<ReceivedMail> {
        self.mails.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn count_connection(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}
