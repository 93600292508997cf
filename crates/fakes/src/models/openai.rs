//! Fake OpenAI: chat completions, streamed as server-sent events, and embeddings.

use super::{KEY, ModelRequest, Refusal, Reply, TOKENS_IN, TOKENS_OUT, Vendor, Wanted, Wire};
use crate::fake_server::unknown;
use axum::body::Bytes;
use serde_json::{Value, json};

/// Served at `/v1/…` with `Authorization: Bearer`. Reasoning models reject a temperature.
pub struct OpenAi;

/// Known fields of a chat request.
const FIELDS: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "tools",
    "reasoning_effort",
];

/// Most texts per embedding request.
const TEXTS_MAX: usize = 2048;

impl Vendor for OpenAi {
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal> {
        if request.header("authorization") != Some(&format!("Bearer {KEY}")) {
            let shown = request.header("authorization").unwrap_or_default();
            return Err(Refusal::new(401, format!("Incorrect API key provided: {shown}.")));
        }
        request.check_form()?;
        if request.body["model"].as_str().is_none_or(str::is_empty) {
            return Err(Refusal::new(400, "you must provide a model parameter"));
        }
        match request.path.as_str() {
            "/v1/chat/completions" => {
                let model = request.body["model"].as_str().unwrap_or_default();
                let thinks = ["o1", "o3", "o4", "gpt-5"].iter().any(|name| model.starts_with(name));
                understand_chat(&request.body, thinks)
            }
            "/v1/embeddings" => understand_embeddings(&request.body),
            path => Err(Refusal::new(404, format!("Invalid URL (POST {path})"))),
        }
    }

    fn write(&self, request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire {
        let model = request.body["model"].as_str().unwrap_or_default();
        let has_usage = request.body["stream_options"]["include_usage"] == true;
        if streamed { chunks(model, reply, has_usage) } else { Wire::whole(&completion(model, reply)) }
    }

    fn vectors(&self, vectors: &[Vec<f32>]) -> Value {
        embeddings(vectors)
    }

    fn refuse(&self, refusal: &Refusal) -> Value {
        let (kind, code) = match refusal.status {
            401 => ("invalid_request_error", "invalid_api_key"),
            429 => ("requests", "rate_limit_exceeded"),
            400 if refusal.message.contains("context length") => {
                ("invalid_request_error", "context_length_exceeded")
            }
            500.. => ("server_error", "server_error"),
            _ => ("invalid_request_error", "invalid_value"),
        };
        json!({"error": {"message": refusal.message, "type": kind, "param": null, "code": code}})
    }

    fn stumble(&self, message: &str) -> Option<Bytes> {
        let error = json!({"error": {"message": message, "type": "server_error", "code": null}});
        Some(event(&error))
    }
}

/// A reasoning model accepts neither a temperature nor the old name of the limit.
pub(super) fn understand_chat(body: &Value, thinks: bool) -> Result<Wanted, Refusal> {
    if let Some(field) = unknown(body, FIELDS) {
        return Err(Refusal::new(400, format!("Unrecognized request argument supplied: {field}")));
    }
    if thinks && body.get("max_tokens").is_some() {
        let said = "Unsupported parameter: 'max_tokens' is not supported with this model. \
                    Use 'max_completion_tokens' instead.";
        return Err(Refusal::new(400, said));
    }
    if thinks && body.get("temperature").is_some() {
        let said = "Unsupported value: 'temperature' does not support 0 with this model.";
        return Err(Refusal::new(400, said));
    }
    let streamed = body["stream"] == true;
    if !streamed && body.get("stream_options").is_some() {
        return Err(Refusal::new(
            400,
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        ));
    }
    check_messages(&body["messages"])?;
    for tool in body["tools"].as_array().into_iter().flatten() {
        let is_whole = tool["type"] == "function"
            && tool["function"]["name"].is_string()
            && tool["function"]["parameters"].is_object();
        if !is_whole {
            return Err(Refusal::new(400, "Invalid value for 'tools'"));
        }
    }
    Ok(Wanted::Text { streamed })
}

/// Every tool call must be answered by the next message.
pub(super) fn check_messages(messages: &Value) -> Result<(), Refusal> {
    let bad = |text: &str| Err(Refusal::new(400, format!("Invalid 'messages': {text}")));
    let Some(messages) = messages.as_array().filter(|messages| !messages.is_empty()) else {
        return bad("a list with at least one message is needed");
    };
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(place) = open.iter().position(|known| *known == id) else {
                return bad("a tool message must follow the call that it answers");
            };
            open.remove(place);
            continue;
        }
        if !open.is_empty() {
            return bad("tool_call_ids did not have response messages");
        }
        let calls = message["tool_calls"].as_array();
        match role {
            "system" | "developer" | "user" if message["content"].is_string() => {}
            "assistant" if message["content"].is_string() || calls.is_some() => {}
            _ => return bad("role or content"),
        }
        for call in calls.into_iter().flatten() {
            let is_whole = call["type"] == "function" && call["function"]["arguments"].is_string();
            let Some(id) = call["id"].as_str().filter(|_| is_whole) else { return bad("tool_calls") };
            open.push(id);
        }
    }
    if open.is_empty() { Ok(()) } else { bad("tool_call_ids did not have response messages") }
}

