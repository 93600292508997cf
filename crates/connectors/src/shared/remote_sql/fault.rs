//! What a vendor says when it refuses, as one plain sentence.

use super::exchange::Reply;
use crate::shared::response;
use domain::contracts::{ConnectorError, ConnectorErrorKind, HttpResponse};
use domain::instant::Instant;

/// Most characters of a vendor's own words.
const WORDS_MAX: usize = 300;

/// A vendor's words on one line, without the stop at their end.
pub fn words(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    let end = line.char_indices().nth(WORDS_MAX).map_or(line.len(), |(place, _)| place);
    line[..end].trim_end_matches(['.', ' ']).to_owned()
}

/// What the status alone says.
pub fn of_status(reply: &Reply, now: Instant) -> ConnectorError {
    let error = response::text(&reply.http, now).err();
    error.unwrap_or_else(|| {
        ConnectorError::new(ConnectorErrorKind::Unreadable, "the database's answer cannot be read")
    })
}

/// The source asks for fewer requests, whatever its status was.
pub fn rate_limited(reply: &Reply, now: Instant) -> ConnectorError {
    let http = HttpResponse { status: 429, ..reply.http.clone() };
    of_status(&Reply { status: 429, body: serde_json::Value::Null, http }, now)
}

/// The statement itself is wrong.
pub fn refused(told: &str) -> ConnectorError {
    let message = format!("the database refused the statement: {}", words(told));
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_short_line() {
        assert_eq!(
            words("SQL compilation error:\nObject 'X' does not exist.\n"),
            "SQL compilation error: Object 'X' does not exist"
        );
        assert_eq!(words(&"ü ".repeat(WORDS_MAX)).chars().count(), WORDS_MAX - 1);
        assert_eq!(words(""), "");
    }
}
