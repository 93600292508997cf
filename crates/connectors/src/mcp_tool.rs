//! McpTool connector: a search tool of a Model Context Protocol server, called over streamable HTTP.

use crate::shared::check::read_notations;
use crate::shared::http_source::HttpSource;
use crate::shared::mcp::{answer, arguments::Arguments, session::Session};
use crate::shared::{http_check, page};
use domain::corpus::SourceKind;
use domain::parsed_text::ParsedText;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, NormalizedPage, PluginContext, ProviderQuery,
    RequestDescription, ResultOrigin, SourceRequest, SourceResponse, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use syntax::query_mappings::QueryMappings;
use syntax::response_mappings::ResponseMappings;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "McpTool",
    module: "mcp_tool",
    summary: "A search tool of a Model Context Protocol server.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: &[
        "url",
        "query_mappings",
        "query_template_json",
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

struct McpTool {
    source: HttpSource,
    /// The address without secrets, for display.
    place: String,
    arguments: Arguments,
    response_mappings: Arc<ResponseMappings>,
    mappings: Arc<QueryMappings>,
    context: PluginContext,
}

impl fmt::Debug for McpTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpTool").field("source", &self.source).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = http_check::check(&plain(provider)).1;
    let notations = read_notations(provider, &mut errors);
    if let Err(sentence) = Arguments::of(&notations.query_mappings, &provider.spec.query_template_json) {
        errors.add("query_mappings", sentence);
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let source = HttpSource::new(&plain(provider), context)?;
    let notations = read_notations(provider, &mut FieldErrors::default());
    let arguments = Arguments::of(&notations.query_mappings, &provider.spec.query_template_json);
    Ok(McpTool {
        source,
        place: provider.spec.url.trim().to_owned(),
        arguments: arguments.map_err(|error| ConnectorError::of_syntax("query_mappings", error))?,
        response_mappings: notations.response_mappings,
        mappings: notations.query_mappings,
        context: context.clone(),
    }
    .boxed())
}

/// The provider as a plain HTTP source: its mappings name tool arguments, not parts of the address, and the results
/// need no path.
fn plain(provider: &SearchProvider) -> SearchProvider {
    let mut plain = provider.clone();
    plain.spec.query_template = "{url}".to_owned();
    plain.spec.query_mappings = ParsedText::default();
    plain.spec.response_mappings = ParsedText::default();
    plain
}

impl TypedConnector for McpTool {
    type Request = ToolCall;
    type Response = ToolResult;

    fn capability(&self) -> Capability {
        Capability {
            page: self.arguments.has_pages(),
            date_sort: self.arguments.sorts_by_date(),
            not: self.mappings.not() || self.mappings.not_char().is_some(),
        }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        self.arguments.pages(results_wanted)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<ToolCall, ConnectorError> {
        Ok(ToolCall {
            place: self.place.clone(),
            params: json!({"name": self.arguments.tool, "arguments": self.arguments.bind(query)}),
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, call: &ToolCall) -> Result<ToolResult, ConnectorError> {
        let mut session = Session::new(&self.source, &self.context, call.time_max);
        session.begin().await?;
        session.call(&call.params).await.map(ToolResult)
    }

    /// Structured data is split by the response mappings; links and texts are results themselves.
    fn normalize(&self, ToolResult(result): ToolResult) -> Result<NormalizedPage, ConnectorError> {
        match answer::data(&result)? {
            answer::Data::Structured(data) => {
                let data = match self.response_mappings.results {
                    Some(_) => data,
                    None => answer::only_list(data),
                };
                page::take_apart(data, &self.response_mappings)
            }
            answer::Data::Items(items) => {
                Ok(NormalizedPage { found: None, retrieved: None, items, missing: None })
            }
        }
    }
}

/// A call of the tool.
#[derive(Debug)]
struct ToolCall {
    place: String,
    /// The name of the tool and its arguments.
    params: Value,
    rows_max: u32,
    time_max: Duration,
}

impl SourceRequest for ToolCall {
    fn description(&self) -> RequestDescription<'_> {
        let Self { place, params, rows_max, .. } = self;
        RequestDescription::Command { place, body: Cow::Borrowed(params), rows_max: *rows_max }
    }
}

/// The result of the tool, parsed.
#[derive(Debug, Clone)]
struct ToolResult(Value);

impl SourceResponse for ToolResult {}
