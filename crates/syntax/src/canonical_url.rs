//! Canonical form of URLs, in which two URLs of the same page are equal.

use url::Url;

/// Tracking parameters, which are not part of the page's identity.
const TRACKING: &[&str] = &[
    "_ga", "_gl", "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igshid", "mc_cid", "mc_eid", "mkt_tok",
    "msclkid", "twclid", "wbraid", "yclid",
];
const TRACKING_PREFIX: &str = "utm_";

/// Scheme and host in lower case; without the default port, the fragment, tracking parameters and the trailing slash. A
/// text that is not a URL is only trimmed; None if it is empty.
pub fn canonical(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let Ok(mut url) = Url::parse(text) else { return Some(text.to_owned()) };
    // A fragment such as `#/orders/7` is the route of a single-page application; others are positions in a page.
    if !url.fragment().is_some_and(|fragment| fragment.starts_with(['/', '!'])) {
        url.set_fragment(None);
    }
    if let Some(query) = url.query() {
        let kept: Vec<&str> =
            query.split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair)).collect();
        let kept = kept.join("&");
        url.set_query(Some(kept.as_str()).filter(|kept| !kept.is_empty()));
    }
    if !url.cannot_be_a_base() {
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
    }
    Some(url.into())
}

fn is_tracking(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with(TRACKING_PREFIX) || TRACKING.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_page_are_equal() {
        let page = canonical("https://example.org/a?id=1");
        for same in [
            "HTTPS://Example.ORG/a?id=1",
            "https://example.org:443/a?id=1",
            "https://example.org/a/?id=1",
            "https://example.org/a?id=1#part-2",
            "https://example.org/a?utm_source=x&id=1&UTM_medium=y&fbclid=z",
            " https://example.org/a?id=1& ",
        ] {
            assert_eq!(canonical(same), page, "{same}");
        }
        assert_eq!(canonical("https://example.org"), canonical("https://example.org/#top"));
        assert_eq!(canonical("https://example.org/?gclid=1"), canonical("https://example.org/"));
    }

    #[test]
    fn addresses_of_other_pages_are_not() {
        let page = canonical("https://example.org/a?id=1");
        for other in [
            "http://example.org/a?id=1",
            "https://example.org:8443/a?id=1",
            "https://example.org/A?id=1",
            "https://example.org/a?id=2",
            "https://example.org/a?id=1#/orders/7",
            "https://example.org/a?id=1#!orders",
            "https://example.org/a",
        ] {
            assert_ne!(canonical(other), page, "{other}");
        }
    }

    #[test]
    fn texts_that_are_no_urls() {
        let table = [
            ("", None),
            ("  ", None),
            ("/files/Report.pdf", Some("/files/Report.pdf")),
            (" row 17 ", Some("row 17")),
            ("mailto:a@example.org", Some("mailto:a@example.org")),
        ];
        for (text, expected) in table {
            assert_eq!(canonical(text).as_deref(), expected, "{text}");
        }
    }
}
