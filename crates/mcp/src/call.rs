//! What a tool is given: the service, who asks, and a way to tell how far it is.

use crate::error::ToolError;
use crate::progress::Progress;
use crate::{Costly, Door, Mcp};
use domain::contracts::StoreError;
use domain::ids::{ResultId, SearchId};
use domain::result::SavedResult;
use domain::search::{ProviderRef, Search};
use domain::user::Principal;
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) struct Call<'a> {
    pub mcp: &'a Mcp,
    pub principal: Principal,
    pub door: &'a dyn Door,
    pub progress: Progress,
}

impl Call<'_> {
    /// Counts what is about to be done, or refuses it.
    pub fn pay(&self, what: Costly) -> Result<(), ToolError> {
        self.door.take(what).map_err(|sentence| {
            ToolError::new(sentence, "Wait as long as it says, then call the tool again.")
        })
    }

    /// The search, if it is the caller's own: searches are private, also to administrators.
    pub async fn own_search(&self, id: i64) -> Result<Search, ToolError> {
        match self.mcp.store.search(SearchId(id)).await {
            Ok(search) if search.owner == self.principal.user => Ok(search),
            Ok(_) | Err(StoreError::NotFound) => Err(ToolError::no_search(id)),
            Err(error) => Err(error.into()),
        }
    }

    /// A result of the caller's own search.
    pub async fn own_result(&self, search: i64, result: i64) -> Result<SavedResult, ToolError> {
        let search = self.own_search(search).await?;
        match self.mcp.federation.saved_result(ResultId(result)).await {
            Ok((saved, of)) if of.id == search.id => Ok(saved),
            Ok(_) | Err(StoreError::NotFound) => Err(ToolError::new(
                format!("Search {} has no result with the swirl_id {result}.", search.id),
                "Call get_search_results for the swirl_ids of its results.",
            )),
            Err(error) => Err(error.into()),
        }
    }
}

/// What a tool answers: the same as data and as text.
pub(crate) struct Said {
    pub data: Value,
    pub markdown: String,
}

impl Said {
    pub fn new(data: &impl Serialize, markdown: String) -> Result<Self, ToolError> {
        Ok(Self { data: serde_json::to_value(data).map_err(ToolError::internal)?, markdown })
    }
}

/// The arguments as the tool reads them.
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
