//! Template renderer, and the headers of every page. The template engine escapes all values.

use super::assets::{Assets, gzip};
use super::i18n::{Language, Languages};
use super::page_context::PageContext;
use crate::error::ApiError;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use flate2::Compression;
use minijinja::value::{Kwargs, Serde};
use minijinja::{Environment, context};
use serde::Serialize;
use std::sync::Arc;
use syntax::display::without_direction_controls;

/// Allows only our own files and forms: no inline script or style, no frames. Scripts may insert markup only through
/// the trusted-types policy `fragments`, which accepts what our own templates rendered.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                   form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                   require-trusted-types-for 'script'; trusted-types fragments";

/// The compiled templates, one set per language.
pub struct Templates {
    assets: Arc<Assets>,
    /// None if the files may change while the program runs.
    compiled: Option<Compiled>,
}

struct Compiled {
    languages: Languages,
    environments: Vec<(Arc<Language>, Environment<'static>)>,
}

impl Templates {
    #[expect(clippy::expect_used, reason = "the templates are compiled in and a test renders each of them")]
    pub fn new(assets: Arc<Assets>) -> Self {
        let compiled = (!assets.is_folder()).then(|| Compiled::new(&assets).expect("good templates"));
        Self { assets, compiled }
    }

    pub fn languages(&self) -> Result<Languages, ApiError> {
        match &self.compiled {
            Some(compiled) => Ok(compiled.languages.clone()),
            None => Languages::read(&self.assets).map_err(ApiError::internal),
        }
    }

    /// Renders a whole page, with the security headers.
    pub fn render_page(
        &self,
        status: StatusCode,
        name: &str,
        context: &PageContext,
        values: impl Serialize,
    ) -> Result<Response, ApiError> {
        let text = self.render(name, context, values)?;
        let policy = [(header::CONTENT_SECURITY_POLICY, CSP), (header::VARY, "accept-encoding")];
        // The fastest level, because each page is rendered for one reader.
        let packed = context.takes_gzip.then(|| gzip(text.as_bytes(), Compression::fast())).flatten();
        match packed {
            Some(packed) => {
                let packing = [(header::CONTENT_ENCODING, "gzip")];
                Ok((status, policy, packing, Html(packed)).into_response())
            }
            None => Ok((status, policy, Html(text)).into_response()),
        }
    }

    /// Renders a template: a page, or a fragment of one.
    pub fn render(
        &self,
        name: &str,
        context: &PageContext,
        values: impl Serialize,
    ) -> Result<String, ApiError> {
        let values = context! { context => minijinja::Value::from(Serde(context)), ..minijinja::Value::from(Serde(values)) };
        let render = |environment: &Environment<'_>| {
            let template = environment.get_template(name).map_err(ApiError::internal)?;
            template.render(values).map_err(|error| ApiError::internal(format_args!("{error:#}")))
        };
        match self.compiled.as_ref().and_then(|compiled| compiled.environment(&context.language)) {
            Some(environment) => render(environment),
            None => render(&environment(&self.assets, &context.language).map_err(ApiError::internal)?),
        }
    }
}

impl Compiled {
    fn new(assets: &Assets) -> Result<Self, String> {
        let languages = Languages::read(assets)?;
        let mut environments = Vec::new();
        for language in languages.iter() {
            let environment = environment(assets, language).map_err(|error| format!("{error:#}"))?;
            environments.push((Arc::clone(language), environment));
        }
        Ok(Self { languages, environments })
    }

    fn environment(&self, language: &Language) -> Option<&Environment<'static>> {
        let found = self.environments.iter().find(|(one, _)| one.code == language.code);
        found.map(|(_, environment)| environment)
    }
}

/// All templates, with the translations of one language. Their names end in `.html` or `.xml`, which enables escaping.
fn environment(assets: &Assets, language: &Arc<Language>) -> Result<Environment<'static>, minijinja::Error> {
    let broken = |what: String| minijinja::Error::new(minijinja::ErrorKind::TemplateNotFound, what);
    let mut environment = Environment::new();
    for name in Assets::templates() {
        let bytes = assets.read(&format!("templates/{name}")).ok_or_else(|| broken(name.to_owned()))?;
        environment.add_template_owned(name, String::from_utf8_lossy(&bytes).into_owned())?;
    }
    environment.set_formatter(write_value);
    let shared = || Arc::clone(language);
    let language = shared();
    environment.add_function("t", move |text: &str, values: Kwargs| translate(&language, text, &values));
    let language = shared();
    environment.add_function("tn", move |one: &str, many: &str, n: i64| language.plural(one, many, n));
    let language = shared();
    environment.add_filter("number", move |count: f64| language.format.number(count as i64));
    let language = shared();
    environment
        .add_filter("decimal", move |figure: minijinja::Value| language.format.decimal(&figure.to_string()));
    Ok(environment)
}

