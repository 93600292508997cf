//! A curl command or an address, as people paste it.
#![no_main]
use federation::doctor::Case;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _read = Case::request_of(text);
});
