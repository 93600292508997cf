//! Server-sent events (`text/event-stream`), parsed as their bytes arrive.

use std::fmt;

/// An event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// Empty if the event has none.
    pub name: String,
    /// The data lines of the event.
    pub data: String,
}

/// An event is longer than the parser allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTooLong {
    pub bytes_max: usize,
}

impl fmt::Display for EventTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an event has more than {} bytes", self.bytes_max)
    }
}

impl std::error::Error for EventTooLong {}

/// Splits bytes into events. How the bytes are cut makes no difference.
#[derive(Debug)]
pub struct EventParser {
    bytes_max: usize,
    line: Vec<u8>,
    name: String,
    data: Vec<u8>,
    /// The last byte was a carriage return, so a following line feed is part of the line break.
    is_after_return: bool,
    has_begun: bool,
}

impl EventParser {
    /// A parser of events of at most `bytes_max` bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            line: Vec::new(),
            name: String::new(),
            data: Vec::new(),
            is_after_return: false,
            has_begun: false,
        }
    }

    /// Appends the events that these bytes complete.
    pub fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<Event>) -> Result<(), EventTooLong> {
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.is_after_return) && *first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
            if self.bytes_held() > self.bytes_max {
                return Err(EventTooLong { bytes_max: self.bytes_max });
            }
            let Some(end) = end else { break };
            self.is_after_return = bytes[end] == b'\r';
            self.end_line(out);
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    /// Appends the last event if no empty line follows it.
    pub fn end(&mut self, out: &mut Vec<Event>) {
        if !self.line.is_empty() {
            self.end_line(out);
        }
        self.end_event(out);
    }

    /// Bytes of the event that is not complete.
    pub fn bytes_held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    fn end_line(&mut self, out: &mut Vec<Event>) {
        let line = std::mem::take(&mut self.line);
        // The stream may begin with a byte order mark.
        let line = match line.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if !self.has_begun => rest,
            _ => &line,
        };
        self.has_begun = true;
        if line.is_empty() {
            return self.end_event(out);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            b"data" => {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            // A comment, `id`, `retry` or an unknown field.
            _ => {}
        }
    }

    /// Events without data are ignored.
    fn end_event(&mut self, out: &mut Vec<Event>) {
        let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        if !data.is_empty() {
            out.push(Event { name, data: String::from_utf8_lossy(&data).into_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BYTES_MAX: usize = 200;

    fn events(cuts: &[&[u8]]) -> Result<Vec<(String, String)>, EventTooLong> {
        let (mut parser, mut out) = (EventParser::new(BYTES_MAX), Vec::new());
        for cut in cuts {
            parser.feed(cut, &mut out)?;
        }
        parser.end(&mut out);
        Ok(out.into_iter().map(|event| (event.name, event.data)).collect())
    }

    #[test]
    fn events_are_read() {
        for (text, expected) in [
            ("data: a\n\n", vec![("", "a")]),
            ("data:a\r\n\r\ndata: b\r\rdata:  c\n\n", vec![("", "a"), ("", "b"), ("", " c")]),
            ("event: x\ndata: a\ndata: b\n\ndata: c\n\n", vec![("x", "a\nb"), ("", "c")]),
            (": ping\n\nid: 7\nretry: 3\n\nevent: x\n\n", vec![]),
            ("\u{feff}data: größer\n\ndata: \u{feff}b\n\n", vec![("", "größer"), ("", "\u{feff}b")]),
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
    fn only_complete_events_are_read_before_the_end() {
        let (mut parser, mut out) = (EventParser::new(BYTES_MAX), Vec::new());
        parser.feed(b"data: a\n", &mut out).unwrap();
        assert!(out.is_empty());
        assert_eq!(parser.bytes_held(), 1);
        parser.feed(b"\ndata", &mut out).unwrap();
        assert_eq!(out.len(), 1);
        assert_eq!(parser.bytes_held(), 4);
    }

    #[test]
    fn an_event_has_a_largest_size() {
        let line = |bytes: usize| format!("data:{}\n", "x".repeat(bytes)).into_bytes();
        assert!(events(&[&line(BYTES_MAX - 5)]).is_ok());
        assert_eq!(events(&[&line(BYTES_MAX - 4)]), Err(EventTooLong { bytes_max: BYTES_MAX }));
        assert!(events(&[&line(BYTES_MAX / 2), &line(BYTES_MAX / 2)]).is_err());
        // Each event by itself.
        let event = [line(BYTES_MAX / 2), b"\n".to_vec()].concat();
        assert_eq!(events(&[&event, &event, &event]).unwrap().len(), 3);
    }

    proptest! {
        #[test]
        fn events_come_back_however_they_are_written(
            sent in proptest::collection::vec(("[a-z]{0,3}", "[a-zö:{} ]{1,9}(\n[a-z ]{1,4}){0,2}"), 0..6),
            line_end in prop_oneof!["\n", "\r\n", "\r"],
            cut in 1_usize..9,
        ) {
            let mut text = String::new();
            for (name, data) in &sent {
                text.push_str(&format!(": note{line_end}event: {name}{line_end}"));
                for line in data.split('\n') {
                    text.push_str(&format!("data: {line}{line_end}"));
                }
                text.push_str(&line_end);
            }
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(cut).collect();
            prop_assert_eq!(events(&pieces), Ok(sent));
        }

        #[test]
        fn any_cut_gives_the_same_events(bytes in proptest::collection::vec(prop_oneof![
            any::<u8>(), Just(b'\n'), Just(b'\r'), Just(b':'),
        ], 0..400), cut in 1_usize..20) {
            let pieces: Vec<&[u8]> = bytes.chunks(cut).collect();
            prop_assert_eq!(events(&pieces), events(&[&bytes]));
        }
    }
}
