//! Names of owners for answers; each user is looked up once.

use crate::error::ApiError;
use domain::contracts::{Store, StoreError};
use domain::ids::UserId;
use std::collections::HashMap;

/// Remembers names for the time of one request.
#[derive(Default)]
pub struct OwnerNames(HashMap<UserId, String>);

impl OwnerNames {
    /// Empty for a user who is gone.
    pub async fn name(&mut self, store: &dyn Store, id: UserId) -> Result<String, ApiError> {
        if let Some(name) = self.0.get(&id) {
            return Ok(name.clone());
        }
        let name = match store.user(id).await {
            Ok(user) => user.username,
            Err(StoreError::NotFound) => String::new(),
            Err(error) => return Err(error.into()),
        };
        self.0.insert(id, name.clone());
        Ok(name)
    }
}