pub(super) fn understand_embeddings(body: &Value) -> Result<Wanted, Refusal> {
    if let Some(field) = unknown(body, &["model", "input", "encoding_format", "dimensions"]) {
        return Err(Refusal::new(400, format!("Unrecognized request argument supplied: {field}")));
    }
    let texts: Option<Vec<String>> = body["input"]
        .as_array()
        .and_then(|texts| texts.iter().map(|text| text.as_str().map(str::to_owned)).collect());
    match texts {
        Some(texts)
            if !texts.is_empty() && texts.len() <= TEXTS_MAX && !texts.iter().any(String::is_empty) =>
        {
            Ok(Wanted::Vectors { texts })
        }
        _ => Err(Refusal::new(400, "'$.input' is invalid.")),
    }
}

/// Not in the order of the texts; `index` identifies them.
pub(super) fn embeddings(vectors: &[Vec<f32>]) -> Value {
    let data: Vec<Value> = vectors
        .iter()
        .enumerate()
        .rev()
        .map(|(index, vector)| json!({"object": "embedding", "index": index, "embedding": vector}))
        .collect();
    json!({"object": "list", "data": data, "usage": {"prompt_tokens": 8, "total_tokens": 8}})
}

pub(super) fn completion(model: &str, reply: &Reply) -> Value {
    let finish = reply.finish("stop", "tool_calls", "length");
    let mut message = json!({"role": "assistant", "content": reply.text, "refusal": null});
    if !reply.reasoning.is_empty() {
        message["reasoning_content"] = reply.reasoning.as_str().into();
    }
    if !reply.calls.is_empty() {
        message["tool_calls"] = (0..reply.calls.len()).map(|index| tool_call(reply, index)).collect();
    }
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_767_323_045, "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage(),
    })
}

/// The text word by word; the arguments of a call in two parts; the end, the usage and a marker.
pub(super) fn chunks(model: &str, reply: &Reply, has_usage: bool) -> Wire {
    let chunk = |choices: Value, usage: Value| {
        event(&json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_767_323_045, "model": model,
            "choices": choices, "usage": usage,
        }))
    };
    let delta =
        |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null);
    let mut pieces = vec![delta(json!({"role": "assistant", "content": "", "refusal": null}))];
    // Not in OpenAI's own responses, but in those of most compatible servers.
    if !reply.reasoning.is_empty() {
        pieces.push(delta(json!({"content": null, "reasoning_content": reply.reasoning})));
    }
    pieces.extend(reply.words().into_iter().map(|word| delta(json!({"content": word}))));
    for (index, (_, arguments)) in reply.calls.iter().enumerate() {
        let arguments = arguments.to_string();
        let half = (0..=arguments.len() / 2).rev().find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
        let mut first = tool_call(reply, index);
        first["index"] = index.into();
        first["function"]["arguments"] = "".into();
        pieces.push(delta(json!({"tool_calls": [first]})));
        for part in [&arguments[..half], &arguments[half..]] {
            pieces.push(delta(json!({"tool_calls": [{"index": index, "function": {"arguments": part}}]})));
        }
    }
    let finish = reply.finish("stop", "tool_calls", "length");
    pieces.push(chunk(json!([{"index": 0, "delta": {}, "finish_reason": finish}]), Value::Null));
    if has_usage {
        pieces.push(chunk(json!([]), usage()));
    }
    pieces.push("data: [DONE]\n\n".into());
    Wire { content_type: "text/event-stream; charset=utf-8", pieces }
}

pub(super) fn event(data: &Value) -> Bytes {
    format!("data: {data}\n\n").into()
}

fn tool_call(reply: &Reply, index: usize) -> Value {
    let (name, arguments) = &reply.calls[index];
    let function = json!({"name": name, "arguments": arguments.to_string()});
    json!({"id": format!("call_{index}a7"), "type": "function", "function": function})
}

fn usage() -> Value {
    json!({"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": TOKENS_IN + TOKENS_OUT})
}
