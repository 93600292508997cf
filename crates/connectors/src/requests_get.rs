//! RequestsGet: a source that answers an HTTP GET with JSON or XML.

use crate::shared::check::{Notations, read_notations, require_notations};
use crate::shared::{http_auth, page, response};
use async_trait::async_trait;
use domain::contracts::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, HttpMethod, HttpRequest,
    NormalizedPage, Origin, ProviderQuery, SourceQuery, SourceResponse, Toolbox,
};
use domain::notation::query_template::{Binding, bind, bind_part, placeholders};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::secret::Secret;
use domain::validation::FieldErrors;
use std::fmt;
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "RequestsGet",
    summary: "Any source that answers an HTTP GET with JSON or XML.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: &[
        "url",
        "query_template",
        "query_mappings",
        "response_mappings",
        "result_mappings",
        "credentials",
        "http_request_headers",
        "results_per_query",
    ],
    check,
    build,
};

struct RequestsGet {
    url: String,
    template: String,
    notations: Notations,
    headers: http_auth::Headers,
    secrets: Vec<Secret>,
    toolbox: Toolbox,
}

impl fmt::Debug for RequestsGet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestsGet").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Every mistake in the provider's fields, so that none surfaces as silence at query time.
fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    if let Err(sentence) = http_auth::check(&notations.credentials) {
        errors.add("credentials", sentence);
    }
    let draft = &provider.draft;
    for (field, text) in [("url", &draft.url), ("query_template", &draft.query_template)] {
        for name in placeholders(text).into_iter().filter(|name| !is_known(name, field, provider, &notations))
        {
            errors.add(field, format!("Nothing is known for {{{name}}}: it must be url, query_string, or a key of query_mappings or credentials."));
        }
    }
    if errors.is_empty() {
        match [probe(provider, &notations, "one"), probe(provider, &notations, "another")] {
            [Ok(one), Ok(another)] if one != another => {
                errors.add("query_template", "The query must not be a part of the host.");
            }
            [Err((field, sentence)), _] | [_, Err((field, sentence))] => errors.add(field, sentence),
            _ => {}
        }
    }
    errors
}

fn is_known(name: &str, field: &str, provider: &SearchProvider, notations: &Notations) -> bool {
    let is_builtin = name == "query_string"
        || (name == "url" && field == "query_template" && !provider.draft.url.is_empty());
    is_builtin
        || notations.query_mappings.get(name).is_some()
        || notations.credentials.pairs().iter().any(|(key, _)| key == name)
}

/// The origin of the address that a query would be sent to, or the field that is wrong and why.
fn probe(
    provider: &SearchProvider,
    notations: &Notations,
    query: &str,
) -> Result<Origin, (&'static str, String)> {
    let draft = &provider.draft;
    let binding = Binding {
        url: draft.url.trim(),
        mappings: &notations.query_mappings,
        credentials: notations.credentials.pairs(),
        query,
        sort: Sort::Relevancy,
        page: 0,
    };
    let text = bind(&draft.query_template, &binding).map_err(|sentence| ("query_template", sentence))?;
    let field = if draft.url.trim().is_empty() { "query_template" } else { "url" };
    let url = web_address(&without_blanks_to_fill(&text)).map_err(|sentence| (field, sentence))?;
    Origin::of(&url, true).ok_or_else(|| (field, "The address has no host.".to_owned()))
}

/// A sample configuration has blanks such as `<your-domain>`; it may be saved before they are filled.
fn without_blanks_to_fill(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let Some((_, after)) = after.split_once('>') else { break };
        out.push_str(before);
        out.push_str("blank");
        rest = after;
    }
    out + rest
}

fn web_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("The address is not valid: {error}."))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("The address must begin with http:// or https://.".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("Put the user and the password into credentials, not into the address.".to_owned());
    }
    Ok(url)
}

fn build(provider: &SearchProvider, toolbox: &Toolbox) -> Result<Box<dyn Connector>, ConnectorError> {
    let notations = require_notations(provider)?;
    http_auth::require(&notations.credentials)?;
    Ok(Box::new(RequestsGet {
        url: provider.draft.url.trim().to_owned(),
        template: provider.draft.query_template.clone(),
        headers: http_auth::headers(&provider.draft.http_request_headers, &notations.credentials),
        secrets: http_auth::secrets(&notations.credentials),
        notations,
        toolbox: toolbox.clone(),
    }))
}

