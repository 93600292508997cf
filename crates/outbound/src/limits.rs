//! What the guarded client grants to one request.

use crate::allow::AllowRule;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct ClientLimits {
    /// Time to find the host, connect and agree on encryption.
    pub connect: Duration,
    /// Time for one hop, from its start to the last byte of its answer.
    pub read: Duration,
    /// Largest answer, counted after decompression.
    pub body_bytes_max: u64,
    /// Most redirects that are followed for one request.
    pub redirects_max: usize,
    /// Private places that may be reached in spite of the guard.
    pub allow: Vec<AllowRule>,
}
