//! Draining before a shutdown: the process reports that it is not ready, and every response closes its connection.

mod flag;
mod middleware;

pub use flag::ShutdownFlag;
pub use middleware::end_connection;
