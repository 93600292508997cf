//! Deep links into documents: text fragments of quoted passages in web pages, and pages of PDF files.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

/// Number of words from the start and the end of a passage.
const WORDS: usize = 4;

/// The URL with a text fragment for the passage. Only for web pages without a fragment of their own, which may be a
/// client-side route.
pub(super) fn to_quote(url: &str, kind: &str, quote: &str) -> String {
    match fragment(quote) {
        Some(fragment) if is_page(url, kind) => format!("{url}#:~:text={fragment}"),
        _ => url.to_owned(),
    }
}

/// The URL of a page of a PDF, as PDF viewers open it. Only without a fragment of its own.
pub(super) fn to_page(url: &str, page: u32) -> String {
    let is_file = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "file"));
    if is_file && !url.contains('#') { format!("{url}#page={page}") } else { url.to_owned() }
}

fn is_page(url: &str, kind: &str) -> bool {
    let kind = kind.to_lowercase();
    let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    is_web && !url.contains('#') && (kind == "web page" || kind.contains("html"))
}

/// `first%20words,last%20words`; the whole passage if it is short. None if the words were changed by escaping.
fn fragment(quote: &str) -> Option<String> {
    let words: Vec<&str> = quote.split_whitespace().collect();
    let (first, last) = match words.len() {
        0 => return None,
        count if count <= 2 * WORDS => (words.as_slice(), None),
        count => (&words[..WORDS], Some(&words[count - WORDS..])),
    };
    // Changed by escaping.
    let is_changed = |word: &&str| word.contains('‹') || word.starts_with('(') && word.ends_with(')');
    if first.iter().chain(last.unwrap_or_default()).any(is_changed) {
        return None;
    }
    let encoded = |words: &[&str]| utf8_percent_encode(&words.join(" "), NON_ALPHANUMERIC).to_string();
    Some(match last {
        Some(last) => format!("{},{}", encoded(first), encoded(last)),
        None => encoded(first),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_pages() {
        let page = "https://example.org/a?b=c";
        let long = "The river rose by two metres, and the old-town & port were flooded.";
        for (url, kind, quote, expected) in [
            (
                page,
                "Web page",
                "It rose - fast, too.",
                "https://example.org/a?b=c#:~:text=It%20rose%20%2D%20fast%2C%20too%2E",
            ),
            (
                page,
                "text/html",
                long,
                "https://example.org/a?b=c#:~:text=The%20river%20rose%20by,%26%20port%20were%20flooded%2E",
            ),
            (
                page,
                "Web page",
                "größer als je",
                "https://example.org/a?b=c#:~:text=gr%C3%B6%C3%9Fer%20als%20je",
            ),
            (page, "Web page", "", page),
            (page, "PDF", long, page),
            (page, "Search Result", long, page),
            ("https://example.org/#/route", "Web page", long, "https://example.org/#/route"),
            ("file:///a.html", "text/html", long, "file:///a.html"),
            ("not a url", "Web page", long, "not a url"),
            ("", "Web page", long, ""),
            (page, "Web page", "If a ‹ b then", page),
            (page, "Web page", "It rose (1) by far", page),
        ] {
            assert_eq!(to_quote(url, kind, quote), expected, "{url} {kind} {quote}");
        }
    }

    #[test]
    fn pages_of_files() {
        for (url, expected) in [
            ("https://example.org/a.pdf?b=c", "https://example.org/a.pdf?b=c#page=7"),
            ("file:///a.pdf", "file:///a.pdf#page=7"),
            ("https://example.org/a.pdf#view=Fit", "https://example.org/a.pdf#view=Fit"),
            ("https://example.org/a.pdf#", "https://example.org/a.pdf#"),
            ("mailto:a@example.org", "mailto:a@example.org"),
            ("not a url", "not a url"),
            ("", ""),
        ] {
            assert_eq!(to_page(url, 7), expected, "{url}");
        }
    }
}
