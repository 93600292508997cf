//! The connection to a mail server: encrypted or not, and bounded.

use lettre::transport::smtp::client::AsyncTokioStream;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// Most bytes of all replies on one connection. A line may be as long, because the library limits only whole lines.
pub const REPLIES_BYTES_MAX: usize = 16 * 1024;
/// The error kind for replies that exceed the limit.
pub(super) const TOO_LARGE: io::ErrorKind = io::ErrorKind::FileTooLarge;
/// What the library reads in place of a greeting that was read before it.
const GREETING: &[u8] = b"220 ready\r\n";

#[derive(Debug)]
enum Transport {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

#[derive(Debug)]
pub(super) struct MailStream {
    transport: Transport,
    /// The unread part of a greeting for the library.
    greeting: &'static [u8],
    bytes_left: usize,
    peer: Option<SocketAddr>,
}

impl MailStream {
    pub(super) fn plain(tcp: TcpStream) -> Self {
        let peer = tcp.peer_addr().ok();
        Self::new(Transport::Plain(tcp), peer)
    }

    pub(super) fn encrypted(stream: TlsStream<TcpStream>, peer: io::Result<SocketAddr>) -> Self {
        Self::new(Transport::Tls(Box::new(stream)), peer.ok())
    }

    /// For a connection whose greeting has been read.
    pub(super) fn after_greeting(self) -> Self {
        Self { greeting: GREETING, ..self }
    }

    fn new(transport: Transport, peer: Option<SocketAddr>) -> Self {
        Self { transport, greeting: &[], bytes_left: REPLIES_BYTES_MAX, peer }
    }
}

impl AsyncTokioStream for MailStream {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.peer.ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl AsyncRead for MailStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.greeting.is_empty() {
            let (part, rest) = this.greeting.split_at(this.greeting.len().min(buf.remaining()));
            buf.put_slice(part);
            this.greeting = rest;
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        ready!(match &mut this.transport {
            Transport::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Transport::Tls(stream) => Pin::new(stream.as_mut()).poll_read(cx, buf),
        })?;
        let Some(left) = this.bytes_left.checked_sub(buf.filled().len() - before) else {
            // A reader that gets an error must not get bytes.
            buf.set_filled(before);
            return Poll::Ready(Err(TOO_LARGE.into()));
        };
        this.bytes_left = left;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for MailStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().transport {
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
