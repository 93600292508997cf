//! The audit log. See `docs/decisions/0011-audit-chain.md`.

use crate::SqlStore;
use crate::audit_chain::{ChainCheck, ChainKey, EntryRow, HeadRow, PAST_KEYS, past_keys};
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::error::{JsonError, failure};
use crate::json::{plain, to_column, to_count};
use async_trait::async_trait;
use chrono::DateTime;
use domain::audit::{Action, AuditEntry, AuditEvent, AuditFilter, AuditReport, Author, Kind};
use domain::ids::UserId;
use domain::ports::{AuditStore, AuditedRecords, Page, StoreError};
use serde_json::{Map, Value};
use sqlx::QueryBuilder;
use std::sync::Arc;

/// Entries per batch of verification.
const VERIFY_STEP: i64 = 500;
/// Marks a head that was found invalid: it is never authenticated again, so that the fault stays visible.
const UNSEALED: &str = "broken";

macro_rules! columns {
    () => {
        "id, at, actor_id, actor, client_address, request_id, action, kind, record_id, record_name, changes, hash"
    };
}

/// The WHERE clause of a filter. A macro, because the two databases have different query types.
macro_rules! conditions {
    ($query:ident, $filter:expr) => {{
        let filter: &AuditFilter = $filter;
        $query.push(" WHERE 1 = 1");
        for (column, wanted) in [("kind", &filter.kind), ("action", &filter.action)] {
            if let Some(wanted) = wanted {
                $query.push(" AND ").push(column).push(" = ").push_bind(plain(wanted));
            }
        }
        for (name, id, wanted) in
            [("actor", "actor_id", &filter.actor), ("record_name", "record_id", &filter.record)]
        {
            if let Some(wanted) = wanted {
                $query.push(" AND (").push(name).push(" = ").push_bind(plain(wanted));
                if let Ok(number) = wanted.parse::<i64>() {
                    $query.push(" OR ").push(id).push(" = ").push_bind(number);
                }
                $query.push(")");
            }
        }
        if let Some(since) = filter.since {
            $query.push(" AND at >= ").push_bind(since.timestamp_micros());
        }
        if let Some(until) = filter.until {
            $query.push(" AND at < ").push_bind(until.timestamp_micros());
        }
    }};
}

impl TryFrom<EntryRow> for AuditEntry {
    type Error = StoreError;

    fn try_from(row: EntryRow) -> Result<Self, StoreError> {
        let time = DateTime::from_timestamp_micros(row.at).ok_or_else(|| {
            StoreError::failed(format!("entry {} of the audit log has no readable time", row.id))
        })?;
        // Somebody may have changed it; the rest is still shown, and `verify` names the entry.
        let unreadable = |_| Map::from_iter([("unreadable".to_owned(), Value::String(row.changes.clone()))]);
        Ok(Self {
            id: row.id,
            time,
            actor_id: row.actor_id.map(UserId),
            changes: serde_json::from_str(&row.changes).unwrap_or_else(unreadable),
            actor: row.actor,
            client_address: row.client_address,
            request_id: row.request_id,
            action: row.action,
            kind: row.kind,
            record_id: row.record_id,
            record_name: row.record_name,
            hash: row.hash,
        })
    }
}

#[async_trait]
impl AuditStore for SqlStore {
    fn on_behalf_of(&self, author: Author) -> Arc<dyn AuditedRecords> {
        Arc::new(Self { author: Some(author), ..self.clone() })
    }

    async fn note(&self, author: &Author, event: AuditEvent) -> Result<AuditEntry, StoreError> {
        let mut tx = self.db.begin().await?;
        let head = locked_head(&mut tx).await?;
        let key = ChainKey::of_head(&self.key, &head);
        let (row, head) = next(&key, &head, author, event)?;
        insert(&mut tx, &row).await?;
        set_head(&mut tx, &head).await?;
        tx.commit().await?;
        row.try_into()
    }

