//! `svc://search/<id>`: one of the caller's own searches with its first results.

use super::shown;
use crate::call::Call;
use crate::error::ToolError;
use crate::tools::first_results;
use serde_json::Value;

pub(super) async fn read(call: &Call<'_>, id: i64) -> Result<Value, ToolError> {
    let search = call.own_search(id).await?;
    shown(&first_results(call, search).await?)
}
