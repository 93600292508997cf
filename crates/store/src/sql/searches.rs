//! Searches, and the fence that keeps an obsolete run from writing.

use super::notices::NoticeTexts;
use super::search_rows::{NewSearchTexts, SearchRow, columns, push_insert, retention_column};
use super::start_search::{Flush, start_search};
use super::status::{is_final, is_running, parse_status};
use super::tasks::TaskLease;
use super::text::{folded, pattern};
use super::{answers, finish_run, tasks};
use crate::SqlStore;
use crate::db::{Db, Tx, first_row, on_db, on_tx, rows_affected};
use crate::json::{JsonText, to_column, to_count};
use async_trait::async_trait;
use domain::ids::{RunNumber, SearchId, UserId};
use domain::instant::{Instant, to_micros};
use domain::notice::{self, Notice};
use domain::owner_scope::OwnerScope;
use domain::ports::{
    FinishedRun, NewLease, Page, SearchEdits, SearchStore, StartedSearch, StoreError, StoredRun,
};
use domain::retention::Retention;
use domain::search::{Search, SearchFilter, SearchSpec, Sort};
use domain::search_run::RunState;
use domain::status::SearchStatus;
use sqlx::QueryBuilder;
use std::sync::LazyLock;

/// True for a search that was not written since it was read: every write sets `date_updated`.
macro_rules! is_as_seen {
    () => {
        "id = $1 AND date_updated = $2"
    };
}

#[async_trait]
impl SearchStore for SqlStore {
    async fn create_search(
        &self,
        spec: SearchSpec,
        owner: UserId,
        notices: Vec<Notice>,
        now: Instant,
        request: Option<&str>,
    ) -> Result<Search, StoreError> {
        let now = to_micros(now);
        let mut search = Search::created(SearchId(0), owner, spec, notices, now);
        let mut tx = self.db.begin().await?;
        search.id = insert(&mut tx, &search).await?;
        tasks::push(&mut tx, search.run_task(request), now).await?;
        tx.commit().await?;
        Ok(search)
    }

    async fn start_search(
        &self,
        search: Search,
        request: Option<&str>,
        lease: NewLease,
    ) -> Result<StartedSearch, StoreError> {
        self.start(search, request, lease, Flush::Before).await
    }

    async fn start_awaited_search(
        &self,
        search: Search,
        request: Option<&str>,
        lease: NewLease,
    ) -> Result<StartedSearch, StoreError> {
        self.start(search, request, lease, Flush::Later).await
    }

