//! Finds the saved sets whose results contain a URL.

use super::result_rows::{SetRow, columns};
use super::text::exact_pattern;
use crate::db::{Db, on_db};
use crate::json::to_column;
use crate::json_block::json_of;
use domain::ids::{ProviderId, UserId};
use domain::ports::StoreError;
use sqlx::QueryBuilder;

/// Most sets that are read to find a URL.
const SETS_READ_MAX: usize = 20;

/// The sets of an owner and a provider that may contain a URL, newest first: of the newest `sets_max`, at most
/// [`SETS_READ_MAX`]. The database searches texts itself; blocks are searched here.
pub(super) async fn sets_with_url(
    db: &Db,
    owner: UserId,
    provider: ProviderId,
    url: &str,
    sets_max: u64,
) -> Result<Vec<i64>, StoreError> {
    // PostgreSQL has no blocks.
    let (block, is_block) = match db {
        Db::Sqlite(_) => ("CASE WHEN typeof(items) = 'blob' THEN items END", "typeof(items) = 'blob'"),
        Db::Postgres(_) => ("CAST(NULL AS BYTEA)", "FALSE"),
    };
    let quoted = serde_json::Value::from(url).to_string();
    let quoted = quoted.trim_matches('"');
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new("SELECT id, ");
        query.push(block);
        query.push(" FROM (SELECT id, items FROM result_sets WHERE provider_id = ").push_bind(provider.0);
        query.push(" AND search_id IN (SELECT id FROM searches WHERE owner = ").push_bind(owner.0);
        query.push(") ORDER BY id DESC LIMIT ").push_bind(to_column(sets_max));
        query.push(") AS newest WHERE ").push(is_block);
        query.push(" OR CAST(items AS TEXT) LIKE ").push_bind(exact_pattern(quoted));
        query.push(" ESCAPE '\\' ORDER BY id DESC");
        query.build_query_as::<(i64, Option<Vec<u8>>)>().fetch_all(db).await
    })?;
    let may_contain = |(set, block): (i64, Option<Vec<u8>>)| match block {
        None => Some(set),
        Some(block) => is_in_block(set, &block, quoted).then_some(set),
    };
    Ok(rows.into_iter().filter_map(may_contain).take(SETS_READ_MAX).collect())
}

/// A damaged set is skipped, so that the URL can still be found in others.
fn is_in_block(set: i64, block: &[u8], quoted: &str) -> bool {
    match json_of(block) {
        Ok(json) => json.contains(quoted),
        Err(error) => {
            tracing::warn!(set, %error, "a result set cannot be searched");
            false
        }
    }
}

/// None if the set was deleted in the meantime.
pub(super) async fn load_set(db: &Db, set: i64) -> Result<Option<SetRow>, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM result_sets WHERE id = $1");
    let row = on_db!(*db, read, db => sqlx::query_as::<_, SetRow>(TEXT).bind(set).fetch_optional(db))?;
    Ok(row.map(SetRow::restored))
}
