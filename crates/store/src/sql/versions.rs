//! Versions of records: incremented by every write, and compared before a conditional edit.

use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use async_trait::async_trait;
use domain::ids::{GroupId, UserId};
use domain::instant::Instant;
use domain::ports::{AuditedEdits, EditableRecord, RecordEdits, StoreError, VersionStore};
use domain::result::ResultItem;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The statements for the records of one table.
struct Statements {
    read: &'static str,
    /// Locks the row in both databases until the transaction ends.
    count: &'static str,
}

enum Key<'a> {
    Number(i64),
    Text(&'a str),
}

macro_rules! statements {
    ($table:literal, $key:literal) => {
        Statements {
            read: concat!("SELECT version FROM ", $table, " WHERE ", $key, " = $1"),
            count: concat!(
                "UPDATE ",
                $table,
                " SET version = version + 1 WHERE ",
                $key,
                " = $1 RETURNING version"
            ),
        }
    };
}

fn place(record: &EditableRecord) -> (Statements, Key<'_>) {
    let (statements, id) = match record {
        EditableRecord::AiProvider(id) => (statements!("ai_providers", "id"), id.0),
        EditableRecord::Authenticator(id) => (statements!("authenticators", "id"), id.0),
        EditableRecord::Branding(id) => (statements!("brandings", "id"), id.0),
        EditableRecord::Chat(id) => (statements!("chats", "id"), id.0),
        EditableRecord::Group(id) => (statements!("user_groups", "id"), id.0),
        EditableRecord::Pipeline(id) => (statements!("pipelines", "id"), id.0),
        EditableRecord::Preferences(user) => (statements!("preferences", "user_id"), user.0),
        EditableRecord::Prompt(id) => (statements!("prompts", "id"), id.0),
        EditableRecord::Provider(id) => (statements!("providers", "id"), id.0),
        EditableRecord::Schedule(name) => return (statements!("schedules", "name"), Key::Text(name)),
        EditableRecord::Transform(id) => (statements!("query_transforms", "id"), id.0),
        EditableRecord::User(id) => (statements!("users", "id"), id.0),
    };
    (statements, Key::Number(id))
}

#[async_trait]
impl VersionStore for SqlStore {
    async fn version(&self, record: &EditableRecord) -> Result<i64, StoreError> {
        let (Statements { read, .. }, key) = place(record);
        let version: Option<i64> = match key {
            Key::Number(id) => {
                on_db!(self.db, read, db => sqlx::query_scalar(read).bind(id).fetch_optional(db))
            }
            Key::Text(name) if name.contains('\0') => Ok(None),
            Key::Text(name) => {
                on_db!(self.db, read, db => sqlx::query_scalar(read).bind(name).fetch_optional(db))
            }
        }?;
        match (version, record) {
            (Some(version), _) => Ok(version),
            (None, EditableRecord::Preferences(_)) => Ok(0),
            (None, _) => Err(StoreError::NotFound),
        }
    }

    fn if_version(&self, version: i64) -> Arc<dyn RecordEdits> {
        Arc::new(Self { expected: Some(version), ..self.clone() })
    }
}

impl RecordEdits for SqlStore {}

impl AuditedEdits for SqlStore {}

impl SqlStore {
    /// Locks the record until the transaction ends and increments its version. `Stale` if the caller expects another
    /// version, `NotFound` if there is no such record.
    pub(super) async fn lock_version(&self, tx: &mut Tx, record: EditableRecord) -> Result<(), StoreError> {
        let (Statements { count, .. }, key) = place(&record);
        let version: Option<i64> = match key {
            Key::Number(id) => on_tx!(tx, db => sqlx::query_scalar(count).bind(id).fetch_optional(db)),
            Key::Text(name) => on_tx!(tx, db => sqlx::query_scalar(count).bind(name).fetch_optional(db)),
        }?;
        let before = version.ok_or(StoreError::NotFound)? - 1;
        self.check_version(before)
    }

    /// `Stale` if the caller expects another version.
    pub(super) fn check_version(&self, current: i64) -> Result<(), StoreError> {
        match self.expected {
            Some(expected) if expected != current => Err(StoreError::Stale),
            _ => Ok(()),
        }
    }
}

/// Increments the versions of a group's members, whose records show its name.
pub(super) async fn count_members(tx: &mut Tx, group: GroupId) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE users SET version = version + 1 WHERE id IN \
         (SELECT user_id FROM user_group_members WHERE group_id = $1)";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(group.0).execute(db)))?;
    Ok(())
}

/// Ensures that a person has a preferences record; its version is 0 until something is saved.
pub(super) async fn ensure_preferences(tx: &mut Tx, user: UserId, now: Instant) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO preferences (user_id, wishes, date_updated, version) VALUES ($1, '{}', $2, 0) \
         ON CONFLICT (user_id) DO NOTHING";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(user.0).bind(now).execute(db)))?;
    Ok(())
}

/// The version of a stored result: equal for equal items only.
pub(super) fn of_item(item: &ResultItem) -> i64 {
    let text = serde_json::to_vec(item).unwrap_or_default();
    let hash: [u8; 32] = Sha256::digest(&text).into();
    let first = hash.first_chunk().copied().unwrap_or_default();
    i64::from_be_bytes(first) & i64::MAX
}
