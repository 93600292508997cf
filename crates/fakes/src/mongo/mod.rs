//! Fake MongoDB, written from the public description of its wire protocol: OP_MSG, SCRAM-SHA-256, `find` with cursors,
//! the counting aggregation, and the list of collections. Parses filters strictly and rejects what it does not support,
//! with the codes of the original.

mod commands;
mod contents;
mod filter;
mod scram;
mod session;
mod wire;

pub use contents::{COLLECTION, DATABASE, PASSWORD, PLAIN_COLLECTION, SLOW_COLLECTION, USER};
pub use filter::Search;

use bson::{Bson, Document};
use session::{ServerState, Session, refused};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A server on loopback. It stops when it is dropped.
pub struct MongoServer {
    pub address: SocketAddr,
    state: Arc<ServerState>,
    _server: JoinSet<()>,
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
