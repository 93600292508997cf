#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::checks::mcp_reply::check(bytes));
