//! Writer for standard error that escapes line breaks, so that foreign text cannot forge a line.

use super::route::one_line;
use std::io;

/// Writes every event on one line. Each write is a whole event.
pub struct OneLine<W>(pub W);

impl<W: io::Write> io::Write for OneLine<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = text.trim_end_matches('\n');
        self.0.write_all(one_line(line).as_bytes())?;
        self.0.write_all(text[line.len()..].as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn line_breaks_are_escaped() {
        let mut screen = OneLine(Vec::new());
        screen.write_all(b"WARN provider 'a\n2026-01-01T00:00:00Z ERROR forged\r' is down\n").unwrap();
        screen.write_all(b"\x1b[33m WARN\x1b[0m the next\n").unwrap();
        screen.write_all(b"").unwrap();
        screen.write_all(b"without an end").unwrap();
        let written = String::from_utf8(screen.0).unwrap();
        let lines: Vec<&str> = written.split('\n').collect();
        assert_eq!(
            lines,
            [
                "WARN provider 'a\\n2026-01-01T00:00:00Z ERROR forged\\r' is down",
                "\x1b[33m WARN\x1b[0m the next",
                "without an end",
            ]
        );
    }
}
