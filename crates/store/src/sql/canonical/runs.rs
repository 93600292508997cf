//! Reads elections and rejections.

use crate::db::{Db, Tx, on_db, on_tx};
use crate::json::{plain, to_column, to_count};
use crate::row::row;
use crate::sql::corpus::push_visible;
use crate::sql::text::{LIST_MAX, in_lists, pattern, push_list};
use domain::corpus::{
    Member, RejectReason, Rejection, Run, RunStatus, Scope, Thresholds, Visibility, Weights,
};
use domain::ids::{RunId, SearchId, SignalId, UserId};
use domain::instant::Instant;
use domain::owner_scope::OwnerScope;
use domain::ports::{CanonicalCounts, Page, RunFilter, StoreError};
use sqlx::QueryBuilder;
use sqlx::types::Json;
use std::collections::BTreeSet;

macro_rules! columns {
    () => {
        "id, query, query_key, scope, cluster_key, status, is_auto, winner_signal_id, margin, members, weights, gates, \
         created_at, decided_by, decided_at, reject_reason, comment, search_id, search_owner"
    };
}
pub(super) use columns;

/// Undecided runs.
macro_rules! open {
    () => {
        "status IN ('pending', 'auto_elected')"
    };
}
pub(super) use open;

row! {
    pub(super) struct RunRow {
        id: i64,
        query: String,
        query_key: String,
        scope: String,
        cluster_key: i64,
        status: String,
        is_auto: bool,
        winner_signal_id: i64,
        margin: f64,
        members: Json<Vec<Member>>,
        weights: Json<Weights>,
        gates: Json<Thresholds>,
        created_at: Instant,
        decided_by: Option<i64>,
        decided_at: Option<Instant>,
        reject_reason: Option<String>,
        comment: String,
        search_id: i64,
        search_owner: Option<i64>,
    }
}

impl TryFrom<RunRow> for Run {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self, StoreError> {
        let run_id = RunId(row.id);
        let unreadable = || StoreError::failed(format!("the election {run_id} is not readable"));
        let reason = row.reject_reason.as_deref();
        Ok(Self {
            run_id,
            query: row.query,
            query_key: row.query_key,
            scope: Scope::parse(&row.scope).unwrap_or_default(),
            cluster_key: SignalId(row.cluster_key),
            status: RunStatus::parse(&row.status).ok_or_else(unreadable)?,
            auto: row.is_auto,
            winner_signal_id: SignalId(row.winner_signal_id),
            margin: row.margin,
            members: row.members.0,
            weights: row.weights.0,
            thresholds: row.gates.0,
            created_at: row.created_at,
            decided_by: row.decided_by.map(UserId),
            decided_at: row.decided_at,
            reject_reason: reason.map(|word| RejectReason::parse(word).ok_or_else(unreadable)).transpose()?,
            comment: row.comment,
            search_id: SearchId(row.search_id),
            search_owner: row.search_owner.map(UserId),
        })
    }
}

pub(super) async fn run(db: &Db, id: RunId) -> Result<Run, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM canonical_runs WHERE id = $1");
    on_db!(*db, read, db => sqlx::query_as::<_, RunRow>(TEXT).bind(id.0).fetch_one(db))?.try_into()
}

pub(super) async fn run_concerns_user(db: &Db, id: RunId, user: UserId) -> Result<bool, StoreError> {
    const TEXT: &str = "SELECT (SELECT COUNT(*) FROM canonical_runs WHERE id = $1 AND search_owner = $2) \
         + (SELECT COUNT(*) FROM canonical_run_askers WHERE run_id = $1 AND user_id = $2)";
    let count: i64 = on_db!(*db, read, db => sqlx::query_scalar(TEXT).bind(id.0).bind(user.0).fetch_one(db))?;
    Ok(count > 0)
}

/// The run within this transaction.
pub(super) async fn load(tx: &mut Tx, id: RunId) -> Result<Run, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM canonical_runs WHERE id = $1");
    on_tx!(tx, db => sqlx::query_as::<_, RunRow>(TEXT).bind(id.0).fetch_one(db))?.try_into()
}

