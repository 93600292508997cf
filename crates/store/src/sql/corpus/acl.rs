//! Access list of a cached document: its source, and the users with a grant for its current text.

use crate::db::{Db, on_db};
use crate::row::row;
use crate::sql::text::{in_lists, push_list};
use domain::corpus::AclToken;
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::StoreError;
use sqlx::QueryBuilder;
use std::collections::BTreeMap;

row! {
    struct AclRow {
        id: i64,
        provider: Option<i64>,
        user_id: Option<i64>,
    }
}

/// The existing ones of these documents, by id. One without text has no tokens.
pub(super) async fn acl_of(db: &Db, ids: &[SignalId]) -> Result<Vec<(SignalId, Vec<AclToken>)>, StoreError> {
    let mut lists: BTreeMap<SignalId, Vec<AclToken>> = BTreeMap::new();
    for some in in_lists(ids) {
        let rows = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT signals.id, CASE WHEN signals.content_hash <> '' AND NOT is_supplied \
                 THEN source_provider_id END AS provider, g.user_id FROM signals LEFT JOIN signal_grants AS g \
                 ON g.signal_id = signals.id AND g.revoked_at IS NULL AND g.content_hash = signals.content_hash \
                 AND signals.content_hash <> '' WHERE signals.id IN (",
            );
            push_list(&mut query, some.iter().copied());
            query.push(") ORDER BY signals.id, g.user_id");
            query.build_query_as::<AclRow>().fetch_all(db).await
        })?;
        for row in rows {
            let list = lists.entry(SignalId(row.id)).or_insert_with(|| {
                row.provider.map(|id| AclToken::Provider(ProviderId(id))).into_iter().collect()
            });
            list.extend(row.user_id.map(|id| AclToken::User(UserId(id))));
        }
    }
    Ok(lists.into_iter().collect())
}
