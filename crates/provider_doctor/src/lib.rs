//! The provider doctor: proposes a SearchProvider from a request and a sample response.
//!
//! | Module | What it does |
//! |---|---|
//! | `request` | parses a curl command or a URL, turns it into a template, removes secrets, sends it once |
//! | `sample` | finds the list of results in a response, its columns, counts, links and base URL |
//! | `fields` | ranks the paths of the items as title, URL, body, date and author |
//! | `preview` | the part of the response that is shown |
//! | `diagnosis` | the proposal |

mod diagnosis;
mod errors;
mod fields;
mod preview;
mod request;
mod sample;
#[cfg(test)]
mod tests;

pub use diagnosis::{Diagnosis, Proposal};
pub use request::curl::{REQUEST_BYTES_MAX, Request};

use domain::ports::{PluginContext, ReadAnswer};
use domain::provider::{NAME_CHARS_MAX, ProviderSpec};
use domain::validation::FieldErrors;
use errors::{DiagnosisError, DiagnosisErrorKind, analysis_failed};
use federation::CpuPool;
use request::provider_name::DEFAULT_NAME;
use request::send::ResponseParser;
use request::{curl, send, template};
use sample::base_url;
use serde_json::Value;
use std::error::Error;
use syntax::error::SyntaxError;

/// Longest query, in characters.
pub const QUERY_CHARS_MAX: usize = 1000;
/// URL of a provider if no request was given.
const URL_PLACEHOLDER: &str = "https://<your-source>/search";

/// Input of the doctor.
#[derive(Default)]
pub struct DiagnosisInput {
    /// Parsed by [`DiagnosisInput::parse_request`] or [`DiagnosisInput::parse_command`].
    pub request: Option<Request>,
    /// A sample response: a JSON value, or JSON or XML as text.
    pub sample: Option<Value>,
    /// The query in the request.
    pub query: String,
    /// The name of the provider; if empty, it is derived from the request.
    pub name: String,
    /// Whether to send the request if there is no sample.
    pub fetch: bool,
}

impl DiagnosisInput {
    /// Parses a curl command or a URL; None for an empty text.
    pub fn parse_request(text: &str) -> Result<Option<Request>, SyntaxError> {
        curl::parse(text)
    }

    /// Parses the arguments of a curl command, without `curl` itself.
    pub fn parse_command(words: &[String]) -> Result<Request, SyntaxError> {
        curl::parse_args(words)
    }
}

/// Proposes a provider from a request and a sample response. It stores nothing.
pub struct Doctor {
    context: PluginContext,
    read_answer: ReadAnswer,
    cpu: CpuPool,
}

impl Doctor {
    pub fn new(context: PluginContext, read_answer: ReadAnswer, cpu: CpuPool) -> Self {
        Self { context, read_answer, cpu }
    }

    /// Proposes a provider. Errors name the field of the input that is at fault.
    pub async fn diagnose(&self, input: DiagnosisInput) -> Result<Diagnosis, FieldErrors> {
        let mut errors = FieldErrors::default();
        errors.check_text("query", &input.query, QUERY_CHARS_MAX);
        errors.check_text("name", &input.name, NAME_CHARS_MAX);
        let DiagnosisInput { request, sample, query, name, fetch } = errors.into_result(input)?;
        let read_answer = self.read_answer;
        let response = match (sample, &request) {
            (Some(sample), _) => {
                let parsed = self.cpu.run(move || parse_sample(&sample, read_answer)).await;
                field_error("sample", parsed.unwrap_or_else(analysis_failed))?
            }
            (None, Some(request)) if fetch => {
                let filled = field_error("query", template::fill_query(request.clone(), &query))?;
                let time_max = self.context.settings.timeout.0;
                let parser = ResponseParser { cpu: &self.cpu, read_answer };
                field_error("request", send::send(&filled, &*self.context.fetch, time_max, parser).await)?
            }
            (None, None) if fetch => {
                return Err(FieldErrors::one("request", "Enter a curl command or a URL."));
            }
            (None, _) => {
                return Err(FieldErrors::one(
                    "sample",
                    "Provide a sample response, or a request with fetch: true.",
                ));
            }
        };
        let field = if fetch && request.is_some() { "request" } else { "sample" };
        let analyze_sample = move || {
            diagnosis::analyze(&response).map(|analysis| (analysis, preview::build_preview(&response)))
        };
        let analysis = self.cpu.run(analyze_sample).await;
        let (analysis, preview) = field_error(field, analysis.unwrap_or_else(analysis_failed))?;
        Ok(build_diagnosis(request.as_ref(), &query, &name, analysis, preview))
    }
}

fn field_error<T>(field: &str, result: Result<T, impl Error>) -> Result<T, FieldErrors> {
    result.map_err(|error| FieldErrors::one(field, error.to_string()))
}

/// Parses a sample: a text as JSON or XML, anything else as the response itself.
fn parse_sample(sample: &Value, read_answer: ReadAnswer) -> Result<Value, DiagnosisError> {
    let text = match sample {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let start = text.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    if start.is_empty() {
        return Err(DiagnosisError::new(DiagnosisErrorKind::Response, "The sample is empty."));
    }
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        let sentence = "The sample is an HTML page, not an API response.";
        return Err(DiagnosisError::new(DiagnosisErrorKind::Response, sentence));
    }
    let kind = if start.starts_with('<') { "application/xml" } else { "application/json" };
    read_answer(Some(kind), text.as_bytes()).map_err(|error| {
        let sentence = format!("The sample cannot be parsed: {}.", error.message);
        DiagnosisError::new(DiagnosisErrorKind::Response, sentence).caused_by(error)
    })
}

fn build_diagnosis(
    request: Option<&Request>,
    query: &str,
    name: &str,
    analysis: diagnosis::SampleAnalysis,
    preview: Value,
) -> Diagnosis {
    let (mut spec, mut warnings) = match request {
        Some(request) => {
            let template = template::build_template(request, query);
            (template.spec, template.remarks)
        }
        None => {
            let spec = ProviderSpec {
                name: DEFAULT_NAME.to_owned(),
                url: URL_PLACEHOLDER.to_owned(),
                active: false,
                ..ProviderSpec::default()
            };
            let sentence = "The URL is unknown without a request: fill in url and query_template, then set active to true.";
            (spec, vec![sentence.to_owned()])
        }
    };
    if !name.trim().is_empty() {
        name.trim().clone_into(&mut spec.name);
    }
    let analysis = match request.and_then(|request| base_url::site_of(&request.url)) {
        Some(site) => analysis.with_base_url(&site),
        None => analysis,
    };
    spec.response_mappings = analysis.response_mappings.into();
    spec.result_mappings = analysis.result_mappings.into();
    warnings.extend(analysis.warnings);
    Diagnosis {
        provider: spec,
        proposals: analysis.proposals,
        alternatives: analysis.alternatives,
        results_path: analysis.results_path,
        results: analysis.results,
        answer: preview,
        warnings,
    }
}
