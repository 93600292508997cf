//! Fake Microsoft SQL Server, written from the public description of TDS 7.4. It has one table in one database for one
//! user, who must connect read-only, and supports the statements of a LIKE search with a parameter. It rejects
//! everything else, with the error numbers of the original.

mod answer;
mod contents;
mod login;
mod request;
mod statement;
mod tls_handshake;
mod wire;

pub use contents::{DATABASE, Document, PASSWORD, SLOW_TABLE, TABLE, USER};

use answer::Answer;
use contents::{ServerState, TRANSACTION};
use request::Request;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A server on loopback. It stops when it is dropped.
pub struct MsSqlServer {
    pub address: SocketAddr,
    state: Arc<ServerState>,
    _server: JoinSet<()>,
}

impl MsSqlServer {
    pub async fn start(documents: Vec<Document>) -> Self {
        Self::start_with(documents, None).await
    }

    /// With TLS, by a certificate and its key in PEM. Unencrypted clients are then rejected.
    pub async fn start_with_tls(documents: Vec<Document>, certificate: &[u8], key: &[u8]) -> Self {
        Self::start_with(documents, Some(super::tls::acceptor(certificate, key))).await
    }

    async fn start_with(documents: Vec<Document>, tls_acceptor: Option<tokio_rustls::TlsAcceptor>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on loopback");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(ServerState {
            documents,
            tls_acceptor,
            patterns: Mutex::default(),
            given_up: AtomicUsize::new(0),
            logins: AtomicUsize::new(0),
            route: Mutex::default(),
        });
        let mut server = JoinSet::new();
        server.spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, _server: server }
    }

    /// The received patterns, in order.
    pub fn patterns(&self) -> Vec<String> {
        self.state.patterns.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often a client closed the connection while it waited for rows.
    pub fn given_up(&self) -> usize {
        self.state.given_up.load(Ordering::Relaxed)
    }

    /// Redirects every client to another server.
    pub fn send_on(&self, to: SocketAddr) {
        *self.state.route.lock().unwrap_or_else(PoisonError::into_inner) = Some(to);
    }

    pub fn logins(&self) -> usize {
        self.state.logins.load(Ordering::Relaxed)
    }
}

async fn accept(listener: TcpListener, state: Arc<ServerState>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(greet(stream, Arc::clone(&state)));
    }
}

/// Exchanges PRELOGIN; a client with an unsupported encryption option is disconnected.
async fn greet(mut stream: TcpStream, state: Arc<ServerState>) -> Option<()> {
    let (kind, greeting) = wire::read(&mut stream).await?;
    if kind != wire::PRELOGIN {
        return None;
    }
    let client = login::encryption_wanted(&greeting)?;
    let answer = login::encryption_answer(client, state.tls_acceptor.is_some());
    wire::write(&mut stream, wire::RESPONSE, &login::greeting(answer)).await?;
    match (&state.tls_acceptor, answer) {
        (Some(tls_acceptor), login::ON) => {
            let mut encrypted = tls_handshake::accept(tls_acceptor, stream).await?;
            serve(&mut encrypted.stream, &state).await
        }
        (None, login::NOT_SUPPORTED) if client == login::NOT_SUPPORTED => serve(stream, &state).await,
        _ => None,
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, state: &ServerState) -> Option<()> {
    let (kind, bytes) = wire::read(&mut stream).await?;
    let login = login::Login::read(&bytes).filter(|_| kind == wire::LOGIN7)?;
    state.logins.fetch_add(1, Ordering::Relaxed);
    let route = *state.route.lock().unwrap_or_else(PoisonError::into_inner);
    let (is_in, answer) = login.answer(route);
    wire::write(&mut stream, wire::RESPONSE, &answer).await?;
    if !is_in {
        return None;
    }
    let mut is_begun = false;
    loop {
        let (kind, bytes) = wire::read(&mut stream).await?;
        let answer = match request::read(kind, &bytes) {
            Some(Request::Batch { text, transaction }) => statement::batch(&text, transaction, &mut is_begun),
            Some(Request::Ask { text, parameters, values, transaction }) => {
                if !is_begun || transaction != TRANSACTION {
                    Answer::error(3989, "New request is not allowed to start outside of its transaction.")
                } else if text.contains(SLOW_TABLE) {
                    // The next read sees the end of the connection.
                    let gone = wire::read(&mut stream).await;
                    state.given_up.fetch_add(usize::from(gone.is_none()), Ordering::Relaxed);
                    return None;
                } else {
                    statement::ask(state, &text, &parameters, &values)
                }
            }
            Some(Request::Attention) => Answer::attention(),
            None => return None,
        };
        wire::write(&mut stream, wire::RESPONSE, &answer.bytes).await?;
    }
}
