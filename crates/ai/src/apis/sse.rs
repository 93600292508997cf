//! Incremental parser of server-sent events, and a decoder of responses that are such events or one JSON document.

use super::StreamDecoder;
use super::request::unreadable;
use domain::bounded_json::{BoundedJsonError, parse_answer};
use domain::ports::{CompletionChunk, ModelError};
use serde_json::Value;

/// Maximum size of one event in bytes.
pub const EVENT_BYTES_MAX: usize = 1024 * 1024;
/// Maximum size of a non-streamed response in bytes.
pub const WHOLE_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// Empty if the event has none.
    pub name: String,
    pub data: String,
}

/// Splits bytes into events.
#[derive(Default)]
pub struct EventParser {
    line: Vec<u8>,
    event: Event,
    /// The last byte was a carriage return, so a following line feed is part of the line break.
    after_return: bool,
    has_begun: bool,
}

impl EventParser {
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

    /// Emits the last event even if no empty line follows it.
    pub fn end(&mut self, out: &mut Vec<Event>) {
        if !self.line.is_empty() {
            self.end_line(out);
        }
        self.end_event(out);
    }

    fn end_line(&mut self, out: &mut Vec<Event>) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        // The stream may start with a byte order mark.
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
            // A comment, `id`, `retry` or an unknown field.
            _ => {}
        }
    }

    /// Events without data are ignored.
    fn end_event(&mut self, out: &mut Vec<Event>) {
        let event = std::mem::take(&mut self.event);
        if !event.data.is_empty() {
            out.push(event);
        }
    }
}

/// Interprets the events of one API.
pub trait EventDecoder: Send {
    fn event(&mut self, event: &Event, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError>;
    /// Called with the whole body if the service did not stream.
    fn whole(&mut self, body: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError>;
    /// Called at the end. An incomplete reply is an error.
    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError>;
}

/// Decodes a response of events, or of JSON if it starts with a brace.
pub struct EventStreamDecoder<R> {
    decoder: R,
    form: Form,
}

enum Form {
    Unknown,
    Events(EventParser),
    Whole(Vec<u8>),
}

impl<R: EventDecoder> EventStreamDecoder<R> {
    pub fn new(decoder: R) -> Self {
        Self { decoder, form: Form::Unknown }
    }

    fn read(&mut self, events: &[Event], out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        events.iter().try_for_each(|event| self.decoder.event(event, out))
    }
}

impl<R: EventDecoder> StreamDecoder for EventStreamDecoder<R> {
    fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if matches!(self.form, Form::Unknown) {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => return Ok(()),
                Some(b'{') => self.form = Form::Whole(Vec::new()),
                Some(_) => self.form = Form::Events(EventParser::default()),
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

    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Unknown => {}
            Form::Whole(body) => self.decoder.whole(&parsed(&body)?, out)?,
            Form::Events(mut events) => {
                let mut found = Vec::new();
                events.end(&mut found);
                self.read(&found, out)?;
            }
        }
        self.decoder.end(out)
    }
}

/// Parses JSON. The parser's message may repeat a part of the text, so only the line is reported.
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
        let (mut decoder, mut out) = (EventParser::default(), Vec::new());
        for cut in cuts {
            decoder.feed(cut, &mut out)?;
        }
        decoder.end(&mut out);
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
