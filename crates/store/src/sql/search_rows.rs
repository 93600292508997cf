//! The row of a search.

use super::notices::NoticeTexts;
use super::status::parse_status;
use super::text::folded;
use crate::json::JsonText;
use crate::row::row;
use domain::ids::{RunNumber, SearchId, UserId};
use domain::instant::Instant;
use domain::notice::StoredNotices;
use domain::ports::StoreError;
use domain::search::{Search, SearchSpec};
use sqlx::types::Json;
use sqlx::{Database, Encode, QueryBuilder, Type};

macro_rules! columns {
    () => {
        "id, owner, draft, query_string_processed, status, messages, notices, time_s, run, \
         date_created, date_updated"
    };
}
pub(super) use columns;

row! {
    pub(super) struct SearchRow {
        id: i64,
        owner: i64,
        draft: Json<SearchSpec>,
        query_string_processed: String,
        status: String,
        messages: Json<Vec<String>>,
        notices: Json<StoredNotices>,
        time_s: f64,
        run: i64,
        date_created: Instant,
        date_updated: Instant,
    }
}

impl TryFrom<SearchRow> for Search {
    type Error = StoreError;

    fn try_from(row: SearchRow) -> Result<Self, StoreError> {
        let status = parse_status(row.id, &row.status)?;
        Ok(Self {
            id: SearchId(row.id),
            owner: UserId(row.owner),
            spec: row.draft.0,
            query_string_processed: row.query_string_processed,
            status,
            notices: row.notices.0.restore(row.messages.0),
            time_s: row.time_s,
            run: RunNumber(row.run),
            date_created: row.date_created,
            date_updated: row.date_updated,
        })
    }
}

/// The columns of a new search that hold JSON.
pub(super) struct NewSearchTexts {
    spec: JsonText,
    notices: NoticeTexts,
}

impl NewSearchTexts {
    pub(super) fn of(search: &Search) -> Result<Self, StoreError> {
        Ok(Self { spec: JsonText::of(&search.spec)?, notices: NoticeTexts::of(&search.notices)? })
    }
}

/// Pushes the statement that inserts a search and returns its id. A search without an id gets one.
pub(super) fn push_insert<D: Database>(query: &mut QueryBuilder<D>, search: &Search, texts: NewSearchTexts)
where
    for<'a> i64: Encode<'a, D> + Type<D>,
    for<'a> f64: Encode<'a, D> + Type<D>,
    for<'a> bool: Encode<'a, D> + Type<D>,
    for<'a> String: Encode<'a, D> + Type<D>,
    for<'a> Instant: Encode<'a, D> + Type<D>,
    for<'a> JsonText: Encode<'a, D> + Type<D>,
{
    let has_id = search.id.0 != 0;
    query.push("INSERT INTO searches (").push(if has_id { "id, " } else { "" }).push(
        "owner, draft, query_string_processed, status, messages, time_s, run, date_created, date_updated, \
         retention, subscribe, saved, assistant, query_folded, notices) VALUES (",
    );
    let mut values = query.separated(", ");
    if has_id {
        values.push_bind(search.id.0);
    }
    values
        .push_bind(search.owner.0)
        .push_bind(texts.spec)
        .push_bind(search.query_string_processed.clone())
        .push_bind(search.status.as_str().to_owned())
        .push_bind(texts.notices.lines)
        .push_bind(search.time_s)
        .push_bind(search.run.0)
        .push_bind(search.date_created)
        .push_bind(search.date_updated)
        .push_bind(retention_column(&search.spec))
        .push_bind(search.spec.subscribe)
        .push_bind(search.spec.is_saved())
        .push_bind(search.spec.is_by_assistant())
        .push_bind(folded(&search.spec.query_string))
        .push_bind(texts.notices.facts);
    query.push(") RETURNING id");
}

/// A search without a retention is kept forever.
pub(super) fn retention_column(spec: &SearchSpec) -> i64 {
    spec.retention.map_or(0, i64::from)
}
