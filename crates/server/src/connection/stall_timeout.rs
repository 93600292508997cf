//! A TCP stream with a write-stall timeout. If a request body was left unread, it reads for a moment before closing:
//! unread bytes would make the system reset the connection and discard the response.

use super::deadlines::Deadlines;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// How long, and how many bytes, are read before closing.
const LINGER_TIME_MAX: Duration = Duration::from_secs(1);
const LINGER_BYTES_MAX: usize = 4 * 1024 * 1024;

pub struct StallTimeoutStream {
    stream: TcpStream,
    stall_max: Duration,
    deadlines: Arc<Deadlines>,
    /// Runs while a write is pending.
    timeout: Option<Pin<Box<Sleep>>>,
    /// Set while the unread bytes of the client are read before closing.
    lingering: Option<Lingering>,
}

struct Lingering {
    end: Pin<Box<Sleep>>,
    bytes_left: usize,
}

impl StallTimeoutStream {
    pub fn new(stream: TcpStream, stall_max: Duration, deadlines: Arc<Deadlines>) -> Self {
        Self { stream, stall_max, deadlines, timeout: None, lingering: None }
    }

    fn poll_stall(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.timeout = None;
            self.deadlines.bytes_sent();
            return written;
        }
        let stall_max = self.stall_max;
        let timeout = self.timeout.get_or_insert_with(|| Box::pin(sleep(stall_max)));
        match timeout.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for StallTimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.deadlines.bytes_received();
        }
        read
    }
}

impl AsyncWrite for StallTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.poll_stall(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.poll_stall(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, deadlines, lingering, .. } = &mut *self;
        if lingering.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
            if !deadlines.has_unread_body() {
                return Poll::Ready(Ok(()));
            }
        }
        let lingering = lingering.get_or_insert_with(|| Lingering {
            end: Box::pin(sleep(LINGER_TIME_MAX)),
            bytes_left: LINGER_BYTES_MAX,
        });
        lingering.poll(stream, context)
    }
}

impl Lingering {
    /// Reads and discards until the client is done or a limit is reached.
    fn poll(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut unread = [0; 8192];
        while self.bytes_left > 0 && self.end.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut unread);
            match ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {
                    self.bytes_left = self.bytes_left.saturating_sub(buffer.filled().len());
                }
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}
