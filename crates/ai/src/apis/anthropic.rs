//! Anthropic's Messages API.

use super::reasoning::{Version, claude_version, tokens_max};
use super::request::{base, failed, post, sentence, unreadable};
use super::sse::{Event, EventDecoder, EventStreamDecoder, parsed};
use super::tool_calls::ToolCallBuilder;
use super::{ApiCall, ModelApi, ModelApiKind, RejectedRequest, StreamDecoder};
use domain::bounded_json::parse_answer;
use domain::ports::{CompletionChunk, HttpRequest, ModelError, ModelErrorKind, Prompt, ToolCall, Turn};
use domain::secret::Secret;
use serde_json::{Map, Value, json};

pub const KIND: ModelApiKind = ModelApiKind {
    name: "anthropic",
    summary: "Anthropic's Claude models",
    prefixes: &["anthropic/", "claude-"],
    api_base: "https://api.anthropic.com",
    batch_max: 1,
    api: &Anthropic,
};

/// Default of `config.anthropic_version`.
const VERSION: &str = "2023-06-01";

struct Anthropic;

impl ModelApi for Anthropic {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let base = base(call, KIND.api_base)?;
        let address = format!("{}/v1/messages", base.strip_suffix("/v1").unwrap_or(base));
        let key = call.provider.spec.api_key.trim();
        let key = (!key.is_empty()).then(|| ("x-api-key".to_owned(), Secret::new(key)));
        let mut request = post(call, &address, key.into_iter().collect(), &body(call, prompt))?;
        let version = call.provider.spec.config_text("anthropic_version").filter(|text| !text.is_empty());
        request.headers.push(("anthropic-version".to_owned(), version.unwrap_or(VERSION).to_owned()));
        Ok(request)
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(EventStreamDecoder::new(Decoder::default()))
    }

    /// Some models accept no temperature.
    fn without_unsupported(&self, rejected: &RejectedRequest<'_>) -> Option<HttpRequest> {
        let mut body = rejected.body()?;
        let has_changed = rejected.error_message.contains("temperature")
            && body.as_object_mut()?.remove("temperature").is_some();
        has_changed.then(|| rejected.with(&body))
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        let body = parse_answer(body).ok()?;
        sentence(body["error"]["message"].as_str()?)
    }
}

/// Whether a model accepts a temperature. Claude models reject it since version 4.7; a name without a version may be a
/// newer model.
pub fn takes_temperature(model: &str) -> bool {
    let is_old = |version: Version| version <= Version { major: 4, minor: 6 };
    !model.to_ascii_lowercase().contains("claude-") || claude_version(model).is_some_and(is_old)
}

fn body(call: &ApiCall<'_>, prompt: &Prompt) -> Value {
    let mut body = json!({
        "model": call.model,
        "max_tokens": tokens_max(call, prompt.answer_tokens_max),
        "stream": true,
        "messages": messages(&prompt.turns),
    });
    if takes_temperature(call.model) {
        body["temperature"] = 0.into();
    }
    if !prompt.system.is_empty() {
        body["system"] = prompt.system.as_str().into();
    }
    if !prompt.tools.is_empty() {
        let tool = |tool: &domain::ports::ToolDefinition| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters});
        body["tools"] = prompt.tools.iter().map(tool).collect();
    }
    body
}

