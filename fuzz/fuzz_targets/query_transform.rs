#![no_main]
use domain::query_transform::{OUTPUT_CHARS_MAX, Rules, TransformType};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (csv, query) = input;
    for kind in TransformType::ALL {
        if let Ok(rules) = Rules::parse(kind, csv) {
            let length = rules.apply(query).query.chars().count();
            assert!(length <= OUTPUT_CHARS_MAX.max(query.chars().count()));
        }
    }
});
