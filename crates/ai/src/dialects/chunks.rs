//! What a service that speaks like OpenAI answers, in chunks or whole.

use super::ReadPieces;
use super::calls::Calls;
use super::request::{sentence, unreadable};
use super::sse::{Event, ReadEvents, Streamed, parsed};
use domain::contracts::{ModelError, ModelErrorKind, Piece};
use serde_json::Value;

pub fn reader() -> Box<dyn ReadPieces> {
    Box::new(Streamed::new(Reader::default()))
}

#[derive(Default)]
struct Reader {
    calls: Calls,
    usage: Option<Piece>,
    is_done: bool,
}

impl Reader {
    fn text(delta: &Value, out: &mut Vec<Piece>) {
        // A model that refuses says so in a field of its own.
        for text in ["content", "refusal"].into_iter().filter_map(|field| delta[field].as_str()) {
            if !text.is_empty() {
                out.push(Piece::Text(text.to_owned()));
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

    /// Reads a part of an answer, or a whole one; they differ in one name.
    fn part(&mut self, part: &Value, field: &str, out: &mut Vec<Piece>) -> Result<(), ModelError> {
        if !part["error"].is_null() {
            return Err(failure(&part["error"]));
        }
        if let (Some(tokens_in), Some(tokens_out)) =
            (part["usage"]["prompt_tokens"].as_u64(), part["usage"]["completion_tokens"].as_u64())
        {
            self.usage = Some(Piece::Usage { tokens_in, tokens_out });
        }
        let choice = &part["choices"][0];
        Self::text(&choice[field], out);
        self.calls(&choice[field])?;
        match choice["finish_reason"].as_str() {
            Some("content_filter") => {
                Err(ModelError::new(ModelErrorKind::Unreadable, "a content filter held the answer back"))
            }
            Some(_) => {
                self.is_done = true;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl ReadEvents for Reader {
    fn event(&mut self, event: &Event, out: &mut Vec<Piece>) -> Result<(), ModelError> {
        if event.data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        self.part(&parsed(event.data.as_bytes())?, "delta", out)
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<Piece>) -> Result<(), ModelError> {
        self.is_done = body["choices"][0]["message"].is_object();
        self.part(body, "message", out)
    }

    fn end(&mut self, out: &mut Vec<Piece>) -> Result<(), ModelError> {
        if !self.is_done {
            return Err(unreadable("it broke off"));
        }
        self.calls.finish(out);
        out.extend(self.usage.take());
        Ok(())
    }
}

/// What went wrong after the answer had begun.
fn failure(error: &Value) -> ModelError {
    let word = |field: &str| error[field].as_str().unwrap_or_default();
    let kind = match (word("code"), word("type")) {
        ("rate_limit_exceeded" | "insufficient_quota" | "429", _) => ModelErrorKind::RateLimited,
        ("context_length_exceeded", _) => ModelErrorKind::TooLong,
        ("invalid_api_key" | "401", _) => ModelErrorKind::Denied,
        (_, "invalid_request_error") => ModelErrorKind::ConfigInvalid,
        _ => ModelErrorKind::Unavailable,
    };
    let said = error["message"].as_str().or(error.as_str()).and_then(sentence).unwrap_or_default();
    ModelError::new(kind, format!("the service failed while it answered: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::contracts::ToolCall;
    use serde_json::json;

    fn read(text: &str) -> Result<Vec<Piece>, ModelError> {
        let (mut reader, mut out) = (reader(), Vec::new());
        reader.feed(text.as_bytes(), &mut out)?;
        reader.end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn answers_of_compatible_servers_are_read() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let usage = Piece::Usage { tokens_in: 3, tokens_out: 4 };
        let call = |id: &str| {
            Piece::Call(ToolCall { id: id.to_owned(), name: "f".to_owned(), arguments: json!({"a": 1}) })
        };
        for (body, expected) in [
            // No mark at the end.
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
            // A whole call without a number and without an id.
            (
                "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]}}]}\n\ndata: [DONE]\n\n",
                vec![call("call_0")],
            ),
            (
                "data: {\"choices\":[{\"delta\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}\n\n",
                vec![text("no")],
            ),
            // A null beside the answer is no error.
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
