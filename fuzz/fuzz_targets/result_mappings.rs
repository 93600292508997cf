#![no_main]
use domain::notation::result_mappings::ResultMappings;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _read = ResultMappings::parse(text);
});
