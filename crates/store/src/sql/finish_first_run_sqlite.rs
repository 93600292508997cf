//! Finishes the first run of a search in SQLite, with one batch.

use super::new_sets::{new_set_columns, push_sets};
use super::notices::NoticeTexts;
use super::result_ranges::Range;
use super::run_texts::{RunTexts, SetTexts};
use super::runs::run_columns;
use super::search_rows::{SearchRow, columns};
use super::status::is_open;
use crate::db::SqlitePools;
use crate::json::{JsonText, finite, plain, to_column};
use crate::json_column::JsonColumn;
use crate::sqlite_batch::SqliteBatch;
use domain::instant::to_micros;
use domain::ports::{FinishedRun, StoreError};
use domain::search::Search;
use sqlx::{QueryBuilder, Sqlite};

/// A statement with this condition does nothing if the one before did nothing: the first one checks whether the run is
/// obsolete.
const IF_NOT_OBSOLETE: &str = " WHERE changes() > 0";

/// Writes the run unless it is obsolete, and returns its search.
pub(super) async fn finish_in_sqlite(
    pools: &SqlitePools,
    finished: &FinishedRun,
    ranges: &[Range],
    texts: RunTexts,
) -> Result<Option<Search>, StoreError> {
    let mut batch = SqliteBatch::new();
    end_search(&mut batch, finished)?;
    insert_sets(&mut batch, finished, texts.sets);
    if !ranges.is_empty() {
        insert_ranges(&mut batch, finished, ranges)?;
    }
    insert_run(&mut batch, finished, texts.retrieved, texts.entries);
    let searches: Vec<SearchRow> = batch.run(pools).await?;
    searches.into_iter().next().map(Search::try_from).transpose()
}

fn end_search(batch: &mut SqliteBatch, finished: &FinishedRun) -> Result<(), StoreError> {
    let query = batch.statement("UPDATE searches SET status = ");
    query.push_bind(finished.status.as_str());
    query.push(", query_string_processed = ").push_bind(plain(&finished.query_string_processed));
    query.push(", time_s = ").push_bind(finite(finished.time_s));
    query.push(", date_updated = ").push_bind(to_micros(finished.now));
    let texts = NoticeTexts::of(&finished.notices)?;
    append(query, "messages", texts.lines);
    append(query, "notices", texts.facts);
    query.push(" WHERE id = ").push_bind(finished.search.0);
    query.push(" AND run = ").push_bind(finished.run.0);
    query.push(" AND ").push(is_open("status")).push(concat!(" RETURNING ", columns!()));
    Ok(())
}

/// Appends the elements of a JSON list to those of the column. The text is the same for an empty list: each text is
/// compiled once.
fn append(query: &mut QueryBuilder<Sqlite>, column: &str, list: JsonText) {
    query.push(format_args!(", {column} = CASE WHEN ")).push_bind(list.clone());
    query.push(format_args!(" = '[]' THEN {column} WHEN {column} = '[]' THEN ")).push_bind(list.clone());
    query.push(format_args!(" ELSE substr({column}, 1, length({column}) - 1) || ',' || substr("));
    query.push_bind(list).push(", 2) END");
}

fn insert_sets(batch: &mut SqliteBatch, finished: &FinishedRun, texts: Vec<SetTexts>) {
    if finished.sets.is_empty() {
        return;
    }
    let query =
        batch.statement(concat!("INSERT INTO result_sets (", new_set_columns!(), ") SELECT * FROM ("));
    push_sets(query, &finished.sets, texts);
    query.push(")").push(IF_NOT_OBSOLETE);
}

/// A JSON list of the ranges, so that the text does not depend on how many sources found something.
fn insert_ranges(
    batch: &mut SqliteBatch,
    finished: &FinishedRun,
    ranges: &[Range],
) -> Result<(), StoreError> {
    let columns: Vec<[i64; 3]> =
        ranges.iter().map(|range| [range.first, range.last, range.provider]).collect();
    let query = batch.statement(
        "INSERT INTO result_ranges (first_id, last_id, result_set) SELECT value ->> 0, value ->> 1, \
         (SELECT id FROM result_sets WHERE search_id = ",
    );
    query.push_bind(finished.search.0).push(" AND provider_id = value ->> 2) FROM json_each(");
    query.push_bind(JsonText::of(&columns)?).push(")").push(IF_NOT_OBSOLETE);
    Ok(())
}

/// The first run has nothing to compare with.
fn insert_run(
    batch: &mut SqliteBatch,
    finished: &FinishedRun,
    retrieved: usize,
    entries: Option<JsonColumn>,
) {
    let query = batch.statement(concat!("INSERT INTO search_runs (", run_columns!(), ") SELECT "));
    let mut values = query.separated(", ");
    values.push_bind(finished.search.0);
    values.push_bind(finished.run.0);
    values.push_bind(finished.status.as_str());
    values.push_bind(to_micros(finished.now));
    values.push_bind(to_column(retrieved as u64));
    values.push("0, 0");
    values.push_bind(entries);
    query.push(IF_NOT_OBSOLETE);
}
