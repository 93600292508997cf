//! Converts failed requests to a model service into model errors whose messages contain neither keys nor the prompt.

use crate::repetition::{masked, with_message};
use crate::vendor_message::FullMessage;
use domain::ai_provider::AiProvider;
use domain::instant::Instant;
use domain::ports::{FetchError, ModelError, ModelErrorKind, Prompt};
use std::time::Duration;

/// Upper limit of `Retry-After`.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Phrases by which services report that a request is too long for the model.
const TOO_LONG: [&str; 11] = [
    "context length",
    "context size",
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
        with_message(error, said, provider, prompt)
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

/// Whether a lowercase error message says that a request is too long for the model.
pub fn is_too_long(message: &str) -> bool {
    TOO_LONG.iter().any(|words| message.contains(words))
}

/// The kind of error by status and the lowercase error message of the service.
fn kind_of(status: u16, message: &str) -> ModelErrorKind {
    match status {
        401 | 403 => ModelErrorKind::Denied,
        429 => ModelErrorKind::RateLimited,
        408 | 504 => ModelErrorKind::Timeout,
        413 => ModelErrorKind::TooLong,
        400..500 if is_too_long(message) => ModelErrorKind::TooLong,
        400..500 if WRONG_KEY.iter().any(|words| message.contains(words)) => ModelErrorKind::Denied,
        400..500 => ModelErrorKind::ConfigInvalid,
        _ => ModelErrorKind::Unavailable,
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use domain::ports::{Turn, chain};
    use serde_json::json;
    use std::error::Error;
    use std::io;

    pub fn provider() -> AiProvider {
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

    pub fn prompt() -> Prompt {
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
