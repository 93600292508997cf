//! Decoder of responses that are server-sent events or one JSON document.

use super::StreamDecoder;
use super::request::unreadable;
use domain::bounded_json::{BoundedJsonError, parse_answer};
use domain::ports::{CompletionChunk, ModelError};
use serde_json::Value;
use syntax::event_stream::EventParser;

pub use syntax::event_stream::Event;

/// Maximum size of one event in bytes.
pub const EVENT_BYTES_MAX: usize = 1024 * 1024;
/// Maximum size of a non-streamed response in bytes.
pub const WHOLE_BYTES_MAX: usize = 4 * 1024 * 1024;

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
                Some(_) => self.form = Form::Events(EventParser::new(EVENT_BYTES_MAX)),
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
                fed.map_err(|too_long| unreadable(&too_long.to_string()))
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

    /// Repeats the data of its events.
    struct Echo;

    impl EventDecoder for Echo {
        fn event(&mut self, event: &Event, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
            out.push(CompletionChunk::Text(event.data.clone()));
            Ok(())
        }

        fn whole(&mut self, body: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
            out.push(CompletionChunk::Text(body.to_string()));
            Ok(())
        }

        fn end(&mut self, _out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
            Ok(())
        }
    }

    fn decoded(cuts: &[&[u8]]) -> Result<Vec<CompletionChunk>, ModelError> {
        let (mut decoder, mut out) = (EventStreamDecoder::new(Echo), Vec::new());
        for cut in cuts {
            decoder.feed(cut, &mut out)?;
        }
        decoder.end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn a_response_is_events_or_one_document() {
        let text = |text: &str| CompletionChunk::Text(text.to_owned());
        assert_eq!(decoded(&[b" \n{\"a\":", b"1}"]), Ok(vec![text("{\"a\":1}")]));
        assert_eq!(decoded(&[b"data: a\n\ndata: b"]), Ok(vec![text("a"), text("b")]));
        assert_eq!(decoded(&[b" "]), Ok(vec![]));
    }

    #[test]
    fn events_and_documents_have_a_largest_size() {
        let long = format!("data:{}", "x".repeat(EVENT_BYTES_MAX));
        let error = decoded(&[long.as_bytes()]).unwrap_err();
        assert!(error.message.contains("1048576 bytes"), "{error:?}");
        let long = format!("{{{}", " ".repeat(WHOLE_BYTES_MAX));
        assert!(decoded(&[long.as_bytes()]).is_err());
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_chunks(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 1_usize..40) {
            let pieces: Vec<&[u8]> = bytes.chunks(cut).collect();
            prop_assert_eq!(decoded(&pieces).ok(), decoded(&[&bytes]).ok());
        }
    }
}
