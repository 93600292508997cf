//! GraphQL connector: sends a fixed document and passes the query in its variables.

use crate::shared::check::{FieldError, read_notations};
use crate::shared::graphql::{answer, variables::Variables};
use crate::shared::http_source::{HttpSource, config_invalid};
use crate::shared::{http_check, page};
use async_trait::async_trait;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, NormalizedPage, PluginContext, ProviderQuery,
    ResultOrigin, SourceQuery, SourceResponse, TestTarget,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::fmt;
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
    response_mappings: ResponseMappings,
    mappings: QueryMappings,
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
    if let Err((field, sentence)) = read(provider, &notations.query_mappings) {
        errors.add(field, sentence);
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let source = HttpSource::new(&plain(provider), context)?;
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    let read = read(provider, &notations.query_mappings);
    let (document, variables) =
        read.map_err(|(field, sentence)| config_invalid(format!("{field}: {sentence}")))?;
    Ok(Box::new(GraphQl {
        source,
        place: provider.spec.url.trim().to_owned(),
        document,
        variables,
        response_mappings: notations.response_mappings,
        mappings: notations.query_mappings,
        context: context.clone(),
    }))
}

/// The provider as a plain HTTP source: its template is the document, not the address.
fn plain(provider: &SearchProvider) -> SearchProvider {
    let mut plain = provider.clone();
    plain.spec.query_template = "{url}".to_owned();
    plain.spec.query_mappings = String::new();
    plain
}

fn read(provider: &SearchProvider, mappings: &QueryMappings) -> Result<(String, Variables), FieldError> {
    let document = provider.spec.query_template.trim().to_owned();
    let is_document =
        ["query", "{", "fragment"].iter().any(|start| document.starts_with(start)) && document.contains('{');
    // `{url}` and similar placeholders belong to other connectors.
    if !is_document || document.starts_with("{url}") {
        return Err((
            "query_template",
            "A GraphQL document is needed: query ($q: String!) { … }.".to_owned(),
        ));
    }
    let variables = Variables::of(mappings, &provider.spec.query_template_json, &document)?;
    Ok((document, variables))
}

#[async_trait]
impl Connector for GraphQl {
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

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        let body = json!({"query": self.document, "variables": self.variables.bind(query)});
        if self.variables.has_cursor() {
            return Ok(SourceQuery::Command {
                place: self.place.clone(),
                body,
                rows_max: query.results_wanted,
                time_max: query.time_max,
            });
        }
        Ok(SourceQuery::Http(Box::new(self.source.post(query, body.to_string().as_bytes())?)))
    }

    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        match built {
            SourceQuery::Command { body, rows_max, time_max, .. } => {
                self.page_after_page(body, *rows_max, *time_max).await
            }
            _ => self.source.execute(built).await,
        }
    }

    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        let SourceResponse::Rows { rows: answers, .. } = response else {
            let SourceResponse::Http(http) = &response else { return Ok(NormalizedPage::default()) };
            let answer = answer::read(http, self.context.clock.now())?;
            return self.page(answer);
        };
        let mut all = NormalizedPage::default();
        for (number, answer) in answers.into_iter().enumerate() {
            let page = self.page(answer)?;
            all.found = if number == 0 { page.found } else { all.found };
            all.items.extend(page.items);
        }
        Ok(all)
    }
}

impl GraphQl {
    fn page(&self, answer: Value) -> Result<NormalizedPage, ConnectorError> {
        let fault = answer::errors(&answer);
        let page = page::take_apart(answer, &self.response_mappings)?;
        match page.items.is_empty() {
            // A partial response counts; a response with errors only is an error.
            true => fault.map_or(Ok(page), Err),
            false => Ok(page),
        }
    }

    /// Each page names the next one, so pages are requested one after the other.
    async fn page_after_page(
        &self,
        body: &Value,
        rows_max: u32,
        time_max: Duration,
    ) -> Result<SourceResponse, ConnectorError> {
        let (started, mut body, mut answers, mut count) = (Instant::now(), body.clone(), Vec::new(), 0);
        for _ in 0..PAGES_MAX {
            let time_left = time_max.saturating_sub(started.elapsed());
            let answer = match self.ask(&body, time_left).await {
                Ok(answer) => answer,
                // The pages received so far are kept.
                Err(_) if !answers.is_empty() => break,
                Err(error) => return Err(error),
            };
            count += page::take_apart(answer.clone(), &self.response_mappings)?.items.len();
            let next = self.variables.next_cursor(&answer);
            answers.push(answer);
            let (Some(cursor), true) = (next, count < rows_max as usize) else { break };
            self.variables.put_cursor(&mut body, &cursor);
        }
        Ok(SourceResponse::Rows { found: count as u64, rows: answers })
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
        match self.source.execute(&SourceQuery::Http(Box::new(request))).await? {
            SourceResponse::Http(http) => answer::read(&http, self.context.clock.now()),
            SourceResponse::Rows { .. } => Ok(Value::Null),
        }
    }
}
