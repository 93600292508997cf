//! Converts failed requests to a model service into model errors whose messages contain neither keys nor the prompt.

use crate::vendor_message::{FullMessage, shortened};
use domain::ai_provider::AiProvider;
use domain::instant::Instant;
use domain::ports::{FetchError, ModelError, ModelErrorKind, Prompt, Turn};
use domain::secret::{MASK, is_secret_name};
use serde_json::Value;
use std::time::Duration;

/// Upper limit of `Retry-After`.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// An error message that repeats this many consecutive characters of the prompt is withheld.
pub const ECHO_CHARS: usize = 24;
/// Phrases by which services report that a request is too long for the model.
const TOO_LONG: [&str; 10] = [
    "context length",
    "context window",
    "context_length",
    "input length",
    "input token count",
    "maximum context",
    "maximum number of tokens",
    "token limit",
    "too long",
    "too many tokens",
];
/// Words by which services report that a model calls no tools.
const TOOLS: [&str; 3] = ["tool", "function call", "functions"];
/// What to do about it.
const TOOLS_HINT: &str = ". If the model calls no tools, an administrator can set config.tools to false";
/// Phrases by which services that answer with status 400 report a wrong key.
const WRONG_KEY: [&str; 2] = ["api key not valid", "api key expired"];

/// A response with an error status.
pub struct ErrorResponse<'a> {
    pub status: u16,
    pub headers: &'a [(String, String)],
    /// The error message of the service.
    pub message: Option<String>,
}

impl ErrorResponse<'_> {
    pub fn to_model_error(&self, provider: &AiProvider, prompt: &Prompt, now: Instant) -> ModelError {
        let (name, status) = (&provider.spec.name, self.status);
        let said = self.message.as_deref().unwrap_or_default();
        let kind = kind_of(status, &said.to_lowercase());
        let message = match kind {
            // The message of the service may contain a part of the key.
            ModelErrorKind::Denied => format!("'{name}' refused the key (status {status})"),
            _ => format!("'{name}' answered with status {status}"),
        };
        let retry_after = if kind == ModelErrorKind::RateLimited { self.retry_after(now) } else { None };
        let error = ModelError { retry_after, ..ModelError::new(kind, message) };
        if kind == ModelErrorKind::Denied {
            return error;
        }
        let is_repeatable = !said.is_empty() && !echoes(said, prompt);
        let mut error = if is_repeatable { with_detail(error, &masked(provider, said)) } else { error };
        let is_of_request = matches!(kind, ModelErrorKind::ConfigInvalid | ModelErrorKind::Unavailable);
        if is_of_request && refuses_tools(said, prompt) {
            error.message.push_str(TOOLS_HINT);
        }
        error
    }

    /// `Retry-After` in seconds or as a date.
    fn retry_after(&self, now: Instant) -> Option<Duration> {
        let (_, text) = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"))?;
        let wait = match text.trim().parse::<f64>() {
            Ok(seconds) => Duration::try_from_secs_f64(seconds).unwrap_or(RETRY_AFTER_MAX),
            Err(_) => {
                let until = chrono::DateTime::parse_from_rfc2822(text.trim()).ok()?;
                (until.to_utc() - now).to_std().unwrap_or_default()
            }
        };
        Some(wait.min(RETRY_AFTER_MAX))
    }
}

/// Adds the message of a service: its beginning to the message, all of it to the cause.
pub fn with_detail(error: ModelError, said: &str) -> ModelError {
    let (before, short) = (&error.message, shortened(said));
    let message = if short.is_empty() { before.clone() } else { format!("{before}: {short}") };
    let text = format!("{before}: {said}");
    if text == message {
        return ModelError { message, ..error };
    }
    let full = FullMessage { text, source: error.source.clone() };
    ModelError { message, source: Some(full.into()), ..error }
}

/// The full text of an error, for administrators.
pub fn full_message(error: &ModelError) -> String {
    let full = error.source.as_ref().and_then(|cause| cause.downcast_ref::<FullMessage>());
    full.map_or_else(|| error.message.clone(), |full| full.text.clone())
}

/// Error of a request without a response. Its message does not name the address of the service.
pub fn of_fetch(provider: &AiProvider, error: &FetchError) -> ModelError {
    with_provider_name(provider, unreached(error))
}

