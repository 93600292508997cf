//! The `query_mappings` of a provider.

use syntax::query_mappings::QueryMappings;

pub fn check(bytes: &[u8]) {
    let _read = QueryMappings::parse(super::text(bytes));
}
