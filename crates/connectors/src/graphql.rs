//! GraphQL connector: sends a fixed document and passes the query in its variables.

use crate::shared::check::{add_error, read_notations};
use crate::shared::graphql::{answer, variables::Variables};
use crate::shared::http_source::HttpSource;
use crate::shared::{http_check, page};
use domain::corpus::SourceKind;
use domain::parsed_text::ParsedText;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, HttpRequest, HttpResponse, NormalizedPage,
    PluginContext, ProviderQuery, RequestDescription, ResultOrigin, SourceRequest, SourceResponse,
    TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syntax::query_mappings::QueryMappings;
use syntax::response_mappings::ResponseMappings;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "GraphQL",
    module: "graphql",
    summary: "A GraphQL API: a query document and its variables.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: &[
        "url",
        "query_template",
        "query_template_json",
        "query_mappings",
        "response_mappings",
        "result_mappings",
        "credentials",
        "eval_credentials",
        "http_request_headers",
        "results_per_query",
    ],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check,
    build,
};

/// Most requests for one query to a source that is paged by cursor.
const PAGES_MAX: u32 = 20;

struct GraphQl {
    source: HttpSource,
    /// The address without secrets, for display.
    place: String,
    document: String,
    variables: Variables,
    response_mappings: Arc<ResponseMappings>,
    mappings: Arc<QueryMappings>,
    context: PluginContext,
}

impl fmt::Debug for GraphQl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphQL").field("source", &self.source).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = http_check::check(&plain(provider)).1;
    let notations = read_notations(provider, &mut errors);
    if let Err(error) = read(provider, &notations.query_mappings) {
        add_error(&mut errors, error);
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let source = HttpSource::new(&plain(provider), context)?;
    let notations = read_notations(provider, &mut FieldErrors::default());
    let (document, variables) = read(provider, &notations.query_mappings)?;
    Ok(GraphQl {
        source,
        place: provider.spec.url.trim().to_owned(),
        document,
        variables,
        response_mappings: notations.response_mappings,
        mappings: notations.query_mappings,
        context: context.clone(),
    }
    .boxed())
}

/// The provider as a plain HTTP source: its template is the document, not the address.
fn plain(provider: &SearchProvider) -> SearchProvider {
    let mut plain = provider.clone();
    plain.spec.query_template = "{url}".to_owned();
    plain.spec.query_mappings = ParsedText::default();
    plain
}

fn read(provider: &SearchProvider, mappings: &QueryMappings) -> Result<(String, Variables), ConnectorError> {
    let document = provider.spec.query_template.trim().to_owned();
    let is_document =
        ["query", "{", "fragment"].iter().any(|start| document.starts_with(start)) && document.contains('{');
    // `{url}` and similar placeholders belong to other connectors.
    if !is_document || document.starts_with("{url}") {
        return Err(ConnectorError::in_field(
            "query_template",
            "A GraphQL document is needed: query ($q: String!) { … }.",
        ));
    }
    let variables = Variables::of(mappings, &provider.spec.query_template_json, &document)?;
    Ok((document, variables))
}

impl TypedConnector for GraphQl {
    type Request = DocumentRequest;
    type Response = DocumentResponse;

