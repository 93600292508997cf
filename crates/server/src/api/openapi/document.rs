//! The OpenAPI document as it is served.

use bytes::Bytes;

/// The OpenAPI document as JSON.
#[derive(Clone)]
pub struct ApiDocument(Bytes);

impl ApiDocument {
    pub fn new(json: String) -> Self {
        Self(Bytes::from(json))
    }

    pub fn bytes(&self) -> Bytes {
        self.0.clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}