/// Merges consecutive turns of one role: tool results belong to the user's next message.
fn messages(turns: &[Turn]) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in turns {
        let (role, blocks) = match turn {
            Turn::User(words) => ("user", text(words).into_iter().collect()),
            Turn::Assistant { text: words, calls } => {
                ("assistant", text(words).into_iter().chain(calls.iter().map(tool_use)).collect())
            }
            Turn::Tool { call_id, text, .. } => {
                ("user", vec![json!({"type": "tool_result", "tool_use_id": call_id, "content": text})])
            }
        };
        match messages.last_mut() {
            _ if Vec::is_empty(&blocks) => {}
            Some((last, known)) if *last == role => known.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// Empty texts are rejected.
fn text(words: &str) -> Option<Value> {
    (!words.trim().is_empty()).then(|| json!({"type": "text", "text": words}))
}

fn tool_use(call: &ToolCall) -> Value {
    let input = if call.arguments.is_object() { call.arguments.clone() } else { Value::Object(Map::new()) };
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

#[derive(Default)]
struct Decoder {
    calls: ToolCallBuilder,
    tokens_in: Option<u64>,
    tokens_out: u64,
    is_done: bool,
    is_cut: bool,
}

impl Decoder {
    /// Cached input tokens count as well.
    fn usage(&mut self, usage: &Value) {
        let fields = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        if usage["input_tokens"].is_u64() {
            self.tokens_in = Some(fields.iter().filter_map(|field| usage[*field].as_u64()).sum());
        }
        self.tokens_out = usage["output_tokens"].as_u64().unwrap_or(self.tokens_out);
    }

    fn block(&mut self, place: u64, block: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        let word = |field: &str| block[field].as_str().unwrap_or_default();
        match word("type") {
            "text" => push_text(word("text"), out),
            "tool_use" => {
                // A stream starts with an empty object and sends the arguments in parts.
                let input = block["input"].as_object().filter(|input| !input.is_empty());
                let input = input.map(|_| block["input"].to_string()).unwrap_or_default();
                self.calls.add(place, word("id"), word("name"), &input)?;
            }
            // Reasoning is not part of the reply.
            _ => {}
        }
        Ok(())
    }

    fn stop(&mut self, reason: &Value) -> Result<(), ModelError> {
        if reason == "refusal" {
            return Err(ModelError::new(ModelErrorKind::Unreadable, "the model refused to answer"));
        }
        self.is_cut |= reason == "max_tokens" || reason == "model_context_window_exceeded";
        Ok(())
    }
}

fn push_text(text: &str, out: &mut Vec<CompletionChunk>) {
    if !text.is_empty() {
        out.push(CompletionChunk::Text(text.to_owned()));
    }
}

impl EventDecoder for Decoder {
    fn event(&mut self, event: &Event, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        let data = parsed(event.data.as_bytes())?;
        let place = data["index"].as_u64().unwrap_or(0);
        match data["type"].as_str().unwrap_or_default() {
            "message_start" => self.usage(&data["message"]["usage"]),
            "content_block_start" => self.block(place, &data["content_block"], out)?,
            "content_block_delta" => {
                push_text(data["delta"]["text"].as_str().unwrap_or_default(), out);
                if let Some(part) = data["delta"]["partial_json"].as_str() {
                    self.calls.add(place, "", "", part)?;
                }
            }
            "message_delta" => {
                self.usage(&data["usage"]);
                self.stop(&data["delta"]["stop_reason"])?;
            }
            "message_stop" => self.is_done = true,
            "error" => return Err(failure(&data["error"])),
            // The API may add event types at any time.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if body["type"] == "error" {
            return Err(failure(&body["error"]));
        }
        let blocks = body["content"].as_array();
        self.is_done = blocks.is_some();
        for (place, block) in (0..).zip(blocks.into_iter().flatten()) {
            self.block(place, block, out)?;
        }
        self.usage(&body["usage"]);
        self.stop(&body["stop_reason"])
    }

    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if !self.is_done {
            return Err(unreadable("it broke off"));
        }
        self.calls.finish(out);
        out.extend(self.is_cut.then_some(CompletionChunk::Cut));
        let tokens_out = self.tokens_out;
        out.extend(self.tokens_in.take().map(|tokens_in| CompletionChunk::Usage { tokens_in, tokens_out }));
        Ok(())
    }
}

/// An error that the service reports within the response.
fn failure(error: &Value) -> ModelError {
    let kind = match error["type"].as_str().unwrap_or_default() {
        "authentication_error" | "permission_error" => ModelErrorKind::Denied,
        "rate_limit_error" => ModelErrorKind::RateLimited,
        "request_too_large" => ModelErrorKind::TooLong,
        "invalid_request_error" | "not_found_error" => ModelErrorKind::ConfigInvalid,
        _ => ModelErrorKind::Unavailable,
    };
    failed(kind, "the service failed while it answered", error["message"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "search".to_owned(), arguments: json!({"q": "x"}) }
    }

    #[test]
    fn consecutive_turns_of_one_role_are_merged() {
        let user = |words: &str| Turn::User(words.to_owned());
        let tool = |id: &str| Turn::Tool {
            call_id: id.to_owned(),
            name: "search".to_owned(),
            text: "found".to_owned(),
        };
        let turns = [
            user("one"),
            user(""),
            user("two"),
            Turn::Assistant { text: String::new(), calls: vec![call("a"), call("b")] },
            tool("a"),
            tool("b"),
            user("three"),
        ];
        let text = |words: &str| json!({"type": "text", "text": words});
        let used = |id: &str| json!({"type": "tool_use", "id": id, "name": "search", "input": {"q": "x"}});
        let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "found"});
        assert_eq!(
            messages(&turns),
            [
                json!({"role": "user", "content": [text("one"), text("two")]}),
                json!({"role": "assistant", "content": [used("a"), used("b")]}),
                json!({"role": "user", "content": [result("a"), result("b"), text("three")]}),
            ]
        );
    }

    /// They reject every request with a temperature.
    #[test]
    fn newer_models_are_asked_without_a_temperature() {
        for (model, expected) in [
            ("claude-3-5-haiku-20241022", true),
            ("claude-3-opus@20240229", true),
            ("claude-sonnet-4-20250514", true),
            ("claude-sonnet-4-5-20250929", true),
            ("eu.anthropic.claude-opus-4-1-20250805-v1:0", true),
            ("claude-opus-4-6", true),
            ("claude-opus-4-7", false),
            ("global.anthropic.claude-opus-4-8-v1:0", false),
            ("claude-fable-5", false),
            ("claude-fable-5-2", false),
            ("claude-latest", false),
            ("amazon.nova-pro-v1:0", true),
        ] {
            assert_eq!(takes_temperature(model), expected, "{model}");
        }
    }

    #[test]
    fn other_ends_of_an_answer() {
        let read = |text: &str| {
            let (mut decoder, mut out) = (Anthropic.decoder(), Vec::new());
            decoder.feed(text.as_bytes(), &mut out)?;
            decoder.end(&mut out)?;
            Ok::<_, ModelError>(out)
        };
        let whole = r#"{"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},
            {"type":"tool_use","id":"t","name":"search","input":{"q":"x"}}],"usage":{"input_tokens":1,"output_tokens":2}}"#;
        let expected = vec![
            CompletionChunk::Text("a".to_owned()),
            CompletionChunk::Call(call("t")),
            CompletionChunk::Usage { tokens_in: 1, tokens_out: 2 },
        ];
        assert_eq!(read(whole), Ok(expected));
        for (body, kind) in [
            ("", ModelErrorKind::Unreadable),
            ("data: {\"type\":\"message_start\"}\n\n", ModelErrorKind::Unreadable),
            (r#"{"type":"error","error":{"type":"rate_limit_error"}}"#, ModelErrorKind::RateLimited),
            (
                "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n",
                ModelErrorKind::Unavailable,
            ),
            (
                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n",
                ModelErrorKind::Unreadable,
            ),
        ] {
            assert_eq!(read(body).map_err(|error| error.kind), Err(kind), "{body}");
        }
    }
}
