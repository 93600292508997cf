#![no_main]
use domain::notation::response_mappings::ResponseMappings;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _read = ResponseMappings::parse(text);
});
