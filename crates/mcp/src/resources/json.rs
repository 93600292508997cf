//! Resources as JSON.

use crate::error::ToolError;
use serde_json::Value;

pub(super) fn shown(view: &impl serde::Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(view).map_err(ToolError::internal)
}
