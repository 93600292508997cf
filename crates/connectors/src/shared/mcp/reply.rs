//! The answer to one message: JSON, or a stream of events in which it is one of several messages.

use crate::shared::response;
use domain::contracts::{ConnectorError, ConnectorErrorKind, HttpResponse};
use domain::instant::Instant;
use serde_json::Value;

/// Longest sentence of a server that is repeated, in characters.
const MESSAGE_CHARS_MAX: usize = 200;

pub struct Reply {
    http: HttpResponse,
    bytes: Vec<u8>,
}

impl Reply {
    /// An answer whose body is still to come.
    pub fn new(http: HttpResponse) -> Self {
        Self { http, bytes: Vec::new() }
    }

    pub fn add(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.http.header(name)
    }

    /// True when a stream holds the answer to this request already.
    pub fn holds(&self, id: u64) -> bool {
        self.is_stream() && self.message(id).is_some()
    }

    /// The result of this request, or what the server says against it.
    pub fn result(&self, id: u64) -> Result<Value, ConnectorError> {
        let Some(mut message) = self.message(id) else {
            let sentence = "the server's answer holds no answer to the request";
            return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, sentence));
        };
        if let Some(error) = message.get("error") {
            return Err(refused(error));
        }
        Ok(message.get_mut("result").map(Value::take).unwrap_or_default())
    }

    fn message(&self, id: u64) -> Option<Value> {
        let is_answer = |message: &Value| {
            message["id"] == id && (message.get("result").is_some() || message.get("error").is_some())
        };
        if !self.is_stream() {
            return serde_json::from_slice(&self.bytes).ok().filter(is_answer);
        }
        let text = String::from_utf8_lossy(&self.bytes).replace("\r\n", "\n").replace('\r', "\n");
        // The last event may not be whole yet.
        let (whole, _) = text.rsplit_once("\n\n")?;
        let mut events = whole.split("\n\n").map(data);
        events.find_map(|data| serde_json::from_str(&data).ok().filter(is_answer))
    }

    fn is_stream(&self) -> bool {
        let media = self.http.header("content-type").unwrap_or_default().to_ascii_lowercase();
        media.starts_with("text/event-stream")
    }
}

/// What the status of an answer says, better told by an error in its body.
pub fn failed(reply: &Reply, now: Instant) -> Option<ConnectorError> {
    let error = response::text(&reply.http, now).err()?;
    if !matches!(error.kind, ConnectorErrorKind::QueryInvalid | ConnectorErrorKind::Unavailable) {
        return Some(error);
    }
    let told: Option<Value> = serde_json::from_slice(&reply.bytes).ok();
    told.as_ref().and_then(|message| message.get("error")).map(refused).or(Some(error))
}

/// An error of the protocol, as ours.
pub fn refused(error: &Value) -> ConnectorError {
    let kind = kind_of(error["code"].as_i64().unwrap_or_default());
    let said = said(error["message"].as_str().unwrap_or("no reason"));
    ConnectorError::new(kind, format!("the server reports: {said}"))
}

/// What the codes of JSON-RPC mean for a provider.
pub fn kind_of(code: i64) -> ConnectorErrorKind {
    match code {
        // The method, the tool or its arguments are not what the server knows.
        -32601 | -32602 => ConnectorErrorKind::ConfigInvalid,
        -32600 | -32700 => ConnectorErrorKind::QueryInvalid,
        -32002 => ConnectorErrorKind::PlaceUnknown,
        _ => ConnectorErrorKind::Unavailable,
    }
}

/// A server's words in one line of bounded length.
pub fn said(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(MESSAGE_CHARS_MAX).collect()
}

/// The lines of data of one event, joined.
fn data(event: &str) -> String {
    let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn reply(media: &str, body: &str) -> Reply {
        let headers = vec![("content-type".to_owned(), media.to_owned())];
        let mut reply = Reply::new(HttpResponse { status: 200, headers, body: Default::default() });
        reply.add(body.as_bytes());
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
            // An event that is not whole yet, and a request of the server under the same id.
            (STREAM, "data: {\"id\":2,\"result\":{\"a\":1}}\n".to_owned(), None),
            (STREAM, "data: {\"id\":2,\"method\":\"ping\"}\n\n".to_owned(), None),
        ];
        for (media, body, want) in table {
            let found = reply(media, &body);
            assert_eq!(found.result(2).ok().and_then(|result| result["a"].as_i64()), want, "{body}");
            assert_eq!(found.holds(2), want.is_some() && media == STREAM, "{body}");
        }
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
