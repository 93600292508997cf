//! URLs among the values: their form, and how likely they lead to the result.

use crate::fields::identifier_words::{has_word, is_listed};
use crate::fields::vocabulary::{LINKS_FOR_PEOPLE, LINKS_FOR_PROGRAMS, NOT_URLS};
use crate::sample::column::Column;
use crate::sample::shape::is_url;

/// Placeholder of a base URL that only the user knows.
pub const BASE_URL_PLACEHOLDER: &str = "https://<your-source>";
/// Minimum weight of a name for a partial URL.
const NAME_MIN: f64 = 0.7;
/// Names of hosts that serve files rather than pages.
const STORES: &str = "img image images cdn static assets media upload uploads files thumbs";

/// Form of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlForm {
    /// A complete URL.
    Whole,
    /// `//host/page`
    NoScheme,
    /// `/page`
    NoSite,
    /// `10.1000/182`, which `doi.org` knows.
    Doi,
    /// `2027/182`, which `hdl.handle.net` knows.
    Handle,
}

impl UrlForm {
    /// The form of the URLs in a column; None if they are not URLs.
    pub fn of(column: &Column, name: &str, weight: f64) -> Option<Self> {
        if column.first_values().any(is_url) {
            return Some(Self::Whole);
        }
        // A prefix would also complete an empty value, so every result must have one.
        let is_all = |test: fn(&str) -> bool| {
            column.filled() > 0 && column.filled() == column.values.len() && column.first_values().all(test)
        };
        let is_trusted = weight >= NAME_MIN;
        match () {
            () if is_trusted && is_all(lacks_scheme) => Some(Self::NoScheme),
            () if is_trusted && is_all(lacks_site) => Some(Self::NoSite),
            () if has_word(name, "doi") && is_all(is_doi) => Some(Self::Doi),
            () if has_word(name, "handle hdl") && is_all(is_handle) => Some(Self::Handle),
            () => None,
        }
    }

    /// The prefix that completes the URL.
    pub fn prefix(self, site: &str) -> &str {
        match self {
            Self::Whole => "",
            Self::NoScheme => "https:",
            Self::NoSite => site,
            Self::Doi => "https://doi.org/",
            Self::Handle => "https://hdl.handle.net/",
        }
    }

    /// Reliability of the completed URL.
    pub fn weight(self) -> f64 {
        match self {
            Self::Whole => 1.0,
            Self::NoScheme => 0.97,
            Self::Doi | Self::Handle => 0.9,
            Self::NoSite => 0.6,
        }
    }
}

/// How likely a URL leads to the result itself, and not to an image or an API.
pub fn destination(text: &str) -> f64 {
    let address = text.split(['?', '#']).next().unwrap_or(text).to_ascii_lowercase();
    let after = address.split_once("//").map_or(address.as_str(), |(_, after)| after);
    let (host, path) = after.split_once('/').unwrap_or((after, ""));
    let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    if ends(&[".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp", ".ico", ".mp4", ".mp3", ".ogg"]) {
        return 0.2;
    }
    let is_api = host.contains("api.") || path.split('/').any(|part| matches!(part, "api" | "rest"));
    if is_api || ends(&[".json", ".xml"]) {
        return 0.3;
    }
    let is_store = host.split('.').next().is_some_and(|name| is_listed(name, STORES));
    if is_store || ends(&[".csv", ".geojson", ".xlsx", ".gz", ".tgz", ".epub"]) {
        return 0.5;
    }
    if ends(&[".git", ".pdf", ".zip", ".txt"]) { 0.7 } else { 1.0 }
}

/// Weight of a link by its label.
pub fn purpose(label: &str) -> f64 {
    if has_word(label, LINKS_FOR_PROGRAMS) || has_word(label, NOT_URLS) {
        0.3
    } else if has_word(label, LINKS_FOR_PEOPLE) {
        1.0
    } else {
        0.6
    }
}

fn lacks_scheme(text: &str) -> bool {
    text.starts_with("//") && is_url(&format!("https:{text}"))
}

fn lacks_site(text: &str) -> bool {
    text.len() > 1 && text.starts_with('/') && !text.starts_with("//") && !text.contains(char::is_whitespace)
}

fn is_doi(text: &str) -> bool {
    text.starts_with("10.") && is_handle(text)
}

/// Digits and dots, a slash, and a name.
fn is_handle(text: &str) -> bool {
    text.split_once('/').is_some_and(|(before, after)| {
        before.len() >= 3
            && before.chars().all(|c| c.is_ascii_digit() || c == '.')
            && !after.is_empty()
            && !text.contains(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_weighted() {
        let table = [
            ("https://h/page", 1.0),
            ("https://h/pic.PNG?x=1", 0.2),
            ("https://api.h/x", 0.3),
            ("https://h/api/v2/tickets/1.json", 0.3),
            ("https://h/paper.pdf", 0.7),
            ("https://h/data.csv", 0.5),
            ("//h/page", 1.0),
            ("/page", 1.0),
            ("/api/page", 0.3),
            ("https://h/rest/1", 0.3),
            ("https://h/interest/1", 1.0),
            ("https://cdn.h/page", 0.5),
        ];
        for (url, want) in table {
            assert_eq!(destination(url), want, "{url}");
        }
        for (label, want) in
            [("alternate text/html", 1.0), ("alternate application/pdf", 0.3), ("self", 0.3), ("via", 0.6)]
        {
            assert_eq!(purpose(label), want, "{label}");
        }
    }

    #[test]
    fn partial_urls_are_recognized() {
        let table: [(&str, f64, &[&str], Option<UrlForm>); 10] = [
            ("url", 1.0, &["https://h/1", "/x"], Some(UrlForm::Whole)),
            ("url", 1.0, &["//h.example/1", "//h.example/2"], Some(UrlForm::NoScheme)),
            ("url", 1.0, &["/one", "/two"], Some(UrlForm::NoSite)),
            ("url", 1.0, &["/one", ""], None),
            ("url", 1.0, &["/one", "two"], None),
            ("place", 0.0, &["/one", "/two"], None),
            ("doi", 0.6, &["10.1000/182", "10.1000/x(1)"], Some(UrlForm::Doi)),
            ("doi", 0.6, &["182"], None),
            ("handle", 0.5, &["2027/182"], Some(UrlForm::Handle)),
            ("ratio", 0.5, &["2027/182"], None),
        ];
        for (name, weight, texts, want) in table {
            let value = |text: &&str| if text.is_empty() { vec![] } else { vec![(*text).to_owned()] };
            let column = Column { values: texts.iter().map(value).collect(), ..Column::default() };
            assert_eq!(UrlForm::of(&column, name, weight), want, "{name} {texts:?}");
        }
        assert_eq!(UrlForm::NoSite.prefix("https://h"), "https://h");
    }
}
