//! The name of a provider, from the URL of its API.

use crate::fields::identifier_words::is_named;
use url::Url;

/// The name if the URL is unknown.
pub const DEFAULT_NAME: &str = "New source";
/// Names are shown beside each result.
const NAME_BYTES_MAX: usize = 80;
const HOST_PREFIXES: [&str; 4] = ["www.", "api.", "export.", "search."];
/// Parts of a path that do not distinguish the APIs of a host.
const GENERIC: &str = "api rest query search find";
const ENDINGS: [&str; 5] = [".json", ".xml", ".php", ".aspx", ".cgi"];
/// A longer part with a digit may be a key.
const KEY_BYTES_MIN: usize = 16;

/// The host and the path, such as `h.example/books`, so that two APIs of a host have different names.
pub fn provider_name(url: &str) -> String {
    let url = Url::parse(url).ok();
    let Some((url, host)) = url.as_ref().and_then(|url| Some((url, url.host_str()?))) else {
        return DEFAULT_NAME.to_owned();
    };
    let mut name = short_host(host).to_owned();
    if let Some(port) = url.port() {
        name.push_str(&format!(":{port}"));
    }
    for part in url.path().split('/').map(without_ending).filter(|part| is_distinctive(part)) {
        if name.len() + 1 + part.len() > NAME_BYTES_MAX {
            break;
        }
        name.push('/');
        name.push_str(part);
    }
    name
}

/// The host without a common prefix.
fn short_host(host: &str) -> &str {
    let short = HOST_PREFIXES.iter().find_map(|prefix| host.strip_prefix(prefix));
    short.filter(|short| short.contains('.')).unwrap_or(host)
}

fn without_ending(part: &str) -> &str {
    ENDINGS.iter().find_map(|ending| part.strip_suffix(ending)).unwrap_or(part)
}

fn is_distinctive(part: &str) -> bool {
    let has_digit = part.bytes().any(|byte| byte.is_ascii_digit());
    let may_be_key = has_digit && part.len() >= KEY_BYTES_MIN;
    !part.is_empty() && !may_be_key && !is_version(part) && !is_named(part, GENERIC)
}

/// Whether a part of a path is a version, such as `v1` or `2.0`.
fn is_version(part: &str) -> bool {
    let number = part.strip_prefix(['v', 'V']).unwrap_or(part);
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_number && number.starts_with(|c: char| c.is_ascii_digit()) && (number != part || part.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_host_and_the_distinctive_parts_of_the_path() {
        let long = format!("https://h.example/{}/books", "x".repeat(NAME_BYTES_MAX));
        for (url, name) in [
            ("https://api.h.example/", "h.example"),
            ("https://www.x.org/", "x.org"),
            ("http://api.org/", "api.org"),
            ("https://api.h.example/books", "h.example/books"),
            ("https://api.h.example/films", "h.example/films"),
            ("https://h.example/api/v2/films/search.json", "h.example/films"),
            ("https://h.example/2.0/lists/7", "h.example/lists/7"),
            ("http://127.0.0.1:9200/news/_search", "127.0.0.1:9200/news"),
            ("https://anna:hush@h.example/0123456789abcdef/find", "h.example"),
            (&long, "h.example"),
            ("no URL", DEFAULT_NAME),
        ] {
            assert_eq!(provider_name(url), name, "{url}");
        }
    }
}
