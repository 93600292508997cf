//! Fake MongoDB, written from the public description of its wire protocol: OP_MSG, SCRAM-SHA-256, `find` with cursors,
//! the counting aggregation, and the list of collections. Parses filters strictly and rejects what it does not support,
//! with the codes of the original.

mod commands;
mod filter;
mod scram;
mod wire;

pub use filter::Search;

use bson::{Bson, Document, doc};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

pub const USER: &str = "reader";
pub const PASSWORD: &str = "pass:word@{1}";
pub const DATABASE: &str = "library";
/// A collection with a text index over `title`, and one without.
pub const COLLECTION: &str = "river_documents";
pub const PLAIN_COLLECTION: &str = "plain_documents";
/// A collection whose documents never arrive.
pub const SLOW_COLLECTION: &str = "slow_documents";

/// A server on loopback. It stops when it is dropped.
pub struct MongoServer {
    pub address: SocketAddr,
    state: Arc<ServerState>,
    _server: JoinSet<()>,
}

/// State shared by the connections.
struct ServerState {
    documents: Vec<Document>,
    tls_acceptor: Option<TlsAcceptor>,
    finds: Mutex<Vec<Document>>,
}

/// The state of one client.
#[derive(Default)]
struct Session {
    scram: Option<scram::Exchange>,
    is_in: bool,
    /// The remaining documents of a cursor.
    cursor: Option<(i64, Vec<Document>)>,
}

impl MongoServer {
    pub async fn start(documents: Vec<Document>) -> Self {
        Self::start_with(documents, None).await
    }

    /// With TLS, by a certificate and its key in PEM.
    pub async fn start_with_tls(documents: Vec<Document>, certificate: &[u8], key: &[u8]) -> Self {
        Self::start_with(documents, Some(super::tls::acceptor(certificate, key))).await
    }

    async fn start_with(documents: Vec<Document>, tls_acceptor: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on loopback");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(ServerState { documents, tls_acceptor, finds: Mutex::default() });
        let mut server = JoinSet::new();
        server.spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, _server: server }
    }

    /// The valid `find` commands, in order.
    pub fn finds(&self) -> Vec<Document> {
        self.state.finds.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn accept(listener: TcpListener, state: Arc<ServerState>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(connect(stream, Arc::clone(&state)));
    }
}

async fn connect(stream: TcpStream, state: Arc<ServerState>) -> Option<()> {
    match &state.tls_acceptor {
        Some(tls_acceptor) => serve(tls_acceptor.accept(stream).await.ok()?, &state).await,
        None => serve(stream, &state).await,
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, state: &ServerState) -> Option<()> {
    let mut session = Session::default();
    loop {
        let message = wire::read(&mut stream).await?;
        let answer = match message.command.iter().next() {
            Some((name, Bson::String(collection))) if name == "find" && collection == SLOW_COLLECTION => {
                // Nothing is sent until the client disconnects.
                wire::read(&mut stream).await?;
                return None;
            }
            Some((name, value)) => commands::answer(state, &mut session, name, value, &message.command),
            None => refused(40352, "No command was given"),
        };
        wire::write(&mut stream, message.id, &answer).await?;
    }
}

fn refused(code: i32, message: &str) -> Document {
    doc! { "ok": 0.0, "errmsg": message, "code": code, "codeName": "Refused" }
}
