//! How each kind of service is asked and how its answers are read. No I/O in here: requests go out, bytes come in.

mod anthropic;
mod azure;
mod bedrock;
mod calls;
mod chunks;
mod cohere;
mod gemini;
mod huggingface;
mod ollama;
mod openai;
mod request;
mod request_post;
mod sse;

use domain::ai_provider::AiProvider;
use domain::contracts::{HttpRequest, HttpResponse, ModelError, ModelErrorKind, Piece, Prompt, ReadAs};
use domain::instant::Instant;
use domain::names;
use std::time::Duration;

/// Who is asked, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub provider: &'a AiProvider,
    /// The model's name as the service knows it: without the prefix of the dialect.
    pub model: &'a str,
    pub now: Instant,
    pub time_max: Duration,
}

/// Reads what a model writes while it arrives. Pieces may be cut anywhere.
pub trait ReadPieces: Send {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<Piece>) -> Result<(), ModelError>;
    /// The body is at its end. An answer that broke off is an error.
    fn end(&mut self, out: &mut Vec<Piece>) -> Result<(), ModelError>;
}

/// One kind of service that runs models.
pub trait Dialect: Send + Sync {
    /// Asks for text, to be streamed where the service can.
    fn ask(&self, call: &Call<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError>;
    fn pieces(&self) -> Box<dyn ReadPieces>;
    /// Asks for the vectors of texts.
    fn embed(&self, call: &Call<'_>, read_as: ReadAs, texts: &[String]) -> Result<HttpRequest, ModelError> {
        let _ = (read_as, texts);
        Err(unsupported(call, "embeddings"))
    }
    /// In the order of the texts.
    fn vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        let _ = answer;
        Err(ModelError::new(ModelErrorKind::Unreadable, "this service gives no embeddings"))
    }
    /// Asks how well each text answers the query.
    fn rerank(&self, call: &Call<'_>, query: &str, texts: &[String]) -> Result<HttpRequest, ModelError> {
        let _ = (query, texts);
        Err(unsupported(call, "ranking"))
    }
    /// One score for each of `count` texts, in their order, 0 to 1.
    fn scores(&self, answer: &HttpResponse, count: usize) -> Result<Vec<f32>, ModelError> {
        let _ = (answer, count);
        Err(ModelError::new(ModelErrorKind::Unreadable, "this service ranks nothing"))
    }
    /// Most texts in one request for vectors to this model, where it takes fewer than the row says.
    fn batch_max(&self, call: &Call<'_>) -> usize {
        let _ = call;
        usize::MAX
    }
    /// The request without what the service said that it does not take; None: there is nothing to leave out.
    fn relent(&self, request: &HttpRequest, complaint: &str) -> Option<HttpRequest> {
        let _ = (request, complaint);
        None
    }
    /// What a refusal says: the service's own sentence, if its body has one.
    fn complaint(&self, body: &[u8]) -> Option<String>;
}

/// A row of the catalogue.
pub struct DialectKind {
    /// As `config.custom_llm` names it.
    pub name: &'static str,
    pub summary: &'static str,
    /// A model whose name begins so is asked in this dialect; with a slash it is taken off.
    pub prefixes: &'static [&'static str],
    /// Where it is asked when `config.api_base` does not say; empty: it must say.
    pub api_base: &'static str,
    /// Most texts in one request for vectors.
    pub batch_max: usize,
    pub dialect: &'static dyn Dialect,
}

pub const CATALOGUE: &[&DialectKind] = &[
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

/// The dialect of a provider, and its model without the prefix.
pub fn dialect_of(provider: &AiProvider) -> Result<(&'static DialectKind, &str), ModelError> {
    let spec = &provider.spec;
    let model_of = |kind: &'static DialectKind| {
        let mut slashed = kind.prefixes.iter().filter(|prefix| prefix.ends_with('/'));
        (kind, slashed.find_map(|prefix| spec.model.strip_prefix(prefix)).unwrap_or(&spec.model))
    };
    if spec.config.contains_key("requestpost") {
        return Ok(model_of(&request_post::KIND));
    }
    if let Some(name) = spec.config_text("custom_llm") {
        let found = CATALOGUE.iter().find(|kind| kind.name.eq_ignore_ascii_case(name));
        let known = CATALOGUE.iter().map(|kind| kind.name);
        return found.map(|kind| model_of(kind)).ok_or_else(|| {
            ModelError::new(ModelErrorKind::ConfigInvalid, names::unknown("custom_llm", name, known))
        });
    }
    let by_prefix = CATALOGUE.iter().find(|kind| kind.prefixes.iter().any(|p| spec.model.starts_with(p)));
    Ok(model_of(by_prefix.unwrap_or(&&openai::KIND)))
}

fn unsupported(call: &Call<'_>, what: &str) -> ModelError {
    let name = &call.provider.spec.name;
    ModelError::new(ModelErrorKind::ConfigInvalid, format!("the service of '{name}' offers no {what}"))
}
