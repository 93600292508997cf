//! Records an election. A repeated outcome writes nothing.

use super::runs::{self, RunRow, columns, open};
use super::topic::topic;
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::error::JsonError;
use crate::json::{JsonText, finite, plain};
use crate::sql::corpus;
use crate::sql::text::{in_lists, push_list};
use domain::corpus::{Factors, Member, NewRun, QUERY_CHARS_MAX, Run, RunStatus, query_key};
use domain::ids::{SignalId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::StoreError;
use sqlx::QueryBuilder;

/// Most superseded and stale runs kept per query, scope and cluster. Decided runs are kept forever.
const UNDECIDED_KEPT: i64 = 20;

macro_rules! of_cluster {
    () => {
        concat!(
            "SELECT ",
            columns!(),
            " FROM canonical_runs WHERE topic = $1 AND cluster_key = $2 AND ",
            open!()
        )
    };
}

pub(super) async fn record(db: &Db, run: NewRun, now: Instant) -> Result<Run, StoreError> {
    let run = NewRun { query: plain(&run.query), ..as_stored(run)? };
    let topic = topic(&query_key(&run.query), &run.scope);
    // Most elections repeat the previous outcome and need not wait for writers.
    let before = on_db!(*db, read, db => sqlx::query_as::<_, RunRow>(of_cluster!())
        .bind(topic.as_str()).bind(run.cluster_key.0).fetch_optional(db))?;
    let before = before.map(Run::try_from).transpose()?.filter(|before| says_the_same(before, &run));
    if let Some(before) = before {
        if !runs::run_concerns_user(db, before.run_id, run.search_owner).await? {
            note_asker(db, &before, run.search_owner).await?;
        }
        return Ok(before);
    }
    let mut tx = corpus::begin(db).await?;
    let before = on_tx!(&mut tx, db => sqlx::query_as::<_, RunRow>(of_cluster!())
        .bind(topic.as_str()).bind(run.cluster_key.0).fetch_optional(db))?;
    if let Some(before) = before.map(Run::try_from).transpose()? {
        if says_the_same(&before, &run) {
            drop(tx);
            note_asker(db, &before, run.search_owner).await?;
            return Ok(before);
        }
        supersede(&mut tx, &before).await?;
    }
    let stored = insert(&mut tx, &topic, &run, to_micros(now)).await?;
    if run.auto {
        follow(&mut tx, run.winner_signal_id, &run.members).await?;
    } else {
        must_be_there(&mut tx, run.winner_signal_id).await?;
    }
    drop_oldest(&mut tx, &topic, run.cluster_key).await?;
    tx.commit().await?;
    Ok(stored)
}

/// Marks the winner as superseding the other members. `NotFound` if there is no such winner.
pub(super) async fn follow(tx: &mut Tx, winner: SignalId, members: &[Member]) -> Result<(), StoreError> {
    const WINNER: &str = "UPDATE signals SET superseded_by = NULL WHERE id = $1";
    let found = on_tx!(&mut *tx, db => rows_affected(sqlx::query(WINNER).bind(winner.0).execute(db)))?;
    if found == 0 {
        return Err(StoreError::NotFound);
    }
    let others: Vec<SignalId> =
        members.iter().map(|member| member.signal_id).filter(|id| *id != winner).collect();
    for some in in_lists(&others) {
        on_tx!(&mut *tx, db => async {
            let mut query = QueryBuilder::new("UPDATE signals SET superseded_by = ");
            query.push_bind(winner.0).push(" WHERE id IN (");
            push_list(&mut query, some.iter().copied());
            query.push(")");
            rows_affected(query.build().execute(db)).await
        })?;
    }
    Ok(())
}

/// Removes the mark from members that the winner supersedes, unless it is pinned.
pub(super) async fn unfollow(tx: &mut Tx, winner: SignalId, members: &[Member]) -> Result<(), StoreError> {
    let members: Vec<SignalId> = members.iter().map(|member| member.signal_id).collect();
    for some in in_lists(&members) {
        on_tx!(&mut *tx, db => async {
            let mut query = QueryBuilder::new("UPDATE signals SET superseded_by = NULL WHERE superseded_by = ");
            query.push_bind(winner.0);
            query.push(" AND NOT EXISTS (SELECT 1 FROM pins WHERE signal_id = ").push_bind(winner.0);
            query.push(") AND id IN (");
            push_list(&mut query, some.iter().copied());
            query.push(")");
            rows_affected(query.build().execute(db)).await
        })?;
    }
    Ok(())
}

async fn must_be_there(tx: &mut Tx, winner: SignalId) -> Result<(), StoreError> {
    const TEXT: &str = "SELECT COUNT(*) FROM signals WHERE id = $1";
    let count: i64 = on_tx!(tx, db => sqlx::query_scalar(TEXT).bind(winner.0).fetch_one(db))?;
    if count > 0 { Ok(()) } else { Err(StoreError::NotFound) }
}

/// The run as it will be read: numbers and texts as stored.
fn as_stored(run: NewRun) -> Result<NewRun, StoreError> {
    let kept = |mut member: Member| {
        member.relevance = finite(member.relevance);
        member.score = finite(member.score);
        member.factors = Factors::of(member.factors.values().map(finite));
        member
    };
    let members: Vec<Member> = run.members.into_iter().map(kept).collect();
    let again = serde_json::to_string(&members).and_then(|text| serde_json::from_str(&text));
    let members = again.map_err(|error| {
        StoreError::failed("an election could not be written as JSON").caused_by(JsonError::of(&error))
    })?;
    Ok(NewRun { members, margin: finite(run.margin), ..run })
}

fn says_the_same(before: &Run, run: &NewRun) -> bool {
    before.winner_signal_id == run.winner_signal_id
        && before.auto == run.auto
        && before.weights == run.weights
        && before.thresholds == run.thresholds
        && before.members == run.members
}

/// Nothing to do if the run was deleted in the meantime.
async fn note_asker(db: &Db, run: &Run, asker: UserId) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO canonical_run_askers (run_id, user_id) SELECT id, CAST($2 AS BIGINT) \
         FROM canonical_runs WHERE id = $1 AND (search_owner IS NULL OR search_owner <> $2) \
         ON CONFLICT (run_id, user_id) DO NOTHING";
    on_db!(*db, write, db => rows_affected(sqlx::query(TEXT).bind(run.run_id.0).bind(asker.0).execute(db)))?;
    Ok(())
}

