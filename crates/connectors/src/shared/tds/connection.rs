//! Connection to an SQL Server. The PRELOGIN exchange and TLS happen here, with addresses from the guarded client and
//! the service's own certificate store; to the driver the server appears unencrypted.

use super::prelogin::{ANSWER, Encryption, GREETING_BYTES_MAX, HEADER_BYTES};
use super::prelogin::{encryption, greeting, plain_answer, read_header};
use super::tls_handshake::HandshakeStream;
use crate::shared::dsn::Tls;
use crate::shared::tls_verifier::{self, TlsError, TlsErrorKind};
use domain::ports::{ConnectorError, ConnectorErrorKind, TlsOptions};
use rustls::pki_types::ServerName;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// The error kind for a response that exceeds the limit.
pub const TOO_LARGE: io::ErrorKind = io::ErrorKind::FileTooLarge;

/// Bytes that may still be read for the current query.
pub type BytesLeft = Arc<AtomicUsize>;

pub struct TdsStream {
    transport: Transport,
    /// The unread part of the PRELOGIN response for the driver. Until it is read, whatever the driver writes is its own
    /// PRELOGIN packet, which was already sent.
    greeting: Vec<u8>,
    bytes_left: BytesLeft,
}

enum Transport {
    Plain(TcpStream),
    Tls(Box<TlsStream<HandshakeStream>>),
}

impl TdsStream {
    pub async fn open(
        addresses: &[SocketAddr],
        host: &str,
        tls: &Tls,
        bytes_left: BytesLeft,
    ) -> Result<Self, ConnectorError> {
        let wanted = if *tls == Tls::Off { Encryption::NotSupported } else { Encryption::On };
        let (stream, answered) = exchange_prelogin(addresses, host, wanted).await?;
        let is_encrypted = matches!(answered, Encryption::On | Encryption::Required);
        let untrusted = |what: &str| {
            let message = format!("no secure connection to {host}: {what}");
            ConnectorError::new(ConnectorErrorKind::Untrusted, message)
        };
        let insecure = |error: TlsError| untrusted(error.message()).caused_by(error);
        let transport = match tls {
            Tls::Off if is_encrypted => return Err(untrusted("the server requires TLS, and tls is off")),
            Tls::Required(_) if !is_encrypted => return Err(untrusted("the server does not support TLS")),
            Tls::Off => Transport::Plain(stream),
            // A server without encryption rejects a connection that asked for it, so a new one is opened.
            Tls::Offered if !is_encrypted => {
                Transport::Plain(exchange_prelogin(addresses, host, Encryption::NotSupported).await?.0)
            }
            Tls::Offered => {
                let any = TlsOptions { verify: false, ca_file: None };
                Transport::Tls(Box::new(tls_stream(stream, host, &any).await.map_err(insecure)?))
            }
            Tls::Required(options) => {
                Transport::Tls(Box::new(tls_stream(stream, host, options).await.map_err(insecure)?))
            }
        };
        Ok(Self { transport, greeting: plain_answer(), bytes_left })
    }
}

async fn exchange_prelogin(
    addresses: &[SocketAddr],
    host: &str,
    wanted: Encryption,
) -> Result<(TcpStream, Encryption), ConnectorError> {
    let unavailable = |error: io::Error| {
        let message = format!("no connection to {host}: {error}");
        ConnectorError::new(ConnectorErrorKind::Unavailable, message).caused_by(error)
    };
    let mut stream = TcpStream::connect(addresses).await.map_err(unavailable)?;
    stream.set_nodelay(true).map_err(unavailable)?;
    stream.write_all(&greeting(wanted)).await.map_err(unavailable)?;
    let mut header = [0; HEADER_BYTES];
    stream.read_exact(&mut header).await.map_err(unavailable)?;
    let length =
        read_header(header).filter(|(kind, length)| *kind == ANSWER && *length <= GREETING_BYTES_MAX);
    let unreadable = || {
        let message = format!("{host} does not respond like an SQL Server");
        ConnectorError::new(ConnectorErrorKind::Unreadable, message)
    };
    let (_, length) = length.ok_or_else(unreadable)?;
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).await.map_err(unavailable)?;
    Ok((stream, encryption(&payload).ok_or_else(unreadable)?))
}

/// Starts TLS 1.2, the version this form of the protocol was designed for.
async fn tls_stream(
    stream: TcpStream,
    host: &str,
    options: &TlsOptions,
) -> Result<TlsStream<HandshakeStream>, TlsError> {
    let config = tls_verifier::client(options, &[&rustls::version::TLS12]).await?;
    let name = ServerName::try_from(host.to_owned()).map_err(|error| {
        TlsError::new(TlsErrorKind::HostName, "the host name is not valid").caused_by(error)
    })?;
    let connector = TlsConnector::from(Arc::new(config));
    let mut tls_stream = connector
        .connect(name, HandshakeStream::new(stream))
        .await
        .map_err(|error| TlsError::from_cause(TlsErrorKind::Handshake, error))?;
    tls_stream.get_mut().0.end_handshake();
    Ok(tls_stream)
}

impl AsyncRead for TdsStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.greeting.is_empty() {
            let part = this.greeting.len().min(buf.remaining());
            buf.put_slice(&this.greeting[..part]);
            this.greeting.drain(..part);
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        ready!(match &mut this.transport {
            Transport::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Transport::Tls(stream) => Pin::new(stream.as_mut()).poll_read(cx, buf),
        })?;
        let read = buf.filled().len() - before;
        let left = this.bytes_left.load(Ordering::Relaxed);
        let Some(left) = left.checked_sub(read) else {
            // A reader that gets an error must not get bytes.
            buf.set_filled(before);
            return Poll::Ready(Err(io::Error::new(TOO_LARGE, "the answer is too large")));
        };
        this.bytes_left.store(left, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for TdsStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if !this.greeting.is_empty() {
            return Poll::Ready(Ok(bytes.len()));
        }
        match &mut this.transport {
            Transport::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Transport::Tls(stream) => Pin::new(stream.as_mut()).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().transport {
            Transport::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Transport::Tls(stream) => Pin::new(stream.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().transport {
            Transport::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Transport::Tls(stream) => Pin::new(stream.as_mut()).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// A stream to a server that answers PRELOGIN and then sends ten bytes.
    async fn stream_to_server(bytes_left: usize) -> TdsStream {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let bytes_left = Arc::new(AtomicUsize::new(bytes_left));
        let tls = Tls::Off;
        let opening = TdsStream::open(std::slice::from_ref(&address), "127.0.0.1", &tls, bytes_left);
        let greeting = async {
            let (mut stream, _) = listener.accept().await.expect("a client");
            stream.write_all(&plain_answer()).await.expect("a greeting");
            stream.write_all(b"0123456789").await.expect("an answer");
        };
        tokio::join!(opening, greeting).0.expect("a line")
    }

    #[tokio::test]
    async fn no_more_is_read_than_is_left() {
        for (bytes_left, want) in [(10, Ok(10)), (9, Err(TOO_LARGE))] {
            let mut stream = stream_to_server(bytes_left).await;
            let mut greeting = vec![0; plain_answer().len()];
            stream.read_exact(&mut greeting).await.expect("the greeting is not counted");
            let mut answer = Vec::new();
            let read = stream.read_to_end(&mut answer).await;
            assert_eq!(read.map_err(|error| error.kind()), want, "{bytes_left}");
        }
    }
}
