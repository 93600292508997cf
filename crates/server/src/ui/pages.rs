//! Templates and the headers of every page. Whatever a source said is escaped by the template engine.

use crate::error::ApiError;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use minijinja::Environment;
use serde::Serialize;

/// Nothing but our own style, pictures and forms; no script, no frame.
const CSP: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
                   base-uri 'none'; frame-ancestors 'none'";

const TEMPLATES: &[(&str, &str)] = &[
    ("layout.html", include_str!("../../../../web/templates/layout.html")),
    ("login.html", include_str!("../../../../web/templates/login.html")),
    ("notice.html", include_str!("../../../../web/templates/notice.html")),
    ("search.html", include_str!("../../../../web/templates/search.html")),
    ("transform_form.html", include_str!("../../../../web/templates/transform_form.html")),
];

/// The compiled templates. Their names end in `.html`, which turns escaping on.
pub struct Pages(Environment<'static>);

impl Pages {
    #[expect(clippy::expect_used, reason = "the templates are compiled in and a test renders each of them")]
    pub fn new() -> Self {
        let mut environment = Environment::new();
        for (name, source) in TEMPLATES {
            environment.add_template(name, source).expect("the template is well-formed");
        }
        Self(environment)
    }

    pub fn render(
        &self,
        status: StatusCode,
        name: &str,
        values: impl Serialize,
    ) -> Result<Response, ApiError> {
        let text = self.text(name, values)?;
        Ok((status, [(header::CONTENT_SECURITY_POLICY, CSP)], Html(text)).into_response())
    }

    fn text(&self, name: &str, values: impl Serialize) -> Result<String, ApiError> {
        let template = self.0.get_template(name).map_err(ApiError::internal)?;
        template
            .render(minijinja::value::Serde(values))
            .map_err(|error| ApiError::internal(format_args!("{error:#}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hostile_text_is_escaped_everywhere() {
        let bad = "<script>\"'&";
        let pieces = json!([{"text": bad, "is_marked": false}, {"text": bad, "is_marked": true}]);
        let result = json!({
            "source": bad, "title": pieces, "href": "https://x.example/?a=\"><script>", "body": pieces,
            "date": bad, "author": bad, "confidence": 0.5,
        });
        let page = json!({
            "search_id": 1, "retrieved_total": 1, "found_total": 1, "federation_time": 0.1, "notes": [bad],
            "results": [result], "sources": [{"name": bad, "status": "ok", "line": bad}],
            "incomplete": bad, "next": 2, "previous": 1,
        });
        let values = json!({"user": bad, "csrf": bad, "query": bad, "error": bad, "page": page});
        let pages = Pages::new();
        let services = json!([{"name": bad, "href": bad}]);
        let login = json!({"csrf": bad, "next": bad, "username": bad, "error": bad, "services": services});
        let notice = json!({"title": bad, "sentence": bad, "href": bad, "link": bad});
        let form = json!({
            "user": bad, "csrf": bad, "prefix": bad, "name": bad, "kind": bad, "kinds": [bad], "content": bad,
            "query": bad, "errors": [bad], "saved": [bad, 1], "preview": bad,
            "transforms": [{"id": 1, "reference": bad, "is_shared": false, "updated": bad}],
        });
        let shown = pages.text("search.html", &values).expect("a page");
        assert_eq!(shown.matches("<mark>&lt;script&gt;").count(), 2, "{shown}");
        let rendered = [
            ("search.html", values),
            ("login.html", login),
            ("notice.html", notice),
            ("transform_form.html", form),
        ];
        for text in rendered.map(|(name, values)| pages.text(name, values)) {
            let text = text.expect("a page");
            assert!(text.contains("&lt;script&gt;"), "{text}");
            assert!(!text.contains("<script"), "{text}");
            assert!(text.starts_with("<!doctype html>") && text.contains("</html>"));
        }
    }

    #[test]
    fn pages_are_shut_to_scripts_and_frames() {
        let response = Pages::new()
            .render(StatusCode::OK, "login.html", json!({"csrf": "", "next": "/", "username": ""}))
            .expect("a page");
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe") && !policy.contains("script-src"));
    }
}
