//! Extracts the links of a message as document URLs, including those inside link wrappers of mail gateways.

use std::collections::BTreeSet;
use url::Url;

/// Most links of one message that are considered.
pub const LINKS_MAX: usize = 1_000;
/// Longest link that is considered, in bytes.
const LINK_BYTES_MAX: usize = 8_192;
/// Longest HTML entity.
const ENTITY_BYTES_MAX: usize = 12;
/// Most nested wrappers.
const WRAPS_MAX: usize = 3;

/// Wrappers: host suffix, path (empty: any), and the query parameter with the wrapped URL.
const WRAPPERS: &[(&str, &str, &str)] = &[
    ("safelinks.protection.outlook.com", "", "url"),
    ("safelinks.protection.office365.us", "", "url"),
    ("statics.teams.cdn.office.net", "/evergreen-assets/safelinks", "url"),
    ("google.com", "/url", "q"),
    ("google.com", "/url", "url"),
    ("urldefense.proofpoint.com", "/v1/url", "u"),
    ("linkprotect.cudasvc.com", "/url", "a"),
    ("protect2.fireeye.com", "", "u"),
    ("clicktime.symantec.com", "", "u"),
    ("l.facebook.com", "/l.php", "u"),
    ("slack-redir.net", "/link", "url"),
    ("linkedin.com", "/redir/redirect", "url"),
];

/// Every URL in the texts, and what wrappers contain; each once.
pub fn links(texts: &[String]) -> Vec<Url> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for text in texts {
        for written in written(&without_entities(text)) {
            for candidate in endings(written) {
                let Ok(url) = Url::parse(candidate) else { continue };
                for url in unwrapped(url) {
                    if found.len() >= LINKS_MAX {
                        return found;
                    }
                    if seen.insert(url.to_string()) {
                        found.push(url);
                    }
                }
            }
        }
    }
    found
}

/// Characters that end a sentence, not a link.
const TRAILING: &[char] = &[
    '.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '*', '…', '”', '“', '’', '‘', '»', '«', '›', '‹',
    '。', '，', '、', '）', '】', '》',
];
/// Most of them that may belong to a link.
const TRAILING_MAX: usize = 4;

/// The link without trailing punctuation, then with one more character at a time: a link may end in such a character.
fn endings(written: &str) -> impl Iterator<Item = &str> {
    let bare = written.trim_end_matches(TRAILING).len();
    let marks = written[bare..].char_indices().map(move |(at, mark)| bare + at + mark.len_utf8());
    std::iter::once(bare).chain(marks.take(TRAILING_MAX)).map(|end| &written[..end])
}

/// The links in HTML or plain text: the delimiters are the same.
fn written(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = next_scheme(rest)?;
            let link = &rest[start..];
            let end = link.find(is_end).unwrap_or(link.len());
            rest = &link[end.max(1)..];
            if end <= LINK_BYTES_MAX {
                return Some(&link[..end]);
            }
        }
    })
}

fn is_end(c: char) -> bool {
    let is_unseen = matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}');
    c.is_whitespace() || c.is_control() || is_unseen || matches!(c, '"' | '<' | '>' | '`' | '|' | '\\' | '^')
}

/// Where the next `http://` or `https://` begins.
fn next_scheme(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let mark = from + text[from..].find("://")?;
        let before = &text[..mark];
        for scheme in ["https", "http"] {
            let start = mark.checked_sub(scheme.len()).filter(|start| before.is_char_boundary(*start));
            if let Some(start) = start.filter(|start| before[*start..].eq_ignore_ascii_case(scheme)) {
                return Some(start);
            }
        }
        from = mark + "://".len();
    }
}

/// The text with HTML entities decoded.
fn without_entities(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        let (character, length) = entity(&rest[at..]).unwrap_or(('&', 1));
        plain.push(character);
        rest = &rest[at + length..];
    }
    plain.push_str(rest);
    plain
}

/// The character that this entity encodes, and its length in bytes.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(ENTITY_BYTES_MAX).position(|byte| byte == b';')?;
    let character = match &text[1..end] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        other => {
            let number = other.strip_prefix('#')?;
            let read = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            char::from_u32(read.ok()?)?
        }
    };
    Some((character, end + 1))
}

/// The URL and those that it wraps, as far as they can be read offline.
fn unwrapped(url: Url) -> Vec<Url> {
    let mut all = vec![url];
    for _ in 0..WRAPS_MAX {
        let Some(inner) = all.last().and_then(behind) else { break };
        all.push(inner);
    }
    all
}

fn behind(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let is_of = |end: &str| host.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    if is_of("urldefense.proofpoint.com") && url.path() == "/v2/url" {
        let written = parameter(url, "u")?;
        // Its own URL encoding: `-` for `%`, `_` for `/`.
        return decoded(&written.replace('-', "%").replace('_', "/"));
    }
    if is_of("urldefense.com") {
        let (_, inner) = url.as_str().split_once("/v3/__")?;
        let (inner, _) = inner.rsplit_once("__;")?;
        return address(inner);
    }
    WRAPPERS
        .iter()
        .filter(|(end, path, _)| is_of(end) && (path.is_empty() || url.path().starts_with(path)))
        .find_map(|(_, _, name)| address(&parameter(url, name)?))
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(own, _)| own == name).map(|(_, value)| value.into_owned())
}

