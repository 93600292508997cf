//! The Converse API: requests, and replies as an event stream or one JSON document.

use super::frames::{Frame, Frames};
use crate::apis::anthropic::takes_temperature;
use crate::apis::reasoning::tokens_max;
use crate::apis::request::{failed, unreadable};
use crate::apis::tool_calls::ToolCallBuilder;
use crate::apis::{ApiCall, StreamDecoder};
use domain::bounded_json::parse_answer;
use domain::ports::{CompletionChunk, ModelError, ModelErrorKind, Prompt, ToolCall, Turn};
use serde_json::{Map, Value, json};

pub fn body(call: &ApiCall<'_>, prompt: &Prompt) -> Value {
    let mut body = json!({
        "messages": messages(&prompt.turns),
        "inferenceConfig": {"maxTokens": tokens_max(call, prompt.answer_tokens_max)},
    });
    if takes_temperature(call.model) {
        body["inferenceConfig"]["temperature"] = 0.into();
    }
    if !prompt.system.is_empty() {
        body["system"] = json!([{"text": prompt.system}]);
    }
    let tools: Vec<Value> = prompt
        .tools
        .iter()
        .map(|tool| {
            json!({"toolSpec": {
                "name": tool.name, "description": tool.description, "inputSchema": {"json": tool.parameters},
            }})
        })
        .collect();
    if !tools.is_empty() {
        body["toolConfig"] = json!({"tools": tools});
    }
    body
}

/// User and assistant messages must alternate, so consecutive turns of one role are merged.
fn messages(turns: &[Turn]) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in turns {
        let (role, blocks) = blocks(turn);
        match messages.last_mut() {
            Some((last, known)) if *last == role => known.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn blocks(turn: &Turn) -> (&'static str, Vec<Value>) {
    match turn {
        Turn::User(text) => ("user", vec![json!({"text": text})]),
        Turn::Assistant { text, calls } => {
            // Empty texts are rejected.
            let text = (!text.trim().is_empty()).then(|| json!({"text": text}));
            let calls = calls.iter().map(|call| {
                json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": object(&call.arguments)}})
            });
            ("assistant", text.into_iter().chain(calls).collect())
        }
        Turn::Tool { call_id, text, .. } => {
            ("user", vec![json!({"toolResult": {"toolUseId": call_id, "content": [{"text": text}]}})])
        }
    }
}

fn object(arguments: &Value) -> Value {
    if arguments.is_object() { arguments.clone() } else { Map::new().into() }
}

/// Maximum size of a non-streamed reply in bytes.
const WHOLE_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Default)]
pub struct Decoder {
    frames: Frames,
    /// A non-streamed reply. It starts with a brace; a frame starts with its length, whose first byte is never a
    /// brace.
    whole: Vec<u8>,
    /// The reply started with a frame, so it is streamed.
    is_framed: bool,
    calls: ToolCallBuilder,
    is_done: bool,
}

impl StreamDecoder for Decoder {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        let is_whole = !self.whole.is_empty() || (!self.is_framed && bytes.first() == Some(&b'{'));
        if is_whole {
            self.whole.extend_from_slice(bytes);
            let fits = self.whole.len() <= WHOLE_BYTES_MAX;
            return if fits { Ok(()) } else { Err(unreadable("it is too long")) };
        }
        self.is_framed |= !bytes.is_empty();
        self.frames.feed(bytes);
        while let Some(frame) = self.frames.next()? {
            self.frame(&frame, out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if !self.whole.is_empty() {
            return read_whole(&self.whole, out);
        }
        if self.is_done && self.frames.is_empty() { Ok(()) } else { Err(unreadable("it broke off")) }
    }
}

impl Decoder {
    fn frame(&mut self, frame: &Frame, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        let payload = parse_answer(&frame.payload).unwrap_or_default();
        match frame.header(":message-type") {
            Some("event") => {}
            Some("exception") => {
                let kind = frame.header(":exception-type").unwrap_or_default();
                return Err(exception(kind, payload["message"].as_str().unwrap_or(kind)));
            }
            _ => {
                let detail = frame.header(":error-message").or_else(|| frame.header(":error-code"));
                return Err(exception("", detail.unwrap_or("it sent an unknown kind of message")));
            }
        }
        let block = payload["contentBlockIndex"].as_u64().unwrap_or_default();
        match frame.header(":event-type").unwrap_or_default() {
            "contentBlockStart" => {
                let tool = &payload["start"]["toolUse"];
                if let (Some(id), Some(name)) = (tool["toolUseId"].as_str(), tool["name"].as_str()) {
                    self.calls.add(block, id, name, "")?;
                }
            }
            "contentBlockDelta" => {
                let delta = &payload["delta"];
                if let Some(text) = delta["text"].as_str().filter(|text| !text.is_empty()) {
                    out.push(CompletionChunk::Text(text.to_owned()));
                }
                if let Some(input) = delta["toolUse"]["input"].as_str() {
                    self.calls.add(block, "", "", input)?;
                }
            }
            "messageStop" => {
                out.extend(stopped(&payload)?);
                self.calls.finish(out);
                self.is_done = true;
            }
            "metadata" => out.extend(usage(&payload["usage"])),
            _ => {}
        }
        Ok(())
    }
}

fn read_whole(body: &[u8], out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
    let body = parse_answer(body).map_err(|_| unreadable("it is no JSON, or broke off"))?;
    let content = body.pointer("/output/message/content").and_then(Value::as_array);
    for block in content.ok_or_else(|| unreadable("it holds no message"))? {
        if let Some(text) = block["text"].as_str().filter(|text| !text.is_empty()) {
            out.push(CompletionChunk::Text(text.to_owned()));
        }
        let tool = &block["toolUse"];
        if let (Some(id), Some(name)) = (tool["toolUseId"].as_str(), tool["name"].as_str()) {
            let (id, name) = (id.to_owned(), name.to_owned());
            out.push(CompletionChunk::Call(ToolCall { id, name, arguments: object(&tool["input"]) }));
        }
    }
    out.extend(usage(&body["usage"]));
    out.extend(stopped(&body)?);
    Ok(())
}

/// Whether the reply ends at its token limit. A blocked reply is an error.
fn stopped(payload: &Value) -> Result<Option<CompletionChunk>, ModelError> {
    match payload["stopReason"].as_str() {
        Some("max_tokens" | "model_context_window_exceeded") => Ok(Some(CompletionChunk::Cut)),
        Some(reason @ ("guardrail_intervened" | "content_filtered")) => {
            Err(ModelError::new(ModelErrorKind::Unreadable, format!("the model gave no answer: {reason}")))
        }
        _ => Ok(None),
    }
}

fn usage(usage: &Value) -> Option<CompletionChunk> {
    let (tokens_in, tokens_out) = (usage["inputTokens"].as_u64()?, usage["outputTokens"].as_u64()?);
    Some(CompletionChunk::Usage { tokens_in, tokens_out })
}

fn exception(name: &str, detail: &str) -> ModelError {
    let kind = match name {
        "throttlingException" => ModelErrorKind::RateLimited,
        "validationException" => ModelErrorKind::ConfigInvalid,
        "accessDeniedException" => ModelErrorKind::Denied,
        "modelTimeoutException" => ModelErrorKind::Timeout,
        _ => ModelErrorKind::Unavailable,
    };
    failed(kind, "the model failed", Some(detail))
}

#[cfg(test)]
mod tests {
    use super::super::frames::tests::{text_header, written};
    use super::*;

