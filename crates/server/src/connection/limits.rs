//! Limits of connections: how many there may be, and how long a client may take.

use std::time::Duration;

/// Most concurrent connections, if the system allows so many open files.
pub const CONNECTIONS_MAX: usize = 16_384;
/// How long the head of a request may take to arrive, and how long a new connection may take to send its first one,
/// including the TLS handshake.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a connection may stay idle. Longer than load balancers keep theirs, so that they close first.
const IDLE_TIME_MAX: Duration = Duration::from_secs(90);
/// How long the body of a request may take to arrive.
const BODY_TIME_MAX: Duration = Duration::from_secs(120);
/// How long writing to a client may stall.
const STALL_TIME_MAX: Duration = Duration::from_secs(30);
/// An HTTP/2 client that has been silent for this long is pinged.
const PING_EVERY: Duration = Duration::from_secs(20);
/// How long its response to the ping may take.
const PONG_TIME_MAX: Duration = Duration::from_secs(20);

/// Limits of connections. Tests use small ones.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub connections: usize,
    pub head: Duration,
    pub idle: Duration,
    pub body: Duration,
    pub stall: Duration,
    pub ping_every: Duration,
    pub pong: Duration,
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
