//! A service with no dialect at all: `{messages}` is posted to `config.api_base` with the headers and the body of
//! `config.requestpost`, and the text is looked for in the answer. It does not stream and calls no tools.

use super::openai::{complaint, messages};
use super::request::{base, bearer, misconfigured, post, unreadable};
use super::sse::{WHOLE_BYTES_MAX, parsed};
use super::{Call, Dialect, DialectKind, ReadPieces};
use domain::contracts::{HttpRequest, ModelError, Piece, Prompt};
use domain::secret::Secret;
use serde_json::{Map, Value};

pub const KIND: DialectKind = DialectKind {
    name: "requestpost",
    summary: "A service of one's own: `config.requestpost` holds `headers` and `body`; `messages` is added to the body",
    prefixes: &[],
    api_base: "",
    batch_max: 1,
    dialect: &RequestPost,
};

/// Where an answer may have its text, the likeliest first.
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

impl Dialect for RequestPost {
    fn ask(&self, call: &Call<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
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
                    &format!("the header {name} of config.requestpost is no text"),
                ));
            };
            // The guarded client says how long the body is, and what it is.
            if !name.eq_ignore_ascii_case("content-type") {
                headers.push((name.to_lowercase(), Secret::new(value)));
            }
        }
        if !headers.iter().any(|(name, _)| name == "authorization") {
            headers.extend(bearer(call));
        }
        post(call, base(call, KIND.api_base)?, headers, &Value::Object(body))
    }

    fn pieces(&self) -> Box<dyn ReadPieces> {
        Box::new(Whole::default())
    }

    fn complaint(&self, body: &[u8]) -> Option<String> {
        complaint(body)
    }
}

fn object(call: &Call<'_>, wanted: &Value, field: &str) -> Result<Map<String, Value>, ModelError> {
    match wanted.get(field) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(fields)) => Ok(fields.clone()),
        Some(_) => Err(misconfigured(call, &format!("config.requestpost.{field} is no object"))),
    }
}

#[derive(Default)]
struct Whole {
    body: Vec<u8>,
}

impl ReadPieces for Whole {
    fn feed(&mut self, bytes: &[u8], _out: &mut Vec<Piece>) -> Result<(), ModelError> {
        if self.body.len() + bytes.len() > WHOLE_BYTES_MAX {
            return Err(unreadable(&format!("it has more than {WHOLE_BYTES_MAX} bytes")));
        }
        self.body.extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<Piece>) -> Result<(), ModelError> {
        let body = parsed(&std::mem::take(&mut self.body))?;
        let text = body.as_str().or_else(|| PLACES.iter().find_map(|place| body.pointer(place)?.as_str()));
        let text = text.ok_or_else(|| unreadable("it has no text in a known place"))?;
        out.push(Piece::Text(text.to_owned()));
        let tokens = |field: &str| body["usage"][field].as_u64();
        if let (Some(tokens_in), Some(tokens_out)) = (tokens("prompt_tokens"), tokens("completion_tokens")) {
            out.push(Piece::Usage { tokens_in, tokens_out });
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
            let (mut reader, mut out) = (Whole::default(), Vec::new());
            reader.feed(body.as_bytes(), &mut out).and_then(|()| reader.end(&mut out)).map(|()| out)
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
            assert_eq!(read(body), Ok(vec![Piece::Text("a".to_owned())]), "{body}");
        }
        for body in ["", "a", "{}", r#"{"content":7}"#, "[]"] {
            assert!(read(body).is_err(), "{body}");
        }
        assert!(read(&format!("\"{}\"", "x".repeat(WHOLE_BYTES_MAX))).is_err());
    }
}