async fn supersede(tx: &mut Tx, before: &Run) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE canonical_runs SET status = 'superseded' WHERE id = $1";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(before.run_id.0).execute(db)))?;
    Ok(())
}

async fn insert(tx: &mut Tx, topic: &str, run: &NewRun, now: Instant) -> Result<Run, StoreError> {
    const TEXT: &str = concat!(
        "INSERT INTO canonical_runs (topic, cluster_key, status, is_auto, winner_signal_id, search_id, search_owner, \
         created_at, margin, scope, query_key, query, weights, gates, members) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING ",
        columns!()
    );
    let status = if run.auto { RunStatus::AutoElected } else { RunStatus::Pending };
    let query: String = run.query.chars().take(QUERY_CHARS_MAX).collect();
    let (weights, thresholds) = (JsonText::of(&run.weights)?, JsonText::of(&run.thresholds)?);
    let members = JsonText::of(&run.members)?;
    on_tx!(tx, db => sqlx::query_as::<_, RunRow>(TEXT)
        .bind(topic)
        .bind(run.cluster_key.0)
        .bind(status.as_str())
        .bind(run.auto)
        .bind(run.winner_signal_id.0)
        .bind(run.search_id.0)
        .bind(run.search_owner.0)
        .bind(now)
        .bind(run.margin)
        .bind(plain(&run.scope.to_string()))
        .bind(query_key(&run.query))
        .bind(query.as_str())
        .bind(weights.clone())
        .bind(thresholds.clone())
        .bind(members.clone())
        .fetch_one(db))?
    .try_into()
}

async fn drop_oldest(tx: &mut Tx, topic: &str, cluster: SignalId) -> Result<(), StoreError> {
    const TEXT: &str = "DELETE FROM canonical_runs WHERE id IN (SELECT id FROM canonical_runs WHERE topic = $1 \
         AND cluster_key = $2 AND status IN ('superseded', 'stale') ORDER BY id DESC LIMIT 1000 OFFSET $3)";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(topic).bind(cluster.0).bind(UNDECIDED_KEPT).execute(db)))?;
    Ok(())
}
