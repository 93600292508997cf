//! Connector errors from the error responses of a database API.

use super::http::Reply;
use crate::shared::response;
use api_auth::error::AuthError;
use domain::instant::Instant;
use domain::ports::{ConnectorError, ConnectorErrorKind, HttpResponse};

/// Most characters of a vendor's message.
const WORDS_MAX: usize = 300;

/// A vendor's message in one line, without a final period.
pub fn one_line(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    let end = line.char_indices().nth(WORDS_MAX).map_or(line.len(), |(place, _)| place);
    line[..end].trim_end_matches(['.', ' ']).to_owned()
}

/// The error for a status.
pub fn from_status(reply: &Reply, now: Instant) -> ConnectorError {
    let error = response::text(&reply.http, now).err();
    error.unwrap_or_else(|| {
        ConnectorError::new(ConnectorErrorKind::Unreadable, "the database's answer cannot be read")
    })
}

/// The error of a token request.
pub fn of_auth(error: AuthError, now: Instant) -> ConnectorError {
    let message = error.to_string();
    match error {
        AuthError::Key(error) => ConnectorError::of_syntax("credentials", error),
        AuthError::Fetch(error) => error.into(),
        AuthError::Rejected { code, description } => {
            let more = description.map(|text| format!(": {}", one_line(&text))).unwrap_or_default();
            let message = format!("{message} ({}){more}", one_line(&code));
            ConnectorError::new(ConnectorErrorKind::Denied, message)
        }
        AuthError::NoToken => ConnectorError::new(ConnectorErrorKind::Unreadable, message),
        AuthError::Status(http) => {
            from_status(&Reply { status: http.status, body: serde_json::Value::Null, http }, now)
        }
    }
}

/// A rate limit, whatever the status was.
pub fn rate_limited(reply: &Reply, now: Instant) -> ConnectorError {
    let http = HttpResponse { status: 429, ..reply.http.clone() };
    from_status(&Reply { status: 429, body: serde_json::Value::Null, http }, now)
}

/// The statement itself is invalid.
pub fn refused(vendor_message: &str) -> ConnectorError {
    let message = format!("the database refused the statement: {}", one_line(vendor_message));
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_short_line() {
        assert_eq!(
            one_line("SQL compilation error:\nObject 'X' does not exist.\n"),
            "SQL compilation error: Object 'X' does not exist"
        );
        assert_eq!(one_line(&"ü ".repeat(WORDS_MAX)).chars().count(), WORDS_MAX - 1);
        assert_eq!(one_line(""), "");
    }
}
