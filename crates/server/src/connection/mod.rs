//! Client connections: how many there may be, and deadlines for slow clients.

mod address_limit;
mod body;
mod deadlines;
mod final_response;
mod limits;
mod open_files;
mod peer;
mod rejection;
mod stall_timeout;
#[cfg(test)]
mod tests;
mod tls;

pub use peer::Peer;
pub use tls::{ReloadingAcceptor, TlsError};

use address_limit::{AddressLimit, AddressPermit};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::serve::Listener;
use body::{RequestBody, ResponseBody};
use deadlines::Deadlines;
use domain::settings::Settings;
use final_response::write_and_close;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use limits::{CONNECTIONS_MAX, Limits};
use open_files::files_for_connections;
use rejection::{Rejection, RejectionLog};
use stall_timeout::StallTimeoutStream;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use syntax::network::Network;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch as signal};
use tokio::task::JoinSet;
use tower::ServiceExt;

/// Longest head of a request, and most bytes that HTTP/1 reads ahead.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Most concurrent requests on one HTTP/2 connection.
const STREAMS_MAX: u32 = 100;
/// Most bytes that HTTP/2 buffers of one request body, and of all bodies of one connection.
const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 256 * 1024;
/// Most bytes of one response that HTTP/2 buffers.
const SEND_BUFFER_BYTES_MAX: usize = 64 * 1024;
/// Most connections that get a rejection response at the same time; others are closed without one.
const REJECTIONS_AT_ONCE_MAX: usize = 64;
/// Connections from this machine are not limited: a proxy beside the service has the connections of all clients.
const THIS_MACHINE: [Network; 2] =
    [Network::v4([127, 0, 0, 0], 8), Network::of(IpAddr::V6(Ipv6Addr::LOCALHOST))];

/// Serves HTTP/1 and HTTP/2 until stopped, then finishes the running requests. Dropping it closes all connections.
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

/// Networks from which the connections of many clients come.
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
    let permits = Arc::new(Semaphore::new(limits.connections));
    let rejections = Arc::new(Semaphore::new(REJECTIONS_AT_ONCE_MAX));
    let (stop, stopped) = signal::channel(false);
    let handler = ConnectionHandler { router, limits, stopped, tls };
    let mut connections = JoinSet::new();
    let mut log = RejectionLog::default();
    let mut until_stopped = pin!(until_stopped);
    loop {
        tokio::select! {
            () = &mut until_stopped => break,
            Some(_ended) = connections.join_next() => {}
            (stream, address) = Listener::accept(&mut listener) => {
                let admitted = by_address.admit(address.ip()).and_then(|of_address| {
                    let permit = Arc::clone(&permits).try_acquire_owned();
                    let full = |_| Rejection::Full { connections: limits.connections };
                    permit.map(|total| Permits { _total: total, _of_address: of_address }).map_err(full)
                });
                match admitted {
                    Ok(permits) => {
                        connections.spawn(handler.clone().handle(stream, address, permits));
                    }
                    Err(rejection) => {
                        log.note(rejection);
                        // A TLS client could not read it, and a handshake would cost what the limit saves.
                        if handler.tls.is_none()
                            && let Ok(permit) = Arc::clone(&rejections).try_acquire_owned()
                        {
                            connections.spawn(send_rejection(stream, rejection, permit));
                        }
                    }
                }
            }
        }
    }
    drop(listener);
    let _no_receivers = stop.send(true);
    while connections.join_next().await.is_some() {}
}

/// Held as long as a connection is open.
struct Permits {
    _total: OwnedSemaphorePermit,
    _of_address: AddressPermit,
}

/// Serves the requests of a connection.
#[derive(Clone)]
struct ConnectionHandler {
    router: Router,
    limits: Limits,
    stopped: signal::Receiver<bool>,
    /// None: connections are not encrypted.
    tls: Option<Arc<ReloadingAcceptor>>,
}

impl ConnectionHandler {
    /// Serves one connection until it ends or misses a deadline.
    async fn handle(mut self, stream: TcpStream, address: SocketAddr, _permits: Permits) {
        // Events are small and must not be delayed by Nagle's algorithm.
        let _best_effort = stream.set_nodelay(true);
        let (deadlines, stall) = (Arc::new(Deadlines::new(self.limits)), self.limits.stall);
        let Some(tls) = self.tls.take() else {
            let stream = StallTimeoutStream::new(stream, stall, Arc::clone(&deadlines));
            return self.serve_requests(stream, &deadlines, address).await;
        };
        let mut stopped = self.stopped.clone();
        let accepted = tokio::select! {
            biased; // received bytes are read before a deadline is checked: the machine may have been paused
            accepted = tls.accept(stream, stall, &deadlines) => accepted,
            _ = stopped.wait_for(|stop| *stop) => return,
            reason = deadlines.expired() => {
                tracing::debug!(client.address = %address, "a TLS handshake is dropped: {reason}");
                return;
            }
        };
        match accepted {
            Ok(stream) => self.serve_requests(stream, &deadlines, address).await,
            Err(error) => tracing::debug!(client.address = %address, "a TLS handshake failed: {error}"),
        }
    }

    async fn serve_requests(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        deadlines: &Arc<Deadlines>,
        address: SocketAddr,
    ) {
        let Self { router, limits, mut stopped, .. } = self;
        let service = service_fn(|request| answer(router.clone(), deadlines, address, request));
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
        let mut is_stopping = false;
        loop {
            tokio::select! {
                biased; // as above
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!("a connection ended: {error}");
                    }
                    return;
                }
                _ = stopped.wait_for(|stop| *stop), if !is_stopping => {
                    is_stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
                reason = deadlines.expired() => {
                    tracing::debug!(client.address = %address, "a connection is dropped: {reason}");
                    return;
                }
            }
        }
    }
}

/// Serves one request, with deadlines for both bodies.
fn answer(
    router: Router,
    deadlines: &Arc<Deadlines>,
    address: SocketAddr,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<Body>, Infallible>> + Send + use<> {
    let guard = deadlines.begin(request.version());
    let mut request = request.map(|body| Body::new(RequestBody::new(body, Arc::clone(deadlines))));
    request.extensions_mut().insert(ConnectInfo(Peer(address)));
    async move {
        let response = router.oneshot(request).await?;
        Ok(response.map(|body| Body::new(ResponseBody::new(body, guard))))
    }
}

/// Sends the response of a rejection.
async fn send_rejection(stream: TcpStream, rejection: Rejection, _permit: OwnedSemaphorePermit) {
    write_and_close(stream, &rejection.answer()).await;
}
