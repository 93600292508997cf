//! Connections of clients. One that no longer takes what it asked for is dropped, with all that waits for it.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::io::{self, ErrorKind, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

/// How long a client may leave the way to it full before its connection is dropped.
pub const STALL_MAX: Duration = Duration::from_secs(30);

/// The other end of a connection, as `ConnectInfo` of a request.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// A listener whose connections do not wait for ever for slow readers.
#[derive(Debug)]
pub struct PatientListener {
    listener: TcpListener,
    stall_max: Duration,
}

impl PatientListener {
    pub fn new(listener: TcpListener) -> Self {
        Self { listener, stall_max: STALL_MAX }
    }
}

impl Listener for PatientListener {
    type Io = PatientStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        (PatientStream { stream, stall_max: self.stall_max, patience: None }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, PatientListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, PatientListener>) -> Self {
        Self(*stream.remote_addr())
    }
}

#[derive(Debug)]
pub struct PatientStream {
    stream: TcpStream,
    stall_max: Duration,
    /// Runs while something waits to be written.
    patience: Option<Pin<Box<Sleep>>>,
}

impl PatientStream {
    fn watched(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.patience = None;
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
        Pin::new(&mut self.stream).poll_read(context, buffer)
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
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Body, Bytes};
    use axum::routing::get;
    use futures_util::stream::unfold;
    use std::convert::Infallible;
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::task::JoinSet;
    use tokio::time::{Instant, timeout};

    const SHORT: Duration = Duration::from_millis(300);

    /// A server whose one answer has no end, and what every open answer holds.
    async fn endless(running: &mut JoinSet<()>) -> (SocketAddr, Arc<()>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let held = Arc::new(());
        let given = Arc::clone(&held);
        let handler = async move || {
            let pieces = unfold(Arc::clone(&given), async |held| {
                tokio::task::yield_now().await;
                Some((Ok::<_, Infallible>(Bytes::from_static(&[b'x'; 4096])), held))
            });
            Body::from_stream(pieces)
        };
        let app = axum::Router::new().route("/", get(handler));
        let listener = PatientListener { listener, stall_max: SHORT };
        running.spawn(async move {
            let made = app.into_make_service_with_connect_info::<Peer>();
            let _until_the_end = axum::serve(listener, made).await;
        });
        (address, held)
    }

    async fn ask(address: SocketAddr) -> TcpStream {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        client
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_does_not_read_is_dropped_and_who_reads_is_not() {
        let mut running = JoinSet::new();
        let (address, held) = endless(&mut running).await;
        let idle_before = Arc::strong_count(&held);
        let stalled = ask(address).await;
        let mut reading = ask(address).await;
        let started = Instant::now();
        let mut buffer = vec![0; 65_536];
        let mut most = 0;
        while started.elapsed() < 5 * SHORT {
            let read = timeout(SHORT, reading.read(&mut buffer)).await.expect("it goes on").unwrap();
            assert!(read > 0, "a reader is served as long as it reads");
            most = most.max(Arc::strong_count(&held));
        }
        assert_eq!(most, idle_before + 2, "both answers were open");
        assert_eq!(Arc::strong_count(&held), idle_before + 1, "the stalled one is gone");
        drop((stalled, reading));
    }
}
