//! Reading and finding documents.

use super::personal;
use super::signals::{SignalRow, columns};
use super::visibility::{Held, push_visible};
use crate::db::{Db, on_db};
use crate::json::{plain, to_column, to_count};
use crate::sql::text::{in_lists, pattern, push_list};
use domain::corpus::{MatterTag, Signal, Visibility};
use domain::ids::SignalId;
use domain::instant::{Instant, to_micros};
use domain::ports::{Page, SignalFilter, StoreError};
use sqlx::QueryBuilder;

/// Most relatives of a document that are returned.
const RELATIVES_MAX: i64 = 100;

pub(super) async fn signal(db: &Db, id: SignalId) -> Result<Signal, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM signals WHERE id = $1");
    let row = on_db!(*db, read, db => sqlx::query_as::<_, SignalRow>(TEXT).bind(id.0).fetch_one(db))?;
    let found = personal::view(db, vec![row.try_into()?], Visibility::Unrestricted).await?;
    found.into_iter().next().ok_or(StoreError::NotFound)
}

/// Newest text first; records without a text last.
pub(super) async fn at(
    db: &Db,
    url_hash: &str,
    visible_to: Visibility<'_>,
) -> Result<Vec<Signal>, StoreError> {
    let hash = plain(url_hash);
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM signals WHERE url_hash = "));
        query.push_bind(hash.clone());
        push_visible(&mut query, visible_to);
        query.push(" ORDER BY CASE WHEN given_at IS NULL THEN 1 ELSE 0 END, given_at DESC, signals.id DESC");
        query.build_query_as::<SignalRow>().fetch_all(db).await
    })?;
    let found = rows.into_iter().map(Signal::try_from).collect::<Result<_, _>>()?;
    personal::view(db, found, visible_to).await
}

/// By id.
pub(super) async fn signals(
    db: &Db,
    ids: &[SignalId],
    visible_to: Visibility<'_>,
) -> Result<Vec<Signal>, StoreError> {
    let mut found = Vec::with_capacity(ids.len());
    for some in in_lists(ids) {
        let rows = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM signals WHERE signals.id IN ("));
            push_list(&mut query, some.iter().copied());
            query.push(")");
            push_visible(&mut query, visible_to);
            query.push(" ORDER BY signals.id");
            query.build_query_as::<SignalRow>().fetch_all(db).await
        })?;
        for row in rows {
            found.push(row.try_into()?);
        }
    }
    personal::view(db, found, visible_to).await
}

pub(super) async fn find(
    db: &Db,
    filter: &SignalFilter,
    offset: u64,
    limit: u64,
) -> Result<Page<Signal>, StoreError> {
    let total: i64 = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new("SELECT COUNT(*) FROM signals");
        push_filter(&mut query, filter);
        query.build_query_scalar().fetch_one(db).await
    })?;
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM signals"));
        push_filter(&mut query, filter);
        query.push(" ORDER BY last_retrieved DESC, signals.id DESC LIMIT ").push_bind(to_column(limit));
        query.push(" OFFSET ").push_bind(to_column(offset));
        query.build_query_as::<SignalRow>().fetch_all(db).await
    })?;
    let items = rows.into_iter().map(Signal::try_from).collect::<Result<_, _>>()?;
    let items = personal::view(db, items, filter.visible_to.borrowed()).await?;
    Ok(Page { items, total: to_count(total) })
}

pub(super) async fn ids(db: &Db, after: Option<SignalId>, limit: u64) -> Result<Vec<SignalId>, StoreError> {
    const TEXT: &str = "SELECT id FROM signals WHERE id > $1 ORDER BY id LIMIT $2";
    let after = after.map_or(i64::MIN, |id| id.0);
    let ids: Vec<i64> = on_db!(*db, read, db =>
        sqlx::query_scalar(TEXT).bind(after).bind(to_column(limit)).fetch_all(db))?;
    Ok(ids.into_iter().map(SignalId).collect())
}

pub(super) async fn relatives(db: &Db, signal: &Signal) -> Result<Vec<SignalId>, StoreError> {
    const TEXT: &str = "SELECT id FROM (SELECT id FROM signals WHERE content_hash = $2 AND content_hash <> '' \
         UNION SELECT id FROM signals WHERE source_provider_id = $3 AND external_id = $4 AND external_id <> '') \
         AS related WHERE id <> $1 ORDER BY id LIMIT $5";
    let ids: Vec<i64> = on_db!(*db, read, db => sqlx::query_scalar(TEXT)
        .bind(signal.signal_id.0)
        .bind(plain(&signal.content_hash))
        .bind(signal.source_provider_id.map(|id| id.0))
        .bind(plain(&signal.external_id))
        .bind(RELATIVES_MAX)
        .fetch_all(db))?;
    Ok(ids.into_iter().map(SignalId).collect())
}

pub(super) async fn expired_bodies(db: &Db, now: Instant, limit: u64) -> Result<Vec<SignalId>, StoreError> {
    const TEXT: &str = "SELECT id FROM signals WHERE body_key IS NOT NULL AND body_expires <= $1 \
         AND state <> 'pinned' ORDER BY body_expires, id LIMIT $2";
    let ids: Vec<i64> = on_db!(*db, read, db =>
        sqlx::query_scalar(TEXT).bind(to_micros(now)).bind(to_column(limit)).fetch_all(db))?;
    Ok(ids.into_iter().map(SignalId).collect())
}

fn push_filter<'a, D>(query: &mut QueryBuilder<D>, filter: &SignalFilter)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
    String: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(" WHERE TRUE");
    push_visible(query, filter.visible_to.borrowed());
    if let Some(state) = filter.state {
        query.push(" AND state = ").push_bind(state.as_str().to_owned());
    }
    if let Some(tag) = &filter.matter_tag {
        push_tagged(query, tag, filter.visible_to.borrowed());
    }
    if !filter.words.is_empty() {
        query.push(" AND found_by LIKE ").push_bind(pattern(&filter.words)).push(" ESCAPE '\\'");
    }
}

/// Restricts to documents that the person tagged; unrestricted, that anybody tagged.
fn push_tagged<'a, D>(query: &mut QueryBuilder<D>, tag: &MatterTag, visible_to: Visibility<'_>)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
    String: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(" AND signals.id IN (SELECT signal_id FROM signal_grant_tags WHERE tag = ");
    query.push_bind(plain(tag.as_str()));
    if let Visibility::To(tokens) = visible_to {
        let users = Held::of(tokens).users;
        if users.is_empty() {
            query.push(" AND FALSE");
        } else {
            query.push(" AND user_id IN (");
            push_list(query, users.into_iter());
            query.push(")");
        }
    }
    query.push(")");
}
