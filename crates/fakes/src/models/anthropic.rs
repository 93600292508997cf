//! Fake Anthropic: the Messages API, streamed as named server-sent events.

use super::{KEY, ModelRequest, Refusal, Reply, TOKENS_IN, TOKENS_OUT, Vendor, Wanted, Wire};
use crate::fake_server::unknown;
use axum::body::Bytes;
use serde_json::{Value, json};

/// Served at `/v1/messages` with `x-api-key` and `anthropic-version`.
pub struct Anthropic;

const FIELDS: &[&str] = &["model", "max_tokens", "messages", "system", "stream", "temperature", "tools"];

impl Vendor for Anthropic {
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal> {
        if request.header("x-api-key") != Some(KEY) {
            return Err(Refusal::new(401, "invalid x-api-key"));
        }
        if request.path != "/v1/messages" {
            return Err(Refusal::new(404, "Not Found"));
        }
        request.check_form()?;
        if request.header("anthropic-version") != Some("2023-06-01") {
            return Err(Refusal::new(400, "anthropic-version: header is required"));
        }
        let body = &request.body;
        if let Some(field) = unknown(body, FIELDS) {
            return Err(Refusal::new(400, format!("{field}: Extra inputs are not permitted")));
        }
        if !body["model"].is_string() || body["max_tokens"].as_u64().is_none_or(|most| most == 0) {
            return Err(Refusal::new(400, "max_tokens: Field required"));
        }
        check_messages(&body["messages"])?;
        let tools = body["tools"].as_array().into_iter().flatten();
        if tools.into_iter().any(|tool| !tool["name"].is_string() || !tool["input_schema"].is_object()) {
            return Err(Refusal::new(400, "tools: Field required"));
        }
        Ok(Wanted::Text { streamed: body["stream"] == true })
    }

    fn write(&self, request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire {
        let model = &request.body["model"];
        if !streamed {
            return Wire::whole(&json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": model,
                "content": blocks(reply), "stop_reason": stop_reason(reply), "stop_sequence": null,
                "usage": {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT},
            }));
        }
        let message = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": null, "stop_sequence": null,
            // Cached prompt tokens count too.
            "usage": {"input_tokens": TOKENS_IN - 10, "cache_read_input_tokens": 10, "output_tokens": 1},
        });
        let mut pieces = vec![event("message_start", json!({"message": message}))];
        pieces.push(event("ping", json!({})));
        for (index, block) in blocks(reply).into_iter().enumerate() {
            pieces.extend(block_events(index, &block, reply));
        }
        let end = json!({"delta": {"stop_reason": stop_reason(reply), "stop_sequence": null},
            "usage": {"output_tokens": TOKENS_OUT}});
        pieces.push(event("message_delta", end));
        pieces.push(event("message_stop", json!({})));
        Wire { content_type: "text/event-stream; charset=utf-8", pieces }
    }

    fn refuse(&self, refusal: &Refusal) -> Value {
        let kind = match refusal.status {
            400 => "invalid_request_error",
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        json!({"type": "error", "error": {"type": kind, "message": refusal.message}, "request_id": "req_1"})
    }

    fn stumble(&self, message: &str) -> Option<Bytes> {
        Some(event("error", json!({"error": {"type": "overloaded_error", "message": message}})))
    }
}

/// The first message is the user's, roles alternate, no text is empty, and every tool call is answered at once.
fn check_messages(messages: &Value) -> Result<(), Refusal> {
    let bad = |text: String| Err(Refusal::new(400, format!("messages: {text}")));
    let messages = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    if messages.is_empty() {
        return bad("at least one message is required".to_owned());
    }
    let mut open: Vec<&str> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let expected = if place % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != expected {
            return bad(format!("{place}: roles must alternate"));
        }
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        if blocks.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
            return bad(format!("{place}: content is empty"));
        }
        let answered = blocks.iter().filter_map(|block| block["tool_use_id"].as_str());
        let missing = open.iter().find(|id| !answered.clone().any(|answered| answered == **id));
        if let Some(id) = missing {
            return bad(format!("{place}: tool_use ids were found without tool_result blocks: {id}"));
        }
        open.clear();
        for block in blocks {
            match block["type"].as_str() {
                Some("text") if block["text"].as_str().is_some_and(|text| !text.is_empty()) => {}
                Some("tool_result") if expected == "user" => {}
                Some("tool_use") if expected == "assistant" && block["input"].is_object() => {
                    open.extend(block["id"].as_str());
                }
                _ => return bad(format!("{place}: a block is not valid")),
            }
        }
    }
    if open.is_empty() { Ok(()) } else { bad("tool_use without tool_result".to_owned()) }
}

fn stop_reason(reply: &Reply) -> &'static str {
    reply.finish("end_turn", "tool_use", "max_tokens")
}

fn blocks(reply: &Reply) -> Vec<Value> {
    let text = (!reply.text.is_empty()).then(|| json!({"type": "text", "text": reply.text}));
    let calls = reply.calls.iter().enumerate().map(|(index, (name, input))| {
        json!({"type": "tool_use", "id": format!("toolu_{index}a7"), "name": name, "input": input})
    });
    let thinking = (!reply.reasoning.is_empty())
        .then(|| json!({"type": "thinking", "thinking": reply.reasoning, "signature": "c2ln"}));
    thinking.into_iter().chain(text).chain(calls).collect()
}

fn block_events(index: usize, block: &Value, reply: &Reply) -> Vec<Bytes> {
    let delta = |delta: Value| event("content_block_delta", json!({"index": index, "delta": delta}));
    let mut start = block.clone();
    let deltas: Vec<Bytes> = if block["type"] == "text" {
        start["text"] = "".into();
        reply.words().into_iter().map(|word| delta(json!({"type": "text_delta", "text": word}))).collect()
    } else if block["type"] == "thinking" {
        (start["thinking"], start["signature"]) = ("".into(), "".into());
        vec![
            delta(json!({"type": "thinking_delta", "thinking": reply.reasoning})),
            delta(json!({"type": "signature_delta", "signature": "c2ln"})),
        ]
    } else {
        start["input"] = json!({});
        let input = block["input"].to_string();
        let half = (0..=input.len() / 2).rev().find(|at| input.is_char_boundary(*at)).unwrap_or(0);
        ["", &input[..half], &input[half..]]
            .into_iter()
            .map(|part| delta(json!({"type": "input_json_delta", "partial_json": part})))
            .collect()
    };
    let mut events = vec![event("content_block_start", json!({"index": index, "content_block": start}))];
    events.extend(deltas);
    events.push(event("content_block_stop", json!({"index": index})));
    events
}

/// The name of an event occurs twice: in its line and in its data.
fn event(name: &str, mut data: Value) -> Bytes {
    data["type"] = name.into();
    format!("event: {name}\ndata: {data}\n\n").into()
}
