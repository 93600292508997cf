#![no_main]
use domain::notation::dates::normalize_date;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let once = normalize_date(text);
    let _again = normalize_date(&once);
});