    async fn search(&self, id: SearchId) -> Result<Search, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM searches WHERE id = $1");
        on_db!(self.db, read, db => sqlx::query_as::<_, SearchRow>(TEXT).bind(id.0).fetch_one(db))?.try_into()
    }

    async fn search_states(&self, ids: &[SearchId]) -> Result<Vec<(SearchId, RunState)>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new("SELECT id, run, status FROM searches WHERE id IN (");
            let mut list = query.separated(", ");
            for id in ids {
                list.push_bind(id.0);
            }
            query.push(")");
            query.build_query_as::<(i64, i64, String)>().fetch_all(db).await
        })?;
        let state = |(id, run, status): (i64, i64, String)| {
            let state = RunState { run: RunNumber(run), status: parse_status(id, &status)? };
            Ok((SearchId(id), state))
        };
        rows.into_iter().map(state).collect()
    }

    async fn find_searches(
        &self,
        filter: &SearchFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Search>, StoreError> {
        let total = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new("SELECT COUNT(*) FROM searches");
            push_filter(&mut query, filter);
            query.build_query_scalar::<i64>().fetch_one(db).await
        })?;
        let rows = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM searches"));
            push_filter(&mut query, filter);
            query.push(" ORDER BY date_created DESC, id DESC LIMIT ").push_bind(to_column(limit));
            query.push(" OFFSET ").push_bind(to_column(offset));
            query.build_query_as::<SearchRow>().fetch_all(db).await
        })?;
        let items = rows.into_iter().map(Search::try_from).collect::<Result<_, _>>()?;
        Ok(Page { items, total: to_count(total) })
    }

    async fn count_searches(&self, owner: UserId, at_most: u64) -> Result<u64, StoreError> {
        const TEXT: &str =
            "SELECT COUNT(*) FROM (SELECT 1 FROM searches WHERE owner = $1 LIMIT $2) AS counted";
        let count: i64 = on_db!(self.db, read, db =>
            sqlx::query_scalar(TEXT).bind(owner.0).bind(to_column(at_most)).fetch_one(db))?;
        Ok(to_count(count))
    }

    async fn change_search(
        &self,
        seen: &Search,
        spec: SearchSpec,
        now: Instant,
    ) -> Result<Option<Search>, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE searches SET draft = $3, date_updated = $4, retention = $5, subscribe = $6, saved = $7, \
             query_folded = $8, assistant = $9 WHERE ",
            is_as_seen!(),
            " RETURNING ",
            columns!()
        );
        let (retention, subscribe) = (retention_column(&spec), spec.subscribe);
        let (saved, is_by_assistant) = (spec.is_saved(), spec.is_by_assistant());
        let folded = folded(&spec.query_string);
        let spec = JsonText::of(&spec)?;
        let row = on_db!(self.db, write, db => first_row(sqlx::query_as::<_, SearchRow>(TEXT)
            .bind(seen.id.0).bind(seen.date_updated).bind(spec.clone()).bind(to_micros(now))
            .bind(retention).bind(subscribe).bind(saved).bind(folded.as_str()).bind(is_by_assistant).fetch_all(db)))?;
        self.seen_or_gone(seen, row).await
    }

    async fn restart_search(
        &self,
        seen: &Search,
        spec: SearchSpec,
        notices: Vec<Notice>,
        now: Instant,
        request: Option<&str>,
    ) -> Result<Option<Search>, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE searches SET draft = $3, messages = $4, notices = $11, date_updated = $5, status = $6, \
             run = run + 1, query_string_processed = '', time_s = 0, retention = $7, subscribe = $8, saved = $9, \
             query_folded = $10, assistant = $12 WHERE ",
            is_as_seen!(),
            " RETURNING ",
            columns!()
        );
        let (retention, subscribe) = (retention_column(&spec), spec.subscribe);
        let (saved, is_by_assistant) = (spec.is_saved(), spec.is_by_assistant());
        let folded = folded(&spec.query_string);
        let (spec, texts, now) = (JsonText::of(&spec)?, NoticeTexts::of(&notices)?, to_micros(now));
        let mut tx = self.db.begin().await?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, SearchRow>(TEXT)
            .bind(seen.id.0).bind(seen.date_updated).bind(spec.clone()).bind(texts.lines.clone()).bind(now)
            .bind(SearchStatus::NewSearch.as_str()).bind(retention).bind(subscribe)
            .bind(saved).bind(folded.as_str()).bind(texts.facts.clone()).bind(is_by_assistant)
            .fetch_optional(db))?;
        let Some(row) = row else {
            tx.rollback().await?;
            return self.seen_or_gone(seen, None).await;
        };
        let search = Search::try_from(row)?;
        on_tx!(&mut tx, db => rows_affected(
            sqlx::query("DELETE FROM result_sets WHERE search_id = $1").bind(seen.id.0).execute(db)))?;
        answers::forget(&mut tx, seen.id).await?;
        tasks::push(&mut tx, search.run_task(request), now).await?;
        tx.commit().await?;
        Ok(Some(search))
    }

    async fn update_search(
        &self,
        id: SearchId,
        notice: Notice,
        now: Instant,
        request: Option<&str>,
    ) -> Result<Search, StoreError> {
        // The first statement locks the search until the end, so that no notice is lost.
        const START: &str = concat!(
            "UPDATE searches SET status = $2, date_updated = $3, run = run + 1 WHERE id = $1 RETURNING ",
            columns!()
        );
        let now = to_micros(now);
        let mut tx = self.db.begin().await?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, SearchRow>(START)
            .bind(id.0).bind(SearchStatus::UpdateSearch.as_str()).bind(now).fetch_one(db))?;
        let mut search = Search::try_from(row)?;
        search.spec.sort = Sort::Date;
        search.notices.push(notice);
        answers::forget(&mut tx, id).await?;
        save_spec_and_notices(&mut tx, &search).await?;
        tasks::push(&mut tx, search.run_task(request), now).await?;
        tx.commit().await?;
        Ok(search)
    }

    async fn expired_searches(&self, now: Instant, limit: u64) -> Result<Vec<SearchId>, StoreError> {
        let ids: Vec<i64> = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT id FROM searches WHERE retention > 0 AND NOT saved AND NOT subscribe AND ",
            );
            query.push(is_final("status")).push(" AND (FALSE");
            for (number, until) in retention_limits(now) {
                query.push(" OR (retention = ").push(number).push(" AND date_updated <= ").push_bind(until).push(")");
            }
            query.push(") ORDER BY date_updated, id LIMIT ").push_bind(to_column(limit));
            query.build_query_scalar().fetch_all(db).await
        })?;
        Ok(ids.into_iter().map(SearchId).collect())
    }

    async fn removable_searches(&self, owner: UserId, limit: u64) -> Result<Vec<SearchId>, StoreError> {
        static TEXT: LazyLock<String> = LazyLock::new(|| {
            format!(
                "SELECT id FROM searches WHERE owner = $1 AND NOT saved AND NOT subscribe AND {} \
                 ORDER BY date_created, id LIMIT $2",
                is_final("status")
            )
        });
        let ids: Vec<i64> = on_db!(self.db, read, db =>
            sqlx::query_scalar(TEXT.as_str()).bind(owner.0).bind(to_column(limit)).fetch_all(db))?;
        Ok(ids.into_iter().map(SearchId).collect())
    }

    async fn subscribed_searches(&self, after: SearchId, limit: u64) -> Result<Vec<Search>, StoreError> {
        const TEXT: &str =
            concat!("SELECT ", columns!(), " FROM searches WHERE subscribe AND id > $1 ORDER BY id LIMIT $2");
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, SearchRow>(TEXT)
            .bind(after.0).bind(to_column(limit)).fetch_all(db))?;
        rows.into_iter().map(Search::try_from).collect()
    }

    async fn end_subscription(&self, id: SearchId, notice: Notice, now: Instant) -> Result<(), StoreError> {
        const HOLD: &str = concat!(
            "UPDATE searches SET subscribe = FALSE, date_updated = $2 WHERE id = $1 RETURNING ",
            columns!()
        );
        let mut tx = self.db.begin().await?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, SearchRow>(HOLD)
            .bind(id.0).bind(to_micros(now)).fetch_one(db))?;
        let mut search = Search::try_from(row)?;
        search.spec.subscribe = false;
        search.notices.push(notice);
        save_spec_and_notices(&mut tx, &search).await?;
        tx.commit().await
    }

    async fn change_status(
        &self,
        id: SearchId,
        run: RunNumber,
        to: SearchStatus,
        now: Instant,
    ) -> Result<bool, StoreError> {
        static TEXT: LazyLock<String> = LazyLock::new(|| {
            format!("UPDATE searches SET status = $3, date_updated = $4 WHERE {}", is_running())
        });
        let change = async {
            on_db!(self.db, write, db => rows_affected(
                sqlx::query(TEXT.as_str()).bind(id.0).bind(run.0).bind(to.as_str()).bind(to_micros(now)).execute(db)))
        };
        // The status changes while the sources are queried: nobody waits for what else is done now.
        let (rows, ()) = tokio::join!(change, self.reserve_ids_ahead());
        Ok(rows? == 1)
    }

    async fn finish_run(&self, finished: FinishedRun) -> Result<Option<StoredRun>, StoreError> {
        finish_run::finish_run(&self.db, &self.result_ids, &self.encoder_threads, finished).await
    }
}

