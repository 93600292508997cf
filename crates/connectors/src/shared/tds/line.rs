//! An open line to an SQL Server. The greeting and TLS are done here, on the client's own addresses and with the
//! service's own certificate store; the driver meets a server that speaks of no encryption.

use super::envelope::Envelope;
use super::prelogin::{ANSWER, Encryption, GREETING_BYTES_MAX, HEADER_BYTES};
use super::prelogin::{encryption, greeting, plain_answer, read_header};
use crate::shared::dsn::Tls;
use crate::shared::trust;
use domain::contracts::{ConnectorError, ConnectorErrorKind, TlsOptions};
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

/// How it is told that there is nothing left.
pub const TOO_LARGE: io::ErrorKind = io::ErrorKind::FileTooLarge;

/// What may still be read for the question that is asked now.
pub type BytesLeft = Arc<AtomicUsize>;

pub struct Line {
    wire: Wire,
    /// The rest of the server's greeting for the driver. While there is some, what the driver writes is its own
    /// greeting, which was sent already.
    greeting: Vec<u8>,
    bytes_left: BytesLeft,
}

enum Wire {
    Open(TcpStream),
    Sealed(Box<TlsStream<Envelope>>),
}

impl Line {
    pub async fn open(
        addresses: &[SocketAddr],
        host: &str,
        tls: &Tls,
        bytes_left: BytesLeft,
    ) -> Result<Self, ConnectorError> {
        let wanted = if *tls == Tls::Off { Encryption::NotSupported } else { Encryption::On };
        let (stream, said) = greeted(addresses, host, wanted).await?;
        let is_sealed = matches!(said, Encryption::On | Encryption::Required);
        let untrusted = |what: &str| {
            let message = format!("no secure connection to {host}: {what}");
            ConnectorError::new(ConnectorErrorKind::Untrusted, message)
        };
        let wire = match tls {
            Tls::Off if is_sealed => return Err(untrusted("the server wants TLS, and tls is off")),
            Tls::Required(_) if !is_sealed => return Err(untrusted("the server speaks no TLS")),
            Tls::Off => Wire::Open(stream),
            // A server without encryption takes no line on which it was asked for.
            Tls::Offered if !is_sealed => {
                Wire::Open(greeted(addresses, host, Encryption::NotSupported).await?.0)
            }
            Tls::Offered => {
                let any = TlsOptions { verify: false, ca_file: None };
                Wire::Sealed(Box::new(sealed(stream, host, &any).await.map_err(|what| untrusted(&what))?))
            }
            Tls::Required(trust) => {
                Wire::Sealed(Box::new(sealed(stream, host, trust).await.map_err(|what| untrusted(&what))?))
            }
        };
        Ok(Self { wire, greeting: plain_answer(), bytes_left })
    }
}

async fn greeted(
    addresses: &[SocketAddr],
    host: &str,
    wanted: Encryption,
) -> Result<(TcpStream, Encryption), ConnectorError> {
    let unavailable = |error: io::Error| {
        let message = format!("no connection to {host}: {error}");
        ConnectorError::new(ConnectorErrorKind::Unavailable, message)
    };
    let mut stream = TcpStream::connect(addresses).await.map_err(unavailable)?;
    stream.set_nodelay(true).map_err(unavailable)?;
    stream.write_all(&greeting(wanted)).await.map_err(unavailable)?;
    let mut header = [0; HEADER_BYTES];
    stream.read_exact(&mut header).await.map_err(unavailable)?;
    let length =
        read_header(header).filter(|(kind, length)| *kind == ANSWER && *length <= GREETING_BYTES_MAX);
    let unreadable = || {
        let message = format!("{host} does not answer as an SQL Server does");
        ConnectorError::new(ConnectorErrorKind::Unreadable, message)
    };
    let (_, length) = length.ok_or_else(unreadable)?;
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).await.map_err(unavailable)?;
    Ok((stream, encryption(&payload).ok_or_else(unreadable)?))
}

/// TLS 1.2, which is what this form of the protocol was made with.
async fn sealed(stream: TcpStream, host: &str, trust: &TlsOptions) -> Result<TlsStream<Envelope>, String> {
    let config = trust::client(trust, &[&rustls::version::TLS12]).await?;
    let name = ServerName::try_from(host.to_owned()).map_err(|_| "its name is no host name".to_owned())?;
    let connector = TlsConnector::from(Arc::new(config));
    let mut sealed =
        connector.connect(name, Envelope::new(stream)).await.map_err(|error| error.to_string())?;
    sealed.get_mut().0.end_handshake();
    Ok(sealed)
}

impl AsyncRead for Line {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.greeting.is_empty() {
            let part = this.greeting.len().min(buf.remaining());
            buf.put_slice(&this.greeting[..part]);
            this.greeting.drain(..part);
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        ready!(match &mut this.wire {
            Wire::Open(stream) => Pin::new(stream).poll_read(cx, buf),
            Wire::Sealed(stream) => Pin::new(stream.as_mut()).poll_read(cx, buf),
        })?;
        let read = buf.filled().len() - before;
        let left = this.bytes_left.load(Ordering::Relaxed);
        let Some(left) = left.checked_sub(read) else {
            // Who gets an error got no bytes.
            buf.set_filled(before);
            return Poll::Ready(Err(io::Error::new(TOO_LARGE, "the answer is too large")));
        };
        this.bytes_left.store(left, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Line {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if !this.greeting.is_empty() {
            return Poll::Ready(Ok(bytes.len()));
        }
        match &mut this.wire {
            Wire::Open(stream) => Pin::new(stream).poll_write(cx, bytes),
            Wire::Sealed(stream) => Pin::new(stream.as_mut()).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().wire {
            Wire::Open(stream) => Pin::new(stream).poll_flush(cx),
            Wire::Sealed(stream) => Pin::new(stream.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().wire {
            Wire::Open(stream) => Pin::new(stream).poll_shutdown(cx),
            Wire::Sealed(stream) => Pin::new(stream.as_mut()).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// A server that greets, and then sends ten bytes of an answer.
    async fn line(bytes_left: usize) -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let bytes_left = Arc::new(AtomicUsize::new(bytes_left));
        let tls = Tls::Off;
        let opening = Line::open(std::slice::from_ref(&address), "127.0.0.1", &tls, bytes_left);
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
            let mut line = line(bytes_left).await;
            let mut greeting = vec![0; plain_answer().len()];
            line.read_exact(&mut greeting).await.expect("the greeting is not counted");
            let mut answer = Vec::new();
            let read = line.read_to_end(&mut answer).await;
            assert_eq!(read.map_err(|error| error.kind()), want, "{bytes_left}");
        }
    }
}
