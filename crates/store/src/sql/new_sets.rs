//! The columns and values of new result sets, for every statement that inserts some.

use super::run_texts::SetTexts;
use crate::json::{JsonText, to_column};
use crate::json_column::JsonColumn;
use domain::instant::Instant;
use domain::result::ResultSet;
use sqlx::{Database, Encode, QueryBuilder, Type};

/// In the order of [`push_sets`]. PostgreSQL inserts the sets of a first run from lists in the same order.
macro_rules! new_set_columns {
    () => {
        "search_id, provider_id, found, retrieved, time_s, item_count, date_created, date_updated, detail, items"
    };
}
pub(super) use new_set_columns;

/// Pushes the values of each set.
pub(super) fn push_sets<D: Database>(query: &mut QueryBuilder<D>, sets: &[ResultSet], texts: Vec<SetTexts>)
where
    for<'a> i64: Encode<'a, D> + Type<D>,
    for<'a> f64: Encode<'a, D> + Type<D>,
    for<'a> Instant: Encode<'a, D> + Type<D>,
    for<'a> JsonText: Encode<'a, D> + Type<D>,
    for<'a> JsonColumn: Encode<'a, D> + Type<D>,
{
    query.push_values(sets.iter().zip(texts), |mut row, (set, SetTexts { detail, items })| {
        row.push_bind(set.search.0)
            .push_bind(set.provider.0)
            .push_bind(to_column(set.found))
            .push_bind(to_column(set.retrieved))
            .push_bind(set.time_s)
            .push_bind(to_column(set.items.len() as u64))
            .push_bind(set.date_created)
            .push_bind(set.date_updated)
            .push_bind(detail)
            .push_bind(items);
    });
}
