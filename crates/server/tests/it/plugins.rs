//! Minimal plug-ins: one source with two results, one mapper, one mixer.

use async_trait::async_trait;
use domain::ports::{
    Candidate, Capability, Connector, ConnectorError, ConnectorKind, Fetch, FetchError, HttpRequest,
    HttpResponse, MixContext, MixedOrder, Mixer, MixerKind, NormalizedPage, Outcome, PluginRegistry,
    ProcessorError, ProviderQuery, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
    SourceQuery, SourceResponse, TestTarget,
};
use domain::result::ResultItem;
use domain::validation::FieldErrors;
use serde_json::json;

pub const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[ConnectorKind {
        name: "Fixed",
        module: "fixed",
        summary: "Always the same two results.",
        capability: domain::ports::Capability { page: false, date_sort: false, not: false },
        settings: &[],
        authenticator: None,
        test_target: TestTarget::Fake,
        check: |provider| {
            let mut errors = FieldErrors::default();
            errors.check(provider.credentials.expose() != "key=refused", "credentials", || {
                "Refused.".to_owned()
            });
            errors
        },
        build: |_, _| Ok(Box::new(Fixed)),
    }],
    query_processors: &[],
    result_processors: &[ResultProcessorKind { name: "Plain", summary: "Titles only.", processor: &Plain }],
    post_result_processors: &[],
    mixers: &[
        MixerKind { name: "RelevancyConfidenceMixer", summary: "As it comes.", mixer: &AsItComes },
        MixerKind { name: "RelevancyMixer", summary: "As it comes.", mixer: &AsItComes },
    ],
    default_post_result: &[],
    read_answer: |_, bytes| serde_json::from_slice(bytes).map_err(|error| error.to_string()),
};

/// No test may access the network.
pub struct NoFetch;

#[async_trait]
impl Fetch for NoFetch {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        Err(FetchError::Refused(request.shown_url()))
    }
}

#[derive(Debug)]
struct Fixed;

#[async_trait]
impl Connector for Fixed {
    fn capability(&self) -> Capability {
        Capability::default()
    }
    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        Ok(SourceQuery::Statement {
            text: query.text.to_owned(),
            count_text: Default::default(),
            values: Vec::new(),
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }
    async fn execute(&self, _built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        Ok(SourceResponse::Rows { found: 2, rows: vec![json!("first"), json!("<b>second</b>")] })
    }
    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        match response {
            SourceResponse::Rows { found, rows } => {
                Ok(NormalizedPage { found: Some(found), retrieved: None, items: rows })
            }
            SourceResponse::Http(_) => Ok(NormalizedPage::default()),
        }
    }
}

struct Plain;

#[async_trait]
impl ResultProcessor for Plain {
    async fn process(
        &self,
        batch: &mut ResultBatch,
        cx: &ResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        for raw in batch.raw.drain(..) {
            batch.items.push(ResultItem {
                title: raw.as_str().unwrap_or_default().to_owned(),
                searchprovider: cx.provider.spec.name.clone(),
                url: "javascript:alert(1)".to_owned(),
                ..ResultItem::default()
            });
        }
        Ok(Outcome::updated(batch.items.len()))
    }
}

struct AsItComes;

impl Mixer for AsItComes {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, _cx: &MixContext<'_>) -> MixedOrder<'a> {
        MixedOrder { order: candidates, messages: Vec::new() }
    }
}
