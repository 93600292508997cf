//! The response to one message: JSON, or an event stream that contains it.

use crate::shared::response;
use domain::bounded_json::parse_answer;
use domain::instant::Instant;
use domain::ports::{ConnectorError, ConnectorErrorKind, HttpResponse};
use serde_json::Value;
use syntax::event_stream::{Event, EventParser};

/// Longest server message that is repeated, in characters.
const MESSAGE_CHARS_MAX: usize = 200;

/// Longest event of a stream.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

pub struct Reply {
    http: HttpResponse,
    body: Body,
}

enum Body {
    /// A JSON document, or the text of an error.
    Whole(Vec<u8>),
    Stream {
        parser: EventParser,
        /// Events that were not examined yet.
        events: Vec<Event>,
        /// The response found in an event.
        answer: Option<Value>,
    },
}

impl Reply {
    /// A response whose body is still to come.
    pub fn new(http: HttpResponse) -> Self {
        let media = http.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let body = if media.starts_with("text/event-stream") {
            let parser = EventParser::new(EVENT_BYTES_MAX);
            Body::Stream { parser, events: Vec::new(), answer: None }
        } else {
            Body::Whole(Vec::new())
        };
        Self { http, body }
    }

    pub fn add(&mut self, piece: &[u8]) -> Result<(), ConnectorError> {
        match &mut self.body {
            Body::Whole(bytes) => {
                bytes.extend_from_slice(piece);
                Ok(())
            }
            Body::Stream { parser, events, .. } => parser.feed(piece, events).map_err(|too_long| {
                let sentence = format!("the server sent a stream that cannot be read: {too_long}");
                ConnectorError::new(ConnectorErrorKind::Unreadable, sentence).caused_by(too_long)
            }),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.http.header(name)
    }

    pub fn bytes_held(&self) -> usize {
        match &self.body {
            Body::Whole(bytes) => bytes.len(),
            Body::Stream { parser, .. } => parser.bytes_held(),
        }
    }

    /// Whether a stream already contains the response to this request.
    pub fn holds(&mut self, id: u64) -> bool {
        let Body::Stream { events, answer, .. } = &mut self.body else { return false };
        // Each event is examined once: a stream may arrive in many pieces.
        for event in events.drain(..) {
            if answer.is_none() {
                *answer = parse_answer(event.data.as_bytes()).ok().filter(|message| is_answer(message, id));
            }
        }
        answer.is_some()
    }

    /// The result of this request, or the server's error.
    pub fn result(&mut self, id: u64) -> Result<Value, ConnectorError> {
        let Some(mut message) = self.message(id) else {
            let sentence = "the server did not respond to the request";
            return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, sentence));
        };
        if let Some(error) = message.get("error") {
            return Err(refused(error));
        }
        Ok(message.get_mut("result").map(Value::take).unwrap_or_default())
    }

    fn message(&mut self, id: u64) -> Option<Value> {
        self.holds(id);
        match &mut self.body {
            Body::Whole(bytes) => parse_answer(bytes).ok().filter(|message| is_answer(message, id)),
            Body::Stream { answer, .. } => answer.take(),
        }
    }
}

fn is_answer(message: &Value, id: u64) -> bool {
    message["id"] == id && (message.get("result").is_some() || message.get("error").is_some())
}

/// The error for an HTTP status, replaced by a more precise one in the body.
pub fn failed(reply: &Reply, now: Instant) -> Option<ConnectorError> {
    let error = response::text(&reply.http, now).err()?;
    if !matches!(error.kind, ConnectorErrorKind::QueryInvalid | ConnectorErrorKind::Unavailable) {
        return Some(error);
    }
    let told: Option<Value> = match &reply.body {
        Body::Whole(bytes) => parse_answer(bytes).ok(),
        Body::Stream { .. } => None,
    };
    told.as_ref().and_then(|message| message.get("error")).map(refused).or(Some(error))
}

/// A protocol error as a connector error.
pub fn refused(error: &Value) -> ConnectorError {
    let kind = kind_of(error["code"].as_i64().unwrap_or_default());
    let said = said(error["message"].as_str().unwrap_or("no reason"));
    ConnectorError::new(kind, format!("the server reports: {said}"))
}

/// The error kind of a JSON-RPC code.
pub fn kind_of(code: i64) -> ConnectorErrorKind {
    match code {
        // The server does not know the method, the tool or its arguments.
        -32601 | -32602 => ConnectorErrorKind::ConfigInvalid,
        -32600 | -32700 => ConnectorErrorKind::QueryInvalid,
        -32002 => ConnectorErrorKind::PlaceUnknown,
        _ => ConnectorErrorKind::Unavailable,
    }
}

