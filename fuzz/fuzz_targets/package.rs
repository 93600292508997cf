#![no_main]
libfuzzer_sys::fuzz_target!(init: fuzz::tolerate_library_panics(), |bytes: &[u8]| fuzz::checks::package::check(bytes));
