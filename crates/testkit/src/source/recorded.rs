//! A request that the fake source received.

use bytes::Bytes;

/// One request, as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub method: String,
    pub path: String,
    /// Names and values, decoded, in order.
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl Recorded {
    pub fn header(&self, name: &str) -> Option<&str> {
        first_of(&self.headers, &name.to_ascii_lowercase())
    }

    pub fn query_value(&self, name: &str) -> Option<&str> {
        first_of(&self.query, name)
    }
}

/// The value of the first pair with this name.
pub(super) fn first_of<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
