//! Canonical form of URLs, in which two URLs of the same page are equal.

use std::borrow::Cow;
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
    canonical_form(text).map(Cow::into_owned)
}

/// Like [`canonical`], without a copy of a text that is in this form already.
pub fn canonical_form(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    plain(text).or_else(|| Some(Cow::Owned(parsed(text))))
}

/// The canonical form of a web address in its usual form, which needs no parser: a host in lower case, no port, nothing
/// to decode or to encode, no fragment. `None` for any other.
fn plain(text: &str) -> Option<Cow<'_, str>> {
    let after_scheme = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme))?;
    let scheme = &text[..text.len() - after_scheme.len()];
    let host_end = after_scheme.bytes().position(|byte| matches!(byte, b'/' | b'?'));
    let (host, rest) = after_scheme.split_at(host_end.unwrap_or(after_scheme.len()));
    let query_mark = rest.bytes().position(|byte| byte == b'?');
    let (path, query) = query_mark.map_or((rest, ""), |mark| (&rest[..mark], &rest[mark + 1..]));
    let is_query_byte = |byte: u8| BYTES[usize::from(byte)] & IN_QUERY != 0;
    if !is_plain_host(host) || !is_plain_path(path) || !query.bytes().all(is_query_byte) {
        return None;
    }
    let end = path.trim_end_matches('/');
    if query_mark.is_none() && !end.is_empty() && end.len() == path.len() {
        return Some(Cow::Borrowed(text));
    }
    let path = end;
    let mut url = String::with_capacity(text.len() + 1);
    for part in [scheme, host, if path.is_empty() { "/" } else { path }] {
        url.push_str(part);
    }
    if !query.is_empty() {
        for (number, pair) in kept(query).enumerate() {
            url.push(if number == 0 { '?' } else { '&' });
            url.push_str(pair);
        }
    }
    Some(Cow::Owned(url))
}

const SCHEMES: [&str; 2] = ["https://", "http://"];

/// The parts of a plain address in which a byte may occur, one bit each: every byte of every address is looked up.
const BYTES: [u8; 256] = plain_bytes();
const IN_HOST: u8 = 1;
const IN_PATH: u8 = 2;
const IN_QUERY: u8 = 4;

/// The marks of a path, besides those of a host.
const PATH_MARKS: &[u8] = b"/_.~!$&()*+,;=:@";

const fn plain_bytes() -> [u8; 256] {
    let mut bytes = [0; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        bytes[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => IN_HOST | IN_PATH | IN_QUERY,
            b'A'..=b'Z' => IN_PATH | IN_QUERY,
            b'?' | b'%' => IN_QUERY,
            _ => 0,
        };
        byte += 1;
    }
    let mut place = 0;
    while place < PATH_MARKS.len() {
        bytes[PATH_MARKS[place] as usize] = IN_PATH | IN_QUERY;
        place += 1;
    }
    bytes
}

/// Names in lower case; no number at the end, as in an IP address, and no `--`, as in an encoded name.
fn is_plain_host(host: &str) -> bool {
    let (mut name_length, mut begins_alphabetic, mut last) = (0, false, 0);
    for byte in host.bytes() {
        if byte == b'.' && name_length > 0 {
            name_length = 0;
        } else if BYTES[usize::from(byte)] & IN_HOST == 0 || (byte == b'-' && last == b'-') {
            return false;
        } else {
            if name_length == 0 {
                begins_alphabetic = byte.is_ascii_lowercase();
            }
            name_length += 1;
            if name_length > 63 {
                return false;
            }
        }
        last = byte;
    }
    name_length > 0 && host.len() <= 253 && begins_alphabetic
}

/// A segment that begins with a period may mean another folder.
fn is_plain_path(path: &str) -> bool {
    let mut last = 0;
    path.bytes().all(|byte| {
        let is_plain = BYTES[usize::from(byte)] & IN_PATH != 0 && !(last == b'/' && byte == b'.');
        last = byte;
        is_plain
    })
}

