//! The audit log: changes and lockouts that are written to it.

mod audited_store;
pub mod lockout_audit;
mod middleware;

pub use audited_store::{AuditedStore, RequestOrigin};
pub use middleware::record_lockouts;
