//! TLS termination: handshakes, and a certificate that can be replaced while the service runs.

mod files;
#[cfg(test)]
mod tests;

pub use files::TlsError;

use super::deadlines::Deadlines;
use super::final_response::write_and_close;
use super::stall_timeout::StallTimeoutStream;
use crate::security_headers;
use domain::settings::Settings;
use files::{CertificateFiles, FileError, PemPair};
use rustls::ServerConfig;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// How often the files of certificate and key are examined.
const RELOAD_EVERY: Duration = Duration::from_secs(60);
const PLAIN_HTTP_ANSWER: &str = "This port serves HTTPS: use an address that begins with https://\n";

/// Accepts TLS connections with the certificate that its files contained when they were last valid.
pub struct ReloadingAcceptor {
    files: CertificateFiles,
    state: Mutex<State>,
}

struct State {
    config: Arc<ServerConfig>,
    examined: Examined,
}

/// What the files contained when they were last examined. Differs when there is something new to report.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Examined {
    /// A digest of both files.
    Read([u8; 32]),
    /// The setting that names the file, and why it could not be read.
    Unreadable(&'static str, io::ErrorKind),
    /// The setting that names the file.
    TooLarge(&'static str),
}

impl Examined {
    fn of(read: &Result<PemPair, FileError>) -> Self {
        match read {
            Ok(pair) => Self::Read(pair.digest()),
            Err(FileError::Unreadable { setting, cause, .. }) => Self::Unreadable(setting, cause.kind()),
            Err(FileError::TooLarge { setting, .. }) => Self::TooLarge(setting),
        }
    }
}

/// The outcome of an examination of the files.
#[derive(Debug)]
enum Reload {
    Unchanged,
    Replaced,
    /// The certificate in use stays.
    Invalid(TlsError),
}

impl ReloadingAcceptor {
    /// Reads certificate and key. None if the service does not terminate TLS.
    pub async fn load(settings: &Settings) -> Result<Option<Self>, TlsError> {
        let Some(files) = CertificateFiles::from_settings(settings) else { return Ok(None) };
        let pair = files.read().await?;
        let config = Arc::new(files.server_config(&pair)?);
        let state = State { config, examined: Examined::Read(pair.digest()) };
        Ok(Some(Self { files, state: Mutex::new(state) }))
    }

    /// Performs the handshake. The caller limits its duration.
    pub(super) async fn accept(
        &self,
        stream: TcpStream,
        stall_max: Duration,
        deadlines: &Arc<Deadlines>,
    ) -> io::Result<TlsStream<StallTimeoutStream>> {
        if is_plain_http(&stream).await? {
            write_and_close(stream, &plain_http_response()).await;
            return Err(io::Error::other("plain HTTP on a port that serves HTTPS"));
        }
        let config = Arc::clone(&self.lock().config);
        let stream = StallTimeoutStream::new(stream, stall_max, Arc::clone(deadlines));
        TlsAcceptor::from(config).accept(stream).await
    }

    /// Watches the files for as long as it is polled.
    pub(super) async fn follow_files(&self) {
        loop {
            tokio::time::sleep(RELOAD_EVERY).await;
            match self.reload().await {
                Reload::Unchanged => {}
                Reload::Replaced => {
                    tracing::info!("the TLS certificate was replaced; new connections use it")
                }
                Reload::Invalid(error) => {
                    tracing::error!("the new TLS certificate is refused, the old one stays in use: {error}");
                }
            }
        }
    }

    /// Loads the files, if they have changed and are valid.
    async fn reload(&self) -> Reload {
        let read = self.files.read().await;
        let examined = Examined::of(&read);
        if self.lock().examined == examined {
            return Reload::Unchanged;
        }
        let config = read.map_err(TlsError::from).and_then(|pair| self.files.server_config(&pair));
        let mut state = self.lock();
        state.examined = examined;
        match config {
            Ok(config) => {
                state.config = Arc::new(config);
                Reload::Replaced
            }
            Err(error) => Reload::Invalid(error),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// HTTP requests begin with an alphabetic byte, and no TLS record does.
async fn is_plain_http(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0];
    let count = stream.peek(&mut first).await?;
    Ok(count == 1 && first[0].is_ascii_alphabetic())
}

fn plain_http_response() -> String {
    format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncache-control: no-store\r\n{}content-length: {}\r\n\
         connection: close\r\n\r\n{PLAIN_HTTP_ANSWER}",
        security_headers::lines(),
        PLAIN_HTTP_ANSWER.len()
    )
}
