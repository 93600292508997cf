//! APIs of the model vendors: building requests and parsing responses, without I/O.

mod anthropic;
mod azure;
mod bedrock;
mod cohere;
mod gemini;
mod huggingface;
mod ollama;
mod openai;
mod openai_stream;
mod reasoning;
mod request;
mod request_post;
mod sse;
mod tool_calls;

use domain::ai_provider::{AiProvider, AiProviderSpec};
use domain::instant::Instant;
use domain::ports::{
    CompletionChunk, EmbeddingInput, HttpRequest, HttpResponse, ModelError, ModelErrorKind, Origin, Prompt,
};
use domain::secret::Secret;
use domain::validation::FieldErrors;
use serde_json::Value;
use std::time::Duration;
use syntax::suggest;

/// Parameters of a request to a provider.
#[derive(Debug, Clone, Copy)]
pub struct ApiCall<'a> {
    pub provider: &'a AiProvider,
    /// The model name without the prefix that selects the API.
    pub model: &'a str,
    /// The `Authorization` header with an access token; None if the API needs none.
    pub authorization: Option<&'a Secret>,
    pub now: Instant,
    pub time_max: Duration,
}

/// The key of a service account, whose access tokens an API expects.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountKey {
    /// The JSON text of the key, or the path of its file.
    pub text: Secret,
    pub scope: &'static str,
    /// The API that receives the access tokens.
    pub origin: Origin,
}

/// A completion request that a service rejected.
pub struct RejectedRequest<'a> {
    pub call: &'a ApiCall<'a>,
    pub request: &'a HttpRequest,
    /// Maximum number of tokens of the reply, without reasoning.
    pub answer_tokens_max: u32,
    pub error_message: &'a str,
}

impl RejectedRequest<'_> {
    /// The body as JSON.
    fn body(&self) -> Option<Value> {
        serde_json::from_slice(self.request.body.as_ref()?).ok()
    }

    /// The request with another body.
    fn with(&self, body: &Value) -> HttpRequest {
        HttpRequest { body: Some(body.to_string().into()), ..self.request.clone() }
    }
}

/// Decodes a response body incrementally. Chunks of bytes may be cut anywhere.
pub trait StreamDecoder: Send {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<CompletionChunk>) -> Result<(), ModelError>;
    /// Called at the end of the body. An incomplete reply is an error.
    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError>;
}

/// The API of a model vendor.
pub trait ModelApi: Send + Sync {
    /// The key of the service account that authorizes the requests; None if there is none.
    fn account_key(&self, call: &ApiCall<'_>) -> Result<Option<AccountKey>, ModelError> {
        let _ = call;
        Ok(None)
    }
    /// A completion request; streaming if the service supports it.
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError>;
    fn decoder(&self) -> Box<dyn StreamDecoder>;
    /// A request for the embeddings of texts.
    fn embedding_request(
        &self,
        call: &ApiCall<'_>,
        input: EmbeddingInput,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        let _ = (input, texts);
        Err(unsupported(call, "embeddings"))
    }
    /// The embeddings in the order of the texts.
    fn parse_vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        let _ = answer;
        Err(ModelError::new(ModelErrorKind::Unreadable, "this service gives no embeddings"))
    }
    /// A request to score texts against a query.
    fn rerank_request(
        &self,
        call: &ApiCall<'_>,
        query: &str,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        let _ = (query, texts);
        Err(unsupported(call, "ranking"))
    }
    /// One score for each of `count` texts in their order, 0 to 1.
    fn parse_scores(&self, answer: &HttpResponse, count: usize) -> Result<Vec<f32>, ModelError> {
        let _ = (answer, count);
        Err(ModelError::new(ModelErrorKind::Unreadable, "this service ranks nothing"))
    }
    /// Maximum number of texts per embedding request for this model, if lower than that of the API.
    fn batch_max(&self, call: &ApiCall<'_>) -> usize {
        let _ = call;
        usize::MAX
    }
    /// The request without the parameters that the error message names as unsupported; None if there are none.
    fn without_unsupported(&self, rejected: &RejectedRequest<'_>) -> Option<HttpRequest> {
        let _ = rejected;
        None
    }
    /// The error message in the body of an error response.
    fn error_message(&self, body: &[u8]) -> Option<String>;
}

/// An entry of [`MODEL_APIS`].
pub struct ModelApiKind {
    /// The value of `config.custom_llm`.
    pub name: &'static str,
    pub summary: &'static str,
    /// Model name prefixes that select this API; prefixes with a slash are stripped.
    pub prefixes: &'static [&'static str],
    /// Default of `config.api_base`; empty if it is required.
    pub api_base: &'static str,
    /// Maximum number of texts per embedding request.
    pub batch_max: usize,
    pub api: &'static dyn ModelApi,
}

pub const MODEL_APIS: &[&ModelApiKind] = &[
    &anthropic::KIND,
    &azure::KIND,
    &bedrock::KIND,
    &cohere::KIND,
    &gemini::KIND,
    &huggingface::KIND,
    &ollama::KIND,
    &openai::KIND,
    &request_post::KIND,
];

/// The API of a provider, and its model name without the prefix.
pub fn api_of(provider: &AiProvider) -> Result<(&'static ModelApiKind, &str), ModelError> {
    api_of_spec(&provider.spec)
}

/// The error of an active provider without the address that its service needs.
pub fn check_address(spec: &AiProviderSpec) -> FieldErrors {
    let needs_one = api_of_spec(spec).is_ok_and(|(kind, _)| kind.api_base.is_empty());
    let has_one = spec.config_text("api_base").is_some_and(|address| !address.trim().is_empty());
    let mut errors = FieldErrors::default();
    errors.check(has_one || !needs_one || !spec.active, "config", || {
        "api_base is needed: the URL of the service of this model.".to_owned()
    });
    errors
}

fn api_of_spec(spec: &AiProviderSpec) -> Result<(&'static ModelApiKind, &str), ModelError> {
    let model_of = |kind: &'static ModelApiKind| {
        let mut slashed = kind.prefixes.iter().filter(|prefix| prefix.ends_with('/'));
        (kind, slashed.find_map(|prefix| spec.model.strip_prefix(prefix)).unwrap_or(&spec.model))
    };
    if spec.config.contains_key("requestpost") {
        return Ok(model_of(&request_post::KIND));
    }
    if let Some(name) = spec.config_text("custom_llm") {
        let found = MODEL_APIS.iter().find(|kind| kind.name.eq_ignore_ascii_case(name));
        let known = MODEL_APIS.iter().map(|kind| kind.name);
        return found.map(|kind| model_of(kind)).ok_or_else(|| {
            ModelError::new(ModelErrorKind::ConfigInvalid, suggest::unknown("custom_llm", name, known))
        });
    }
    let by_prefix = MODEL_APIS.iter().find(|kind| kind.prefixes.iter().any(|p| spec.model.starts_with(p)));
    Ok(model_of(by_prefix.unwrap_or(&&openai::KIND)))
}

fn unsupported(call: &ApiCall<'_>, what: &str) -> ModelError {
    let name = &call.provider.spec.name;
    ModelError::new(ModelErrorKind::ConfigInvalid, format!("the service of '{name}' offers no {what}"))
}
