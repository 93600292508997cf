//! OpenAI's chat completions and embeddings, and compatible servers at `config.api_base`.

use super::openai_stream::decoder;
use super::reasoning::{REASONING_TOKENS, configured_reasoning_tokens, is_openai_reasoning, tokens_max};
use super::request::{base, bearer, dimensions, json as read_json, post, sentence, unreadable};
use super::{ApiCall, ModelApi, ModelApiKind, RejectedRequest, StreamDecoder};
use crate::error::is_too_long;
use domain::bounded_json::parse_answer;
use domain::ports::{EmbeddingInput, HttpRequest, HttpResponse, ModelError, Prompt, ToolCall, Turn};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub const KIND: ModelApiKind = ModelApiKind {
    name: "openai",
    summary: "OpenAI and compatible servers: vLLM, llama.cpp, LM Studio, OpenRouter, Groq, Mistral, DeepSeek",
    prefixes: &["openai/"],
    api_base: "https://api.openai.com/v1",
    batch_max: 256,
    api: &OpenAi,
};

struct OpenAi;

impl ModelApi for OpenAi {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let address = format!("{}/chat/completions", base(call, KIND.api_base)?);
        with_organization(call, post(call, &address, bearer(call), &chat_body(call, prompt))?)
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        decoder()
    }

    fn embedding_request(
        &self,
        call: &ApiCall<'_>,
        _input: EmbeddingInput,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        let address = format!("{}/embeddings", base(call, KIND.api_base)?);
        let mut body = embeddings_body(call, texts);
        body["model"] = call.model.into();
        with_organization(call, post(call, &address, bearer(call), &body)?)
    }

    fn parse_vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        parse_vectors(answer)
    }

    fn without_unsupported(&self, rejected: &RejectedRequest<'_>) -> Option<HttpRequest> {
        without_unsupported(rejected)
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        error_message(body)
    }
}

fn with_organization(call: &ApiCall<'_>, mut request: HttpRequest) -> Result<HttpRequest, ModelError> {
    if let Some(organization) = call.provider.spec.config_text("organization").filter(|name| !name.is_empty())
    {
        request.headers.push(("openai-organization".to_owned(), organization.to_owned()));
    }
    Ok(request)
}

/// The body of a chat completion request.
pub fn chat_body(call: &ApiCall<'_>, prompt: &Prompt) -> Value {
    let mut body = json!({
        "model": call.model,
        "messages": messages(prompt),
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    let tokens_max = tokens_max(call, prompt.answer_tokens_max);
    if is_openai_reasoning(call.model) {
        body["max_completion_tokens"] = tokens_max.into();
    } else {
        body["max_tokens"] = tokens_max.into();
        body["temperature"] = 0.into();
    }
    if !prompt.tools.is_empty() {
        let tool = |tool: &domain::ports::ToolDefinition| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters,
            }})
        };
        body["tools"] = prompt.tools.iter().map(tool).collect();
    }
    body
}

/// The system prompt and the turns as messages.
pub fn messages(prompt: &Prompt) -> Vec<Value> {
    let system = (!prompt.system.is_empty()).then(|| json!({"role": "system", "content": prompt.system}));
    system.into_iter().chain(prompt.turns.iter().map(message)).collect()
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Assistant { text, calls } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Turn::Assistant { text, calls } => {
            let content = if text.is_empty() { Value::Null } else { text.as_str().into() };
            let calls: Vec<Value> = calls.iter().map(tool_call).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        Turn::Tool { call_id, text, .. } => json!({"role": "tool", "tool_call_id": call_id, "content": text}),
    }
}

