//! Whether a collection of the configured name is the one of this program. Another program may have made it first:
//! its points are neither read nor changed.

use super::wire::{Collection, Page};
use super::{DENSE, QdrantVectors, Refusal};
use domain::ports::{HttpMethod, VectorError};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

impl QdrantVectors {
    /// The collection; `None` if it does not exist.
    pub(super) async fn own_collection(&self) -> Result<Option<Collection>, VectorError> {
        let found = match self.server.read::<Collection>(HttpMethod::Get, "", None::<&Value>).await {
            Ok(collection) => collection,
            Err(Refusal::Missing) => {
                self.is_verified.store(false, Ordering::Relaxed);
                return Ok(None);
            }
            Err(refusal) => return Err(refusal.into()),
        };
        if found.dimension(DENSE).is_none() {
            return Err(self.foreign());
        }
        if !self.is_verified.load(Ordering::Relaxed) {
            self.verify_points().await?;
        }
        Ok(Some(found))
    }

    /// Before a request that another collection would answer as well; costs nothing once a point is known to be ours.
    pub(super) async fn ensure_own(&self) -> Result<(), VectorError> {
        if !self.is_verified.load(Ordering::Relaxed) {
            self.own_collection().await?;
        }
        Ok(())
    }

    /// Looks at the first point. An empty collection may still become anybody's.
    async fn verify_points(&self) -> Result<(), VectorError> {
        let body = json!({"limit": 1, "with_payload": true, "with_vector": false});
        let page: Page = match self.server.read(HttpMethod::Post, "/points/scroll", Some(&body)).await {
            Err(Refusal::Missing) => return Ok(()),
            page => page?,
        };
        match page.points.first() {
            None => Ok(()),
            Some(point) if point.is_of_this_program() => {
                self.is_verified.store(true, Ordering::Relaxed);
                Ok(())
            }
            Some(_) => Err(self.foreign()),
        }
    }

    fn foreign(&self) -> VectorError {
        VectorError::Foreign { collection: self.name.clone() }
    }
}
