//! Groups and their members.

use super::{names, providers, versions};
use crate::SqlStore;
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::{plain, to_column, to_count};
use crate::row::row;
use domain::audit::{AuditEvent, Kind};
use domain::ids::{GroupId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{EditableRecord, Page, StoreError};
use domain::user::{Group, GroupSpec};
use serde_json::json;
use sqlx::QueryBuilder;
use std::collections::{BTreeMap, BTreeSet};

row! {
    struct GroupRow {
        id: i64,
        name: String,
        date_created: Instant,
    }
}

impl From<GroupRow> for Group {
    fn from(row: GroupRow) -> Self {
        Self { id: GroupId(row.id), name: row.name, date_created: row.date_created }
    }
}

pub(super) async fn create(store: &SqlStore, spec: GroupSpec, now: Instant) -> Result<Group, StoreError> {
    const TEXT: &str =
        "INSERT INTO user_groups (name, date_created) VALUES ($1, $2) RETURNING id, name, date_created";
    let mut tx = store.begin_change().await?;
    names::GROUPS.check_free(&mut tx, &plain(&spec.name), None).await?;
    let row = on_tx!(&mut tx, db => sqlx::query_as::<_, GroupRow>(TEXT)
        .bind(plain(&spec.name)).bind(to_micros(now)).fetch_one(db))?;
    store.commit_change(tx, vec![event(row.id, None, Some(&row.name))]).await?;
    Ok(row.into())
}

pub(super) async fn group(db: &Db, id: GroupId) -> Result<Group, StoreError> {
    const TEXT: &str = "SELECT id, name, date_created FROM user_groups WHERE id = $1";
    on_db!(*db, read, db => sqlx::query_as::<_, GroupRow>(TEXT).bind(id.0).fetch_one(db)).map(Group::from)
}

pub(super) async fn groups(db: &Db, offset: u64, limit: u64) -> Result<Page<Group>, StoreError> {
    const TEXT: &str = "SELECT id, name, date_created FROM user_groups ORDER BY id LIMIT $1 OFFSET $2";
    let total: i64 =
        on_db!(*db, read, db => sqlx::query_scalar("SELECT COUNT(*) FROM user_groups").fetch_one(db))?;
    let rows = on_db!(*db, read, db => sqlx::query_as::<_, GroupRow>(TEXT)
        .bind(to_column(limit)).bind(to_column(offset)).fetch_all(db))?;
    Ok(Page { items: rows.into_iter().map(Group::from).collect(), total: to_count(total) })
}

/// Providers that name the group get its new name in the same transaction.
pub(super) async fn replace(store: &SqlStore, id: GroupId, spec: GroupSpec) -> Result<Group, StoreError> {
    const TEXT: &str = "UPDATE user_groups SET name = $2 WHERE id = $1 RETURNING id, name, date_created";
    let mut tx = store.begin_change().await?;
    names::GROUPS.check_free(&mut tx, &plain(&spec.name), Some(id.0)).await?;
    // Members are locked before their group, as when a user is changed.
    versions::count_members(&mut tx, id).await?;
    store.lock_version(&mut tx, EditableRecord::Group(id)).await?;
    let old = name_of(&mut tx, id).await?;
    let row = on_tx!(&mut tx, db => sqlx::query_as::<_, GroupRow>(TEXT)
        .bind(id.0).bind(plain(&spec.name)).fetch_one(db))?;
    providers::rename_group(&mut tx, &old, Some(&row.name)).await?;
    store.commit_change(tx, vec![event(row.id, Some(&old), Some(&row.name))]).await?;
    Ok(row.into())
}

/// Providers stop naming the group, so that a new group of the same name does not inherit them.
pub(super) async fn delete(store: &SqlStore, id: GroupId) -> Result<(), StoreError> {
    let mut tx = store.begin_change().await?;
    versions::count_members(&mut tx, id).await?;
    store.lock_version(&mut tx, EditableRecord::Group(id)).await?;
    let old = name_of(&mut tx, id).await?;
    on_tx!(&mut tx, db => rows_affected(sqlx::query("DELETE FROM user_groups WHERE id = $1").bind(id.0).execute(db)))?;
    providers::rename_group(&mut tx, &old, None).await?;
    store.commit_change(tx, vec![event(id.0, Some(&old), None)]).await
}

fn event(id: i64, from: Option<&str>, to: Option<&str>) -> AuditEvent {
    let fields = |name: &str| json!({ "name": name });
    let name = from.or(to).unwrap_or_default();
    AuditEvent::edit(Kind::Group, Some(id), name, from.map(fields).as_ref(), to.map(fields).as_ref())
}

async fn name_of(tx: &mut Tx, id: GroupId) -> Result<String, StoreError> {
    on_tx!(tx, db => sqlx::query_scalar("SELECT name FROM user_groups WHERE id = $1").bind(id.0).fetch_one(db))
}

/// Makes the user a member of exactly these groups; returns their sorted names.
pub(super) async fn join(tx: &mut Tx, user: UserId, names: &[String]) -> Result<Vec<String>, StoreError> {
    on_tx!(tx, db => rows_affected(
        sqlx::query("DELETE FROM user_group_members WHERE user_id = $1").bind(user.0).execute(db)))?;
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let known = ids_of(tx, &names).await?;
    if let Some(name) = names.iter().find(|&&name| !known.contains_key(name)) {
        return Err(StoreError::UnknownReference(format!("group '{name}'")));
    }
    on_tx!(tx, db => rows_affected(async {
        let mut query = QueryBuilder::new("INSERT INTO user_group_members (user_id, group_id) ");
        query.push_values(known.values(), |mut row, id| {
            row.push_bind(user.0).push_bind(*id);
        });
        query.build().execute(db).await
    }))?;
    Ok(known.into_keys().collect())
}

async fn ids_of(tx: &mut Tx, names: &BTreeSet<&str>) -> Result<BTreeMap<String, i64>, StoreError> {
    let rows: Vec<(String, i64)> = on_tx!(tx, db => async {
        let mut query = QueryBuilder::new("SELECT name, id FROM user_groups WHERE name IN (");
        let mut list = query.separated(", ");
        for name in names {
            list.push_bind(plain(name));
        }
        query.push(")");
        query.build_query_as().fetch_all(db).await
    })?;
    Ok(rows.into_iter().collect())
}
