//! Fake mail server, written from RFC 5321 (SMTP), RFC 3207 (STARTTLS) and RFC 4954 (AUTH). It rejects commands out of
//! order, lines that are too long or end with a bare line feed, and mail that is not ASCII. Each of its replies can be
//! replaced.

mod mail;
mod session;
mod state;

pub use mail::ReceivedMail;
pub use state::{PASSWORD, Reply, Step, USER};

use session::Session;
use state::{Encryption, ServerState};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A server on loopback. It stops when it is dropped.
pub struct SmtpServer {
    pub address: SocketAddr,
    state: Arc<ServerState>,
    _server: JoinSet<()>,
}

impl SmtpServer {
    /// Without encryption, and without a sign-in.
    pub async fn start() -> Self {
        Self::start_with(ServerState::default()).await
    }

    /// Offers STARTTLS, by a certificate and its key in PEM, and requires [`USER`] to sign in after it.
    pub async fn with_start_tls(certificate: &[u8], key: &[u8]) -> Self {
        let encryption = Encryption::Offered(super::tls::acceptor(certificate, key));
        Self::start_with(ServerState { encryption, needs_sign_in: true, ..ServerState::default() }).await
    }

    /// Uses TLS from the first byte, and requires [`USER`] to sign in.
    pub async fn with_tls(certificate: &[u8], key: &[u8]) -> Self {
        let encryption = Encryption::FromStart(super::tls::acceptor(certificate, key));
        Self::start_with(ServerState { encryption, needs_sign_in: true, ..ServerState::default() }).await
    }

    /// Requires [`USER`] to sign in with the mechanism LOGIN, without encryption.
    pub async fn with_sign_in() -> Self {
        let state = ServerState { mechanisms: "LOGIN", needs_sign_in: true, ..ServerState::default() };
        Self::start_with(state).await
    }

    async fn start_with(state: ServerState) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on loopback");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(state);
        let mut server = JoinSet::new();
        server.spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, _server: server }
    }

    /// Gives these replies first at this step, one for each time that it is reached.
    pub fn reply_at(&self, step: Step, replies: impl IntoIterator<Item = Reply>) {
        self.state.script(step, replies);
    }

    /// The accepted mail, in order.
    pub fn mails(&self) -> Vec<ReceivedMail> {
        self.state.mails()
    }

    /// How often a client has connected.
    pub fn connections(&self) -> usize {
        self.state.connections()
    }
}

async fn accept(listener: TcpListener, state: Arc<ServerState>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        state.count_connection();
        connections.spawn(serve(stream, Arc::clone(&state)));
    }
}

async fn serve(stream: TcpStream, state: Arc<ServerState>) -> Option<()> {
    match &state.encryption {
        Encryption::FromStart(acceptor) => {
            let stream = acceptor.accept(stream).await.ok()?;
            Session::encrypted(Box::new(stream), &state).run().await
        }
        Encryption::None | Encryption::Offered(_) => Session::new(Box::new(stream), &state).run().await,
    }
}
