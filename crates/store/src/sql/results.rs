//! Saved results: one row per search and provider with its items, found by item id through ranges.

use super::result_rows::{SetRow, columns};
use super::text::push_list;
use super::{answers, find_url, set_notices, versions};
use crate::SqlStore;
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::error::failure;
use crate::json::{JsonText, finite, to_column, to_count, unwritable};
use crate::json_column::JsonValue;
use crate::row::row;
use async_trait::async_trait;
use domain::ids::{ProviderId, ResultId, SearchId, SignalId, UserId};
use domain::instant::{Instant, to_micros};
use domain::notice::Notice;
use domain::owner_scope::OwnerScope;
use domain::ports::{Page, ResultEdits, ResultStore, StoreError};
use domain::result::{GuardedResult, ResultItem, ResultSet, SavedResult};
use serde::Deserialize;
use sqlx::QueryBuilder;

/// Reads only whether a result is new.
#[derive(Deserialize)]
struct Mark {
    #[serde(default)]
    new: Option<u8>,
}

/// Reads only the documents that a result is shown for.
#[derive(Deserialize)]
struct Guard {
    #[serde(default)]
    cache: Option<Document>,
    #[serde(default)]
    duplicates: Vec<Duplicate>,
}

#[derive(Deserialize)]
struct Document {
    signal_id: SignalId,
}

#[derive(Deserialize)]
struct Duplicate {
    #[serde(default)]
    signal_id: Option<SignalId>,
}

impl Guard {
    /// None if the owner always sees it: it, or a duplicate that would replace it, belongs to no document.
    fn signals(self) -> Option<Vec<SignalId>> {
        let others: Option<Vec<SignalId>> = self.duplicates.into_iter().map(|one| one.signal_id).collect();
        Some(std::iter::once(self.cache?.signal_id).chain(others?).collect())
    }
}

/// The set of result `$1`: ranges do not overlap, so only the last one that starts at or before the id can contain it.
macro_rules! set_of_result {
    () => {
        "(SELECT result_set FROM (SELECT result_set, last_id FROM result_ranges WHERE first_id <= $1 \
         ORDER BY first_id DESC LIMIT 1) AS nearest WHERE last_id >= $1)"
    };
}

/// The sets of search `$1` whose items contain the key `new`. It can be read also in compressed items.
macro_rules! marked_sets {
    ($lock:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            " FROM result_sets WHERE search_id = $1 AND CAST(items AS TEXT) LIKE '%\"new\":%' ORDER BY provider_id ",
            $lock
        )
    };
}

#[async_trait]
impl ResultStore for SqlStore {
    async fn result_sets(&self, search: SearchId) -> Result<Vec<ResultSet>, StoreError> {
        const TEXT: &str =
            concat!("SELECT ", columns!(), " FROM result_sets WHERE search_id = $1 ORDER BY provider_id");
        let rows =
            on_db!(self.db, read, db => sqlx::query_as::<_, SetRow>(TEXT).bind(search.0).fetch_all(db))?;
        Ok(rows.into_iter().map(|row| row.restored().into()).collect())
    }

    async fn set_notices(&self, searches: &[SearchId]) -> Result<Vec<(SearchId, Vec<Notice>)>, StoreError> {
        set_notices::read(&self.db, searches).await
    }