impl RequestsGet {
    fn binding<'a>(&'a self, query: &ProviderQuery<'_>, text: &'a str) -> Binding<'a> {
        Binding {
            url: &self.url,
            mappings: &self.notations.query_mappings,
            credentials: self.notations.credentials.pairs(),
            query: text,
            sort: query.sort,
            page: query.page,
        }
    }

    /// Where the credentials belong: the origin of the provider's own url, or of its template without a query.
    fn origin(&self, query: &ProviderQuery<'_>) -> Result<Origin, ConnectorError> {
        let template = if self.url.is_empty() { self.template.as_str() } else { "{url}" };
        let url = address(bind_part(template, &self.binding(query, "")))?;
        Origin::of(&url, true).ok_or_else(|| invalid("The address has no host.".to_owned()))
    }
}

fn address(bound: Result<String, String>) -> Result<Url, ConnectorError> {
    web_address(&bound.map_err(invalid)?).map_err(invalid)
}

fn invalid(sentence: String) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, sentence)
}

#[async_trait]
impl Connector for RequestsGet {
    fn capability(&self) -> Capability {
        let mappings = &self.notations.query_mappings;
        Capability {
            page: mappings.page().is_some(),
            date_sort: mappings.date_sort().is_some(),
            not: mappings.not() || mappings.not_char().is_some(),
        }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        self.notations.query_mappings.pages(results_wanted)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        let url = address(bind(&self.template, &self.binding(query, query.text)))?;
        // A query that could move the request to another host would carry the secrets in the URL there.
        let steady = address(bind(&self.template, &self.binding(query, "")))?;
        if url.origin() != steady.origin() {
            let message = "the query would change the host that is asked";
            return Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        }
        Ok(SourceQuery::Http(Box::new(HttpRequest {
            method: HttpMethod::Get,
            url,
            headers: self.headers.open.clone(),
            secret_headers: self.headers.secret.clone(),
            body: None,
            origin: self.origin(query)?,
            secrets: self.secrets.clone(),
            time_max: query.time_max,
        })))
    }

    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        match built {
            SourceQuery::Http(request) => Ok(SourceResponse::Http(self.toolbox.fetch.fetch(request).await?)),
            SourceQuery::Statement { .. } => Err(other_kind()),
        }
    }

    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        match response {
            SourceResponse::Http(answer) => {
                let answer = response::read(&answer, self.toolbox.clock.now())?;
                page::take_apart(&answer, &self.notations.response_mappings)
            }
            SourceResponse::Rows { .. } => Err(other_kind()),
        }
    }
}

fn other_kind() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, "this is a query of another kind of source")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::provider::ProviderDraft;

    fn fields(draft: ProviderDraft) -> Vec<String> {
        let provider = SearchProvider::unsaved(draft, Default::default(), Default::default());
        check(&provider).into_map().into_keys().collect()
    }

    fn draft(url: &str, query_template: &str) -> ProviderDraft {
        ProviderDraft { url: url.into(), query_template: query_template.into(), ..ProviderDraft::default() }
    }

    #[test]
    fn each_mistake_names_its_field() {
        let plain = || draft("https://h/s", "{url}?q={query_string}");
        let table = [
            (plain(), vec![]),
            (draft("", "https://h/s?q={query_string}"), vec![]),
            (draft("https://<your-domain>.example.net/s?f=*all", "{url}&q='{query_string}'"), vec![]),
            (draft("", "{url}?q={query_string}"), vec!["query_template"]),
            (draft("ftp://h/", "{url}?q={query_string}"), vec!["url"]),
            (draft("h/s", "{url}?q={query_string}"), vec!["url"]),
            (draft("https://u:p@h/", "{url}?q={query_string}"), vec!["url"]),
            (draft("https://h/{place}", "{url}?q={query_string}"), vec!["url"]),
            (draft("https://h/", "{url}?k={key}&q={query_string}"), vec!["query_template"]),
            (draft("https://h/", "{url}?q={query_string"), vec!["query_template"]),
            (draft("", "https://{query_string}.example/"), vec!["query_template"]),
            (ProviderDraft { query_mappings: "=x".into(), ..plain() }, vec!["query_mappings"]),
            (ProviderDraft { query_mappings: "PROMPT='{x}'".into(), ..plain() }, vec![]),
            (ProviderDraft { response_mappings: "RESULT_S=x".into(), ..plain() }, vec!["response_mappings"]),
            (ProviderDraft { result_mappings: "title=a b".into(), ..plain() }, vec!["result_mappings"]),
            (ProviderDraft { credentials: "HTTPNo('a','b')".into(), ..plain() }, vec!["credentials"]),
            (ProviderDraft { credentials: "HTTPDigestAuth('a','b')".into(), ..plain() }, vec!["credentials"]),
            (
                ProviderDraft {
                    credentials: "key=k".into(),
                    ..draft("https://h/", "{url}?k={key}&q={query_string}")
                },
                vec![],
            ),
        ];
        for (draft, want) in table {
            assert_eq!(fields(draft.clone()), want, "{} {}", draft.url, draft.query_template);
        }
    }
}
