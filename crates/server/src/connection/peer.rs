//! The peer of a connection.

use std::net::SocketAddr;

/// The peer of a connection, as `ConnectInfo` of a request.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);
