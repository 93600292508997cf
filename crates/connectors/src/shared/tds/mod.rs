//! TDS, the protocol of SQL Server: PRELOGIN, TLS, and rows as JSON.

pub mod connection;
pub mod in_memory;
pub mod prelogin;
pub mod rows;
mod tls_handshake;
