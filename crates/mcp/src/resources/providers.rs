//! `svc://providers`: the sources that the caller may search.

use super::shown;
use crate::call::Call;
use crate::error::ToolError;
use crate::tools::visible_providers;
use serde_json::Value;

pub(super) async fn read(call: &Call<'_>) -> Result<Value, ToolError> {
    shown(&visible_providers(call).await?)
}
