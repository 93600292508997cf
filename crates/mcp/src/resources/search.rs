//! `svc://search/<id>`: one of the caller's own searches with its first results.

use super::json::shown;
use crate::error::ToolError;
use crate::tool_context::ToolContext;
use crate::tools::first_results;
use serde_json::Value;

pub(super) async fn read(context: &ToolContext<'_>, id: i64) -> Result<Value, ToolError> {
    let search = context.own_search(id).await?;
    shown(&first_results(context, search).await?)
}
