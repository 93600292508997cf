//! Connections of clients: how many there may be, and how long one may keep the service waiting. A client that does
//! not go on is dropped, with all that waits for it.

mod address_limit;
mod body;
mod open_files;
mod patient;
mod refused;
#[cfg(test)]
mod tests;
mod tls;
mod watch;

pub use tls::{ReloadingAcceptor, TlsError};

use address_limit::{AddressLimit, AddressPermit};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::serve::Listener;
use body::{ArrivingBody, LeavingBody};
use domain::notation::network::Network;
use domain::settings::Settings;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use open_files::files_for_connections;
use patient::PatientStream;
use refused::{RefusalLog, Refused};
use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch as signal};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower::ServiceExt;
use watch::Watch;

/// Most connections at once, if the system allows so many open files.
const CONNECTIONS_MAX: usize = 16_384;
/// How long the head of a request may take to come, and a new connection to send its first one, the TLS handshake
/// included.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// Longest head of a request, and most bytes that are read ahead of HTTP/1.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How long a connection may stay without a request. Longer than load balancers keep theirs, so that they close first.
const IDLE_TIME_MAX: Duration = Duration::from_secs(90);
/// How long the body of a request may take to come.
const BODY_TIME_MAX: Duration = Duration::from_secs(120);
/// How long a client may leave the way to it full.
const STALL_TIME_MAX: Duration = Duration::from_secs(30);
/// After this time of silence a client of HTTP/2 is asked whether it is still there.
const PING_EVERY: Duration = Duration::from_secs(20);
/// How long its answer may take.
const PONG_TIME_MAX: Duration = Duration::from_secs(20);
/// Most requests at once on one connection of HTTP/2.
const STREAMS_MAX: u32 = 100;
/// Most bytes of one body that HTTP/2 takes before somebody reads it, and of all bodies of one connection.
const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 256 * 1024;
/// Most bytes of one answer that wait inside HTTP/2.
const SEND_BUFFER_BYTES_MAX: usize = 64 * 1024;
/// Most connections at once that are told that there are too many; the rest is dropped without a word.
const TOLD_MAX: usize = 64;
/// How long it may take to tell them.
const TELL_TIME_MAX: Duration = Duration::from_secs(1);
/// Connections of this machine have no limit: a proxy that runs beside the service brings everybody.
const THIS_MACHINE: [Network; 2] =
    [Network::v4([127, 0, 0, 0], 8), Network::of(IpAddr::V6(Ipv6Addr::LOCALHOST))];

/// The other end of a connection, as `ConnectInfo` of a request.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// How much and how long. A test makes them small.
#[derive(Debug, Clone, Copy)]
struct Limits {
    connections: usize,
    head: Duration,
    idle: Duration,
    body: Duration,
    stall: Duration,
    ping_every: Duration,
    pong: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: CONNECTIONS_MAX,
            head: HEAD_TIME_MAX,
            idle: IDLE_TIME_MAX,
            body: BODY_TIME_MAX,
            stall: STALL_TIME_MAX,
            ping_every: PING_EVERY,
            pong: PONG_TIME_MAX,
        }
    }
}

/// Serves HTTP/1 and HTTP/2 until told to stop, then ends what runs. Dropped, it cuts off all connections.
pub async fn serve(
    listener: TcpListener,
    tls: Option<ReloadingAcceptor>,
    router: Router,
    settings: &Settings,
    until_stopped: impl Future<Output = ()>,
) {
    let connections = CONNECTIONS_MAX.min(files_for_connections());
    let per_address = settings.connections_per_address;
    tracing::info!("up to {connections} connections at once, {per_address} of one address");
    let limits = Limits { connections, ..Limits::default() };
    let by_address = AddressLimit::new(per_address as usize, proxies(settings));
    let Some(tls) = tls.map(Arc::new) else {
        return serve_within(limits, by_address, None, listener, router, until_stopped).await;
    };
    tokio::select! {
        () = serve_within(limits, by_address, Some(Arc::clone(&tls)), listener, router, until_stopped) => {}
        () = tls.follow_files() => {}
    }
}

/// Where the connections of many clients come from.
fn proxies(settings: &Settings) -> Vec<Network> {
    THIS_MACHINE.into_iter().chain(settings.trusted_proxies.iter().copied()).collect()
}

