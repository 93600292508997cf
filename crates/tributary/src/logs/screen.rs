//! Lines on standard error: line breaks are escaped, so that foreign text cannot forge a line.

use super::route::one_line;
use std::borrow::Cow;

/// Makes one line of an event.
pub fn screen_line(event: &str) -> Cow<'_, str> {
    let text = event.trim_end_matches('\n');
    match one_line(text) {
        Cow::Borrowed(_) => event.into(),
        Cow::Owned(line) => (line + &event[text.len()..]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_are_escaped() {
        for (event, line) in [
            (
                "WARN provider 'a\n2026-01-01T00:00:00Z ERROR forged\r' is down\n",
                "WARN provider 'a\\n2026-01-01T00:00:00Z ERROR forged\\r' is down\n",
            ),
            ("\x1b[33m WARN\x1b[0m the next\n", "\x1b[33m WARN\x1b[0m the next\n"),
            ("", ""),
            ("without an end", "without an end"),
        ] {
            assert_eq!(screen_line(event), line);
        }
    }
}
