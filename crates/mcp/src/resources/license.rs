//! `svc://license`: features and expiry of the license.

use super::json::shown;
use crate::error::ToolError;
use crate::tool_context::ToolContext;
use license::LicenseReport;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct LicenseView {
    /// none, valid, expiring, expired or invalid.
    status: &'static str,
    /// The semantic cache is licensed today.
    cache: bool,
    /// The last day.
    expires: Option<String>,
    cache_expires: Option<String>,
    days_left: Option<i64>,
}

pub(super) fn read(context: &ToolContext<'_>) -> Result<Value, ToolError> {
    let LicenseReport { status, cache, expiration, cache_expiration, days_left, .. } =
        context.mcp.corpus.license();
    shown(&LicenseView {
        status: status.as_str(),
        cache,
        expires: expiration.map(|day| day.to_string()),
        cache_expires: cache_expiration.map(|day| day.to_string()),
        days_left,
    })
}
