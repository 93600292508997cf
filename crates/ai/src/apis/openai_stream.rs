//! Decoder of OpenAI-compatible responses, streamed or not.

use super::StreamDecoder;
use super::request::{failed, unreadable};
use super::sse::{Event, EventDecoder, EventStreamDecoder, parsed};
use super::tool_calls::ToolCallBuilder;
use domain::ports::{CompletionChunk, ModelError, ModelErrorKind};
use serde_json::Value;

pub fn decoder() -> Box<dyn StreamDecoder> {
    Box::new(EventStreamDecoder::new(Decoder::default()))
}

#[derive(Default)]
struct Decoder {
    calls: ToolCallBuilder,
    usage: Option<CompletionChunk>,
    is_done: bool,
}

impl Decoder {
    fn text(delta: &Value, out: &mut Vec<CompletionChunk>) {
        // Some servers send a list of parts, of which reasoning is one. A refusal of the model has its own field.
        let parts = delta["content"].as_array().into_iter().flatten().map(|part| &part["text"]);
        for text in parts.chain([&delta["content"], &delta["refusal"]]).filter_map(Value::as_str) {
            if !text.is_empty() {
                out.push(CompletionChunk::Text(text.to_owned()));
            }
        }
    }

    fn calls(&mut self, delta: &Value) -> Result<(), ModelError> {
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str();
            let key = self.calls.key_of(call["index"].as_u64(), id);
            let word = |field: &str| call["function"][field].as_str().unwrap_or_default();
            self.calls.add(key, id.unwrap_or_default(), word("name"), word("arguments"))?;
        }
        Ok(())
    }

    /// Reads an event or a whole response; they differ only in one field name.
    fn part(&mut self, part: &Value, field: &str, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if !part["error"].is_null() {
            return Err(failure(&part["error"]));
        }
        if let (Some(tokens_in), Some(tokens_out)) =
            (part["usage"]["prompt_tokens"].as_u64(), part["usage"]["completion_tokens"].as_u64())
        {
            self.usage = Some(CompletionChunk::Usage { tokens_in, tokens_out });
        }
        let choice = &part["choices"][0];
        Self::text(&choice[field], out);
        self.calls(&choice[field])?;
        match choice["finish_reason"].as_str() {
            Some("content_filter") => {
                Err(ModelError::new(ModelErrorKind::Unreadable, "a content filter held the answer back"))
            }
            Some(reason) => {
                self.is_done = true;
                out.extend((reason == "length").then_some(CompletionChunk::Cut));
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl EventDecoder for Decoder {
    fn event(&mut self, event: &Event, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if event.data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        self.part(&parsed(event.data.as_bytes())?, "delta", out)
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        self.is_done = body["choices"][0]["message"].is_object();
        self.part(body, "message", out)
    }

    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if !self.is_done {
            return Err(unreadable("it broke off"));
        }
        self.calls.finish(out);
        out.extend(self.usage.take());
        Ok(())
    }
}

/// An error that the service reports within the response.
fn failure(error: &Value) -> ModelError {
    let word = |field: &str| error[field].as_str().unwrap_or_default();
    let kind = match (word("code"), word("type")) {
        ("rate_limit_exceeded" | "insufficient_quota" | "429", _) => ModelErrorKind::RateLimited,
        ("context_length_exceeded", _) => ModelErrorKind::TooLong,
        ("invalid_api_key" | "401", _) => ModelErrorKind::Denied,
        (_, "invalid_request_error") => ModelErrorKind::ConfigInvalid,
        _ => ModelErrorKind::Unavailable,
    };
    failed(kind, "the service failed while it answered", error["message"].as_str().or(error.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::ToolCall;
    use serde_json::json;

    fn read(text: &str) -> Result<Vec<CompletionChunk>, ModelError> {
        let (mut decoder, mut out) = (decoder(), Vec::new());
        decoder.feed(text.as_bytes(), &mut out)?;
        decoder.end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn answers_of_compatible_servers_are_read() {
        let text = |text: &str| CompletionChunk::Text(text.to_owned());
        let usage = CompletionChunk::Usage { tokens_in: 3, tokens_out: 4 };
        let call = |id: &str| {
            CompletionChunk::Call(ToolCall {
                id: id.to_owned(),
                name: "f".to_owned(),
                arguments: json!({"a": 1}),
            })
        };
        for (body, expected) in [
            // Without `[DONE]`.
            (
                "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
                vec![text("a")],
            ),
            // Usage without choices.
            (
                "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":null,\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n",
                vec![text("a"), usage.clone()],
            ),
            // Not streamed.
            (
                "{\"choices\":[{\"message\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}",
                vec![text("a"), usage],
            ),
            // A complete call without index and id.
            (
                "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}}]}\n\ndata: [DONE]\n\n",
                vec![call("call_0")],
            ),
            (
                "data: {\"choices\":[{\"delta\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}\n\n",
                vec![text("no")],
            ),
            // A list of parts, one of which is reasoning.
            (
                "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"text\":\"hm\"}]},{\"type\":\"text\",\"text\":\"a\"}]}}]}",
                vec![text("a")],
            ),
            // `error: null` is not an error.
            (
                "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n",
                vec![text("a")],
            ),
        ] {
            assert_eq!(read(body), Ok(expected), "{body}");
        }
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        let choice = |reason: &str| {
            format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n")
        };
        for (body, kind) in [
            (String::new(), ModelErrorKind::Unreadable),
            ("<html>".to_owned(), ModelErrorKind::Unreadable),
            ("data: {\n\n".to_owned(), ModelErrorKind::Unreadable),
            ("{\"choices\": 1}".to_owned(), ModelErrorKind::Unreadable),
            ("data: {\"choices\":[]}\n\n".to_owned(), ModelErrorKind::Unreadable),
            (choice("content_filter"), ModelErrorKind::Unreadable),
            (
                "data: {\"error\":{\"code\":\"rate_limit_exceeded\"}}\n\n".to_owned(),
                ModelErrorKind::RateLimited,
            ),
            (
                "data: {\"error\":{\"code\":\"context_length_exceeded\"}}\n\n".to_owned(),
                ModelErrorKind::TooLong,
            ),
            ("data: {\"error\":{\"code\":500}}\n\n".to_owned(), ModelErrorKind::Unavailable),
            ("data: {\"error\":\"busy\"}\n\n".to_owned(), ModelErrorKind::Unavailable),
        ] {
            assert_eq!(read(&body).map_err(|error| error.kind), Err(kind), "{body}");
        }
    }
}
