#![no_main]
use domain::notation::query_mappings::QueryMappings;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _read = QueryMappings::parse(text);
});
