//! A stand-in for Microsoft SQL Server, written from the public description of TDS 7.4. It holds one table in one
//! database for one user, who must come with the intent to read only, and knows the statements of a reader who asks
//! with a pattern in a parameter. Everything else it refuses, with the numbers of the original.

mod answer;
mod login;
mod request;
mod seal;
mod statement;
mod wire;

use answer::Answer;
use chrono::NaiveDate;
use request::Request;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

pub const USER: &str = "reader";
pub const PASSWORD: &str = "Pässword-{1}";
pub const DATABASE: &str = "library";
pub const TABLE: &str = "river_documents";
/// A table whose rows never come.
pub const SLOW_TABLE: &str = "slow_documents";
/// The transaction that a reader is in.
const TRANSACTION: [u8; 8] = [7, 0, 0, 0, 1, 0, 0, 0];

/// A server on loopback. It stops when it is dropped.
pub struct MsSqlServer {
    pub address: SocketAddr,
    desk: Arc<Desk>,
    _server: JoinSet<()>,
}

#[derive(Debug, Clone)]
pub struct Document {
    pub title: String,
    pub published: NaiveDate,
}

/// What the connections share.
struct Desk {
    documents: Vec<Document>,
    /// Its certificate and key; without them it cannot encrypt.
    seal: Option<tokio_rustls::TlsAcceptor>,
    patterns: Mutex<Vec<String>>,
    given_up: AtomicUsize,
    logins: AtomicUsize,
    /// Another server, to which every reader is sent on.
    route: Mutex<Option<SocketAddr>>,
}

impl MsSqlServer {
    pub async fn start(documents: Vec<Document>) -> Self {
        Self::start_with(documents, None).await
    }

    /// With TLS, by a certificate and its key in PEM. It then takes nobody in without.
    pub async fn start_sealed(documents: Vec<Document>, certificate: &[u8], key: &[u8]) -> Self {
        Self::start_with(documents, Some(super::seal::acceptor(certificate, key))).await
    }

    async fn start_with(documents: Vec<Document>, seal: Option<tokio_rustls::TlsAcceptor>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on loopback");
        let address = listener.local_addr().expect("an address");
        let desk = Arc::new(Desk {
            documents,
            seal,
            patterns: Mutex::default(),
            given_up: AtomicUsize::new(0),
            logins: AtomicUsize::new(0),
            route: Mutex::default(),
        });
        let mut server = JoinSet::new();
        server.spawn(accept(listener, Arc::clone(&desk)));
        Self { address, desk, _server: server }
    }

    /// The patterns that it was asked with, in their order.
    pub fn patterns(&self) -> Vec<String> {
        self.desk.patterns.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often a reader closed the connection while it waited for rows.
    pub fn given_up(&self) -> usize {
        self.desk.given_up.load(Ordering::Relaxed)
    }

    /// Sends every reader on to another server from now on.
    pub fn send_on(&self, to: SocketAddr) {
        *self.desk.route.lock().unwrap_or_else(PoisonError::into_inner) = Some(to);
    }

    pub fn logins(&self) -> usize {
        self.desk.logins.load(Ordering::Relaxed)
    }
}

async fn accept(listener: TcpListener, desk: Arc<Desk>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(greet(stream, Arc::clone(&desk)));
    }
}

/// The greeting; a client that asks for what this server cannot give is sent away.
async fn greet(mut stream: TcpStream, desk: Arc<Desk>) -> Option<()> {
    let (kind, greeting) = wire::read(&mut stream).await?;
    if kind != wire::PRELOGIN {
        return None;
    }
    let client = login::encryption_wanted(&greeting)?;
    let answer = login::encryption_answer(client, desk.seal.is_some());
    wire::write(&mut stream, wire::RESPONSE, &login::greeting(answer)).await?;
    match (&desk.seal, answer) {
        (Some(seal), login::ON) => {
            let mut sealed = seal::accept(seal, stream).await?;
            serve(&mut sealed.stream, &desk).await
        }
        (None, login::NOT_SUPPORTED) if client == login::NOT_SUPPORTED => serve(stream, &desk).await,
        _ => None,
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, desk: &Desk) -> Option<()> {
    let (kind, bytes) = wire::read(&mut stream).await?;
    let login = login::Login::read(&bytes).filter(|_| kind == wire::LOGIN7)?;
    desk.logins.fetch_add(1, Ordering::Relaxed);
    let route = *desk.route.lock().unwrap_or_else(PoisonError::into_inner);
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
                    // The next thing that is read is the end of the connection.
                    let gone = wire::read(&mut stream).await;
                    desk.given_up.fetch_add(usize::from(gone.is_none()), Ordering::Relaxed);
                    return None;
                } else {
                    statement::ask(desk, &text, &parameters, &values)
                }
            }
            Some(Request::Attention) => Answer::attention(),
            None => return None,
        };
        wire::write(&mut stream, wire::RESPONSE, &answer.bytes).await?;
    }
}
