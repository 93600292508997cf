//! Fake Ollama: `/api/chat` as newline-delimited JSON, and `/api/embed`. It requires a key only behind a proxy.

use super::{KEY, ModelRequest, Refusal, Reply, TOKENS_IN, TOKENS_OUT, Vendor, Wanted, Wire};
use axum::body::Bytes;
use serde_json::{Value, json};

/// The only pulled model.
pub const MODEL: &str = "llama3.2";

#[derive(Default)]
pub struct Ollama {
    /// It is behind a proxy that requires the key.
    pub wants_key: bool,
}

impl Vendor for Ollama {
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal> {
        if self.wants_key && request.header("authorization") != Some(&format!("Bearer {KEY}")) {
            return Err(Refusal::new(401, "unauthorized"));
        }
        request.check_form()?;
        let model = request.body["model"].as_str().unwrap_or_default();
        if model != MODEL {
            return Err(Refusal::new(404, format!("model '{model}' not found")));
        }
        match request.path.as_str() {
            "/api/chat" => understand_chat(&request.body),
            "/api/embed" => {
                let texts: Option<Vec<String>> = request.body["input"]
                    .as_array()
                    .and_then(|texts| texts.iter().map(|text| text.as_str().map(str::to_owned)).collect());
                texts
                    .map(|texts| Wanted::Vectors { texts })
                    .ok_or_else(|| Refusal::new(400, "invalid input type"))
            }
            _ => Err(Refusal::new(404, "404 page not found")),
        }
    }

    fn write(&self, _request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire {
        let head = |message: Value, done: bool| json!({"model": MODEL, "created_at": "2026-01-02T03:04:05.678Z", "message": message, "done": done});
        let calls: Vec<Value> = reply
            .calls
            .iter()
            .map(|(name, arguments)| json!({"function": {"name": name, "arguments": arguments}}))
            .collect();
        let last = |message: Value| {
            let mut last = head(message, true);
            last["done_reason"] = reply.finish("stop", "stop", "length").into();
            last["prompt_eval_count"] = TOKENS_IN.into();
            last["eval_count"] = TOKENS_OUT.into();
            last
        };
        if !streamed {
            return Wire::whole(&last(
                json!({"role": "assistant", "content": reply.text, "thinking": reply.reasoning, "tool_calls": calls}),
            ));
        }
        let mut lines: Vec<Value> = reply
            .words()
            .into_iter()
            .map(|word| head(json!({"role": "assistant", "content": word}), false))
            .collect();
        if !reply.reasoning.is_empty() {
            let thinking = json!({"role": "assistant", "content": "", "thinking": reply.reasoning});
            lines.insert(0, head(thinking, false));
        }
        if !calls.is_empty() {
            lines.push(head(json!({"role": "assistant", "content": "", "tool_calls": calls}), false));
        }
        lines.push(last(json!({"role": "assistant", "content": ""})));
        let pieces = lines.into_iter().map(|line| Bytes::from(format!("{line}\n"))).collect();
        Wire { content_type: "application/x-ndjson", pieces }
    }

    fn vectors(&self, vectors: &[Vec<f32>]) -> Value {
        json!({"model": MODEL, "embeddings": vectors, "total_duration": 14_143_917, "prompt_eval_count": 8})
    }

    fn refuse(&self, refusal: &Refusal) -> Value {
        json!({"error": refusal.message})
    }

    fn stumble(&self, message: &str) -> Option<Bytes> {
        Some(format!("{}\n", json!({"error": message})).into())
    }
}

fn understand_chat(body: &Value) -> Result<Wanted, Refusal> {
    for message in body["messages"].as_array().into_iter().flatten() {
        let is_role = matches!(message["role"].as_str(), Some("system" | "user" | "assistant" | "tool"));
        let is_text = message["content"].is_string();
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        // Arguments are an object here, not a string.
        let is_called = calls.into_iter().all(|call| call["function"]["arguments"].is_object());
        if !is_role || !is_text || !is_called {
            return Err(Refusal::new(
                400,
                "json: cannot unmarshal into Go struct field ChatRequest.messages",
            ));
        }
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        if tool["type"] != "function" || !tool["function"]["parameters"].is_object() {
            return Err(Refusal::new(400, "json: cannot unmarshal into Go struct field ChatRequest.tools"));
        }
    }
    Ok(Wanted::Text { streamed: body["stream"] != false })
}
