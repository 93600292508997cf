//! Custom HTTP service: posts `messages` to `config.api_base` with the headers and body of `config.requestpost` and
//! searches the response for the text. No streaming, no tools.

use super::openai::{error_message, messages};
use super::request::{base, bearer, misconfigured, post, unreadable};
use super::sse::{WHOLE_BYTES_MAX, parsed};
use super::{ApiCall, ModelApi, ModelApiKind, StreamDecoder};
use domain::ports::{CompletionChunk, HttpRequest, ModelError, Prompt};
use domain::secret::Secret;
use serde_json::{Map, Value};

pub const KIND: ModelApiKind = ModelApiKind {
    name: "requestpost",
    summary: "A custom service: `config.requestpost` holds `headers` and `body`; `messages` is added to the body",
    prefixes: &[],
    api_base: "",
    batch_max: 1,
    api: &RequestPost,
};

/// Where the text of a response may be, the most likely place first.
const PLACES: &[&str] = &[
    "/choices/0/message/content",
    "/choices/0/text",
    "/message/content",
    "/content/0/text",
    "/content",
    "/answer",
    "/response",
    "/text",
    "/output",
    "/generated_text",
    "/0/generated_text",
];

struct RequestPost;

impl ModelApi for RequestPost {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let config = &call.provider.spec.config;
        if config.contains_key("engine") {
            return Err(misconfigured(call, "config.requestpost and config.engine exclude each other"));
        }
        let wanted = config.get("requestpost").unwrap_or(&Value::Null);
        let mut body = object(call, wanted, "body")?;
        body.insert("messages".to_owned(), messages(prompt).into());
        let mut headers: Vec<(String, Secret)> = Vec::new();
        for (name, value) in object(call, wanted, "headers")? {
            let Value::String(value) = value else {
                return Err(misconfigured(
                    call,
                    &format!("the header {name} of config.requestpost is not a string"),
                ));
            };
            // `post` sets the content type.
            if !name.eq_ignore_ascii_case("content-type") {
                headers.push((name.to_lowercase(), Secret::new(value)));
            }
        }
        if !headers.iter().any(|(name, _)| name == "authorization") {
            headers.extend(bearer(call));
        }
        post(call, base(call, KIND.api_base)?, headers, &Value::Object(body))
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(WholeBodyDecoder::default())
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        error_message(body)
    }
}

fn object(call: &ApiCall<'_>, wanted: &Value, field: &str) -> Result<Map<String, Value>, ModelError> {
    match wanted.get(field) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(fields)) => Ok(fields.clone()),
        Some(_) => Err(misconfigured(call, &format!("config.requestpost.{field} is not an object"))),
    }
}

#[derive(Default)]
struct WholeBodyDecoder {
    body: Vec<u8>,
}

impl StreamDecoder for WholeBodyDecoder {
    fn feed(&mut self, bytes: &[u8], _out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if self.body.len() + bytes.len() > WHOLE_BYTES_MAX {
            return Err(unreadable(&format!("it has more than {WHOLE_BYTES_MAX} bytes")));
        }
        self.body.extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        let body = parsed(&std::mem::take(&mut self.body))?;
        let text = body.as_str().or_else(|| PLACES.iter().find_map(|place| body.pointer(place)?.as_str()));
        let text = text.ok_or_else(|| unreadable("it has no text in a known place"))?;
        out.push(CompletionChunk::Text(text.to_owned()));
        if body["choices"][0]["finish_reason"] == "length" {
            out.push(CompletionChunk::Cut);
        }
        let tokens = |field: &str| body["usage"][field].as_u64();
        if let (Some(tokens_in), Some(tokens_out)) = (tokens("prompt_tokens"), tokens("completion_tokens")) {
            out.push(CompletionChunk::Usage { tokens_in, tokens_out });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_found_in_known_places() {
        let read = |body: &str| {
            let (mut decoder, mut out) = (WholeBodyDecoder::default(), Vec::new());
            decoder.feed(body.as_bytes(), &mut out).and_then(|()| decoder.end(&mut out)).map(|()| out)
        };
        for body in [
            r#"{"choices":[{"message":{"content":"a"}}]}"#,
            r#"{"message":{"content":"a"}}"#,
            r#"{"content":[{"type":"text","text":"a"}]}"#,
            r#"{"content":"a"}"#,
            r#"{"response":"a","text":"b"}"#,
            r#"[{"generated_text":"a"}]"#,
            r#""a""#,
        ] {
            assert_eq!(read(body), Ok(vec![CompletionChunk::Text("a".to_owned())]), "{body}");
        }
        for body in ["", "a", "{}", r#"{"content":7}"#, "[]"] {
            assert!(read(body).is_err(), "{body}");
        }
        assert!(read(&format!("\"{}\"", "x".repeat(WHOLE_BYTES_MAX))).is_err());
    }
}
