//! Normalized URLs of documents, so that a document is the same however it was linked.

use sha2::{Digest, Sha256};
use url::Url;

/// Maximum length of the URL of a document, in characters.
pub const URL_CHARS_MAX: usize = 2_048;
/// Tracking parameters, which are not part of the document's identity.
const TRACKING: &[&str] = &[
    "dclid", "fbclid", "gbraid", "gclid", "igshid", "mc_cid", "mc_eid", "msclkid", "twclid", "wbraid",
    "yclid",
];
const TRACKING_PREFIX: &str = "utm_";

/// A normalized URL: scheme and host in lower case, no default port, no fragment, no tracking parameters, the other
/// parameters sorted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DocumentAddress(String);

impl DocumentAddress {
    /// None for a text that is not an absolute web URL, or is too long.
    pub fn of(text: &str) -> Option<Self> {
        if text.len() > URL_CHARS_MAX {
            return None;
        }
        // The parser lowers scheme and host and drops default ports.
        let mut url = Url::parse(text.trim()).ok()?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return None;
        }
        url.set_fragment(None);
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let mut pairs: Vec<(String, String)> =
            url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        pairs.retain(|(name, _)| !is_tracking(name));
        pairs.sort();
        url.set_query(None);
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(&pairs);
        }
        Some(Self(url.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// SHA-256 in hexadecimal.
    pub fn hash(&self) -> String {
        Sha256::digest(self.0.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with(TRACKING_PREFIX) || TRACKING.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_document_has_one_address() {
        let table = [
            ("HTTPS://Example.COM:443/A/b?z=1&a=2&utm_source=x#part", "https://example.com/A/b?a=2&z=1"),
            ("http://example.com", "http://example.com/"),
            ("http://example.com:8080/?b=1&b=0&FBCLID=7", "http://example.com:8080/?b=0&b=1"),
            (" https://u:p@example.com/x?gclid=1 ", "https://example.com/x"),
            ("https://example.com/?q=a%20b&q=c+d", "https://example.com/?q=a+b&q=c+d"),
        ];
        for (given, expected) in table {
            assert_eq!(
                DocumentAddress::of(given).as_ref().map(DocumentAddress::as_str),
                Some(expected),
                "{given}"
            );
            assert_eq!(DocumentAddress::of(expected), DocumentAddress::of(given), "{given}");
        }
        let long = format!("https://example.com/{}", "a".repeat(URL_CHARS_MAX));
        for bad in ["", "example.com", "/a", "mailto:a@b.example", "javascript:alert(1)", "data:,a", &long] {
            assert_eq!(DocumentAddress::of(bad), None, "{bad}");
        }
        assert_eq!(DocumentAddress::of("https://example.com/").map(|address| address.hash().len()), Some(64));
    }
}
