//! Helpers that the APIs share: building requests and parsing JSON responses.

use super::ApiCall;
use crate::repetition::unexamined;
pub use api_auth::aws::percent_encoded as encoded;
use bytes::Bytes;
use domain::bounded_json::{BoundedJsonError, parse_as};
use domain::ports::{HttpMethod, HttpRequest, HttpResponse, ModelError, ModelErrorKind, Origin};
use domain::secret::Secret;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

/// Maximum length of a service's error message in characters.
pub const ERROR_MESSAGE_CHARS_MAX: usize = 300;

/// Base URL of a provider without a trailing slash: `config.api_base`, or the default.
pub fn base<'a>(call: &ApiCall<'a>, usual: &'a str) -> Result<&'a str, ModelError> {
    let given = call.provider.spec.config_text("api_base").map(str::trim).filter(|base| !base.is_empty());
    let base = given.unwrap_or(usual).trim_end_matches('/');
    if base.is_empty() { Err(misconfigured(call, "config.api_base is needed")) } else { Ok(base) }
}

/// A POST request with a JSON body. The values of `secret_headers` are never shown.
pub fn post(
    call: &ApiCall<'_>,
    address: &str,
    secret_headers: Vec<(String, Secret)>,
    body: &Value,
) -> Result<HttpRequest, ModelError> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let origin = url.as_ref().and_then(Origin::trusted);
    let (Some(url), Some(origin)) = (url, origin) else {
        return Err(misconfigured(call, "config.api_base is not an http or https URL"));
    };
    Ok(HttpRequest {
        method: HttpMethod::Post,
        url,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        secrets: secrets(call, &secret_headers),
        secret_headers,
        body: Some(Bytes::from(body.to_string())),
        origin,
        time_max: call.time_max,
        tls: None,
    })
}

/// Values to mask everywhere: a service may repeat the key in its error message.
fn secrets(call: &ApiCall<'_>, headers: &[(String, Secret)]) -> Vec<Secret> {
    let values = headers.iter().map(|(_, value)| value.clone());
    values.chain(std::iter::once(Secret::new(call.provider.spec.api_key.trim()))).collect()
}

/// `Authorization: Bearer …` with the access token of a service account, or if the provider has a key.
pub fn bearer(call: &ApiCall<'_>) -> Vec<(String, Secret)> {
    if let Some(authorization) = call.authorization {
        return vec![("authorization".to_owned(), authorization.clone())];
    }
    let key = call.provider.spec.api_key.trim();
    let header = || ("authorization".to_owned(), Secret::new(format!("Bearer {key}")));
    (!key.is_empty()).then(header).into_iter().collect()
}

/// The configured number of dimensions.
pub fn dimensions(call: &ApiCall<'_>) -> Option<u64> {
    call.provider.spec.config.get("dimensions")?.as_u64()
}

pub fn misconfigured(call: &ApiCall<'_>, sentence: &str) -> ModelError {
    let name = &call.provider.spec.name;
    ModelError::new(ModelErrorKind::ConfigInvalid, format!("the AI provider '{name}': {sentence}"))
}

pub fn unreadable(sentence: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Unreadable, format!("the model's answer cannot be read: {sentence}"))
}

/// Maximum number of JSON values in a response with vectors: 128 texts of 4,096 numbers, with some reserve.
const VECTOR_VALUES_MAX: usize = 1_000_000;

/// Parses a response body.
pub fn json<T: DeserializeOwned>(answer: &HttpResponse) -> Result<T, ModelError> {
    // The parser's message may repeat a part of the body, so only the line is reported.
    parse_as(&answer.body, VECTOR_VALUES_MAX).map_err(|error| match error {
        BoundedJsonError::Malformed(error) => {
            unreadable(&format!("no such JSON as expected in line {}", error.line()))
        }
        error => unreadable(&format!("it {error}")),
    })
}

/// An error message of a service on one line, truncated; None if it is blank.
pub fn sentence(text: &str) -> Option<String> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(ERROR_MESSAGE_CHARS_MAX).collect();
    (!short.is_empty()).then_some(short)
}

/// An error that a service reports within its response, with the message of the service, which is not examined here.
pub fn failed(kind: ModelErrorKind, before: &str, said: Option<&str>) -> ModelError {
    let error = ModelError::new(kind, before);
    match said.and_then(sentence) {
        Some(said) => unexamined(error, &said),
        None => error,
    }
}

/// One score per text, 0 to 1, from the indexes that the service returned.
pub fn by_place(scored: impl Iterator<Item = (usize, f32)>, count: usize) -> Result<Vec<f32>, ModelError> {
    let mut scores = vec![0.0; count];
    for (place, score) in scored {
        let known = scores.get_mut(place).ok_or_else(|| unreadable("it scores a text that was not sent"))?;
        *known = if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_put_in_the_order_of_the_texts() {
        let scored = |list: &[(usize, f32)]| by_place(list.iter().copied(), 3);
        assert_eq!(scored(&[(2, 0.9), (0, 1.5)]), Ok(vec![1.0, 0.0, 0.9]));
        assert_eq!(scored(&[(1, f32::NAN), (0, -2.0)]), Ok(vec![0.0, 0.0, 0.0]));
        assert!(scored(&[(3, 0.1)]).is_err());
    }

    #[test]
    fn an_answer_of_very_many_values_is_unreadable() {
        let answer = |count: usize| HttpResponse {
            status: 200,
            headers: Vec::new(),
            body: format!("[{}[]]", "[],".repeat(count)).into(),
        };
        assert_eq!(json::<Vec<Vec<f32>>>(&answer(600_000)).map(|list| list.len()), Ok(600_001));
        let error = json::<Vec<Vec<f32>>>(&answer(VECTOR_VALUES_MAX)).expect_err("too many");
        assert_eq!(error.kind, ModelErrorKind::Unreadable);
        assert!(error.to_string().contains("more than 1,000,000 values"), "{error}");
    }

    #[test]
    fn sentences_are_short_and_on_one_line() {
        assert_eq!(sentence(" a\n b ").as_deref(), Some("a b"));
        assert_eq!(sentence(" \n "), None);
        assert_eq!(sentence(&"x".repeat(999)).map(|text| text.len()), Some(ERROR_MESSAGE_CHARS_MAX));
    }
}
