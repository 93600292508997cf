//! Finishes the first run of a search in PostgreSQL, with one statement.

use super::new_sets::new_set_columns;
use super::notices::NoticeTexts;
use super::result_ranges::Range;
use super::run_texts::RunTexts;
use super::runs::run_columns;
use super::search_rows::{SearchRow, columns};
use super::status::is_running;
use crate::db::{NO_FLUSH, PostgresPools, on_connection};
use crate::json::{finite, plain, to_column};
use domain::instant::to_micros;
use domain::ports::{FinishedRun, StoreError};
use domain::search::Search;
use sqlx::Postgres;
use sqlx::postgres::PgBindIterExt;
use std::sync::LazyLock;

/// All parts read `ended`, which is empty if the run is obsolete: then nothing is written. The text is the same for any
/// number of sets and notices, so that each connection prepares it once. Nothing is added or gone: the first run has
/// nothing to compare with.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH ended AS (UPDATE searches SET status = $3, query_string_processed = $4, time_s = $5, \
         date_updated = $6, messages = {messages}, notices = {notices} WHERE {is_running} RETURNING {columns}), \
         sets AS (INSERT INTO result_sets ({set_columns}) SELECT ended.id, new.* FROM ended, \
         unnest($9, $10, $11, $12, $13, $14, $15, $16, $17) AS new RETURNING id, provider_id), \
         ranges AS (INSERT INTO result_ranges (first_id, last_id, result_set) \
         SELECT new.first_id, new.last_id, sets.id FROM sets \
         JOIN unnest($18, $19, $20) AS new (provider_id, first_id, last_id) USING (provider_id)), \
         runs AS (INSERT INTO search_runs ({run_columns}) \
         SELECT id, run, status, date_updated, $21, 0, 0, $22 FROM ended) \
         SELECT {columns}, {NO_FLUSH} FROM ended",
        messages = append("messages", "$7"),
        notices = append("notices", "$8"),
        is_running = is_running(),
        columns = columns!(),
        set_columns = new_set_columns!(),
        run_columns = run_columns!(),
    )
});

/// The list of the column with the elements of another list after its own. Both are joined as texts: JSONB would order
/// the keys of objects and reject NUL.
fn append(column: &str, list: &str) -> String {
    format!(
        "CASE WHEN CAST({list} AS TEXT) = '[]' THEN {column} WHEN CAST({column} AS TEXT) = '[]' THEN {list} \
         ELSE CAST(left(CAST({column} AS TEXT), -1) || ',' || substr(CAST({list} AS TEXT), 2) AS JSON) END"
    )
}

/// Writes the run unless it is obsolete, and returns its search.
pub(super) async fn finish_in_postgres(
    pools: &PostgresPools,
    finished: &FinishedRun,
    ranges: &[Range],
    texts: RunTexts,
) -> Result<Option<Search>, StoreError> {
    let notices = NoticeTexts::of(&finished.notices)?;
    let (sets, set_texts) = (&finished.sets, &texts.sets);
    let row = on_connection!(pools.write, connection => sqlx::query_as::<Postgres, SearchRow>(TEXT.as_str())
        .bind(finished.search.0)
        .bind(finished.run.0)
        .bind(finished.status.as_str())
        .bind(plain(&finished.query_string_processed))
        .bind(finite(finished.time_s))
        .bind(to_micros(finished.now))
        .bind(notices.lines)
        .bind(notices.facts)
        .bind(sets.iter().map(|set| set.provider.0).bind_iter())
        .bind(sets.iter().map(|set| to_column(set.found)).bind_iter())
        .bind(sets.iter().map(|set| to_column(set.retrieved)).bind_iter())
        .bind(sets.iter().map(|set| set.time_s).bind_iter())
        .bind(sets.iter().map(|set| to_column(set.items.len() as u64)).bind_iter())
        .bind(sets.iter().map(|set| set.date_created).bind_iter())
        .bind(sets.iter().map(|set| set.date_updated).bind_iter())
        .bind(set_texts.iter().map(|texts| &texts.detail).bind_iter())
        .bind(set_texts.iter().map(|texts| &texts.items).bind_iter())
        .bind(ranges.iter().map(|range| range.provider).bind_iter())
        .bind(ranges.iter().map(|range| range.first).bind_iter())
        .bind(ranges.iter().map(|range| range.last).bind_iter())
        .bind(to_column(texts.retrieved as u64))
        .bind(texts.entries)
        .fetch_optional(connection))?;
    row.map(Search::try_from).transpose()
}
