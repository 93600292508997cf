//! The mail client: connects to an address that the guard has checked, signs in and hands in one message.

use super::error::{broken, refused, unavailable};
use super::message::{build_message, parse_sender};
use super::start_tls::start_tls;
use super::stream::MailStream;
use async_trait::async_trait;
use domain::mail_server::{MailSecurity, MailServer};
use domain::ports::{AddressResolver, MailError, MailErrorKind, Origin, OutgoingMail, SendMail};
use domain::secret::Secret;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use lettre::{Address, Message};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// Time limit of one attempt, from the name of the server to its acceptance of the mail.
pub const MAIL_TIME_MAX: Duration = Duration::from_secs(30);
/// Time limit for the end of the connection, when the mail has been accepted.
pub const GOODBYE_TIME_MAX: Duration = Duration::from_secs(2);

/// Whose certificates are trusted.
#[derive(Debug, Clone)]
pub enum Authorities {
    /// Those of the system, or the built-in list if it has none.
    System,
    Only(RootCertStore),
}

/// Where mail is handed in, and within which limits.
#[derive(Debug, Clone)]
pub struct SmtpConfig {
    pub server: MailServer,
    /// Used if the server has a user.
    pub password: Secret,
    /// `name@host` or `Name <name@host>`.
    pub sender: String,
    pub authorities: Authorities,
    /// Time limit of the connection, without its encryption.
    pub connect_max: Duration,
    pub time_max: Duration,
}

/// The mail client could not be created.
#[derive(Debug, thiserror::Error)]
pub enum SmtpClientError {
    #[error(
        "SVC_ALERT_MAIL_FROM must be a mail address such as tributary@example.org, or a name and <the address>"
    )]
    Sender,
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
}

enum Transport {
    Plain,
    StartTls(TlsConnector),
    Tls(TlsConnector),
}

/// Hands in mail at one server.
pub struct SmtpClient {
    config: SmtpConfig,
    sender: Mailbox,
    /// The name of this client in the exchange.
    hello: ClientId,
    transport: Transport,
    resolver: Arc<dyn AddressResolver>,
}

impl SmtpClient {
    /// `resolver` checks the address of the server before each connection.
    pub fn new(config: SmtpConfig, resolver: Arc<dyn AddressResolver>) -> Result<Self, SmtpClientError> {
        let sender = parse_sender(&config.sender).ok_or(SmtpClientError::Sender)?;
        let connector = || tls_connector(&config.authorities).map_err(SmtpClientError::Tls);
        let transport = match config.server.security {
            MailSecurity::Plain => Transport::Plain,
            MailSecurity::StartTls => Transport::StartTls(connector()?),
            MailSecurity::Tls => Transport::Tls(connector()?),
        };
        let domain = sender.email.domain();
        let hello = if domain.is_ascii() { ClientId::Domain(domain.to_owned()) } else { ClientId::default() };
        Ok(Self { config, sender, hello, transport, resolver })
    }

    async fn connect(&self) -> Result<MailStream, MailError> {
        let MailServer { host, port, .. } = &self.config.server;
        let origin = Origin { scheme: "smtp".to_owned(), host: host.clone(), port: *port, is_trusted: true };
        let addresses = self.resolver.admit(&origin).await;
        let addresses =
            addresses.map_err(|error| MailError::from_cause(MailErrorKind::Unavailable, error))?;
        let connected = timeout(self.config.connect_max, TcpStream::connect(addresses.as_slice())).await;
        let mut tcp = connected
            .map_err(|_| unavailable(format!("{host} did not accept a connection in time")))?
            .map_err(|error| unavailable(format!("no connection to {host}: {error}")).caused_by(error))?;
        match &self.transport {
            Transport::Plain => Ok(MailStream::plain(tcp)),
            Transport::Tls(connector) => {
                let (peer, stream) = (tcp.peer_addr(), self.encrypt(connector, tcp).await?);
                Ok(MailStream::encrypted(stream, peer))
            }
            Transport::StartTls(connector) => {
                start_tls(&mut tcp, &self.hello).await?;
                let (peer, stream) = (tcp.peer_addr(), self.encrypt(connector, tcp).await?);
                Ok(MailStream::encrypted(stream, peer).after_greeting())
            }
        }
    }

    async fn encrypt(
        &self,
        connector: &TlsConnector,
        tcp: TcpStream,
    ) -> Result<tokio_rustls::client::TlsStream<TcpStream>, MailError> {
        let host = &self.config.server.host;
        let name = ServerName::try_from(host.clone())
            .map_err(|_| refused("the host of the mail server is neither a name nor an address"))?;
        connector
            .connect(name, tcp)
            .await
            .map_err(|error| unavailable(format!("no secure connection to {host}: {error}")).caused_by(error))
    }

    /// Returns the connection on which the server has accepted the mail.
    async fn hand_in(&self, message: &Message) -> Result<AsyncSmtpConnection, MailError> {
        let stream = Box::new(self.connect().await?);
        let mut connection = AsyncSmtpConnection::connect_with_transport(stream, &self.hello)
            .await
            .map_err(|error| broken("the greeting", &error))?;
        if let Some(user) = &self.config.server.user {
            let credentials = Credentials::new(user.clone(), self.config.password.expose().to_owned());
            let signed_in = connection.auth(DEFAULT_MECHANISMS, &credentials).await;
            signed_in.map_err(|error| broken("the sign-in", &error))?;
        }
        let envelope = message.envelope();
        let mut parameters = Vec::new();
        let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
        if !envelope.to().iter().chain(envelope.from()).all(is_ascii) {
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                return Err(refused("the mail server does not support addresses beyond ASCII"));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        // The library's own way also waits for a goodbye after a refusal, which may never come.
        let begun = connection.command(Mail::new(envelope.from().cloned(), parameters)).await;
        begun.map_err(|error| broken("the sender", &error))?;
        for recipient in envelope.to() {
            let added = connection.command(Rcpt::new(recipient.clone(), Vec::new())).await;
            added.map_err(|error| broken("the recipient", &error))?;
        }
        connection.command(Data).await.map_err(|error| broken("the mail", &error))?;
        connection.message(&message.formatted()).await.map_err(|error| broken("the mail", &error))?;
        Ok(connection)
    }
}

#[async_trait]
impl SendMail for SmtpClient {
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError> {
        let message = build_message(&self.sender, mail)?;
        let handed_in = timeout(self.config.time_max, self.hand_in(&message)).await;
        let mut connection =
            handed_in.map_err(|_| unavailable("the mail server did not respond in time"))??;
        // The mail is accepted, however the connection ends.
        let _ended = timeout(GOODBYE_TIME_MAX, connection.quit()).await;
        Ok(())
    }
}

fn tls_connector(authorities: &Authorities) -> Result<TlsConnector, rustls::Error> {
    let builder = || {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
    };
    let config = match authorities {
        Authorities::Only(roots) => builder()?.with_root_certificates(roots.clone()),
        Authorities::System => match builder()?.with_platform_verifier() {
            Ok(config) => config,
            Err(_no_authorities) => {
                let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
                builder()?.with_root_certificates(roots)
            }
        },
    };
    Ok(TlsConnector::from(Arc::new(config.with_no_client_auth())))
}
