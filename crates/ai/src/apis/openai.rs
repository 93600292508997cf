//! OpenAI's chat completions and embeddings, and compatible servers at `config.api_base`.

use super::openai_stream::decoder;
use super::reasoning::{REASONING_TOKENS, is_openai_reasoning, tokens_max};
use super::request::{base, bearer, dimensions, json as read_json, post, sentence, unreadable};
use super::{ApiCall, ModelApi, ModelApiKind, StreamDecoder};
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

    fn without_unsupported(&self, request: &HttpRequest, error_message: &str) -> Option<HttpRequest> {
        without_unsupported(request, error_message)
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
pub fn without_unsupported(request: &HttpRequest, error_message: &str) -> Option<HttpRequest> {
    let mut body: Value = serde_json::from_slice(request.body.as_ref()?).ok()?;
    let fields = body.as_object_mut()?;
    if error_message.contains("context length") || error_message.contains("is too large") {
        let shorter = without_reasoning_tokens(fields)?;
        return Some(HttpRequest { body: Some(shorter.to_string().into()), ..request.clone() });
    }
    let before = fields.len();
    for field in ["temperature", "stream_options"] {
        if error_message.contains(field) {
            fields.shift_remove(field);
        }
    }
    let mut has_changed = fields.len() < before;
    if error_message.contains("max_completion_tokens")
        && let Some(most) = fields.shift_remove("max_tokens")
    {
        let most = most.as_u64().unwrap_or_default() + u64::from(REASONING_TOKENS);
        fields.insert("max_completion_tokens".to_owned(), most.into());
        // A model that requires this parameter reasons, and accepts no temperature either.
        fields.shift_remove("temperature");
        has_changed = true;
    }
    has_changed.then(|| HttpRequest { body: Some(body.to_string().into()), ..request.clone() })
}

/// The request with a token limit for the reply alone: the context window of a small server leaves no tokens for reasoning.
fn without_reasoning_tokens(fields: &mut Map<String, Value>) -> Option<Value> {
    let most = fields.get("max_tokens")?.as_u64()?.checked_sub(u64::from(REASONING_TOKENS))?;
    fields.insert("max_tokens".to_owned(), most.max(1).into());
    Some(fields.clone().into())
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

    #[test]
    fn unsupported_fields_are_removed() {
        let url: url::Url = "https://a.example/".parse().unwrap();
        let request = HttpRequest {
            method: domain::ports::HttpMethod::Post,
            origin: domain::ports::Origin::trusted(&url).unwrap(),
            url,
            headers: Vec::new(),
            secret_headers: Vec::new(),
            body: Some(Bytes::from_static(
                br#"{"model":"m","temperature":0,"max_tokens":10,"stream_options":{}}"#,
            )),
            secrets: Vec::new(),
            time_max: std::time::Duration::from_secs(1),
            tls: None,
        };
        for (error_message, expected) in [
            (
                "'temperature' does not support 0",
                Some(json!({"model":"m","max_tokens":10,"stream_options":{}})),
            ),
            ("stream_options is unknown", Some(json!({"model":"m","temperature":0,"max_tokens":10}))),
            (
                "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Some(json!({"model":"m","stream_options":{},"max_completion_tokens":10 + REASONING_TOKENS})),
            ),
            ("max_tokens is too large", None),
            ("no such model", None),
        ] {
            let changed = without_unsupported(&request, error_message)
                .map(|request| serde_json::from_slice::<Value>(&request.body.unwrap()).unwrap());
            assert_eq!(changed, expected, "{error_message}");
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
