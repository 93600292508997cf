//! The conditions of a `PinFilter`, for pins and for their history.

use super::topic::topic;
use crate::json::plain;
use crate::sql::corpus::push_visible;
use crate::sql::text::pattern;
use domain::corpus::Visibility;
use domain::ports::PinFilter;
use sqlx::QueryBuilder;

/// Applies to pins and to their history, with the alias `decided`.
pub(super) fn push_filter<'a, D>(query: &mut QueryBuilder<D>, filter: &PinFilter)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
    String: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(" WHERE TRUE");
    match (&filter.query_key, &filter.scope) {
        (Some(key), Some(scope)) => {
            query.push(" AND topic = ").push_bind(topic(key, scope));
        }
        (Some(key), None) => {
            query.push(" AND query_key = ").push_bind(plain(key));
        }
        (None, Some(scope)) => {
            query.push(" AND scope = ").push_bind(plain(&scope.to_string()));
        }
        (None, None) => {}
    }
    if !filter.words.is_empty() {
        query.push(" AND query_key LIKE ").push_bind(pattern(&plain(&filter.words))).push(" ESCAPE '\\'");
    }
    if let Some(signal) = filter.signal_id {
        query.push(" AND signal_id = ").push_bind(signal.0);
    }
    if let visible_to @ Visibility::To(_) = filter.visible_to.borrowed() {
        query.push(" AND EXISTS (SELECT 1 FROM signals WHERE signals.id = decided.signal_id");
        push_visible(query, visible_to);
        query.push(")");
    }
}
