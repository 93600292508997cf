//! The state of the server and of its clients.

use super::scram::Exchange;
use bson::{Document, doc};
use std::sync::Mutex;
use tokio_rustls::TlsAcceptor;

/// State shared by the connections.
pub struct ServerState {
    pub documents: Vec<Document>,
    pub tls_acceptor: Option<TlsAcceptor>,
    pub finds: Mutex<Vec<Document>>,
}

/// The state of one client.
#[derive(Default)]
pub struct Session {
    pub scram: Option<Exchange>,
    pub is_in: bool,
    /// The remaining documents of a cursor.
    pub cursor: Option<(i64, Vec<Document>)>,
}

/// An error response.
pub fn refused(code: i32, message: &str) -> Document {
    doc! { "ok": 0.0, "errmsg": message, "code": code, "codeName": "Refused" }
}