    async fn result(&self, id: ResultId) -> Result<SavedResult, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM result_sets WHERE id = ", set_of_result!());
        let row =
            on_db!(self.db, read, db => sqlx::query_as::<_, SetRow>(TEXT).bind(id.0).fetch_optional(db))?;
        let Some(mut row) = row.map(SetRow::restored) else {
            return answers::result(&self.db, id).await;
        };
        let position = row.position(id)?;
        let item = row.items.0.swap_remove(position);
        Ok(row.saved(item))
    }

    async fn results(
        &self,
        owner: OwnerScope,
        offset: u64,
        limit: u64,
    ) -> Result<Page<SavedResult>, StoreError> {
        let total = count_items(&self.db, owner).await?;
        let mut items = Vec::new();
        let mut to_skip = None;
        for (row, before) in sets_of_page(&self.db, owner, offset, limit).await? {
            // Items of the first set that belong to earlier pages.
            to_skip.get_or_insert(offset.saturating_sub(to_count(before)));
            items.extend(row.items.0.iter().rev().map(|item| row.saved(item.clone())));
        }
        let skip = usize::try_from(to_skip.unwrap_or(0)).unwrap_or(usize::MAX);
        let take = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(Page { items: items.into_iter().skip(skip).take(take).collect(), total })
    }

    async fn guarded_results(
        &self,
        owner: UserId,
        but: &[ProviderId],
        sets_max: u64,
    ) -> Result<Vec<GuardedResult>, StoreError> {
        let rows = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new("SELECT before, items");
            push_running(&mut query, OwnerScope::Only(owner));
            query.push(" WHERE counted > 0 AND CAST(items AS TEXT) LIKE '%\"cache\":%'");
            if !but.is_empty() {
                query.push(" AND provider_id NOT IN (");
                push_list(&mut query, but.iter().map(|id| id.0));
                query.push(")");
            }
            query.push(" ORDER BY counted_id DESC LIMIT ").push_bind(to_column(sets_max));
            query.build_query_as::<(i64, JsonValue<Vec<Guard>>)>().fetch_all(db).await
        })?;
        let places = rows.into_iter().flat_map(|(before, guards)| {
            guards
                .0
                .into_iter()
                .rev()
                .enumerate()
                .map(move |(place, guard)| (to_count(before) + place as u64, guard))
        });
        Ok(places
            .filter_map(|(place, guard)| Some(GuardedResult { place, signals: guard.signals()? }))
            .collect())
    }

    async fn unedited_result(
        &self,
        owner: UserId,
        provider: ProviderId,
        url: &str,
        sets_max: u64,
    ) -> Result<Option<SavedResult>, StoreError> {
        let is_wanted = |item: &ResultItem| {
            item.provenance.is_unedited() && item.as_given().is_some_and(|given| given.url().as_str() == url)
        };
        for set in find_url::sets_with_url(&self.db, owner, provider, url, sets_max).await? {
            let Some(row) = find_url::load_set(&self.db, set).await? else { continue };
            if let Some(item) = row.items.0.iter().find(|item| is_wanted(item)) {
                return Ok(Some(row.saved(item.clone())));
            }
        }
        Ok(None)
    }

    async fn mark_all_read(&self, search: SearchId, now: Instant) -> Result<u64, StoreError> {
        let mut tx = self.db.begin().await?;
        let mut marks = 0;
        for mut row in hold_marked_sets(&mut tx, search).await? {
            let marked = row.items.0.iter_mut().filter(|item| item.new.is_some_and(|mark| mark > 0));
            let count = marked.map(|item| item.new = None).count();
            if count > 0 {
                row.date_updated = to_micros(now);
                save_items(&mut tx, &row).await?;
                marks += count as u64;
            }
        }
        tx.commit().await?;
        Ok(marks)
    }

    async fn count_new(&self, searches: &[SearchId]) -> Result<Vec<(SearchId, u64)>, StoreError> {
        if searches.is_empty() {
            return Ok(Vec::new());
        }
        let rows = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT search_id, items FROM result_sets WHERE CAST(items AS TEXT) LIKE '%\"new\":%' \
                 AND search_id IN (",
            );
            let mut list = query.separated(", ");
            for id in searches {
                list.push_bind(id.0);
            }
            query.push(") ORDER BY search_id");
            query.build_query_as::<(i64, JsonValue<Vec<Mark>>)>().fetch_all(db).await
        })?;
        let mut counts: Vec<(SearchId, u64)> = Vec::new();
        for (search, marks) in rows {
            let count = marks.0.iter().filter(|mark| mark.new.is_some_and(|new| new > 0)).count() as u64;
            match counts.last_mut() {
                Some((last, sum)) if last.0 == search => *sum += count,
                _ => counts.push((SearchId(search), count)),
            }
        }
        counts.retain(|(_, count)| *count > 0);
        Ok(counts)
    }
}

#[async_trait]
impl ResultEdits for SqlStore {
    async fn replace_result(
        &self,
        id: ResultId,
        item: ResultItem,
        now: Instant,
    ) -> Result<SavedResult, StoreError> {
        let item = ResultItem {
            swirl_id: id,
            swirl_score: finite(item.swirl_score),
            swirl_confidence_score: finite(item.swirl_confidence_score),
            ..item
        };
        let mut tx = self.db.begin().await?;
        let Some(mut row) = hold_set(&mut tx, id).await? else {
            self.check_version(answers::lock_result(&mut tx, id).await?)?;
            let saved = answers::replace_result(&mut tx, &item, now).await?;
            tx.commit().await?;
            return Ok(saved);
        };
        let position = row.position(id)?;
        self.check_version(versions::of_item(&row.items.0[position]))?;
        row.date_updated = to_micros(now);
        let stored = &row.items.0[position];
        let item = ResultItem { group: stored.group, ..item.in_place_of(stored) };
        row.items.0[position] = item.clone();
        save_items(&mut tx, &row).await?;
        tx.commit().await?;
        Ok(row.saved(as_read(&item)?))
    }

    async fn delete_result(&self, id: ResultId) -> Result<(), StoreError> {
        let mut tx = self.db.begin().await?;
        let Some(mut row) = hold_set(&mut tx, id).await? else {
            self.check_version(answers::lock_result(&mut tx, id).await?)?;
            answers::delete_result(&mut tx, id).await?;
            return tx.commit().await;
        };
        let position = row.position(id)?;
        self.check_version(versions::of_item(&row.items.0[position]))?;
        row.items.0.remove(position);
        row.retrieved = (row.retrieved - 1).max(0);
        save_items(&mut tx, &row).await?;
        tx.commit().await
    }
}

