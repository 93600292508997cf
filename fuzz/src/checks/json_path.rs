//! A path and a document, separated by the first line break.

use syntax::json_path::JsonPath;

pub fn check(bytes: &[u8]) {
    let text = super::text(bytes);
    let (path, json) = text.split_once('\n').unwrap_or((text, "{\"a\":[{\"b\":1},[2]],\"@x\":null}"));
    let Ok(path) = JsonPath::parse(path) else { return };
    if let Ok(value) = serde_json::from_str(json) {
        let _found = path.find(&value);
    }
}
