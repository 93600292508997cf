//! Stream that wraps the TLS handshake in PRELOGIN packets and passes everything after it unchanged.

use super::prelogin::{ANSWER, GREETING, HEADER_BYTES, packet, read_header};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Most bytes of a handshake in one packet.
const PART_BYTES_MAX: usize = 4096 - HEADER_BYTES;

pub struct HandshakeStream {
    stream: TcpStream,
    is_handshake: bool,
    /// Handshake bytes not yet put into a packet.
    written: Vec<u8>,
    /// Packets being sent.
    outgoing: Vec<u8>,
    header: [u8; HEADER_BYTES],
    header_read: usize,
    payload_left: usize,
}

impl HandshakeStream {
    pub fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            is_handshake: true,
            written: Vec::new(),
            outgoing: Vec::new(),
            header: [0; HEADER_BYTES],
            header_read: 0,
            payload_left: 0,
        }
    }

    /// From now on bytes pass unchanged.
    pub fn end_handshake(&mut self) {
        self.is_handshake = false;
    }

    fn poll_outgoing(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        for part in std::mem::take(&mut self.written).chunks(PART_BYTES_MAX) {
            self.outgoing.extend(packet(GREETING, part));
        }
        while !self.outgoing.is_empty() {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.outgoing))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.outgoing.drain(..sent);
        }
        Poll::Ready(Ok(()))
    }

    /// Returns false if the server closed the connection.
    fn poll_header(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        while self.header_read < HEADER_BYTES {
            let mut part = ReadBuf::new(&mut self.header[self.header_read..]);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut part))?;
            match part.filled().len() {
                0 => return Poll::Ready(Ok(false)),
                read => self.header_read += read,
            }
        }
        self.header_read = 0;
        match read_header(self.header) {
            Some((GREETING | ANSWER, length)) => self.payload_left = length,
            _ => {
                let message = "the server aborted the TLS handshake";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, message)));
            }
        }
        Poll::Ready(Ok(true))
    }
}

impl AsyncRead for HandshakeStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.is_handshake && this.payload_left == 0 {
            return Pin::new(&mut this.stream).poll_read(cx, buf);
        }
        while this.payload_left == 0 {
            if !ready!(this.poll_header(cx))? {
                return Poll::Ready(Ok(()));
            }
        }
        let mut part = buf.take(this.payload_left);
        ready!(Pin::new(&mut this.stream).poll_read(cx, &mut part))?;
        // `part` is the unfilled rest of `buf`; what was read into it is initialized there too.
        let read = part.filled().len();
        let bytes = part.filled().to_vec();
        buf.put_slice(&bytes);
        this.payload_left -= read;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for HandshakeStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.is_handshake {
            this.written.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(this.poll_outgoing(cx))?;
        Pin::new(&mut this.stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_outgoing(cx))?;
        Pin::new(&mut this.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
