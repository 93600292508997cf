//! What the tests share: a store in memory, and a connector with fixed rows.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::ids::UserId;
use domain::ports::{
    Capability, ClaimedTask, ConnectorError, NewLease, NormalizedPage, ProviderQuery, RequestDescription,
    ReservedSlot, SlotOffer, SourceRequest, TypedConnector,
};
use domain::secret::Secret;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use store::{EncryptionKey, SqlStore, StoreConfig};

/// Maps a row: its `title`, `url` and `body`.
pub const RESULT_MAPPINGS: &str = "title=title,url=url,body=body";

/// A connector that returns the same rows for every query, after a while.
#[derive(Debug)]
pub struct FixedRows {
    pub rows: Vec<Value>,
    pub delay: Duration,
}

/// The words of a query.
#[derive(Debug)]
pub struct Words(String);

impl SourceRequest for Words {
    fn description(&self) -> RequestDescription<'_> {
        let body = Cow::Owned(json!(self.0));
        RequestDescription::Command { place: "here", body, rows_max: 10 }
    }
}

impl TypedConnector for FixedRows {
    type Request = Words;
    type Response = Vec<Value>;

    fn capability(&self) -> Capability {
        Capability::default()
    }
    fn construct(&self, query: &ProviderQuery<'_>) -> Result<Words, ConnectorError> {
        Ok(Words(query.text.to_owned()))
    }
    async fn execute(&self, _words: &Words) -> Result<Vec<Value>, ConnectorError> {
        tokio::time::sleep(self.delay).await;
        Ok(self.rows.clone())
    }
    fn normalize(&self, items: Vec<Value>) -> Result<NormalizedPage, ConnectorError> {
        let count = Some(items.len() as u64);
        Ok(NormalizedPage { found: count, retrieved: count, items, missing: None })
    }
}

/// A worker of this process that takes every task and runs none.
pub struct FreeSlots;

struct FreeSlot;

impl SlotOffer for FreeSlots {
    fn reserve(&self, _owner: Option<UserId>) -> Option<Box<dyn ReservedSlot>> {
        Some(Box::new(FreeSlot))
    }
}

impl ReservedSlot for FreeSlot {
    fn lease(&self) -> NewLease {
        NewLease { worker: "worker".to_owned(), duration: Duration::from_secs(60) }
    }

    fn start(self: Box<Self>, _task: ClaimedTask) {}
}

pub async fn open_store() -> Arc<SqlStore> {
    let config =
        StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 2, key: EncryptionKey::generate() };
    Arc::new(SqlStore::open(config).await.unwrap())
}
