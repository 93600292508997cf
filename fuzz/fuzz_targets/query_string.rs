#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::checks::query_string::check(bytes));