#[async_trait]
impl SearchEdits for SqlStore {
    async fn delete_search(&self, id: SearchId) -> Result<(), StoreError> {
        const HOLD: &str = "UPDATE searches SET run = run WHERE id = $1 RETURNING date_updated";
        let mut tx = self.db.begin().await?;
        let updated: Instant = on_tx!(&mut tx, db => sqlx::query_scalar(HOLD).bind(id.0).fetch_one(db))?;
        self.check_version(updated.timestamp_micros())?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query("DELETE FROM searches WHERE id = $1").bind(id.0).execute(db)))?;
        tx.commit().await
    }
}

impl SqlStore {
    async fn start(
        &self,
        mut search: Search,
        request: Option<&str>,
        lease: NewLease,
        flush: Flush,
    ) -> Result<StartedSearch, StoreError> {
        let now = to_micros(search.date_created);
        (search.date_created, search.date_updated) = (now, now);
        if let (Db::Postgres(pools), Flush::Later) = (&self.db, flush) {
            search.id = self.search_ids.take(pools).await?;
        }
        let task = start_search(&self.db, &mut search, request, TaskLease::new(lease, now), flush).await?;
        Ok(StartedSearch { search, task })
    }

    /// Reserves the ids that the end of this run and the start of the next search need. If that fails, they try again.
    async fn reserve_ids_ahead(&self) {
        let reserve = async {
            self.result_ids.reserve_ahead(&self.db).await?;
            if let Db::Postgres(pools) = &self.db {
                self.search_ids.reserve_ahead(pools).await?;
            }
            Ok::<(), StoreError>(())
        };
        if let Err(error) = reserve.await {
            tracing::debug!(%error, "no ids were reserved ahead: {error}");
        }
    }

