//! The store: a database, the key of its secrets, and the author of changes. The modules of `sql` implement its ports.

use crate::db::Db;
use crate::encoder_threads::EncoderThreads;
use crate::encryption::EncryptionKey;
use crate::sql::{ResultIds, SearchIds};
use domain::audit::Author;
use domain::secret::Secret;
use std::sync::Arc;

/// Database and encryption settings.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// `sqlite:///folder/file.db`, `sqlite::memory:` (gone when closed) or `postgres://user:password@host/database`.
    pub url: Secret,
    /// Most connections to PostgreSQL; SQLite has one writer and few readers.
    pub pool_max: u32,
    /// Encrypts the credentials of providers.
    pub key: EncryptionKey,
}

/// All stores in one SQL database.
#[derive(Clone)]
pub struct SqlStore {
    pub(crate) db: Db,
    pub(crate) key: EncryptionKey,
    /// Author of changes in the audit log.
    pub(crate) author: Option<Author>,
    /// The version that a record must have to be edited.
    pub(crate) expected: Option<i64>,
    pub(crate) result_ids: Arc<ResultIds>,
    /// Only for PostgreSQL.
    pub(crate) search_ids: Arc<SearchIds>,
    pub(crate) encoder_threads: Arc<EncoderThreads>,
}
