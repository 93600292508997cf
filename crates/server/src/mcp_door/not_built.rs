//! `/mcp` in a program that was built without the protocol.

use crate::auth::Caller;
use crate::error::{ApiError, Refusal};

pub async fn answer(_caller: Caller) -> ApiError {
    ApiError::saying(Refusal::NotFound, mcp::NOT_BUILT)
}
