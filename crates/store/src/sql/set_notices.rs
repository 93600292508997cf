//! The notices of result sets, without their results.

use super::text::push_list;
use crate::db::{Db, on_db};
use domain::ids::SearchId;
use domain::notice::{Notice, StoredNotices};
use domain::ports::StoreError;
use serde::Deserialize;
use sqlx::QueryBuilder;
use sqlx::types::Json;

/// Reads only the notices in the details of a set.
#[derive(Deserialize)]
struct Notices {
    messages: Vec<String>,
    #[serde(default)]
    notices: StoredNotices,
}

/// Those of each set of these searches, by search and provider.
pub(super) async fn read(db: &Db, searches: &[SearchId]) -> Result<Vec<(SearchId, Vec<Notice>)>, StoreError> {
    if searches.is_empty() {
        return Ok(Vec::new());
    }
    let rows = on_db!(db, read, db => async {
        let mut query = QueryBuilder::new("SELECT search_id, detail FROM result_sets WHERE search_id IN (");
        push_list(&mut query, searches.iter().map(|id| id.0));
        query.push(") ORDER BY search_id, provider_id");
        query.build_query_as::<(i64, Json<Notices>)>().fetch_all(db).await
    })?;
    let restored = |(search, Json(of_set)): (i64, Json<Notices>)| {
        (SearchId(search), of_set.notices.restore(of_set.messages))
    };
    Ok(rows.into_iter().map(restored).collect())
}
