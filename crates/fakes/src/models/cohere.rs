//! Fake Cohere, v2 API: chat streamed as server-sent events, embed, rerank.

use super::{KEY, ModelRequest, Refusal, Reply, TOKENS_IN, TOKENS_OUT, Vendor, Wanted, Wire};
use crate::fake_server::unknown;
use axum::body::Bytes;
use serde_json::{Value, json};

pub struct Cohere;

/// Most texts per embedding request.
const TEXTS_MAX: usize = 96;

impl Vendor for Cohere {
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal> {
        if request.header("authorization") != Some(&format!("Bearer {KEY}")) {
            return Err(Refusal::new(401, "invalid api token"));
        }
        request.check_form()?;
        let body = &request.body;
        if body["model"].as_str().is_none_or(str::is_empty) {
            return Err(Refusal::new(400, "invalid request: model is required"));
        }
        match request.path.as_str() {
            "/v2/chat" => understand_chat(body),
            "/v2/embed" => understand_embed(body),
            "/v2/rerank" => understand_rerank(body),
            _ => Err(Refusal::new(404, "not found")),
        }
    }

    fn write(&self, _request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire {
        let call = |index: usize| {
            let (name, arguments) = &reply.calls[index];
            let function = json!({"name": name, "arguments": arguments.to_string()});
            json!({"id": format!("{name}_{index}"), "type": "function", "function": function})
        };
        let finish = reply.finish("COMPLETE", "TOOL_CALL", "MAX_TOKENS");
        if !streamed {
            let calls: Vec<Value> = (0..reply.calls.len()).map(call).collect();
            let mut content = vec![json!({"type": "text", "text": reply.text})];
            if !reply.reasoning.is_empty() {
                content.insert(0, json!({"type": "thinking", "thinking": reply.reasoning}));
            }
            return Wire::whole(&json!({
                "id": "c-1", "finish_reason": finish, "usage": usage(),
                "message": {"role": "assistant", "content": content, "tool_calls": calls},
            }));
        }
        let mut pieces = vec![event("message-start", &json!({"delta": {"message": {"role": "assistant"}}}))];
        let at = |index: usize, delta: Value| json!({"index": index, "delta": {"message": delta}});
        if !reply.reasoning.is_empty() {
            let content = json!({"content": {"thinking": reply.reasoning}});
            pieces.push(event("content-delta", &at(0, content)));
        }
        if !reply.text.is_empty() {
            pieces.push(event("content-start", &at(0, json!({"content": {"type": "text", "text": ""}}))));
            let words = reply.words().into_iter();
            pieces
                .extend(words.map(|word| event("content-delta", &at(0, json!({"content": {"text": word}})))));
            pieces.push(event("content-end", &json!({"index": 0})));
        }
        if !reply.calls.is_empty() {
            pieces.push(event(
                "tool-plan-delta",
                &json!({"delta": {"message": {"tool_plan": "I will look."}}}),
            ));
        }
        for (index, (_, arguments)) in reply.calls.iter().enumerate() {
            let mut first = call(index);
            first["function"]["arguments"] = "".into();
            pieces.push(event("tool-call-start", &at(index, json!({"tool_calls": first}))));
            let arguments = arguments.to_string();
            let half =
                (0..=arguments.len() / 2).rev().find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
            for part in [&arguments[..half], &arguments[half..]] {
                let delta = json!({"tool_calls": {"function": {"arguments": part}}});
                pieces.push(event("tool-call-delta", &at(index, delta)));
            }
            pieces.push(event("tool-call-end", &json!({"index": index})));
        }
        pieces.push(event("message-end", &json!({"delta": {"finish_reason": finish, "usage": usage()}})));
        Wire { content_type: "text/event-stream", pieces }
    }

    fn vectors(&self, vectors: &[Vec<f32>]) -> Value {
        json!({"id": "e-1", "embeddings": {"float": vectors}, "texts": [], "meta": {"api_version": {"version": "2"}}})
    }

    fn ranks(&self, scores: &[f32]) -> Value {
        let mut results: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
        results.sort_by(|one, other| other.1.total_cmp(&one.1));
        let results: Vec<Value> =
            results.iter().map(|(index, score)| json!({"index": index, "relevance_score": score})).collect();
        json!({"id": "r-1", "results": results, "meta": {"api_version": {"version": "2"}}})
    }

    fn refuse(&self, refusal: &Refusal) -> Value {
        json!({"id": "x-1", "message": refusal.message})
    }

    fn stumble(&self, message: &str) -> Option<Bytes> {
        let delta = json!({"finish_reason": "ERROR", "error": message, "usage": usage()});
        Some(event("message-end", &json!({"delta": delta})))
    }
}

fn event(name: &str, more: &Value) -> Bytes {
    let mut data = json!({"type": name});
    data.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    format!("event: {name}\ndata: {data}\n\n").into()
}

fn usage() -> Value {
    json!({
        "billed_units": {"input_tokens": 1, "output_tokens": 1},
        "tokens": {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT},
    })
}

fn refused(text: &str) -> Refusal {
    Refusal::new(400, format!("invalid request: {text}"))
}

fn understand_chat(body: &Value) -> Result<Wanted, Refusal> {
    if let Some(name) = unknown(body, &["model", "messages", "tools", "stream", "temperature", "max_tokens"])
    {
        return Err(refused(&format!("unknown field: parameter '{name}' is not a valid field")));
    }
    let Some(messages) = body["messages"].as_array().filter(|list| !list.is_empty()) else {
        return Err(refused("at least one message is needed"));
    };
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match message["role"].as_str() {
            Some("system" | "user") if message["content"].is_string() => {}
            Some("assistant") => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    let is_whole = call["type"] == "function" && call["function"]["arguments"].is_string();
                    let id = call["id"].as_str().filter(|_| is_whole).ok_or_else(|| refused("tool_calls"))?;
                    open.push(id);
                }
                let says = message["content"].as_str().is_some_and(|text| !text.is_empty());
                if !says && open.is_empty() {
                    return Err(refused("an assistant message must have content or tool calls"));
                }
            }
            Some("tool") if message["content"].is_string() => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                let place = open.iter().position(|known| *known == id);
                open.remove(place.ok_or_else(|| refused("tool call id not found in previous tool calls"))?);
            }
            _ => return Err(refused("role or content of a message")),
        }
    }
    if open.is_empty() {
        Ok(Wanted::Text { streamed: body["stream"] == true })
    } else {
        Err(refused("tool results"))
    }
}

