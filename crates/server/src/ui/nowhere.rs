//! An address at which there is nothing: whoever opens it in a browser reads a page, a program reads the error.

use super::frame::Frame;
use super::notice::{self, Notice};
use super::words::t;
use crate::AppState;
use crate::error::ApiError;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;

/// Below these are no pages: what is asked for there is read by programs and by pages.
const NOT_FOR_PEOPLE: &[&str] = &["/svc/", "/api/", "/static/", "/branding/", "/.well-known/", "/mcp/"];

/// Puts a page in the place of an error that says that there is nothing.
pub async fn say_so(
    State(state): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if !is_opened(request.method(), request.uri().path(), request.headers()) {
        return Ok(next.run(request).await);
    }
    let (parts, body) = request.into_parts();
    let mut asked = parts.clone();
    let response = next.run(Request::from_parts(parts, body)).await;
    if response.status() != StatusCode::NOT_FOUND || is_page(&response) {
        return Ok(response);
    }
    let frame = Frame::from_request_parts(&mut asked, &state).await?;
    let notice = Notice {
        title: t("There is nothing here"),
        sentence: t(
            "This address leads nowhere. It may be mistyped, what was here may be gone, or it is not for you.",
        ),
        href: "/",
        link: t("To the search page"),
    };
    notice::show(&state, StatusCode::NOT_FOUND, &frame, notice)
}

/// Somebody opens this address in a browser. Browsers then take several kinds of documents; the pages' own modules, which
/// fetch pieces of pages, take one alone and read errors themselves.
fn is_opened(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    method == Method::GET
        && accept.contains("text/html")
        && accept.contains("application/xhtml+xml")
        && !NOT_FOR_PEOPLE.iter().any(|folder| path.starts_with(folder))
}

fn is_page(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn who_opens_an_address_in_a_browser() {
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
            assert_eq!(is_opened(&method, path, &headers), expected, "{method} {path} {accept}");
        }
    }
}
