//! `/mcp` in a build without MCP.

use crate::auth::Caller;
use crate::error::{ApiError, ErrorCode};

pub async fn answer(_caller: Caller) -> ApiError {
    ApiError::with_detail(ErrorCode::NotFound, mcp::NOT_BUILT)
}
