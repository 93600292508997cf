//! Lookup of owner names; each user is read once.

use crate::error::ApiError;
use domain::ids::UserId;
use domain::ports::{StoreError, UserStore};
use std::collections::HashMap;

/// Cache of names for one request.
#[derive(Default)]
pub struct OwnerNames(HashMap<UserId, String>);

impl OwnerNames {
    /// Empty for a deleted user.
    pub async fn name(&mut self, store: &dyn UserStore, id: UserId) -> Result<String, ApiError> {
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