fn tool_call(call: &ToolCall) -> Value {
    // Arguments that are not JSON are sent back unchanged.
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

pub fn embeddings_body(call: &ApiCall<'_>, texts: &[String]) -> Value {
    let mut body = json!({"input": texts, "encoding_format": "float"});
    if let Some(count) = dimensions(call) {
        body["dimensions"] = count.into();
    }
    body
}

pub fn parse_vectors(answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
    #[derive(Deserialize)]
    struct Embeddings {
        data: Vec<Embedding>,
    }
    #[derive(Deserialize)]
    struct Embedding {
        index: usize,
        embedding: Vec<f32>,
    }
    let mut data = read_json::<Embeddings>(answer)?.data;
    data.sort_by_key(|one| one.index);
    if data.iter().enumerate().any(|(place, one)| one.index != place) {
        return Err(unreadable("its vectors do not stand for the texts"));
    }
    Ok(data.into_iter().map(|one| one.embedding).collect())
}

/// The request without the parameters that the error message names as unsupported; None if there are none.
pub fn without_unsupported(rejected: &RejectedRequest<'_>) -> Option<HttpRequest> {
    let error_message = rejected.error_message;
    let mut body = rejected.body()?;
    let fields = body.as_object_mut()?;
    if is_too_long(&error_message.to_lowercase()) || error_message.contains("is too large") {
        return without_reasoning_tokens(fields, rejected.answer_tokens_max).then(|| rejected.with(&body));
    }
    let before = fields.len();
    for field in ["temperature", "stream_options"] {
        if error_message.contains(field) {
            fields.shift_remove(field);
        }
    }
    let mut has_changed = fields.len() < before;
    if error_message.contains("max_completion_tokens") && fields.shift_remove("max_tokens").is_some() {
        let reasoning_tokens = configured_reasoning_tokens(rejected.call).unwrap_or(REASONING_TOKENS);
        let most = rejected.answer_tokens_max.saturating_add(reasoning_tokens);
        fields.insert("max_completion_tokens".to_owned(), most.into());
        // A model that requires this parameter reasons, and accepts no temperature either.
        fields.shift_remove("temperature");
        has_changed = true;
    }
    has_changed.then(|| rejected.with(&body))
}

/// Limits the tokens to those of the reply alone: the context window of a small server leaves none for reasoning. Returns
/// whether the limit was higher.
fn without_reasoning_tokens(fields: &mut Map<String, Value>, answer_tokens_max: u32) -> bool {
    let answer_tokens_max = answer_tokens_max.max(1);
    for field in ["max_tokens", "max_completion_tokens"] {
        if fields.get(field).and_then(Value::as_u64).is_some_and(|most| most > u64::from(answer_tokens_max)) {
            fields.insert(field.to_owned(), answer_tokens_max.into());
            return true;
        }
    }
    false
}

/// Reads `{"error": {"message": …}}`, and `{"error": …}`, `{"message": …}` or `{"detail": …}` of compatible servers.
pub fn error_message(body: &[u8]) -> Option<String> {
    let body = parse_answer(body).ok()?;
    let places = [&body["error"]["message"], &body["error"], &body["message"], &body["detail"]];
    sentence(places.into_iter().find_map(Value::as_str)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn request(body: &Value) -> HttpRequest {
        let url: url::Url = "https://a.example/".parse().unwrap();
        HttpRequest {
            method: domain::ports::HttpMethod::Post,
            origin: domain::ports::Origin::trusted(&url).unwrap(),
            url,
            headers: Vec::new(),
            secret_headers: Vec::new(),
            body: Some(Bytes::from(body.to_string())),
            secrets: Vec::new(),
            time_max: std::time::Duration::from_secs(1),
            tls: None,
        }
    }

    /// The body of the next request after this error message, for a reply of 10 tokens.
    fn next_body(config: Value, body: &Value, error_message: &str) -> Option<Value> {
        let provider = domain::ai_provider::AiProvider {
            id: domain::ids::AiProviderId(1),
            owner: None,
            spec: serde_json::from_value(json!({"name": "A", "model": "m", "config": config})).unwrap(),
            is_unreadable: false,
            date_created: Default::default(),
            date_updated: Default::default(),
        };
        let time_max = std::time::Duration::from_secs(1);
        let call = ApiCall {
            provider: &provider,
            model: "m",
            authorization: None,
            now: Default::default(),
            time_max,
        };
        let request = request(body);
        let rejected =
            RejectedRequest { call: &call, request: &request, answer_tokens_max: 10, error_message };
        without_unsupported(&rejected).map(|request| serde_json::from_slice(&request.body.unwrap()).unwrap())
    }

    #[test]
    fn unsupported_fields_are_removed() {
        let body = json!({"model": "m", "temperature": 0, "max_tokens": 10, "stream_options": {}});
        for (error_message, expected) in [
            (
                "'temperature' does not support 0",
                Some(json!({"model": "m", "max_tokens": 10, "stream_options": {}})),
            ),
            ("stream_options is unknown", Some(json!({"model": "m", "temperature": 0, "max_tokens": 10}))),
            (
                "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Some(
                    json!({"model": "m", "stream_options": {}, "max_completion_tokens": 10 + REASONING_TOKENS}),
                ),
            ),
            ("max_tokens is too large", None),
            ("no such model", None),
        ] {
            assert_eq!(next_body(json!({}), &body, error_message), expected, "{error_message}");
        }
    }

    #[test]
    fn the_limit_of_a_reply_does_not_depend_on_the_tokens_for_reasoning() {
        const TOO_LARGE: &str = "'max_tokens' or 'max_completion_tokens' is too large: 8500. This model's maximum \
                                 context length is 8192 tokens.";
        const RENAMED: &str =
            "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        for (config, body, error_message, expected) in [
            (json!({}), json!({"max_tokens": 8010}), TOO_LARGE, Some(json!({"max_tokens": 10}))),
            (
                json!({"reasoning_tokens": 4000}),
                json!({"max_tokens": 4010}),
                TOO_LARGE,
                Some(json!({"max_tokens": 10})),
            ),
            (
                json!({"reasoning_tokens": 16_000}),
                json!({"max_tokens": 16_010}),
                "the request exceeds the available context size (8192 tokens)",
                Some(json!({"max_tokens": 10})),
            ),
            (
                json!({}),
                json!({"max_completion_tokens": 8010}),
                "max_tokens is too large: 8010. This model supports at most 4096 completion tokens.",
                Some(json!({"max_completion_tokens": 10})),
            ),
            (json!({"reasoning_tokens": 0}), json!({"max_tokens": 10}), TOO_LARGE, None),
            (json!({}), json!({}), TOO_LARGE, None),
            // Names of models that reason have the tokens for it already.
            (json!({}), json!({"max_tokens": 8010}), RENAMED, Some(json!({"max_completion_tokens": 8010}))),
            (
                json!({"reasoning_tokens": 4000}),
                json!({"max_tokens": 4010}),
                RENAMED,
                Some(json!({"max_completion_tokens": 4010})),
            ),
        ] {
            assert_eq!(next_body(config, &body, error_message), expected, "{body} {error_message}");
        }
    }

    #[test]
    fn error_messages_are_found() {
        for (body, expected) in [
            (r#"{"error":{"message":"a\nb"}}"#, Some("a b")),
            (r#"{"error":"busy"}"#, Some("busy")),
            (r#"{"message":"m"}"#, Some("m")),
            (r#"{"detail":"d"}"#, Some("d")),
            (r#"{"detail":[{"msg":"d"}]}"#, None),
            ("<html>", None),
        ] {
            assert_eq!(error_message(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }
}