/// Writes a value without direction controls, which could reverse the text around it, and escapes it.
fn write_value(
    out: &mut minijinja::Output<'_>,
    state: &mut minijinja::State<'_, '_>,
    value: &minijinja::Value,
) -> Result<(), minijinja::Error> {
    match value.as_str().map(|text| (text, without_direction_controls(text))) {
        Some((text, cleaned)) if text.len() != cleaned.len() => {
            let cleaned = cleaned.into_owned();
            let cleaned = if value.is_safe() {
                minijinja::Value::from_safe_string(cleaned)
            } else {
                minijinja::Value::from(cleaned)
            };
            minijinja::escape_formatter(out, state, &cleaned)
        }
        _ => minijinja::escape_formatter(out, state, value),
    }
}

fn translate(language: &Language, text: &str, values: &Kwargs) -> Result<String, minijinja::Error> {
    let mut filled = Vec::new();
    for name in values.args() {
        filled.push((name, values.get::<minijinja::Value>(name)?.to_string()));
    }
    Ok(language.translate(text, &filled))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    pub fn context(text: &str) -> PageContext {
        PageContext {
            user: text.to_owned(),
            is_admin: true,
            is_curator: true,
            has_cache: true,
            csrf: Some(text.to_owned()),
            language: Arc::default(),
            languages: Languages::default(),
            theme: "",
            opens_answers: false,
            assets: "/static/0".to_owned(),
            api: "/svc".to_owned(),
            path: "/".to_owned(),
            version: "0",
            brand: crate::branding_cache::BrandView { name: text.to_owned(), ..Default::default() },
            takes_gzip: false,
        }
    }

    #[test]
    fn every_template_compiles_in_every_language() {
        let assets = Assets::new("");
        for language in Languages::read(&assets).expect("words").iter() {
            let environment = environment(&assets, language).expect("templates");
            assert!(environment.templates().count() > 4);
        }
    }

    #[test]
    fn hostile_text_is_escaped_everywhere() {
        let bad = "\u{202e}<script>\u{2066}\"'&";
        let templates = Templates::new(Arc::new(Assets::new("")));
        let services = json!([{"name": bad, "href": bad}]);
        let login = json!({"csrf": bad, "next": bad, "username": bad, "error": bad, "services": services});
        let notice = json!({"title": bad, "sentence": bad, "href": bad, "link": bad});
        let frame = json!({
            "sections": [{"title": bad, "pages": [{"href": bad, "title": bad}]}],
            "section": {"title": bad, "pages": [{"href": bad, "title": bad}, {"href": bad, "title": bad}]},
            "page": {"slug": bad, "href": bad, "title": bad},
        });
        let form = json!({
            "frame": frame, "name": bad, "kind": bad, "kinds": [bad], "content": bad,
            "query": bad, "errors": [bad], "saved": [bad, 1], "preview": bad,
            "transforms": [{"id": 1, "reference": bad, "is_shared": false, "updated": bad}],
        });
        let confirm = json!({"query": bad, "action": bad, "fields": [[bad, bad]], "is_shared": true});
        let rendered = [
            ("login.html", login),
            ("notice.html", notice),
            ("transform_form.html", form),
            ("confirm_search.html", confirm),
            ("api_docs.html", json!({})),
            ("history.html", json!({})),
            ("account.html", json!({})),
            ("review.html", json!({"run": null})),
            ("review.html", json!({"run": bad})),
            ("egress.html", json!({})),
        ];
        for (name, values) in rendered {
            let text = templates.render(name, &context(bad), values).expect("a page");
            assert!(text.contains("&lt;script&gt;"), "{text}");
            assert!(!text.contains(['\u{202e}', '\u{2066}']), "{name}: text is turned round");
            assert_eq!(
                text.matches("<script").count(),
                text.matches("<script type=\"module\" src=\"").count()
            );
            assert!(text.starts_with("<!doctype html>") && text.contains("</html>"));
        }
    }

    #[test]
    fn pages_are_shut_to_foreign_and_inline_scripts_and_to_frames() {
        let templates = Templates::new(Arc::new(Assets::new("")));
        let values = json!({"csrf": "", "next": "/", "username": ""});
        let response =
            templates.render_page(StatusCode::OK, "login.html", &context(""), values).expect("a page");
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(policy.contains("script-src 'self';") && !policy.contains("unsafe"));
    }
}