async fn count_items(db: &Db, owner: OwnerScope) -> Result<u64, StoreError> {
    // The cast: PostgreSQL would return NUMERIC.
    let total: Option<i64> = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new("SELECT CAST(SUM(item_count) AS BIGINT) FROM result_sets");
        if let OwnerScope::Only(owner) = owner {
            query.push(" WHERE search_id IN (SELECT id FROM searches WHERE owner = ").push_bind(owner.0).push(")");
        }
        query.build_query_scalar().fetch_one(db).await
    })?;
    Ok(to_count(total.unwrap_or(0)))
}

row! {
    struct PagedSetRow with (set: SetRow) {
        /// Items in newer sets.
        before: i64,
    }
}

/// The sets of one page of results, newest first, by a running count of items.
async fn sets_of_page(
    db: &Db,
    owner: OwnerScope,
    offset: u64,
    limit: u64,
) -> Result<Vec<(SetRow, i64)>, StoreError> {
    let (from, to) = (to_column(offset), to_column(offset.saturating_add(limit)));
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new(
            "SELECT result_sets.id, search_id, provider_id, found, retrieved, time_s, date_created, \
             date_updated, detail, items, before",
        );
        push_running(&mut query, owner);
        query.push(" WHERE counted > 0 AND before < ").push_bind(to).push(" AND before + counted > ").push_bind(from).push(" ORDER BY counted_id DESC");
        query.build_query_as::<PagedSetRow>().fetch_all(db).await
    })?;
    Ok(rows.into_iter().map(|row| (row.set.restored(), row.before)).collect())
}

/// The sets of the owner, or of everybody, each with the number of items in newer sets.
fn push_running<'a, D>(query: &mut QueryBuilder<D>, owner: OwnerScope)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(
        " FROM (SELECT id AS counted_id, item_count AS counted, \
         CAST(SUM(item_count) OVER (ORDER BY id DESC) - item_count AS BIGINT) AS before FROM result_sets",
    );
    if let OwnerScope::Only(owner) = owner {
        query
            .push(" WHERE search_id IN (SELECT id FROM searches WHERE owner = ")
            .push_bind(owner.0)
            .push(")");
    }
    query.push(") AS running JOIN result_sets ON result_sets.id = counted_id");
}

/// The item as it will be read: not every number survives serialization.
fn as_read(item: &ResultItem) -> Result<ResultItem, StoreError> {
    let text = serde_json::to_string(item).map_err(unwritable)?;
    let read: ResultItem = serde_json::from_str(&text).map_err(unwritable)?;
    Ok(ResultItem { provenance: item.provenance.clone(), group: item.group, ..read })
}

/// The set of a result, locked until the end of the transaction: an update without changes locks the row in both
/// databases. None if it is in no set.
async fn hold_set(tx: &mut Tx, id: ResultId) -> Result<Option<SetRow>, StoreError> {
    const TEXT: &str = concat!(
        "UPDATE result_sets SET retrieved = retrieved WHERE id = ",
        set_of_result!(),
        " RETURNING ",
        columns!()
    );
    let row = on_tx!(tx, db => sqlx::query_as::<_, SetRow>(TEXT).bind(id.0).fetch_optional(db))?;
    Ok(row.map(SetRow::restored))
}

/// The sets of a search that may have a marked item, locked until the end of the transaction. Most sets have none, so
/// the database searches their text for the key, and only matches are parsed.
async fn hold_marked_sets(tx: &mut Tx, search: SearchId) -> Result<Vec<SetRow>, StoreError> {
    let rows: Vec<SetRow> = match tx {
        // The transaction is the only writer from its beginning.
        Tx::Sqlite(tx) => sqlx::query_as(marked_sets!("")).bind(search.0).fetch_all(&mut **tx).await,
        Tx::Postgres(tx) => {
            // The search is locked first, as when a run is finished, to avoid deadlocks.
            sqlx::query("SELECT id FROM searches WHERE id = $1 FOR NO KEY UPDATE")
                .bind(search.0)
                .execute(&mut **tx)
                .await
                .map_err(failure)?;
            sqlx::query_as(marked_sets!("FOR NO KEY UPDATE")).bind(search.0).fetch_all(&mut **tx).await
        }
    }
    .map_err(failure)?;
    Ok(rows.into_iter().map(SetRow::restored).collect())
}

async fn save_items(tx: &mut Tx, row: &SetRow) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE result_sets SET items = $2, item_count = $3, retrieved = $4, date_updated = $5, \
         detail = $6 WHERE id = $1";
    let items = tx.json_writer()?.write_items(&row.items.0)?;
    let detail = JsonText::of(&row.detail())?;
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(row.id)
        .bind(items.clone())
        .bind(to_column(row.items.0.len() as u64))
        .bind(row.retrieved)
        .bind(row.date_updated)
        .bind(detail.clone())
        .execute(db)))?;
    Ok(())
}