    fn capability(&self) -> Capability {
        Capability {
            page: self.variables.has_pages(),
            date_sort: self.variables.sorts_by_date(),
            not: self.mappings.not() || self.mappings.not_char().is_some(),
        }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        self.variables.pages(results_wanted)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<DocumentRequest, ConnectorError> {
        let body = json!({"query": self.document, "variables": self.variables.bind(query)});
        if self.variables.has_cursor() {
            return Ok(DocumentRequest::PageAfterPage {
                place: self.place.clone(),
                body,
                rows_max: query.results_wanted,
                time_max: query.time_max,
            });
        }
        Ok(DocumentRequest::OnePage(Box::new(self.source.post(query, body.to_string().as_bytes())?)))
    }

    async fn execute(&self, request: &DocumentRequest) -> Result<DocumentResponse, ConnectorError> {
        match request {
            DocumentRequest::OnePage(http) => Ok(DocumentResponse::OnePage(self.source.send(http).await?)),
            DocumentRequest::PageAfterPage { body, rows_max, time_max, .. } => {
                let (answers, missing) = self.page_after_page(body, *rows_max, *time_max).await?;
                Ok(DocumentResponse::Pages { answers, missing })
            }
        }
    }

    fn normalize(&self, response: DocumentResponse) -> Result<NormalizedPage, ConnectorError> {
        let (answers, missing) = match response {
            DocumentResponse::OnePage(http) => {
                return self.page(answer::read(&http, self.context.clock.now())?);
            }
            DocumentResponse::Pages { answers, missing } => (answers, missing),
        };
        let mut all = NormalizedPage::default();
        for (number, answer) in answers.into_iter().enumerate() {
            let page = match self.page(answer) {
                Ok(page) => page,
                // Later pages that failed leave the earlier ones.
                Err(error) if !all.items.is_empty() => {
                    NormalizedPage { missing: Some(error), ..Default::default() }
                }
                Err(error) => return Err(error),
            };
            all.found = if number == 0 { page.found } else { all.found };
            all.items.extend(page.items);
            all.missing = all.missing.or(page.missing);
        }
        all.missing = all.missing.or(missing);
        Ok(all)
    }
}

/// The document with its variables.
#[derive(Debug)]
enum DocumentRequest {
    OnePage(Box<HttpRequest>),
    /// The source is paged by cursor: each response names the next page.
    PageAfterPage {
        place: String,
        body: Value,
        rows_max: u32,
        time_max: Duration,
    },
}

impl SourceRequest for DocumentRequest {
    fn description(&self) -> RequestDescription<'_> {
        match self {
            Self::OnePage(http) => http.description(),
            Self::PageAfterPage { place, body, rows_max, .. } => {
                RequestDescription::Command { place, body: Cow::Borrowed(body), rows_max: *rows_max }
            }
        }
    }
}

#[derive(Debug, Clone)]
enum DocumentResponse {
    OnePage(HttpResponse),
    /// Already parsed, with the reason why later pages are missing.
    Pages {
        answers: Vec<Value>,
        missing: Option<ConnectorError>,
    },
}

impl SourceResponse for DocumentResponse {
    fn unparsed(&self) -> Option<&HttpResponse> {
        match self {
            Self::OnePage(http) => Some(http),
            Self::Pages { .. } => None,
        }
    }
}

impl GraphQl {
    fn page(&self, answer: Value) -> Result<NormalizedPage, ConnectorError> {
        let fault = answer::errors(&answer);
        let mut page = page::take_apart(answer, &self.response_mappings)?;
        match fault {
            // A response with errors only is an error.
            Some(error) if page.items.is_empty() => Err(error),
            Some(error) => {
                page.missing = Some(error);
                Ok(page)
            }
            None => Ok(page),
        }
    }

    /// Each page names the next one, so pages are requested one after the other.
    async fn page_after_page(
        &self,
        body: &Value,
        rows_max: u32,
        time_max: Duration,
    ) -> Result<(Vec<Value>, Option<ConnectorError>), ConnectorError> {
        let (started, mut body, mut answers, mut count) = (Instant::now(), body.clone(), Vec::new(), 0);
        for _ in 0..PAGES_MAX {
            let time_left = time_max.saturating_sub(started.elapsed());
            let answer = match self.ask(&body, time_left).await {
                Ok(answer) => answer,
                // The pages received so far are kept.
                Err(error) if !answers.is_empty() => return Ok((answers, Some(error))),
                Err(error) => return Err(error),
            };
            count += page::take_apart(answer.clone(), &self.response_mappings)?.items.len();
            let next = self.variables.next_cursor(&answer);
            answers.push(answer);
            let (Some(cursor), true) = (next, count < rows_max as usize) else { break };
            self.variables.put_cursor(&mut body, &cursor);
        }
        Ok((answers, None))
    }

    async fn ask(&self, body: &Value, time_max: Duration) -> Result<Value, ConnectorError> {
        let query = ProviderQuery {
            text: "",
            sort: Sort::Relevancy,
            page: 0,
            results_wanted: 1,
            asker: domain::ids::UserId(1),
            topic: domain::corpus::Topic::default(),
            vector: None,
            time_max,
        };
        let request = self.source.post(&query, body.to_string().as_bytes())?;
        answer::read(&self.source.send(&request).await?, self.context.clock.now())
    }
}
