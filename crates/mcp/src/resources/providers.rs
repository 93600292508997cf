//! `svc://providers`: the sources that the caller may search.

use super::json::shown;
use crate::error::ToolError;
use crate::tool_context::ToolContext;
use crate::tools::visible_providers;
use serde_json::Value;

pub(super) async fn read(context: &ToolContext<'_>) -> Result<Value, ToolError> {
    shown(&visible_providers(context).await?)
}
