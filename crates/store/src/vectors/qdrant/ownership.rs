//! Whether a collection of the configured name is the one of this program. Another program may have made it first, or
//! after ours was deleted: its points are neither read nor changed.

use super::wire::{Collection, Page};
use super::{DENSE, INDEXES, MARK, QdrantVectors, Refusal, WORDS};
use domain::ports::{HttpMethod, VectorError};
use serde_json::{Value, json};

impl QdrantVectors {
    /// The collection as it is now; `None` if it does not exist.
    pub(super) async fn own_collection(&self) -> Result<Option<Collection>, VectorError> {
        self.verified.forget();
        let found = match self.server.read::<Collection>(HttpMethod::Get, "", None::<&Value>).await {
            Ok(collection) => collection,
            Err(Refusal::Missing) => return Ok(None),
            Err(refusal) => return Err(refusal.into()),
        };
        let is_own = found.dimension(DENSE).is_some()
            && (found.has_sparse(MARK) || self.is_of_earlier_version(&found).await?);
        if !is_own {
            return Err(VectorError::Foreign { collection: self.name.clone() });
        }
        self.verified.note();
        Ok(Some(found))
    }

    /// Before a question that another collection would answer as well. It rarely costs a request.
    pub(super) async fn ensure_own(&self) -> Result<(), VectorError> {
        if !self.verified.is_recent() {
            self.own_collection().await?;
        }
        Ok(())
    }

    /// Collections of versions that set no mark are known by their first point, and empty ones by their form.
    async fn is_of_earlier_version(&self, found: &Collection) -> Result<bool, VectorError> {
        let body = json!({"limit": 1, "with_payload": true, "with_vector": false});
        let page: Page = match self.server.read(HttpMethod::Post, "/points/scroll", Some(&body)).await {
            // It was deleted just now.
            Err(Refusal::Missing) => return Ok(true),
            page => page?,
        };
        Ok(match page.points.first() {
            Some(point) => point.is_of_this_program(),
            None => found.has_form(DENSE, WORDS, &INDEXES),
        })
    }
}
