//! Titles and addresses of results, as the page shows them.

use syntax::{display, highlights};
use url::Url;

/// Length at which a title is cut.
pub const TITLE_CHARS_MAX: usize = 300;
/// Most path segments shown after the host, and the length at which each is cut.
const STEPS_MAX: usize = 2;
const STEP_CHARS_MAX: usize = 24;

/// The URL of a source as a link, if it is a web URL.
pub fn web_link(url: &str) -> Option<String> {
    display::web_link(url).map(String::from)
}

/// `library.example › materials › 2023`; empty if it is not a web URL.
pub fn place(url: &str) -> String {
    let Some(parsed) = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https")) else {
        return String::new();
    };
    let host = parsed.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    // The last segment is the document itself, which has a title.
    let steps: Vec<&str> =
        parsed.path_segments().into_iter().flatten().filter(|step| !step.is_empty()).collect();
    let steps = steps.iter().take(STEPS_MAX.min(steps.len().saturating_sub(1)));
    let steps = steps.map(|step| step.chars().take(STEP_CHARS_MAX).collect::<String>());
    std::iter::once(host.to_owned()).chain(steps).collect::<Vec<_>>().join(" › ")
}

/// A title without highlights.
pub fn shortened(title: &str) -> String {
    highlights::parts(title, TITLE_CHARS_MAX).into_iter().map(|part| part.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_urls_become_links() {
        let table = [
            ("https://a.example/b?c=d", true, "a.example"),
            ("https://www.a.example/b/c/d/e", true, "a.example › b › c"),
            ("http://127.0.0.1:8000/x/", true, "127.0.0.1"),
            ("https://bank.example@evil.example/b", false, "evil.example"),
            ("javascript:alert(1)", false, ""),
            ("data:text/html,x", false, ""),
            ("file:///etc/passwd", false, ""),
            ("/relative", false, ""),
            ("", false, ""),
        ];
        for (url, is_link, shown) in table {
            assert_eq!((web_link(url).is_some(), place(url).as_str()), (is_link, shown), "{url}");
        }
    }
}
