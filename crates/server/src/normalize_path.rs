//! Path normalization: both prefixes, aliases, with or without a trailing slash.

use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::middleware::Next;
use axum::response::Response;
use domain::settings::Settings;
use std::sync::Arc;

/// Prefix of the declared routes.
const WORD: &str = "svc";

/// Resources that exist only under `sapi/`.
const SAPI_ONLY: [&str; 3] = ["detail-search-rag", "is_chat_ai_provider_exists", "ai_providers"];

/// The prefix that the client used, such as `/api/svc`; links in responses use it too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix(pub String);

impl Default for Prefix {
    fn default() -> Self {
        Self(format!("/{WORD}"))
    }
}

/// The names under which the API is mounted.
#[derive(Debug, Clone)]
pub struct PathPrefixes(Arc<[String]>);

impl PathPrefixes {
    pub fn new(settings: &Settings) -> Self {
        let aliases = settings.api_aliases.iter().map(|word| word.trim_matches('/').to_owned());
        Self(std::iter::once(WORD.to_owned()).chain(aliases).filter(|word| !word.is_empty()).collect())
    }
}

/// Middleware that rewrites the path before routing. It never redirects.
pub async fn layer(State(words): State<PathPrefixes>, mut request: Request, next: Next) -> Response {
    let (path, prefix) = normalize(request.uri().path(), &words.0);
    if path != request.uri().path()
        && let Some(uri) = with_path(request.uri(), &path)
    {
        *request.uri_mut() = uri;
    }
    request.extensions_mut().insert(prefix.unwrap_or_default());
    next.run(request).await
}

/// The declared path, and the prefix that the client used if it is a path of the API.
fn normalize(path: &str, words: &[String]) -> (String, Option<Prefix>) {
    let (api, rest) = match path.strip_prefix("/api/") {
        Some(rest) => ("/api", rest),
        None => ("", path.strip_prefix('/').unwrap_or(path)),
    };
    let (word, tail) = rest.split_once('/').unwrap_or((rest, ""));
    if !words.iter().any(|known| known == word) {
        return (with_slash(path.to_owned()), None);
    }
    // Older clients put `sapi/` before every resource; it is ignored, except for resources that exist only there.
    let plain = tail.strip_prefix("sapi/").filter(|rest| !SAPI_ONLY.contains(&rest.trim_end_matches('/')));
    let tail = plain.unwrap_or(tail);
    (with_slash(format!("/{WORD}/{tail}")), Some(Prefix(format!("{api}/{word}"))))
}

/// Adds a trailing slash, except after a file with an extension.
fn with_slash(mut path: String) -> String {
    let is_file = path.rsplit('/').next().is_some_and(|last| last.contains('.'));
    if !path.ends_with('/') && !is_file {
        path.push('/');
    }
    path
}

fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let text = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(text.parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_are_normalized() {
        let words = ["svc".to_owned(), "swirl".to_owned()];
        let table = [
            ("/svc/search/", "/svc/search/", Some("/svc")),
            ("/svc/search", "/svc/search/", Some("/svc")),
            ("/api/svc/search", "/svc/search/", Some("/api/svc")),
            ("/api/svc/search/7/", "/svc/search/7/", Some("/api/svc")),
            ("/swirl/search/7", "/svc/search/7/", Some("/swirl")),
            ("/api/swirl/results/", "/svc/results/", Some("/api/swirl")),
            ("/api/svc/sapi/search/", "/svc/search/", Some("/api/svc")),
            ("/swirl/sapi/ai_providers", "/svc/sapi/ai_providers/", Some("/swirl")),
            ("/svc/sapi/ai_providers/x/", "/svc/ai_providers/x/", Some("/svc")),
            ("/svc/api/docs", "/svc/api/docs/", Some("/svc")),
            ("/svc/api/docs/page.css", "/svc/api/docs/page.css", Some("/svc")),
            ("/svc", "/svc/", Some("/svc")),
            ("/other/search", "/other/search/", None),
            ("/api/other", "/api/other/", None),
            ("/svcx/search", "/svcx/search/", None),
            ("/login", "/login/", None),
            ("/static/tributary.css", "/static/tributary.css", None),
            ("/", "/", None),
        ];
        for (given, path, prefix) in table {
            let expected = (path.to_owned(), prefix.map(|text| Prefix(text.to_owned())));
            assert_eq!(normalize(given, &words), expected, "{given}");
        }
    }

    #[test]
    fn the_query_stays() {
        let uri: Uri = "http://service/api/svc/search?q=a%20b".parse().expect("a uri");
        let changed = with_path(&uri, "/svc/search/").expect("a uri");
        assert_eq!(changed.to_string(), "http://service/svc/search/?q=a%20b");
    }
}