async fn serve_within(
    limits: Limits,
    by_address: Arc<AddressLimit>,
    tls: Option<Arc<ReloadingAcceptor>>,
    mut listener: TcpListener,
    router: Router,
    until_stopped: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let told = Arc::new(Semaphore::new(TOLD_MAX));
    let (stop, stopped) = signal::channel(false);
    let hall = Hall { router, limits, stopped, tls };
    let mut connections = JoinSet::new();
    let mut log = RefusalLog::default();
    let mut until_stopped = pin!(until_stopped);
    loop {
        tokio::select! {
            () = &mut until_stopped => break,
            Some(_ended) = connections.join_next() => {}
            (stream, address) = Listener::accept(&mut listener) => {
                let admitted = by_address.admit(address.ip()).and_then(|of_address| {
                    let place = Arc::clone(&places).try_acquire_owned();
                    let full = |_| Refused::Full { connections: limits.connections };
                    place.map(|place| (place, of_address)).map_err(full)
                });
                match admitted {
                    Ok(permits) => {
                        connections.spawn(hall.clone().converse(stream, address, permits));
                    }
                    Err(refused) => {
                        log.note(refused);
                        // A client of TLS could not read it, and a handshake would cost what the limit saves.
                        if hall.tls.is_none()
                            && let Ok(turn) = Arc::clone(&told).try_acquire_owned()
                        {
                            connections.spawn(send_away(stream, refused, turn));
                        }
                    }
                }
            }
        }
    }
    drop(listener);
    let _nobody_is_there = stop.send(true);
    while connections.join_next().await.is_some() {}
}

/// What every connection is given.
#[derive(Clone)]
struct Hall {
    router: Router,
    limits: Limits,
    stopped: signal::Receiver<bool>,
    /// None: connections are plain.
    tls: Option<Arc<ReloadingAcceptor>>,
}

impl Hall {
    /// Serves one connection to its end, or until its watch gives it up.
    async fn converse(
        mut self,
        stream: TcpStream,
        address: SocketAddr,
        _permits: (OwnedSemaphorePermit, AddressPermit),
    ) {
        // Events are small, and must not wait for more to come.
        let _not_worth_a_word = stream.set_nodelay(true);
        let (watch, stall) = (Arc::new(Watch::new(self.limits)), self.limits.stall);
        let Some(tls) = self.tls.take() else {
            let stream = PatientStream::new(stream, stall, Arc::clone(&watch));
            return self.serve_requests(stream, &watch, address).await;
        };
        let mut stopped = self.stopped.clone();
        let accepted = tokio::select! {
            biased; // what has come is read before anybody is found too slow: the machine may have stood still
            accepted = tls.accept(stream, stall, &watch) => accepted,
            _ = stopped.wait_for(|stop| *stop) => return,
            reason = watch.gives_up() => {
                tracing::debug!(client.address = %address, "a TLS handshake is dropped: {reason}");
                return;
            }
        };
        match accepted {
            Ok(stream) => self.serve_requests(stream, &watch, address).await,
            Err(error) => tracing::debug!(client.address = %address, "a TLS handshake failed: {error}"),
        }
    }

    async fn serve_requests(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        watch: &Arc<Watch>,
        address: SocketAddr,
    ) {
        let Self { router, limits, mut stopped, .. } = self;
        let service = service_fn(|request| answer(router.clone(), watch, address, request));
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().max_buf_size(HEAD_BYTES_MAX);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS_MAX)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_send_buf_size(SEND_BUFFER_BYTES_MAX)
            .keep_alive_interval(limits.ping_every)
            .keep_alive_timeout(limits.pong);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
        let mut is_told = false;
        loop {
            tokio::select! {
                biased; // as above
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!("a connection ended: {error}");
                    }
                    return;
                }
                _ = stopped.wait_for(|stop| *stop), if !is_told => {
                    is_told = true;
                    connection.as_mut().graceful_shutdown();
                }
                reason = watch.gives_up() => {
                    tracing::debug!(client.address = %address, "a connection is dropped: {reason}");
                    return;
                }
            }
        }
    }
}

/// One request and its answer, both watched.
fn answer(
    router: Router,
    watch: &Arc<Watch>,
    address: SocketAddr,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<Body>, Infallible>> + Send + use<> {
    let exchange = watch.begin(request.version());
    let mut request = request.map(|body| Body::new(ArrivingBody::new(body, Arc::clone(watch))));
    request.extensions_mut().insert(ConnectInfo(Peer(address)));
    async move {
        let response = router.oneshot(request).await?;
        Ok(response.map(|body| Body::new(LeavingBody::new(body, exchange))))
    }
}

/// Says that there are too many connections.
async fn send_away(stream: TcpStream, refused: Refused, _turn: OwnedSemaphorePermit) {
    write_and_close(stream, &refused.answer()).await;
}

/// Waits for the client to close: what it sent and nobody read would make the system throw away our words.
async fn write_and_close(mut stream: TcpStream, response: &str) {
    let told = async {
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await?;
        let mut unread = [0; 1024];
        while stream.read(&mut unread).await? > 0 {}
        std::io::Result::Ok(())
    };
    let _told_or_not = timeout(TELL_TIME_MAX, told).await;
}