    async fn audit_entries(
        &self,
        filter: &AuditFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<AuditEntry>, StoreError> {
        let total: i64 = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new("SELECT COUNT(*) FROM audit_entries");
            conditions!(query, filter);
            query.build_query_scalar().fetch_one(db).await
        })?;
        let rows: Vec<EntryRow> = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM audit_entries"));
            conditions!(query, filter);
            query.push(" ORDER BY id DESC LIMIT ").push_bind(to_column(limit));
            query.push(" OFFSET ").push_bind(to_column(offset));
            query.build_query_as().fetch_all(db).await
        })?;
        let items = rows.into_iter().map(AuditEntry::try_from).collect::<Result<_, _>>()?;
        Ok(Page { items, total: to_count(total) })
    }

    /// Others may write in the meantime: the entries up to the initial head are verified, and at the end there may be
    /// none after the current head.
    async fn verify_audit(&self) -> Result<AuditReport, StoreError> {
        let head = self.head().await?;
        let mut check = ChainCheck::new(&self.key, head.as_ref());
        let (mut after, until) = (i64::MIN, head.as_ref().map_or(i64::MAX, |head| head.entries));
        while let Some(last) = self.check_some(&mut check, after, until).await? {
            after = last;
        }
        const NEWEST: &str = "SELECT MAX(id) FROM audit_entries";
        let newest: Option<i64> = on_db!(self.db, read, db => sqlx::query_scalar(NEWEST).fetch_one(db))?;
        let end = self.head().await?.map_or(i64::MAX, |head| head.entries);
        if let Some(surplus) = newest.filter(|newest| *newest > end) {
            check.surplus(surplus);
        }
        Ok(check.end(head.as_ref()))
    }
}

impl AuditedRecords for SqlStore {}

impl SqlStore {
    /// A transaction for an audited change. Audited changes are serialized, so that the previous state in an entry is
    /// accurate.
    pub(crate) async fn begin_change(&self) -> Result<Tx, StoreError> {
        let mut tx = self.db.begin().await?;
        if self.author.is_some() {
            locked_head(&mut tx).await?;
        }
        Ok(tx)
    }

    /// Commits a transaction of [`SqlStore::begin_change`] together with its audit entries.
    pub(crate) async fn commit_change(&self, mut tx: Tx, events: Vec<AuditEvent>) -> Result<(), StoreError> {
        let events: Vec<AuditEvent> = events.into_iter().filter(|event| !event.is_empty()).collect();
        if let Some(author) = self.author.as_ref().filter(|_| !events.is_empty()) {
            let mut head = locked_head(&mut tx).await?;
            let key = ChainKey::of_head(&self.key, &head);
            for event in events {
                let (row, new_head) = next(&key, &head, author, event)?;
                insert(&mut tx, &row).await?;
                head = new_head;
            }
            set_head(&mut tx, &head).await?;
        }
        tx.commit().await
    }

    /// Continues the audit log with the current key and records that; true if it used another one. The previous key is
    /// kept, encrypted, so that earlier entries can still be verified.
    pub async fn renew_audit_key(&self, author: &Author) -> Result<bool, StoreError> {
        const TEXT: &str = "UPDATE audit_head SET past_keys = $1 WHERE id = 1";
        let mut tx = self.db.begin().await?;
        let head = locked_head(&mut tx).await?;
        let (old, new) = (ChainKey::of_head(&self.key, &head), ChainKey::of(&self.key));
        if old.is(&new) {
            return Ok(false);
        }
        let mut past = past_keys(&self.key, &head);
        past.push(old.as_past(head.entries));
        let text = serde_json::to_string(&past).map_err(|error| {
            StoreError::failed("the keys could not be written as JSON").caused_by(JsonError::of(&error))
        })?;
        let sealed = self.key.seal(&text, PAST_KEYS)?;
        let event = AuditEvent::of(Action::Rekeyed, Kind::Database, None, "");
        let (row, head) = next(&new, &head, author, event)?;
        insert(&mut tx, &row).await?;
        let head = HeadRow { seal: new.seal(head.entries, &head.hash), ..head };
        set_head(&mut tx, &head).await?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query(TEXT).bind(sealed.as_str()).execute(db)))?;
        tx.commit().await?;
        Ok(true)
    }

    async fn head(&self) -> Result<Option<HeadRow>, StoreError> {
        const TEXT: &str = "SELECT entries, hash, seal, past_keys FROM audit_head WHERE id = 1";
        on_db!(self.db, read, db => sqlx::query_as::<_, HeadRow>(TEXT).fetch_optional(db))
    }

    /// Verifies the next entries after `after`, up to `until`; returns the id of the last one.
    async fn check_some(
        &self,
        check: &mut ChainCheck,
        after: i64,
        until: i64,
    ) -> Result<Option<i64>, StoreError> {
        const IDS: &str = "SELECT id FROM audit_entries WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3";
        const ROWS: &str = concat!(
            "SELECT ",
            columns!(),
            " FROM audit_entries WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3"
        );
        let rows: Result<Vec<EntryRow>, StoreError> = on_db!(self.db, read, db =>
            sqlx::query_as(ROWS).bind(after).bind(until).bind(VERIFY_STEP).fetch_all(db));
        match rows {
            Ok(rows) => {
                rows.iter().for_each(|row| check.entry(row));
                Ok(rows.last().map(|row| row.id))
            }
            Err(StoreError::Failed { .. }) => {
                // One of them is unreadable, and must be named.
                let ids: Vec<i64> = on_db!(self.db, read, db =>
                    sqlx::query_scalar(IDS).bind(after).bind(until).bind(VERIFY_STEP).fetch_all(db))?;
                for id in &ids {
                    let row: Result<EntryRow, StoreError> = on_db!(self.db, read, db =>
                        sqlx::query_as(ROWS).bind(id - 1).bind(*id).bind(1_i64).fetch_one(db));
                    match row {
                        Ok(row) => check.entry(&row),
                        Err(StoreError::Failed { .. }) => check.unreadable(*id),
                        Err(error) => return Err(error),
                    }
                }
                Ok(ids.last().copied())
            }
            Err(error) => Err(error),
        }
    }
}