fn texts_of(list: &Value) -> Option<Vec<String>> {
    let texts =
        list.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()?;
    (!texts.is_empty()).then_some(texts)
}

fn understand_embed(body: &Value) -> Result<Wanted, Refusal> {
    if let Some(name) =
        unknown(body, &["model", "texts", "input_type", "embedding_types", "output_dimension"])
    {
        return Err(refused(&format!("unknown field: parameter '{name}' is not a valid field")));
    }
    if !matches!(body["input_type"].as_str(), Some("search_query" | "search_document")) {
        return Err(refused("valid input_type must be provided with the provided model"));
    }
    if body["embedding_types"] != json!(["float"]) {
        return Err(refused("embedding_types is required"));
    }
    match texts_of(&body["texts"]) {
        Some(texts) if texts.len() <= TEXTS_MAX => Ok(Wanted::Vectors { texts }),
        Some(_) => Err(refused("total number of texts must be at most 96")),
        None => Err(refused("texts")),
    }
}

fn understand_rerank(body: &Value) -> Result<Wanted, Refusal> {
    if let Some(name) = unknown(body, &["model", "query", "documents", "top_n"]) {
        return Err(refused(&format!("unknown field: parameter '{name}' is not a valid field")));
    }
    let query = body["query"].as_str().filter(|query| !query.is_empty()).ok_or_else(|| refused("query"))?;
    let texts = texts_of(&body["documents"]).ok_or_else(|| refused("documents"))?;
    Ok(Wanted::Ranks { query: query.to_owned(), texts })
}
