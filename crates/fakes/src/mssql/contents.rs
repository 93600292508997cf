//! What the server has: its user, its tables and its documents.

use chrono::NaiveDate;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use tokio_rustls::TlsAcceptor;

pub const USER: &str = "reader";
pub const PASSWORD: &str = "Pässword-{1}";
pub const DATABASE: &str = "library";
pub const TABLE: &str = "river_documents";
/// A table whose rows never arrive.
pub const SLOW_TABLE: &str = "slow_documents";
/// The transaction id.
pub const TRANSACTION: [u8; 8] = [7, 0, 0, 0, 1, 0, 0, 0];

#[derive(Debug, Clone)]
pub struct Document {
    pub title: String,
    pub published: NaiveDate,
}

/// State shared by the connections.
pub struct ServerState {
    pub documents: Vec<Document>,
    /// Without a certificate and key it cannot encrypt.
    pub tls_acceptor: Option<TlsAcceptor>,
    pub patterns: Mutex<Vec<String>>,
    pub given_up: AtomicUsize,
    pub logins: AtomicUsize,
    /// Another server, to which every client is redirected.
    pub route: Mutex<Option<SocketAddr>>,
}
