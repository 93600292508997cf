//! A path and a document, parted by the first line break.
#![no_main]
use domain::notation::json_path::JsonPath;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (path, json) = text.split_once('\n').unwrap_or((text, "{\"a\":[{\"b\":1},[2]],\"@x\":null}"));
    let Ok(path) = JsonPath::parse(path) else { return };
    if let Ok(value) = serde_json::from_str(json) {
        let _found = path.find(&value);
    }
});
