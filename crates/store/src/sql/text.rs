//! Text helpers for queries: case folding, `LIKE` patterns, lists of bound ids.

use crate::json::plain;
use domain::ids::SignalId;
use sqlx::QueryBuilder;

/// Most values in one list of a statement: far below the limits of both databases.
pub(super) const LIST_MAX: usize = 500;

/// The case-folded form of a query for searching, equal in both databases.
pub(super) fn folded(query: &str) -> String {
    plain(query).to_lowercase()
}

/// A `LIKE` pattern for texts that contain this one, ignoring case; wildcards are escaped.
pub(super) fn pattern(text: &str) -> String {
    exact_pattern(&folded(text))
}

/// A `LIKE` pattern for texts that contain this one, case-sensitive if the database is.
pub(super) fn exact_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if ['%', '_', '\\'].contains(&c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// Unique sorted ids, in lists that fit a statement.
pub(super) fn in_lists(ids: &[SignalId]) -> Vec<Vec<i64>> {
    let mut ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.chunks(LIST_MAX).map(<[i64]>::to_vec).collect()
}

/// Binds the ids, separated by commas.
pub(super) fn push_list<'a, D>(query: &mut QueryBuilder<D>, ids: impl Iterator<Item = i64>)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_hold_no_signs_of_their_own() {
        for (text, expected) in
            [("Fluß", "%fluß%"), ("50%_\\", "%50\\%\\_\\\\%"), ("", "%%"), ("a\0b", "%ab%")]
        {
            assert_eq!(pattern(text), expected);
        }
    }
}
