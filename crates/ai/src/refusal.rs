//! Why a service gave no answer, as our own kinds of errors. Texts name no key.

use domain::contracts::{FetchError, ModelError, ModelErrorKind};

/// Words by which services say that a request is too long for the model.
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
/// Words by which services that answer 400 say that the key is wrong.
const WRONG_KEY: [&str; 2] = ["api key not valid", "api key expired"];

/// A service that could not be asked.
pub fn unreached(error: FetchError) -> ModelError {
    let kind = match &error {
        FetchError::Refused(_) => ModelErrorKind::AddressRefused,
        FetchError::Timeout(_) => ModelErrorKind::Timeout,
        FetchError::Invalid(_) => ModelErrorKind::ConfigInvalid,
        FetchError::TooLarge { .. } | FetchError::Broken(..) | FetchError::MemoryExceeded { .. } => {
            ModelErrorKind::Unreadable
        }
        FetchError::Tls(..)
        | FetchError::UnknownHost(_)
        | FetchError::Connect(..)
        | FetchError::Busy
        | FetchError::Redirects(..) => ModelErrorKind::Unavailable,
    };
    ModelError::new(kind, error.to_string())
}

/// What a status means, with the service's own sentence in small letters.
pub fn kind_of(status: u16, told: &str) -> ModelErrorKind {
    match status {
        401 | 403 => ModelErrorKind::Denied,
        429 => ModelErrorKind::RateLimited,
        408 | 504 => ModelErrorKind::Timeout,
        413 => ModelErrorKind::TooLong,
        400..500 if TOO_LONG.iter().any(|words| told.contains(words)) => ModelErrorKind::TooLong,
        400..500 if WRONG_KEY.iter().any(|words| told.contains(words)) => ModelErrorKind::Denied,
        400..500 => ModelErrorKind::ConfigInvalid,
        _ => ModelErrorKind::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_refusals() {
        for (status, told, kind) in [
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
            assert_eq!(kind_of(status, told), kind, "{status} {told}");
        }
    }
}