/// Adds the name of the provider to the message and to the full text, and masks secrets.
pub fn with_provider_name(provider: &AiProvider, error: ModelError) -> ModelError {
    let quoted = format!("'{}'", provider.spec.name);
    let named = |text: &str| {
        let said = masked(provider, text);
        if said.contains(&quoted) { said } else { format!("{quoted}: {said}") }
    };
    let full = error.source.as_ref().and_then(|cause| cause.downcast_ref::<FullMessage>());
    let full = full.map(|full| FullMessage { text: named(&full.text), source: full.source.clone() });
    let message = named(&error.message);
    let source = full.map(Into::into).or_else(|| error.source.clone());
    ModelError { message, source, ..error }
}

/// Whether a service reports that its model calls no tools.
fn refuses_tools(said: &str, prompt: &Prompt) -> bool {
    let said = said.to_lowercase();
    !prompt.tools.is_empty() && TOOLS.iter().any(|word| said.contains(word))
}

/// Masks the key and the secrets of `config`.
fn masked(provider: &AiProvider, text: &str) -> String {
    let mut secrets = vec![provider.spec.api_key.trim()];
    provider.spec.config.iter().for_each(|(name, value)| collect_secrets(name, value, &mut secrets));
    // A longer secret may contain a shorter one.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let secrets = secrets.into_iter().filter(|secret| !secret.is_empty());
    secrets.fold(text.to_owned(), |text, secret| text.replace(secret, MASK))
}

fn collect_secrets<'a>(name: &str, value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if is_secret_name(name) => {
            // The second word of `Bearer …` is the secret.
            found.extend([text.as_str(), text.split_whitespace().last().unwrap_or_default()]);
        }
        Value::Object(fields) => fields.iter().for_each(|(name, value)| collect_secrets(name, value, found)),
        Value::Array(values) => values.iter().for_each(|value| collect_secrets(name, value, found)),
        _ => {}
    }
}

/// Whether an error message repeats a part of the prompt.
fn echoes(said: &str, prompt: &Prompt) -> bool {
    let turns = prompt.turns.iter().map(|turn| match turn {
        Turn::User(text) | Turn::Assistant { text, .. } | Turn::Tool { text, .. } => text.as_str(),
    });
    let texts: Vec<&str> = std::iter::once(prompt.system.as_str()).chain(turns).collect();
    let starts: Vec<usize> = said.char_indices().map(|(place, _)| place).chain([said.len()]).collect();
    let mut windows = starts.windows(ECHO_CHARS + 1).map(|ends| &said[ends[0]..ends[ECHO_CHARS]]);
    windows.any(|window| texts.iter().any(|text| text.contains(window)))
}

pub fn unreached(error: &FetchError) -> ModelError {
    let kind = match error {
        FetchError::Refused { .. } => ModelErrorKind::AddressRefused,
        FetchError::Timeout { .. } => ModelErrorKind::Timeout,
        FetchError::Invalid { .. } => ModelErrorKind::ConfigInvalid,
        FetchError::TooLarge { .. } | FetchError::Broken { .. } | FetchError::MemoryExceeded { .. } => {
            ModelErrorKind::Unreadable
        }
        FetchError::Tls { .. }
        | FetchError::UnknownHost { .. }
        | FetchError::Connect { .. }
        | FetchError::Busy
        | FetchError::Redirects { .. } => ModelErrorKind::Unavailable,
    };
    let message = match error {
        FetchError::Refused { .. } => "its address is not allowed".to_owned(),
        FetchError::UnknownHost { .. } => "its host cannot be found".to_owned(),
        FetchError::Connect { .. } => "it cannot be reached".to_owned(),
        FetchError::Tls { .. } => "there is no secure connection to it".to_owned(),
        FetchError::Timeout { .. } => "it did not answer in time".to_owned(),
        FetchError::TooLarge { .. } => "its answer is too large".to_owned(),
        FetchError::Redirects { .. } => "it redirects too often".to_owned(),
        FetchError::Broken { .. } => "its answer broke off or cannot be read".to_owned(),
        FetchError::Invalid { .. } => "the request to it is not valid".to_owned(),
        FetchError::Busy | FetchError::MemoryExceeded { .. } => error.to_string(),
    };
    let full = FullMessage { text: error.to_string(), source: error.cause().cloned() };
    ModelError { source: Some(full.into()), ..ModelError::new(kind, message) }
}