fn decoded(text: &str) -> Option<Url> {
    let form = format!("x={}", text.replace('+', "%2B").replace('&', "%26"));
    let value = url::form_urlencoded::parse(form.as_bytes()).next()?.1.into_owned();
    address(&value)
}

fn address(text: &str) -> Option<Url> {
    Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        links(&[text.to_owned()]).into_iter().map(String::from).collect()
    }

    #[test]
    fn links_are_found_in_pages_and_texts() {
        let table: [(&str, &[&str]); 15] = [
            ("nothing here, http:/ and ://", &[]),
            ("See https://a.example/x.", &["https://a.example/x", "https://a.example/x."]),
            (r#"<a href="HTTPS://A.example/x?a=1&amp;b=2">here</a>"#, &["https://a.example/x?a=1&b=2"]),
            (
                "<a href='https://a.example/1'>https://a.example/2</a>",
                &["https://a.example/1", "https://a.example/1'", "https://a.example/2"],
            ),
            (
                "(https://a.example/w_(x))",
                &["https://a.example/w_(x", "https://a.example/w_(x)", "https://a.example/w_(x))"],
            ),
            ("“https://a.example/x”", &["https://a.example/x", "https://a.example/x%E2%80%9D"]),
            ("https://a.example/x\u{200b}y", &["https://a.example/x"]),
            (
                "<a href=\"https&#58;&#x2F;&#47;a.example/x?a=1&#38;b&#61;2\">",
                &["https://a.example/x?a=1&b=2"],
            ),
            ("https://a.example/?a&lt=1&copy;&#xD800;&", &["https://a.example/?a&lt=1&copy;&#xD800;&"]),
            ("https://a.example/?a=1&#1234567890123;b", &["https://a.example/?a=1&#1234567890123;b"]),
            (
                "https://a.example/x!!!!!!",
                &[
                    "https://a.example/x",
                    "https://a.example/x!",
                    "https://a.example/x!!",
                    "https://a.example/x!!!",
                    "https://a.example/x!!!!",
                ],
            ),
            ("a\nhttp://a.example/1\r\nhttp://a.example/1 ", &["http://a.example/1"]),
            ("grüße https://ä.example/ö ende", &["https://xn--4ca.example/%C3%B6"]),
            ("&lt;a href=&quot;https://a.example/q&quot;&gt;", &["https://a.example/q"]),
            ("ftp://a.example/ mailto:a@b.example", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn wrappers_are_taken_off() {
        let inner = "https://docs.example/a?b=1&c=2";
        let form: String = url::form_urlencoded::byte_serialize(inner.as_bytes()).collect();
        let safe =
            format!("https://eur01.safelinks.protection.outlook.com/?url={form}&data=05%7C01&reserved=0");
        let twice: String = url::form_urlencoded::byte_serialize(safe.as_bytes()).collect();
        let table = [
            safe.clone(),
            format!("https://www.google.com/url?q={form}&sa=D&source=editors"),
            format!("https://www.google.com/url?sa=t&url={form}"),
            format!("https://urldefense.com/v3/__{inner}__;!!abc!def$"),
            "https://urldefense.proofpoint.com/v2/url?u=https-3A__docs.example_a-3Fb-3D1-26c-3D2&d=DwMF&c=x"
                .to_owned(),
            format!("https://linkprotect.cudasvc.com/url?a={form}&c=E"),
            format!("https://www.google.com/url?q={twice}"),
        ];
        for wrapped in table {
            assert!(found(&format!("<a href=\"{wrapped}\">")).contains(&inner.to_owned()), "{wrapped}");
        }
        // Similar URLs that are not wrappers.
        for other in [
            format!("https://evilgoogle.com/url?q={form}"),
            format!("https://www.google.com/search?q={form}"),
            "https://www.google.com/url?q=javascript:alert".to_owned(),
        ] {
            assert_eq!(found(&other).len(), 1, "{other}");
        }
        let mut deep = inner.to_owned();
        for _ in 0..=WRAPS_MAX {
            let form: String = url::form_urlencoded::byte_serialize(deep.as_bytes()).collect();
            deep = format!("https://www.google.com/url?q={form}");
        }
        assert!(!found(&deep).contains(&inner.to_owned()));
    }

    #[test]
    fn links_are_bounded() {
        let many: String = (0..2 * LINKS_MAX).map(|n| format!("https://a.example/{n} ")).collect();
        assert_eq!(found(&many).len(), LINKS_MAX);
        let long = format!("https://a.example/{} https://b.example/", "x".repeat(LINK_BYTES_MAX));
        assert_eq!(found(&long), ["https://b.example/"]);
    }
}