    #[test]
    fn turns_alternate() {
        let call = ToolCall { id: "1".to_owned(), name: "f".to_owned(), arguments: json!({"a": 1}) };
        let answer =
            |id: &str| Turn::Tool { call_id: id.to_owned(), name: "f".to_owned(), text: "t".to_owned() };
        let turns = [
            Turn::User("q".to_owned()),
            Turn::Assistant { text: " ".to_owned(), calls: vec![call.clone(), call] },
            answer("1"),
            answer("2"),
            Turn::User("more".to_owned()),
        ];
        let messages = messages(&turns);
        let lengths: Vec<_> = messages
            .iter()
            .map(|message| (message["role"].as_str(), message["content"].as_array().map(Vec::len)))
            .collect();
        assert_eq!(lengths, [(Some("user"), Some(1)), (Some("assistant"), Some(2)), (Some("user"), Some(3))]);
    }

    #[test]
    fn a_brace_after_a_frame_begins_no_whole_answer() {
        let headers = [text_header(":message-type", "event"), text_header(":event-type", "ping")].concat();
        let frame = written(&headers, b"{}");
        let rest = br#"{"output":{"message":{"content":[{"text":"x"}]}}}"#.as_slice();
        let read = |pieces: &[&[u8]]| {
            let (mut decoder, mut out) = (Decoder::default(), Vec::new());
            let fed = pieces.iter().try_for_each(|piece| decoder.feed(piece, &mut out));
            (fed.and_then(|()| decoder.end(&mut out)), out)
        };
        let at_once = read(&[&[frame.as_slice(), rest].concat()]);
        assert!(at_once.0.is_err());
        assert_eq!(read(&[frame.as_slice(), rest]), at_once, "however the bytes are cut");
    }

    #[test]
    fn an_answer_may_come_whole() {
        let body = json!({
            "output": {"message": {"role": "assistant", "content": [
                {"text": "Hello"}, {"toolUse": {"toolUseId": "1", "name": "f", "input": {"a": 1}}},
            ]}},
            "stopReason": "tool_use",
            "usage": {"inputTokens": 3, "outputTokens": 5, "totalTokens": 8},
        })
        .to_string();
        for cut in [1, 7, body.len()] {
            let (mut decoder, mut out) = (Decoder::default(), Vec::new());
            for piece in body.as_bytes().chunks(cut) {
                decoder.feed(piece, &mut out).unwrap();
            }
            decoder.end(&mut out).unwrap();
            let call = ToolCall { id: "1".to_owned(), name: "f".to_owned(), arguments: json!({"a": 1}) };
            let usage = CompletionChunk::Usage { tokens_in: 3, tokens_out: 5 };
            assert_eq!(out, [CompletionChunk::Text("Hello".to_owned()), CompletionChunk::Call(call), usage]);
        }
        let mut decoder = Decoder::default();
        decoder.feed(&body.as_bytes()[..40], &mut Vec::new()).unwrap();
        assert!(decoder.end(&mut Vec::new()).is_err());
    }
}