/// The kind of error by status and the lowercase error message of the service.
fn kind_of(status: u16, message: &str) -> ModelErrorKind {
    match status {
        401 | 403 => ModelErrorKind::Denied,
        429 => ModelErrorKind::RateLimited,
        408 | 504 => ModelErrorKind::Timeout,
        413 => ModelErrorKind::TooLong,
        400..500 if TOO_LONG.iter().any(|words| message.contains(words)) => ModelErrorKind::TooLong,
        400..500 if WRONG_KEY.iter().any(|words| message.contains(words)) => ModelErrorKind::Denied,
        400..500 => ModelErrorKind::ConfigInvalid,
        _ => ModelErrorKind::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::{ToolDefinition, chain};
    use serde_json::json;
    use std::error::Error;
    use std::io;

    fn provider() -> AiProvider {
        let spec = json!({"name": "A", "model": "m", "api_key": "canary-key-123", "config": {
            "aws_secret": "canary-two", "requestpost": {"headers": {"Authorization": "Bearer canary-three"}}, "family": "x"}});
        AiProvider {
            id: domain::ids::AiProviderId(1),
            owner: None,
            spec: serde_json::from_value(spec).unwrap(),
            is_unreadable: false,
            date_created: Default::default(),
            date_updated: Default::default(),
        }
    }

    fn prompt() -> Prompt {
        Prompt {
            system: "You answer from sources.".to_owned(),
            turns: vec![Turn::User("the secret plan of the whole company is written here".to_owned())],
            tools: Vec::new(),
            answer_tokens_max: 10,
            time_max: Duration::from_secs(1),
        }
    }

    fn error(status: u16, message: &str, headers: &[(String, String)]) -> ModelError {
        let message = Some(message.to_owned()).filter(|text| !text.is_empty());
        let now = "2026-01-02T03:04:05Z".parse().unwrap();
        ErrorResponse { status, headers, message }.to_model_error(&provider(), &prompt(), now)
    }

    #[test]
    fn statuses_are_distinguished() {
        for (status, service_message, kind, message) in [
            (401, "bad key canary-k", ModelErrorKind::Denied, "'A' refused the key (status 401)"),
            (403, "", ModelErrorKind::Denied, "'A' refused the key (status 403)"),
            (404, "no model m", ModelErrorKind::ConfigInvalid, "'A' answered with status 404: no model m"),
            (408, "", ModelErrorKind::Timeout, "'A' answered with status 408"),
            (413, "too much", ModelErrorKind::TooLong, "'A' answered with status 413: too much"),
            (
                400,
                "This model's maximum context length is 8192 tokens",
                ModelErrorKind::TooLong,
                "'A' answered with status 400: This model's maximum context length is 8192 tokens",
            ),
            (
                400,
                "prompt is too long: 9 > 8",
                ModelErrorKind::TooLong,
                "'A' answered with status 400: prompt is too long: 9 > 8",
            ),
            (400, "bad field", ModelErrorKind::ConfigInvalid, "'A' answered with status 400: bad field"),
            (429, "slow", ModelErrorKind::RateLimited, "'A' answered with status 429: slow"),
            (500, "", ModelErrorKind::Unavailable, "'A' answered with status 500"),
            (529, "overloaded", ModelErrorKind::Unavailable, "'A' answered with status 529: overloaded"),
            (302, "", ModelErrorKind::Unavailable, "'A' answered with status 302"),
            // Neither secrets nor the prompt are repeated.
            (
                500,
                "canary-key-123 canary-two canary-three",
                ModelErrorKind::Unavailable,
                "'A' answered with status 500: •••• •••• ••••",
            ),
            (
                400,
                "cannot read 'the secret plan of the whole' well",
                ModelErrorKind::ConfigInvalid,
                "'A' answered with status 400",
            ),
        ] {
            assert_eq!(
                error(status, service_message, &[]),
                ModelError::new(kind, message),
                "{status} {service_message}"
            );
        }
    }

    #[test]
    fn the_time_to_wait_is_read() {
        for (value, expected) in [
            ("7", Some(7.0)),
            (" 0.5 ", Some(0.5)),
            ("-1", Some(RETRY_AFTER_MAX.as_secs_f64())),
            ("1e99", Some(RETRY_AFTER_MAX.as_secs_f64())),
            ("Fri, 02 Jan 2026 03:05:05 GMT", Some(60.0)),
            ("Fri, 02 Jan 2026 03:00:00 GMT", Some(0.0)),
            ("soon", None),
        ] {
            let headers = [("retry-after".to_owned(), value.to_owned())];
            let found = error(429, "", &headers).retry_after.map(|wait| wait.as_secs_f64());
            assert_eq!(found, expected, "{value}");
            assert_eq!(error(500, "", &headers).retry_after, None);
        }
    }

    #[test]
    fn people_see_less_than_administrators() {
        let said = "CUDA out of memory on http://gpu-07.lab:8000 canary-two: Traceback in /opt/run.py";
        let error = error(500, said, &[]);
        assert_eq!(error.message, "'A' answered with status 500: CUDA out of memory on … ••••: …");
        let full = "'A' answered with status 500: CUDA out of memory on http://gpu-07.lab:8000 ••••: Traceback in /opt/run.py";
        assert_eq!(full_message(&error), full);
        let refused = FetchError::Refused { place: "http://10.1.2.3/canary-two".to_owned() };
        let error = of_fetch(&provider(), &refused);
        assert_eq!(error.message, "'A': its address is not allowed");
        assert!(full_message(&error).starts_with("'A': the address http://10.1.2.3/•••• is not allowed"));
    }

    #[test]
    fn a_model_that_refuses_tools_gets_a_hint() {
        let tool = ToolDefinition { name: "f".to_owned(), description: String::new(), parameters: json!({}) };
        let with_tools = Prompt { tools: vec![tool], ..prompt() };
        for (said, prompt, has_hint) in [
            ("registry.ollama.ai/library/gemma:2b does not support tools", &with_tools, true),
            ("\"auto\" tool choice requires --enable-auto-tool-choice", &with_tools, true),
            ("Function calling is not enabled for this model", &with_tools, true),
            ("the secret plan of the whole company has no tools", &with_tools, true),
            ("tools are not supported", &prompt(), false),
            ("no such model", &with_tools, false),
        ] {
            let response = ErrorResponse { status: 400, headers: &[], message: Some(said.to_owned()) };
            let error = response.to_model_error(&provider(), prompt, Default::default());
            assert_eq!(error.message.contains("config.tools to false"), has_hint, "{error}");
        }
    }

    #[test]
    fn errors_get_a_provider_name_once() {
        for (message, expected) in [
            ("it broke off", "'A': it broke off"),
            ("'A' is wrong", "'A' is wrong"),
            ("has canary-two", "'A': has ••••"),
        ] {
            let error = ModelError::new(ModelErrorKind::Unreadable, message);
            assert_eq!(with_provider_name(&provider(), error).message, expected);
        }
    }

    #[test]
    fn a_cause_is_kept_and_secrets_are_masked() {
        let host = "canary-two.example".to_owned();
        let failed = FetchError::Connect { host, reason: "connection refused".to_owned(), source: None }
            .caused_by(io::Error::other("os error 111"));
        let error = of_fetch(&provider(), &failed);
        assert_eq!(error.to_string(), "'A': it cannot be reached");
        let full = "'A': no connection to ••••.example: connection refused";
        assert_eq!(
            (full_message(&error).as_str(), chain(&error)),
            (full, format!("{error}: {full}: os error 111"))
        );
        let cause = error.source().and_then(Error::source);
        assert!(cause.is_some_and(|cause| cause.is::<io::Error>()));
    }

    #[test]
    fn status_codes_map_to_error_kinds() {
        for (status, message, kind) in [
            (401, "", ModelErrorKind::Denied),
            (403, "", ModelErrorKind::Denied),
            (400, "api key not valid. please pass a valid api key.", ModelErrorKind::Denied),
            (400, "this model's maximum context length is 8192 tokens", ModelErrorKind::TooLong),
            (413, "", ModelErrorKind::TooLong),
            (404, "model 'x' not found", ModelErrorKind::ConfigInvalid),
            (429, "too many tokens", ModelErrorKind::RateLimited),
            (500, "the prompt is too long", ModelErrorKind::Unavailable),
            (302, "", ModelErrorKind::Unavailable),
            (504, "", ModelErrorKind::Timeout),
        ] {
            assert_eq!(kind_of(status, message), kind, "{status} {message}");
        }
    }
}