/// The head, locked until the transaction ends. SQLite has one writer anyway.
async fn locked_head(tx: &mut Tx) -> Result<HeadRow, StoreError> {
    let head = match tx {
        Tx::Sqlite(tx) => {
            let text = "SELECT entries, hash, seal, past_keys FROM audit_head WHERE id = 1";
            sqlx::query_as(text).fetch_optional(&mut **tx).await
        }
        Tx::Postgres(tx) => {
            let text = "SELECT entries, hash, seal, past_keys FROM audit_head WHERE id = 1 FOR UPDATE";
            sqlx::query_as(text).fetch_optional(&mut **tx).await
        }
    };
    head.map_err(failure)?.ok_or_else(|| StoreError::failed("the head of the audit log is missing"))
}

/// The next entry, and the resulting head. A head that is not authentic stays so.
fn next(
    key: &ChainKey,
    head: &HeadRow,
    author: &Author,
    event: AuditEvent,
) -> Result<(EntryRow, HeadRow), StoreError> {
    let action = if event.action == Action::Changed { author.edit } else { event.action };
    let changes = serde_json::to_string(&event.changes).map_err(|error| {
        StoreError::failed("a change could not be written as JSON").caused_by(JsonError::of(&error))
    })?;
    let mut row = EntryRow {
        id: head.entries + 1,
        at: author.time.timestamp_micros(),
        actor_id: author.user.map(|user| user.0),
        actor: plain(&author.name),
        client_address: plain(&author.client_address),
        request_id: plain(&author.request_id),
        action: action.as_str().to_owned(),
        kind: event.kind.as_str().to_owned(),
        record_id: event.record_id,
        record_name: plain(&event.record_name),
        changes,
        hash: String::new(),
    };
    row.hash = key.link(&head.hash, &row);
    let seal = if key.is_sealed(head) { key.seal(row.id, &row.hash) } else { UNSEALED.to_owned() };
    let past_keys = head.past_keys.clone();
    let head = HeadRow { entries: row.id, hash: row.hash.clone(), seal, past_keys };
    Ok((row, head))
}

async fn insert(tx: &mut Tx, row: &EntryRow) -> Result<(), StoreError> {
    const TEXT: &str = concat!(
        "INSERT INTO audit_entries (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
    );
    let written = on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(row.id)
        .bind(row.at)
        .bind(row.actor_id)
        .bind(row.actor.as_str())
        .bind(row.client_address.as_str())
        .bind(row.request_id.as_str())
        .bind(row.action.as_str())
        .bind(row.kind.as_str())
        .bind(row.record_id)
        .bind(row.record_name.as_str())
        .bind(row.changes.as_str())
        .bind(row.hash.as_str())
        .execute(db)));
    match written {
        Ok(_) => Ok(()),
        Err(error @ StoreError::Taken(_)) => Err(StoreError::failed(format!(
            "entry {} of the audit log is there already and does not belong there; run: tributary audit verify",
            row.id
        ))
        .caused_by(error)),
        Err(error) => Err(error),
    }
}

async fn set_head(tx: &mut Tx, head: &HeadRow) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE audit_head SET entries = $1, hash = $2, seal = $3 WHERE id = 1";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(head.entries).bind(head.hash.as_str()).bind(head.seal.as_str()).execute(db)))?;
    Ok(())
}
