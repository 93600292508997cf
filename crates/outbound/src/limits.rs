//! Limits of the guarded client.

use crate::allow_list::AllowRule;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct ClientLimits {
    /// Time limit for name resolution, connection and TLS handshake.
    pub connect: Duration,
    /// Time limit of one hop, up to the last byte of its response.
    pub read: Duration,
    /// Maximum size of a decompressed response body in bytes.
    pub body_bytes_max: u64,
    /// Maximum number of redirects of one request.
    pub redirects_max: usize,
    /// Private addresses that may be reached.
    pub allow: Vec<AllowRule>,
}
