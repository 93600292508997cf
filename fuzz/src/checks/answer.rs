//! A response of a source: JSON, XML or neither.

pub fn check(bytes: &[u8]) {
    for content_type in [None, Some("application/json"), Some("application/atom+xml; charset=latin1")] {
        let _read = connectors::read_answer(content_type, bytes);
    }
}
