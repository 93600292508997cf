//! Finishes a run in one transaction, with as few round trips as possible, because every search ends here.

use super::finish_first_run::{finish_first_run, fits};
use super::new_sets::{new_set_columns, push_sets};
use super::notices::NoticeTexts;
use super::result_ids::ResultIds;
use super::result_ranges::{Range, number_items};
use super::run_texts::{RunParts, RunTexts, SetTexts, encode};
use super::runs;
use super::search_rows::{SearchRow, columns};
use super::status::is_running;
use crate::db::{Db, Tx, on_tx, rows_affected};
use crate::encoder_threads::EncoderThreads;
use crate::json::{finite, plain, to_column, to_count};
use crate::row::row;
use domain::instant::{Instant, to_micros};
use domain::notice;
use domain::ports::{FinishedRun, StoreError, StoredRun};
use domain::result::ResultSet;
use domain::search::Search;
use domain::search_run::RunFindings;
use sqlx::QueryBuilder;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Result sets per statement: ten values each, well below the limits of both databases.
const SETS_PER_STATEMENT: usize = 500;

/// Writes the run unless it is obsolete.
pub(super) async fn finish_run(
    db: &Db,
    ids: &ResultIds,
    threads: &EncoderThreads,
    mut finished: FinishedRun,
) -> Result<Option<StoredRun>, StoreError> {
    prepare(&mut finished)?;
    let ranges = number_items(db, ids, &mut finished.sets).await?;
    let fits_one_call = fits(&finished, &ranges);
    let sets = std::mem::take(&mut finished.sets);
    if !fits_one_call {
        let run = encode(threads, db.new_json_writer(), RunParts { sets, entries: None }).await?;
        finished.sets = run.sets;
        return finish_in_steps(db, finished, &ranges, run.texts).await;
    }
    let found = finished.found.take();
    let retrieved = found.as_ref().map_or(0, |found| found.entries.len());
    let run = RunParts { sets, entries: Some(RunFindings::after(found, &[])) };
    let run = encode(threads, db.new_json_writer(), run).await?;
    finished.sets = run.sets;
    let texts = RunTexts { sets: run.texts, entries: run.entries, retrieved };
    let search = finish_first_run(db, &finished, &ranges, texts).await?;
    Ok(search.map(|search| StoredRun { search, sets: finished.sets }))
}

/// The first statement checks whether the run is obsolete, and locks the search until the end.
async fn finish_in_steps(
    db: &Db,
    mut finished: FinishedRun,
    ranges: &[Range],
    texts: Vec<SetTexts>,
) -> Result<Option<StoredRun>, StoreError> {
    let mut tx = db.begin().await?;
    let Some(mut search) = end_search(&mut tx, &finished).await? else {
        tx.rollback().await?;
        return Ok(None);
    };
    append_notices(&mut tx, &finished, &mut search).await?;
    let rows = save_sets(&mut tx, &mut finished.sets, texts).await?;
    save_ranges(&mut tx, ranges, &rows).await?;
    runs::note(&mut tx, &mut finished).await?;
    tx.commit().await?;
    Ok(Some(StoredRun { search, sets: finished.sets }))
}

/// Makes the result sets as they will be read: of this search, one per provider, with numbers that are stored.
fn prepare(finished: &mut FinishedRun) -> Result<(), StoreError> {
    let mut providers = HashSet::new();
    for set in &mut finished.sets {
        if !providers.insert(set.provider) {
            return Err(StoreError::failed(format!("two result sets for provider {}", set.provider)));
        }
        set.search = finished.search;
        set.time_s = finite(set.time_s);
        set.found = to_count(to_column(set.found));
        set.retrieved = to_count(to_column(set.retrieved));
        set.date_created = to_micros(set.date_created);
        set.date_updated = to_micros(set.date_updated);
        for item in &mut set.items {
            item.swirl_score = finite(item.swirl_score);
            item.swirl_confidence_score = finite(item.swirl_confidence_score);
        }
    }
    Ok(())
}