pub(super) async fn list(
    db: &Db,
    filter: &RunFilter,
    offset: u64,
    limit: u64,
) -> Result<Page<Run>, StoreError> {
    let total: i64 = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new("SELECT COUNT(*) FROM canonical_runs");
        push_filter(&mut query, filter);
        query.build_query_scalar().fetch_one(db).await
    })?;
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM canonical_runs"));
        push_filter(&mut query, filter);
        query.push(" ORDER BY id DESC LIMIT ").push_bind(to_column(limit));
        query.push(" OFFSET ").push_bind(to_column(offset));
        query.build_query_as::<RunRow>().fetch_all(db).await
    })?;
    let items = rows.into_iter().map(Run::try_from).collect::<Result<_, _>>()?;
    Ok(Page { items, total: to_count(total) })
}

/// By document, then by creation.
pub(super) async fn rejections(db: &Db, signals: &[SignalId]) -> Result<Vec<Rejection>, StoreError> {
    let mut found = Vec::new();
    for some in in_lists(signals) {
        let rows: Vec<(i64, String)> = on_db!(*db, read, db => async {
            let mut query =
                QueryBuilder::new("SELECT signal_id, query_key FROM signal_rejections WHERE signal_id IN (");
            push_list(&mut query, some.iter().copied());
            query.push(") ORDER BY signal_id, run_id");
            query.build_query_as().fetch_all(db).await
        })?;
        let rejection = |(signal, query_key)| Rejection { signal_id: SignalId(signal), query_key };
        found.extend(rows.into_iter().map(rejection));
    }
    Ok(found)
}

pub(super) async fn rejected(db: &Db, ids: &[RunId]) -> Result<BTreeSet<RunId>, StoreError> {
    let mut found = BTreeSet::new();
    for some in ids.chunks(LIST_MAX) {
        let rows: Vec<i64> = on_db!(*db, read, db => async {
            let mut query =
                QueryBuilder::new("SELECT id FROM canonical_runs WHERE status = 'rejected' AND id IN (");
            push_list(&mut query, some.iter().map(|id| id.0));
            query.push(")");
            query.build_query_scalar().fetch_all(db).await
        })?;
        found.extend(rows.into_iter().map(RunId));
    }
    Ok(found)
}

pub(super) async fn counts(db: &Db) -> Result<CanonicalCounts, StoreError> {
    const RUNS: &str = "SELECT status, COUNT(*) FROM canonical_runs GROUP BY status";
    let runs: Vec<(String, i64)> = on_db!(*db, read, db => sqlx::query_as(RUNS).fetch_all(db))?;
    let pins: i64 = on_db!(*db, read, db => sqlx::query_scalar("SELECT COUNT(*) FROM pins").fetch_one(db))?;
    let count = |status: &RunStatus| {
        let found = runs.iter().find(|(word, _)| word == status.as_str());
        (*status, found.map_or(0, |(_, count)| to_count(*count)))
    };
    Ok(CanonicalCounts { runs: RunStatus::ALL.iter().map(count).collect(), pins: to_count(pins) })
}

fn push_filter<'a, D>(query: &mut QueryBuilder<D>, filter: &RunFilter)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
    String: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(" WHERE TRUE");
    match filter.ids.as_deref() {
        None => {}
        Some([]) => drop(query.push(" AND FALSE")),
        Some(ids) => {
            query.push(" AND id IN (");
            push_list(query, ids.iter().map(|id| id.0));
            query.push(")");
        }
    }
    if let OwnerScope::Only(owner) = filter.search_owner {
        query.push(" AND (search_owner = ").push_bind(owner.0);
        query.push(" OR id IN (SELECT run_id FROM canonical_run_askers WHERE user_id = ");
        query.push_bind(owner.0).push("))");
    }
    if let Some(key) = filter.cluster_key {
        query.push(" AND cluster_key = ").push_bind(key.0);
    }
    if !filter.status.is_empty() {
        query.push(" AND status IN (");
        let mut list = query.separated(", ");
        for status in &filter.status {
            list.push_bind(status.as_str().to_owned());
        }
        query.push(")");
    }
    if !filter.words.is_empty() {
        query.push(" AND query_key LIKE ").push_bind(pattern(&plain(&filter.words))).push(" ESCAPE '\\'");
    }
    if let visible_to @ Visibility::To(_) = filter.visible_to.borrowed() {
        query.push(" AND EXISTS (SELECT 1 FROM signals WHERE signals.id = canonical_runs.winner_signal_id");
        push_visible(query, visible_to);
        query.push(")");
    }
}
