//! The `response_mappings` of a provider.

use syntax::response_mappings::ResponseMappings;

pub fn check(bytes: &[u8]) {
    let _read = ResponseMappings::parse(super::text(bytes));
}
