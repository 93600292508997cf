//! The line to an SQL Server: greeting, TLS, and rows as JSON. The driver speaks over it as over a plain one.

mod envelope;
pub mod in_memory;
pub mod line;
pub mod prelogin;
pub mod rows;