/// A server message in one line of bounded length.
pub fn said(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn reply(media: &str, body: &str) -> Reply {
        let headers = vec![("content-type".to_owned(), media.to_owned())];
        let mut reply = Reply::new(HttpResponse { status: 200, headers, body: Default::default() });
        reply.add(body.as_bytes()).expect("short events");
        reply
    }

    const STREAM: &str = "text/event-stream; charset=utf-8";

    #[test]
    fn the_answer_is_found_among_other_messages() {
        let note = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#;
        let table = [
            ("application/json", r#"{"jsonrpc":"2.0","id":2,"result":{"a":1}}"#.to_owned(), Some(1)),
            ("application/json", r#"{"jsonrpc":"2.0","id":3,"result":{"a":1}}"#.to_owned(), None),
            (
                STREAM,
                format!(
                    ": hi\n\ndata: {note}\n\nevent: message\nid: 4\ndata: {{\"id\":2,\ndata:\"result\":{{\"a\":1}}}}\n\n"
                ),
                Some(1),
            ),
            (
                STREAM,
                format!("data: {note}\r\n\r\ndata: {{\"id\":2,\"result\":{{\"a\":1}}}}\r\n\r\n"),
                Some(1),
            ),
            // An incomplete event, and a request of the server with the same id.
            (STREAM, "data: {\"id\":2,\"result\":{\"a\":1}}\n".to_owned(), None),
            (STREAM, "data: {\"id\":2,\"method\":\"ping\"}\n\n".to_owned(), None),
        ];
        for (media, body, want) in table {
            let mut found = reply(media, &body);
            assert_eq!(found.holds(2), want.is_some() && media == STREAM, "{body}");
            assert_eq!(found.result(2).ok().and_then(|result| result["a"].as_i64()), want, "{body}");
            let mut in_pieces = reply(media, "");
            for byte in body.as_bytes() {
                in_pieces.add(&[*byte]).expect("short events");
                in_pieces.holds(2);
            }
            assert_eq!(in_pieces.result(2).ok().and_then(|result| result["a"].as_i64()), want, "{body}");
        }
    }

    #[test]
    fn a_stream_of_very_many_pieces_is_looked_at_once() {
        let mut stream = reply(STREAM, "data: {\"a\":\"");
        for _ in 0..200_000 {
            stream.add(b"0123456789").expect("short events");
            assert!(!stream.holds(2));
        }
        for _ in 0..200_000 {
            stream.add(b"\n\ndata: {}").expect("short events");
            assert!(!stream.holds(2));
        }
        assert!(stream.bytes_held() < 100, "events that were looked at are not kept");
        stream.add(b"\n\ndata: {\"id\":2,\"result\":{\"a\":1}}\n\n").expect("short events");
        assert!(stream.holds(2) && stream.result(2).is_ok());
    }

    #[test]
    fn an_event_has_a_largest_size() {
        let mut stream = reply(STREAM, "data: ");
        stream.add(&vec![b'x'; EVENT_BYTES_MAX / 2]).expect("half of the limit");
        let error = stream.add(&vec![b'x'; EVENT_BYTES_MAX / 2]).expect_err("more than the limit");
        assert_eq!(error.kind, ConnectorErrorKind::Unreadable);
        assert!(error.message.contains("more than 16777216 bytes"), "{error}");
    }

    #[test]
    fn errors_have_their_kinds() {
        let table = [
            (-32601, ConnectorErrorKind::ConfigInvalid),
            (-32602, ConnectorErrorKind::ConfigInvalid),
            (-32600, ConnectorErrorKind::QueryInvalid),
            (-32603, ConnectorErrorKind::Unavailable),
            (-32000, ConnectorErrorKind::Unavailable),
        ];
        for (code, kind) in table {
            let error = refused(&json!({"code": code, "message": format!("no\n{}", "x".repeat(999))}));
            assert_eq!(error.kind, kind, "{code}");
            assert!(!error.message.contains('\n') && error.message.len() < MESSAGE_CHARS_MAX + 40);
        }
    }

    proptest! {
        #[test]
        fn any_stream_is_read(body in "(data:|id:|\\{|\\}|\"id\":2|\"result\":1|,|\n|\r|: |x){0,60}") {
            let _ = reply(STREAM, &body).result(2);
        }
    }
}
