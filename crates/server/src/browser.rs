//! Recognizes requests by which a person opens an address in a browser.

use axum::http::{HeaderMap, Method, header};

/// No pages are below these paths: scripts and programs request what is there.
const NO_PAGES: &[&str] = &["/svc/", "/api/", "/static/", "/branding/", "/.well-known/", "/mcp/"];

/// True if a person opens a page in a browser. For a navigation, browsers accept several types of documents; the scripts
/// of the pages accept exactly one and handle errors themselves.
pub fn is_browser_navigation(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    method == Method::GET
        && accept.contains("text/html")
        && accept.contains("application/xhtml+xml")
        && !NO_PAGES.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn navigations_are_recognized() {
        const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let table = [
            (Method::GET, "/nothing/", BROWSER, true),
            (Method::GET, "/chat/7/", BROWSER, true),
            (Method::GET, "/chat/7/messages/1/", "text/html", false),
            (Method::GET, "/nothing/", "*/*", false),
            (Method::GET, "/nothing/", "", false),
            (Method::POST, "/nothing/", BROWSER, false),
            (Method::GET, "/svc/search/7/", BROWSER, false),
            (Method::GET, "/static/nothing.css", BROWSER, false),
        ];
        for (method, path, accept, expected) in table {
            let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]);
            assert_eq!(is_browser_navigation(&method, path, &headers), expected, "{method} {path} {accept}");
        }
    }
}
