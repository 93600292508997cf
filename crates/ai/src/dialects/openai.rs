//! OpenAI's chat completions and embeddings, spoken by many other servers too: set `config.api_base`.

use super::chunks::reader;
use super::request::{base, bearer, dimensions, json as read_json, post, sentence, unreadable};
use super::{Call, Dialect, DialectKind, ReadPieces};
use domain::bounded_json::parse_answer;
use domain::contracts::{HttpRequest, HttpResponse, ModelError, Prompt, ReadAs, ToolCall, Turn};
use serde::Deserialize;
use serde_json::{Value, json};

pub const KIND: DialectKind = DialectKind {
    name: "openai",
    summary: "OpenAI, and every server that speaks like it: vLLM, llama.cpp, LM Studio, OpenRouter, Groq, Mistral, DeepSeek",
    prefixes: &["openai/"],
    api_base: "https://api.openai.com/v1",
    batch_max: 256,
    dialect: &OpenAi,
};

/// Models that think before they answer do so within the limit of the answer, so it is raised by this many tokens.
pub const THINKING_TOKENS: u32 = 8_000;

struct OpenAi;

impl Dialect for OpenAi {
    fn ask(&self, call: &Call<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let address = format!("{}/chat/completions", base(call, KIND.api_base)?);
        with_organization(call, post(call, &address, bearer(call), &chat_body(call.model, prompt))?)
    }

    fn pieces(&self) -> Box<dyn ReadPieces> {
        reader()
    }

    fn embed(&self, call: &Call<'_>, _read_as: ReadAs, texts: &[String]) -> Result<HttpRequest, ModelError> {
        let address = format!("{}/embeddings", base(call, KIND.api_base)?);
        let mut body = embeddings_body(call, texts);
        body["model"] = call.model.into();
        with_organization(call, post(call, &address, bearer(call), &body)?)
    }

    fn vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        read_vectors(answer)
    }

    fn relent(&self, request: &HttpRequest, complaint: &str) -> Option<HttpRequest> {
        without_refused(request, complaint)
    }

    fn complaint(&self, body: &[u8]) -> Option<String> {
        complaint(body)
    }
}

fn with_organization(call: &Call<'_>, mut request: HttpRequest) -> Result<HttpRequest, ModelError> {
    if let Some(organization) = call.provider.spec.config_text("organization").filter(|name| !name.is_empty())
    {
        request.headers.push(("openai-organization".to_owned(), organization.to_owned()));
    }
    Ok(request)
}

/// True for models that take neither a temperature nor `max_tokens`.
pub fn thinks(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let of_o = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    of_o || name.starts_with("gpt-5")
}

/// What is asked, with the model in it.
pub fn chat_body(model: &str, prompt: &Prompt) -> Value {
    let mut body = json!({
        "model": model,
        "messages": messages(prompt),
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if thinks(model) {
        body["max_completion_tokens"] = prompt.answer_tokens_max.saturating_add(THINKING_TOKENS).into();
    } else {
        body["max_tokens"] = prompt.answer_tokens_max.into();
        body["temperature"] = 0.into();
    }
    if !prompt.tools.is_empty() {
        let tool = |tool: &domain::contracts::ToolOffer| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters,
            }})
        };
        body["tools"] = prompt.tools.iter().map(tool).collect();
    }
    body
}

/// The conversation, with what the system says first.
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
    // Arguments that were no JSON go back as they came.
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

pub fn embeddings_body(call: &Call<'_>, texts: &[String]) -> Value {
    let mut body = json!({"input": texts, "encoding_format": "float"});
    if let Some(count) = dimensions(call) {
        body["dimensions"] = count.into();
    }
    body
}

pub fn read_vectors(answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
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

/// The same request without the temperature and the like, when the service says that it does not take them.
pub fn without_refused(request: &HttpRequest, complaint: &str) -> Option<HttpRequest> {
    let mut body: Value = serde_json::from_slice(request.body.as_ref()?).ok()?;
    let fields = body.as_object_mut()?;
    let before = fields.len();
    for field in ["temperature", "stream_options"] {
        if complaint.contains(field) {
            fields.shift_remove(field);
        }
    }
    let mut has_changed = fields.len() < before;
    if complaint.contains("max_completion_tokens")
        && let Some(most) = fields.shift_remove("max_tokens")
    {
        let most = most.as_u64().unwrap_or_default() + u64::from(THINKING_TOKENS);
        fields.insert("max_completion_tokens".to_owned(), most.into());
        // A model that counts so thinks, and such a model takes no temperature either.
        fields.shift_remove("temperature");
        has_changed = true;
    }
    has_changed.then(|| HttpRequest { body: Some(body.to_string().into()), ..request.clone() })
}

/// `{"error": {"message": …}}`; some compatible servers say `{"error": …}`, `{"message": …}` or `{"detail": …}`.
pub fn complaint(body: &[u8]) -> Option<String> {
    let body = parse_answer(body).ok()?;
    let places = [&body["error"]["message"], &body["error"], &body["message"], &body["detail"]];
    sentence(places.into_iter().find_map(Value::as_str)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn models_that_think_are_known() {
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
            assert_eq!(thinks(model), expected, "{model}");
        }
    }

    #[test]
    fn refused_fields_are_left_out() {
        let url: url::Url = "https://a.example/".parse().unwrap();
        let request = HttpRequest {
            method: domain::contracts::HttpMethod::Post,
            origin: domain::contracts::Origin::of(&url, true).unwrap(),
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
        for (complaint, expected) in [
            (
                "'temperature' does not support 0",
                Some(json!({"model":"m","max_tokens":10,"stream_options":{}})),
            ),
            ("stream_options is unknown", Some(json!({"model":"m","temperature":0,"max_tokens":10}))),
            (
                "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Some(json!({"model":"m","stream_options":{},"max_completion_tokens":10 + THINKING_TOKENS})),
            ),
            ("max_tokens is too large", None),
            ("no such model", None),
        ] {
            let changed = without_refused(&request, complaint)
                .map(|request| serde_json::from_slice::<Value>(&request.body.unwrap()).unwrap());
            assert_eq!(changed, expected, "{complaint}");
        }
    }

    #[test]
    fn complaints_are_found() {
        for (body, expected) in [
            (r#"{"error":{"message":"a\nb"}}"#, Some("a b")),
            (r#"{"error":"busy"}"#, Some("busy")),
            (r#"{"message":"m"}"#, Some("m")),
            (r#"{"detail":"d"}"#, Some("d")),
            (r#"{"detail":[{"msg":"d"}]}"#, None),
            ("<html>", None),
        ] {
            assert_eq!(complaint(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }
}
