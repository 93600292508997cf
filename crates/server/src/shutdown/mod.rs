//! Draining before a shutdown: the process reports that it is not ready, and every response closes its connection.

pub mod flag;
mod middleware;

pub use middleware::end_connection;
