//! The OpenAPI document as it is served.

use crate::ui::assets::gzip;
use bytes::Bytes;
use flate2::Compression;
use std::sync::{Arc, OnceLock};

/// The OpenAPI document as JSON.
#[derive(Clone)]
pub struct ApiDocument {
    json: Bytes,
    /// Compressed when it is read first.
    compressed: Arc<OnceLock<Option<Bytes>>>,
}

impl ApiDocument {
    pub fn new(json: String) -> Self {
        Self { json: Bytes::from(json), compressed: Arc::default() }
    }

    pub fn bytes(&self) -> Bytes {
        self.json.clone()
    }

    /// The document for clients that accept gzip.
    pub fn compressed(&self) -> Option<Bytes> {
        self.compressed.get_or_init(|| gzip(&self.json, Compression::default())).clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.json).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn the_compressed_document_is_smaller_and_complete() {
        let document = ApiDocument::new(r#"{"name": "value"}"#.repeat(1000));
        let compressed = document.compressed().unwrap();
        assert!(compressed.len() < document.bytes().len() / 10);
        let mut text = String::new();
        GzDecoder::new(compressed.as_ref()).read_to_string(&mut text).unwrap();
        assert_eq!(text, document.text());
    }
}
