//! The provider doctor: from a request and a sample answer to a ready SearchProvider.
//!
//! | Module | What lives there |
//! |---|---|
//! | `request`, `shell` | reads a curl command or an address |
//! | `template`, `body`, `credentials` | the fields that ask: address, template, paging, body, blanks for secrets |
//! | `sending` | sends the request once, and advises when that fails |
//! | `sample`, `columns`, `links`, `shape`, `words`, `path` | finds the list of results, and what its items hold |
//! | `fields`, `hearing`, `titles`, `address`, `vocabulary`, `found` | which path is which field, which number counts the results |
//! | `site` | what relative addresses begin with |
//! | `preview` | the part of the answer that is shown |
//! | `diagnosis` | puts it together |

mod address;
mod body;
mod columns;
mod credentials;
mod diagnosis;
mod fields;
mod found;
mod hearing;
mod links;
mod path;
mod preview;
mod request;
mod sample;
mod sending;
mod shape;
mod shell;
mod site;
mod template;
mod titles;
#[cfg(test)]
mod unseen;
mod vocabulary;
mod words;

pub use diagnosis::{Diagnosis, Proposal};
pub use request::{REQUEST_BYTES_MAX, Request};

use crate::Federation;
use crate::cpu::CpuPool;
use domain::contracts::{PluginContext, ReadAnswer};
use domain::provider::{NAME_CHARS_MAX, ProviderSpec};
use domain::validation::FieldErrors;
use serde_json::Value;

/// Longest word that marks the query, in characters.
pub const QUERY_CHARS_MAX: usize = 1000;
/// The address of a provider when no request was given.
const URL_BLANK: &str = "https://<your-source>/search";

/// What the doctor is asked.
#[derive(Default)]
pub struct Case {
    /// Read by [`Case::request_of`] or [`Case::command_of`].
    pub request: Option<Request>,
    /// A sample answer: JSON itself, or JSON or XML as text.
    pub sample: Option<Value>,
    /// The word that was searched for.
    pub query: String,
    /// The provider's name; empty means a name from the request.
    pub name: String,
    /// Without a sample, send the request.
    pub fetch: bool,
}

impl Case {
    /// Reads a curl command or an address; an empty text is no request.
    pub fn request_of(text: &str) -> Result<Option<Request>, String> {
        request::read(text)
    }

    /// Reads the words of a curl command that a shell has parted, without `curl` itself.
    pub fn command_of(words: &[String]) -> Result<Request, String> {
        request::read_words(words)
    }
}

/// Looks at answers and proposes providers. It stores nothing.
pub struct Doctor {
    context: PluginContext,
    read_answer: ReadAnswer,
    cpu: CpuPool,
}

impl Doctor {
    pub fn new(context: PluginContext, read_answer: ReadAnswer) -> Self {
        Self { context, read_answer, cpu: CpuPool::new() }
    }

    /// The provider for this case. Mistakes are named by the field of the case that is at fault.
    pub async fn examine(&self, case: Case) -> Result<Diagnosis, FieldErrors> {
        let mut errors = FieldErrors::default();
        errors.check_text("query", &case.query, QUERY_CHARS_MAX);
        errors.check_text("name", &case.name, NAME_CHARS_MAX);
        let Case { request, sample, query, name, fetch } = errors.into_result(case)?;
        let read_answer = self.read_answer;
        let answer = match (sample, &request) {
            (Some(sample), _) => {
                let read = self.cpu.run(move || read_sample(&sample, read_answer)).await;
                at("sample", read.unwrap_or_else(broke_down))?
            }
            (None, Some(request)) if fetch => {
                let filled = at("query", template::with_query(request.clone(), &query))?;
                let time_max = self.context.settings.timeout.0;
                let reader = (&self.cpu, read_answer);
                at("request", sending::send(&filled, &*self.context.fetch, time_max, reader).await)?
            }
            (None, None) if fetch => {
                return Err(FieldErrors::one("request", "Give a curl command or an address to be asked."));
            }
            (None, _) => {
                return Err(FieldErrors::one(
                    "sample",
                    "Give a sample answer, or a request and fetch: true.",
                ));
            }
        };
        let field = if fetch && request.is_some() { "request" } else { "sample" };
        let look = move || diagnosis::read(&answer).map(|reading| (reading, preview::of(&answer)));
        let reading = self.cpu.run(look).await;
        let (reading, answer) = at(field, reading.unwrap_or_else(broke_down))?;
        Ok(put_together(request.as_ref(), &query, &name, reading, answer))
    }
}

impl Federation {
    /// A doctor with these tools.
    pub fn doctor(&self) -> Doctor {
        Doctor { context: self.context.clone(), read_answer: self.plugins.read_answer, cpu: self.cpu.clone() }
    }
}

fn at<T>(field: &str, result: Result<T, String>) -> Result<T, FieldErrors> {
    result.map_err(|sentence| FieldErrors::one(field, sentence))
}

fn broke_down<T>() -> Result<T, String> {
    Err("The answer could not be looked at; it broke the analysis.".to_owned())
}

/// A text is an answer as it was sent; anything else is the answer itself.
fn read_sample(sample: &Value, read_answer: ReadAnswer) -> Result<Value, String> {
    let text = match sample {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let start = text.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    if start.is_empty() {
        return Err("The sample is empty.".to_owned());
    }
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return Err("The sample is a page for people (HTML), not an answer of an API.".to_owned());
    }
    let kind = if start.starts_with('<') { "application/xml" } else { "application/json" };
    read_answer(Some(kind), text.as_bytes()).map_err(|reason| format!("The sample cannot be read: {reason}."))
}

fn put_together(
    request: Option<&Request>,
    query: &str,
    name: &str,
    reading: diagnosis::Reading,
    answer: Value,
) -> Diagnosis {
    let (mut spec, mut warnings) = match request {
        Some(request) => {
            let asking = template::asking(request, query);
            (asking.spec, asking.remarks)
        }
        None => {
            let spec = ProviderSpec {
                name: "New source".to_owned(),
                url: URL_BLANK.to_owned(),
                active: false,
                ..ProviderSpec::default()
            };
            let sentence = "Without a request the address is not known: fill in url and query_template, then set active to true.";
            (spec, vec![sentence.to_owned()])
        }
    };
    if !name.trim().is_empty() {
        name.trim().clone_into(&mut spec.name);
    }
    let reading = match request.and_then(|request| site::of_address(&request.url)) {
        Some(site) => reading.on_site(&site),
        None => reading,
    };
    spec.response_mappings = reading.response_mappings;
    spec.result_mappings = reading.result_mappings;
    warnings.extend(reading.warnings);
    Diagnosis {
        provider: spec,
        proposals: reading.proposals,
        alternatives: reading.alternatives,
        results_path: reading.results_path,
        results: reading.results,
        answer,
        warnings,
    }
}
