//! Ownership of records: the one check of private records.

use crate::chat::Chat;
use crate::ids::UserId;
use crate::provider::SearchProvider;
use crate::query_transform::QueryTransform;
use crate::search::Search;

/// A record that belongs to one user.
pub trait Owned {
    fn owner(&self) -> UserId;
}

macro_rules! owned {
    ($($record:ty),* $(,)?) => {$(
        impl Owned for $record {
            fn owner(&self) -> UserId {
                self.owner
            }
        }
    )*};
}

owned!(Chat, QueryTransform, Search, SearchProvider);

impl UserId {
    /// Whether the record belongs to this user.
    pub fn owns(self, record: &impl Owned) -> bool {
        record.owner() == self
    }
}
