//! `svc://license`: what this installation may do, and until when.

use super::shown;
use crate::call::Call;
use crate::error::ToolError;
use domain::license::LicenseReport;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct LicenseView {
    /// none, valid, expiring, expired or invalid.
    status: &'static str,
    /// The semantic cache may be used today.
    cache: bool,
    /// The last day.
    expires: Option<String>,
    cache_expires: Option<String>,
    days_left: Option<i64>,
}

pub(super) fn read(call: &Call<'_>) -> Result<Value, ToolError> {
    let LicenseReport { status, cache, expiration, cache_expiration, days_left, .. } =
        call.mcp.corpus.license();
    shown(&LicenseView {
        status: status.as_str(),
        cache,
        expires: expiration.map(|day| day.to_string()),
        cache_expires: cache_expiration.map(|day| day.to_string()),
        days_left,
    })
}