    /// The written search; without one, None if it exists and `NotFound` if not.
    async fn seen_or_gone(
        &self,
        seen: &Search,
        row: Option<SearchRow>,
    ) -> Result<Option<Search>, StoreError> {
        match row {
            Some(row) => Search::try_from(row).map(Some),
            None => self.search(seen.id).await.map(|_written_by_another| None),
        }
    }
}

fn push_filter<'a, D>(query: &mut QueryBuilder<D>, filter: &SearchFilter)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
    String: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(" WHERE TRUE");
    if let OwnerScope::Only(owner) = filter.owner {
        query.push(" AND owner = ").push_bind(owner.0);
    }
    if filter.saved {
        query.push(" AND saved");
    }
    if filter.subscribed {
        query.push(" AND subscribe");
    }
    if filter.without_assistant {
        query.push(" AND NOT assistant");
    }
    if let Some(text) = &filter.text {
        query.push(" AND query_folded LIKE ").push_bind(pattern(text)).push(" ESCAPE '\\'");
    }
}

/// Writes back a search that the transaction has locked.
async fn save_spec_and_notices(tx: &mut Tx, search: &Search) -> Result<(), StoreError> {
    let mut notices = search.notices.clone();
    notice::drop_oldest(&mut notices);
    let (spec, texts) = (JsonText::of(&search.spec)?, NoticeTexts::of(&notices)?);
    on_tx!(tx, db => rows_affected(
        sqlx::query("UPDATE searches SET draft = $2, messages = $3, notices = $4 WHERE id = $1")
            .bind(search.id.0).bind(spec.clone()).bind(texts.lines.clone()).bind(texts.facts.clone())
            .execute(db)))?;
    Ok(())
}

/// For each finite retention: its number, and the latest change that has expired at `now`.
fn retention_limits(now: Instant) -> impl Iterator<Item = (u8, Instant)> {
    (0..=u8::MAX).map_while(|number| Some((number, Retention::from_number(number)?))).filter_map(
        move |(number, retention)| {
            let until = now.checked_sub_signed(retention.lasts()?)?;
            Some((number, to_micros(until)))
        },
    )
}

pub(super) async fn insert(tx: &mut Tx, search: &Search) -> Result<SearchId, StoreError> {
    let texts = NewSearchTexts::of(search)?;
    on_tx!(tx, db => async {
        let mut query = QueryBuilder::new("");
        push_insert(&mut query, search, texts);
        query.build_query_scalar().fetch_one(db).await
    })
    .map(SearchId)
}
