//! The `result_mappings` of a provider.

use syntax::result_mappings::ResultMappings;

pub fn check(bytes: &[u8]) {
    let _read = ResultMappings::parse(super::text(bytes));
}
