//! OpenAI's chat completions and embeddings, and compatible servers at `config.api_base`.

use super::openai_stream::decoder;
use super::request::{base, bearer, dimensions, json as read_json, post, sentence, unreadable};
use super::{ApiCall, ModelApi, ModelApiKind, StreamDecoder};
use domain::bounded_json::parse_answer;
use domain::ports::{EmbeddingInput, HttpRequest, HttpResponse, ModelError, Prompt, ToolCall, Turn};
use serde::Deserialize;
use serde_json::{Value, json};

pub const KIND: ModelApiKind = ModelApiKind {
    name: "openai",
    summary: "OpenAI and compatible servers: vLLM, llama.cpp, LM Studio, OpenRouter, Groq, Mistral, DeepSeek",
    prefixes: &["openai/"],
    api_base: "https://api.openai.com/v1",
    batch_max: 256,
    api: &OpenAi,
};

/// Added to the token limit of reasoning models, whose reasoning counts towards it.
pub const REASONING_TOKENS: u32 = 8_000;

struct OpenAi;

impl ModelApi for OpenAi {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let address = format!("{}/chat/completions", base(call, KIND.api_base)?);
        with_organization(call, post(call, &address, bearer(call), &chat_body(call.model, prompt))?)
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

/// Whether a model reasons; such models accept neither `temperature` nor `max_tokens`.
pub fn is_reasoning_model(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let of_o = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    of_o || name.starts_with("gpt-5")
}

/// The body of a chat completion request.
pub fn chat_body(model: &str, prompt: &Prompt) -> Value {
    let mut body = json!({
        "model": model,
        "messages": messages(prompt),
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if is_reasoning_model(model) {
        body["max_completion_tokens"] = prompt.answer_tokens_max.saturating_add(REASONING_TOKENS).into();
    } else {
        body["max_tokens"] = prompt.answer_tokens_max.into();
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
    fn reasoning_models_are_known() {
        for (model, expected) in [
            ("o1", true),
            ("o3-mini", true),
            ("openai/o4-mini", true),
            ("gpt-5", true),
            ("GPT-5.2-pro", true),
            ("gpt-4o", false),
            ("olmo-2", false),
            ("gpt-4.1-mini", false),
        ] {
            assert_eq!(is_reasoning_model(model), expected, "{model}");
        }
    }

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