/// Ends the run and returns the search; None if the run is obsolete.
async fn end_search(tx: &mut Tx, finished: &FinishedRun) -> Result<Option<Search>, StoreError> {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "UPDATE searches SET status = $3, query_string_processed = $4, time_s = $5, date_updated = $6 \
             WHERE {} RETURNING {}",
            is_running(),
            columns!()
        )
    });
    let row = on_tx!(tx, db => sqlx::query_as::<_, SearchRow>(TEXT.as_str())
        .bind(finished.search.0)
        .bind(finished.run.0)
        .bind(finished.status.as_str())
        .bind(plain(&finished.query_string_processed))
        .bind(finite(finished.time_s))
        .bind(to_micros(finished.now))
        .fetch_optional(db))?;
    row.map(Search::try_from).transpose()
}

async fn append_notices(tx: &mut Tx, finished: &FinishedRun, search: &mut Search) -> Result<(), StoreError> {
    if finished.notices.is_empty() {
        return Ok(());
    }
    search.notices.extend_from_slice(&finished.notices);
    notice::drop_oldest(&mut search.notices);
    let texts = NoticeTexts::of(&search.notices)?;
    on_tx!(tx, db => rows_affected(sqlx::query("UPDATE searches SET messages = $2, notices = $3 WHERE id = $1")
        .bind(finished.search.0).bind(texts.lines.clone()).bind(texts.facts.clone()).execute(db)))?;
    Ok(())
}

/// Inserts the sets, or replaces those of the same providers; a replaced set keeps its row, ranges and creation date.
/// Returns the row of each provider.
async fn save_sets(
    tx: &mut Tx,
    sets: &mut [ResultSet],
    texts: Vec<SetTexts>,
) -> Result<HashMap<i64, i64>, StoreError> {
    let mut rows = HashMap::with_capacity(sets.len());
    let mut texts = texts.into_iter();
    for chunk in sets.chunks_mut(SETS_PER_STATEMENT) {
        let saved = insert_chunk(tx, chunk, texts.by_ref().take(chunk.len()).collect()).await?;
        for saved in saved {
            rows.insert(saved.provider_id, saved.id);
            if let Some(set) = chunk.iter_mut().find(|set| set.provider.0 == saved.provider_id) {
                set.date_created = saved.date_created;
            }
        }
    }
    Ok(rows)
}

row! {
    struct SavedSet {
        provider_id: i64,
        id: i64,
        date_created: Instant,
    }
}

async fn insert_chunk(
    tx: &mut Tx,
    sets: &[ResultSet],
    texts: Vec<SetTexts>,
) -> Result<Vec<SavedSet>, StoreError> {
    on_tx!(tx, db => async {
        let mut query = QueryBuilder::new(concat!("INSERT INTO result_sets (", new_set_columns!(), ") "));
        push_sets(&mut query, sets, texts);
        query.push(
            " ON CONFLICT (search_id, provider_id) DO UPDATE SET found = excluded.found, \
             retrieved = excluded.retrieved, time_s = excluded.time_s, item_count = excluded.item_count, \
             date_updated = excluded.date_updated, detail = excluded.detail, items = excluded.items \
             RETURNING provider_id, id, date_created",
        );
        query.build_query_as().fetch_all(db).await
    })
}

async fn save_ranges(tx: &mut Tx, ranges: &[Range], rows: &HashMap<i64, i64>) -> Result<(), StoreError> {
    for chunk in ranges.chunks(SETS_PER_STATEMENT) {
        on_tx!(tx, db => rows_affected(async {
            let mut query = QueryBuilder::new("INSERT INTO result_ranges (first_id, last_id, result_set) ");
            query.push_values(chunk, |mut row, range| {
                row.push_bind(range.first).push_bind(range.last).push_bind(rows.get(&range.provider).copied());
            });
            query.build().execute(db).await
        }))?;
    }
    Ok(())
}
