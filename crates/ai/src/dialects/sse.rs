//! Server-sent events out of bytes that may be cut anywhere, and an answer that comes as such events, or, from a
//! service that does not stream, as one JSON text.

use super::ReadPieces;
use super::request::unreadable;
use domain::bounded_json::{BoundedJsonError, parse_answer};
use domain::contracts::{ModelError, Piece};
use serde_json::Value;

/// Most bytes of one event.
pub const EVENT_BYTES_MAX: usize = 1024 * 1024;
/// Most bytes of an answer that is not streamed.
pub const WHOLE_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// Empty when the service gives none.
    pub name: String,
    pub data: String,
}

/// Cuts bytes into events.
#[derive(Default)]
pub struct Events {
    line: Vec<u8>,
    event: Event,
    /// The last byte was a carriage return: a line feed after it belongs to it.
    after_return: bool,
    has_begun: bool,
}

impl Events {
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Event>) -> Result<(), ModelError> {
        for &byte in bytes {
            let belongs_to_return = self.after_return && byte == b'\n';
            self.after_return = byte == b'\r';
            match byte {
                _ if belongs_to_return => {}
                b'\n' | b'\r' => self.end_line(out),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.event.data.len() > EVENT_BYTES_MAX {
                return Err(unreadable(&format!("an event has more than {EVENT_BYTES_MAX} bytes")));
            }
        }
        Ok(())
    }

    /// The last event, if no empty line came after it.
    pub fn end(&mut self, out: &mut Vec<Event>) {
        if !self.line.is_empty() {
            self.end_line(out);
        }
        self.end_event(out);
    }

    fn end_line(&mut self, out: &mut Vec<Event>) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        // A mark of the byte order may stand before everything.
        let line = if self.has_begun { &line } else { line.trim_start_matches('\u{feff}') };
        self.has_begun = true;
        if line.is_empty() {
            return self.end_event(out);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // A comment, an id, a time to wait, or something that is not known.
            _ => {}
        }
    }

    /// An event without data is none.
    fn end_event(&mut self, out: &mut Vec<Event>) {
        let event = std::mem::take(&mut self.event);
        if !event.data.is_empty() {
            out.push(event);
        }
    }
}

/// What the events of one dialect mean.
pub trait ReadEvents: Send {
    fn event(&mut self, event: &Event, out: &mut Vec<Piece>) -> Result<(), ModelError>;
    /// The service did not stream.
    fn whole(&mut self, body: &Value, out: &mut Vec<Piece>) -> Result<(), ModelError>;
    /// There is no more. An answer that broke off is an error.
    fn end(&mut self, out: &mut Vec<Piece>) -> Result<(), ModelError>;
}

/// Reads an answer of events, or one of JSON when its first letter says so.
pub struct Streamed<R> {
    reader: R,
    form: Form,
}

enum Form {
    Unknown,
    Events(Events),
    Whole(Vec<u8>),
}

impl<R: ReadEvents> Streamed<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, form: Form::Unknown }
    }

    fn read(&mut self, events: &[Event], out: &mut Vec<Piece>) -> Result<(), ModelError> {
        events.iter().try_for_each(|event| self.reader.event(event, out))
    }
}

impl<R: ReadEvents> ReadPieces for Streamed<R> {
    fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<Piece>) -> Result<(), ModelError> {
        if matches!(self.form, Form::Unknown) {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => return Ok(()),
                Some(b'{') => self.form = Form::Whole(Vec::new()),
                Some(_) => self.form = Form::Events(Events::default()),
            }
        }
        match &mut self.form {
            Form::Unknown => Ok(()),
            Form::Whole(body) if body.len() + bytes.len() > WHOLE_BYTES_MAX => {
                Err(unreadable(&format!("it has more than {WHOLE_BYTES_MAX} bytes")))
            }
            Form::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            Form::Events(events) => {
                let mut found = Vec::new();
                let fed = events.feed(bytes, &mut found);
                self.read(&found, out)?;
                fed
            }
        }
    }

    fn end(&mut self, out: &mut Vec<Piece>) -> Result<(), ModelError> {
        match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Unknown => {}
            Form::Whole(body) => self.reader.whole(&parsed(&body)?, out)?,
            Form::Events(mut events) => {
                let mut found = Vec::new();
                events.end(&mut found);
                self.read(&found, out)?;
            }
        }
        self.reader.end(out)
    }
}

/// The parser's sentence may repeat a piece of the text; its place alone tells enough.
pub fn parsed(text: &[u8]) -> Result<Value, ModelError> {
    parse_answer(text).map_err(|error| match error {
        BoundedJsonError::Malformed(error) => unreadable(&format!("no JSON in line {}", error.line())),
        too_many => unreadable(&format!("it {too_many}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(cuts: &[&[u8]]) -> Result<Vec<(String, String)>, ModelError> {
        let (mut reader, mut out) = (Events::default(), Vec::new());
        for cut in cuts {
            reader.feed(cut, &mut out)?;
        }
        reader.end(&mut out);
        Ok(out.into_iter().map(|event| (event.name, event.data)).collect())
    }

    #[test]
    fn events_are_read() {
        for (text, expected) in [
            ("data: a\n\n", vec![("", "a")]),
            ("data:a\r\n\r\ndata: b\r\rdata:  c\n\n", vec![("", "a"), ("", "b"), ("", " c")]),
            ("event: x\ndata: a\ndata: b\n\ndata: c\n\n", vec![("x", "a\nb"), ("", "c")]),
            (": ping\n\nid: 7\nretry: 3\n\nevent: x\n\n", vec![]),
            ("\u{feff}data: größer\n\n", vec![("", "größer")]),
            ("data: no end", vec![("", "no end")]),
            ("data\n\nunknown\n\n", vec![]),
            ("", vec![]),
        ] {
            let found = events(&[text.as_bytes()]).unwrap();
            let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn an_event_has_a_largest_size() {
        let line = |bytes: usize| format!("data:{}\n", "x".repeat(bytes)).into_bytes();
        assert!(events(&[&line(EVENT_BYTES_MAX - 5)]).is_ok());
        assert!(events(&[&line(EVENT_BYTES_MAX - 4)]).is_err());
        assert!(events(&[&line(EVENT_BYTES_MAX / 2), &line(EVENT_BYTES_MAX / 2)]).is_err());
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_events(
            text in "(data: ?[a-zö]{0,4}|event: e|:|)(\r\n|\n|\r)(data:x\n)?\n(data: [é ]{1,3})?(\n\n)?",
            cut in 0_usize..40,
        ) {
            let bytes = text.as_bytes();
            let (one, other) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(events(&[one, other]), events(&[bytes]));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = events(&[&bytes]);
        }
    }
}
