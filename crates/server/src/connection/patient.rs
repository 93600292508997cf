//! The bytes of a connection, in and out. A client that leaves the way to it full is given up, and one whose body was
//! refused is heard out for a moment: bytes that nobody read would make the system throw away our answer.

use super::watch::Watch;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// How long a client is heard out, and how much it may say.
const LINGER_TIME_MAX: Duration = Duration::from_secs(1);
const LINGER_BYTES_MAX: usize = 4 * 1024 * 1024;

pub struct PatientStream {
    stream: TcpStream,
    stall_max: Duration,
    watch: Arc<Watch>,
    /// Runs while something waits to be written.
    patience: Option<Pin<Box<Sleep>>>,
    /// Set when our side is closed and the client is heard out.
    lingering: Option<Lingering>,
}

struct Lingering {
    end: Pin<Box<Sleep>>,
    bytes_left: usize,
}

impl PatientStream {
    pub fn new(stream: TcpStream, stall_max: Duration, watch: Arc<Watch>) -> Self {
        Self { stream, stall_max, watch, patience: None, lingering: None }
    }

    fn watched(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.patience = None;
            self.watch.bytes_went();
            return written;
        }
        let stall_max = self.stall_max;
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(stall_max)));
        match patience.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for PatientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.watch.bytes_came();
        }
        read
    }
}

impl AsyncWrite for PatientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watched(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, watch, lingering, .. } = &mut *self;
        if lingering.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
            if !watch.has_unread_body() {
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
    /// Reads and forgets, until the client is done or has had enough of our time.
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