fn parsed(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return text.to_owned() };
    // A fragment such as `#/orders/7` is the route of a single-page application; others are positions in a page.
    if !url.fragment().is_some_and(|fragment| fragment.starts_with(['/', '!'])) {
        url.set_fragment(None);
    }
    if let Some(query) = url.query() {
        let kept = kept(query).collect::<Vec<&str>>().join("&");
        url.set_query(Some(kept.as_str()).filter(|kept| !kept.is_empty()));
    }
    if !url.cannot_be_a_base() {
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
    }
    url.into()
}

/// The parameters of a query that are part of the page's identity.
fn kept(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair))
}

fn is_tracking(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with(TRACKING_PREFIX) || TRACKING.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn usual_addresses_need_no_parser() {
        for (text, expected) in [
            ("https://example.org", Some("https://example.org/")),
            ("https://example.org/a/b.html", Some("https://example.org/a/b.html")),
            ("http://a-1.example.org/b//c.d/~e:f/", Some("http://a-1.example.org/b//c.d/~e:f")),
            ("https://example.org/?a=%2F&utm_source=x&&b=c?d", Some("https://example.org/?a=%2F&b=c?d")),
            ("https://example.org?a", Some("https://example.org/?a")),
            ("https://example.org/a%20b", None),
            ("https://Example.org/", None),
            ("https://example.org:443/", None),
            ("https://example.org/a/../b", None),
            ("https://127.0.0.1/", None),
            ("https://xn--bcher-kva.example/", None),
            ("https://example.org/#a", None),
            ("ftp://example.org/", None),
            ("https://", None),
            ("https://.example.org/", None),
            ("https://example..org/", None),
            ("https://example.org./", None),
            ("https://a-.-b.example/", Some("https://a-.-b.example/")),
            ("https://a.1b/", None),
            ("https://example.org?", Some("https://example.org/")),
            ("https://example.org/a?b/c.d", Some("https://example.org/a?b/c.d")),
            ("https://example.org/a\u{e9}", None),
        ] {
            assert_eq!(plain(text).as_deref(), expected, "{text}");
        }
    }

    /// The conditions one after the other.
    fn is_plain_host_slowly(host: &str) -> bool {
        let is_name_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name = |name: &str| (1..=63).contains(&name.len()) && name.bytes().all(is_name_byte);
        let last = host.rsplit('.').next().unwrap_or_default();
        host.split('.').all(is_name)
            && host.len() <= 253
            && last.starts_with(|c: char| c.is_ascii_lowercase())
            && !host.contains("--")
    }

    #[test]
    fn names_of_a_host_are_bounded() {
        for length in [62, 63, 64, 65] {
            let host = format!("a.{}", "b".repeat(length));
            assert_eq!(is_plain_host(&host), length <= 63, "{length}");
        }
        for count in [100, 126, 127, 128] {
            let host = format!("{}a", "a.".repeat(count));
            assert_eq!(is_plain_host(&host), host.len() <= 253, "{count}");
        }
    }

    proptest! {
        #[test]
        fn hosts_and_paths_are_read_in_one_pass(host in "([a-c19.-]|--|\\PC){0,12}", path in "(/|\\.|[a-zA-Z_~%?'é]|\\PC){0,12}") {
            prop_assert_eq!(is_plain_host(&host), is_plain_host_slowly(&host));
            let is_path_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~!$&()*+,;=:@".contains(&byte);
            prop_assert_eq!(is_plain_path(&path), path.bytes().all(is_path_byte) && !path.contains("/."));
        }

        #[test]
        fn the_short_way_leads_to_the_same_url(
            text in "https?://[a-z0-9.-]{1,12}(\\.[a-z0-9-]{1,5})?(/[a-zA-Z0-9/._~!$&'()*+,;=:@%-]{0,16})?(\\?[a-zA-Z0-9/._~!$&'()*+,;=:@%?-]{0,16})?|https://\\PC{0,30}|\\PC{0,30}",
        ) {
            if let Some(plain) = plain(&text) {
                prop_assert_eq!(plain, parsed(&text));
            }
        }
    }
}
