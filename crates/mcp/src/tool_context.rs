//! Context of a tool call: the server, the caller and progress reporting.

use crate::error::ToolError;
use crate::progress::Progress;
use crate::{CallerContext, Mcp, QuotaClass};
use domain::ids::{ResultId, SearchId};
use domain::ports::StoreError;
use domain::result::SavedResult;
use domain::search::{ProviderRef, Search};
use domain::user::Principal;
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) struct ToolContext<'a> {
    pub mcp: &'a Mcp,
    pub principal: Principal,
    pub caller: &'a dyn CallerContext,
    pub progress: Progress,
}

impl ToolContext<'_> {
    /// Charges the quota of the caller.
    pub fn charge_quota(&self, class: QuotaClass) -> Result<(), ToolError> {
        self.caller.charge(class).map_err(|error| {
            ToolError::new(error.message(), "Wait as long as it says, then call the tool again.")
        })
    }

    /// The search, if it belongs to the caller: searches are private, even from administrators.
    pub async fn own_search(&self, id: i64) -> Result<Search, ToolError> {
        match self.mcp.store.search(SearchId(id)).await {
            Ok(search) if self.principal.owns(&search) => Ok(search),
            Ok(_) | Err(StoreError::NotFound) => Err(ToolError::no_search(id)),
            Err(error) => Err(error.into()),
        }
    }

    /// A result of the caller's own search.
    pub async fn own_result(&self, search: i64, result: i64) -> Result<SavedResult, ToolError> {
        let search = self.own_search(search).await?;
        match self.mcp.federation.reader.saved_result(ResultId(result)).await {
            Ok((saved, of)) if of.id == search.id => Ok(saved),
            Ok(_) | Err(StoreError::NotFound) => Err(ToolError::new(
                format!("Search {} has no result with the swirl_id {result}.", search.id),
                "Call get_search_results for the swirl_ids of its results.",
            )),
            Err(error) => Err(error.into()),
        }
    }
}

/// The output of a tool, as data and as text.
pub(crate) struct ToolOutput {
    pub data: Value,
    pub markdown: String,
}

impl ToolOutput {
    pub fn new(data: &impl Serialize, markdown: String) -> Result<Self, ToolError> {
        Ok(Self { data: serde_json::to_value(data).map_err(ToolError::internal)?, markdown })
    }
}

/// Parses the arguments of a tool.
pub(crate) fn arguments<T: DeserializeOwned>(given: JsonObject) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(given)).map_err(ToolError::arguments)
}

/// A provider by its id, or by its name or tag.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum NamedProvider {
    Id(i64),
    Text(String),
}

impl From<NamedProvider> for ProviderRef {
    fn from(named: NamedProvider) -> Self {
        match named {
            NamedProvider::Id(id) => Self::Id(id),
            NamedProvider::Text(text) => Self::Text(text),
        }
    }
}
