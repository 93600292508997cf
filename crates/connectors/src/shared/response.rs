//! Reads an HTTP response as JSON: status, character set, XML and tables.

use super::xml;
use domain::bounded_json;
use domain::instant::Instant;
use domain::ports::{ConnectorError, ConnectorErrorKind, HttpResponse};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::time::Duration;

/// The longest `Retry-After` that is respected.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Longer responses are parsed off the async runtime.
const READ_INLINE_BYTES_MAX: usize = 64 * 1024;
/// Longest column name; every row of a table repeats it.
const COLUMN_CHARS_MAX: usize = 200;

/// The parsed body; `Null` if it is empty. A body that cannot be parsed is an error, not an empty result.
pub fn read(response: &HttpResponse, now: Instant) -> Result<Value, ConnectorError> {
    check_status(response, now)?;
    if response.status == 204 {
        return Ok(Value::Null);
    }
    let text = decode(response);
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let value = if is_xml(response, &text) {
        xml::to_json(&text).map_err(|error| unreadable(&format!("is XML, but {error}")).caused_by(error))?
    } else {
        // Parsing stops at 128 levels of nesting, so no response can exhaust the stack.
        bounded_json::parse_answer(text.as_bytes())
            .map_err(|error| unreadable(&error.to_string()).caused_by(error))?
    };
    Ok(as_objects(value))
}

/// Like [`read`], but parses a long response on a blocking thread.
pub async fn read_beside(response: HttpResponse, now: Instant) -> Result<Value, ConnectorError> {
    beside(response.body.len(), move || read(&response, now)).await?
}

/// Runs a parser on a response of this length, on a blocking thread if it is long.
pub async fn beside<T: Send + 'static>(
    bytes: usize,
    read: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ConnectorError> {
    if bytes <= READ_INLINE_BYTES_MAX {
        return Ok(read());
    }
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|panicked| unreadable("could not be processed").caused_by(panicked))
}

/// The body as text if the status is a success.
pub fn text(response: &HttpResponse, now: Instant) -> Result<String, ConnectorError> {
    check_status(response, now)?;
    Ok(decode(response).into_owned())
}

/// Parses a response that came without a connector.
pub fn read_answer(content_type: Option<&str>, bytes: &[u8]) -> Result<Value, ConnectorError> {
    let headers = content_type.map(|text| ("content-type".to_owned(), text.to_owned()));
    let response =
        HttpResponse { status: 200, headers: headers.into_iter().collect(), body: bytes.to_vec().into() };
    read(&response, Instant::default())
}

fn unreadable(what: &str) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, format!("the source's answer {what}"))
}

fn check_status(response: &HttpResponse, now: Instant) -> Result<(), ConnectorError> {
    let status = response.status;
    let kind = match status {
        200..=299 => return Ok(()),
        401 | 403 | 407 => ConnectorErrorKind::Denied,
        404 | 410 => ConnectorErrorKind::PlaceUnknown,
        408 | 504 => ConnectorErrorKind::Timeout,
        429 => ConnectorErrorKind::RateLimited,
        400..=499 => ConnectorErrorKind::QueryInvalid,
        _ => ConnectorErrorKind::Unavailable,
    };
    let sentence = match kind {
        ConnectorErrorKind::Denied => "the source refused the credentials",
        ConnectorErrorKind::PlaceUnknown => "the source has nothing at this address",
        ConnectorErrorKind::RateLimited => "the source asks for fewer requests",
        ConnectorErrorKind::Timeout => "the source reported a timeout",
        ConnectorErrorKind::QueryInvalid => "the source refused the request",
        _ => "the source failed",
    };
    let mut error = ConnectorError::new(kind, format!("{sentence} (HTTP {status}{})", reason(status)));
    error.is_reported = kind == ConnectorErrorKind::Timeout;
    if matches!(status, 429 | 503) {
        error.retry_after = response.header("retry-after").and_then(|text| retry_after(text, now));
    }
    Err(error)
}

/// Descriptions of common statuses; the response's own text is not repeated.
fn reason(status: u16) -> &'static str {
    match status {
        400 => " Bad Request",
        401 => " Unauthorized",
        403 => " Forbidden",
        404 => " Not Found",
        405 => " Method Not Allowed",
        407 => " Proxy Authentication Required",
        408 => " Request Timeout",
        414 => " URI Too Long",
        422 => " Unprocessable Content",
        429 => " Too Many Requests",
        500 => " Internal Server Error",
        502 => " Bad Gateway",
        503 => " Service Unavailable",
        504 => " Gateway Timeout",
        _ => "",
    }
}

/// Seconds, or a date.
fn retry_after(text: &str, now: Instant) -> Option<Duration> {
    let text = text.trim();
    let wait = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let until = chrono::DateTime::parse_from_rfc2822(text).ok()?;
            (until.to_utc() - now).to_std().unwrap_or_default()
        }
    };
    Some(wait.min(RETRY_AFTER_MAX))
}

/// The media type without its parameters, in lower case.
fn media_type(response: &HttpResponse) -> String {
    let header = response.header("content-type").unwrap_or_default();
    header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_xml(response: &HttpResponse, text: &str) -> bool {
    let media = media_type(response);
    let is_named = matches!(media.as_str(), "text/xml" | "application/xml") || media.ends_with("+xml");
    // Many servers send XML with another media type; its declaration identifies it.
    is_named || text.trim_start_matches('\u{feff}').trim_start().starts_with("<?xml")
}

/// The body as text, decoded by its byte order mark, the charset of the header, the XML declaration, or else as UTF-8.
/// Invalid sequences become replacement characters.
fn decode(response: &HttpResponse) -> Cow<'_, str> {
    let header = response.header("content-type").unwrap_or_default();
    let named = header.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
    });
    let label = named.or_else(|| declared(&response.body));
    let encoding = label.and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
    let (text, _, _) = encoding.unwrap_or(encoding_rs::UTF_8).decode(&response.body);
    text
}

/// The encoding in an XML declaration.
fn declared(body: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(body.get(..body.len().min(200))?).into_owned();
    let declaration = start.trim_start().strip_prefix("<?xml")?.split_once("?>")?.0;
    let (_, after) = declaration.split_once("encoding")?;
    let quoted = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = quoted.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    quoted[1..].split_once(quote).map(|(label, _)| label.to_owned())
}

/// Tables become lists of objects: a list of lists with the names in its first row, and an object `contents` with
/// `column_names` and `data_rows`.
fn as_objects(value: Value) -> Value {
    match value {
        Value::Array(rows) if rows.first().is_some_and(Value::is_array) => table(&rows),
        Value::Object(mut object) => {
            let is_table = |entry: &Value| entry["column_names"].is_array() && entry["data_rows"].is_array();
            let has_tables = object
                .get("contents")
                .and_then(Value::as_array)
                .is_some_and(|list| list.iter().any(is_table));
            match object.remove("contents") {
                Some(Value::Array(entries)) if has_tables => {
                    entries.iter().filter(|entry| is_table(entry)).flat_map(columns).collect()
                }
                Some(contents) => {
                    object.insert("contents".to_owned(), contents);
                    Value::Object(object)
                }
                None => Value::Object(object),
            }
        }
        other => other,
    }
}

fn table(rows: &[Value]) -> Value {
    let Some((names, rows)) = rows.split_first() else { return Value::Array(Vec::new()) };
    let names: Vec<String> = names.as_array().into_iter().flatten().map(name).collect();
    rows.iter().filter_map(|row| zip(&names, row)).collect()
}

fn columns(entry: &Value) -> Vec<Value> {
    let names = entry["column_names"].as_array().into_iter().flatten();
    let names: Vec<String> = names.map(|value| name(value).replace(' ', "_")).collect();
    entry["data_rows"].as_array().into_iter().flatten().filter_map(|row| zip(&names, row)).collect()
}

/// A row with its names; cells without a name or a value are left out.
fn zip(names: &[String], row: &Value) -> Option<Value> {
    let cells = row.as_array()?;
    let pairs = names.iter().cloned().zip(cells.iter().cloned());
    Some(Value::Object(pairs.collect::<Map<String, Value>>()))
}

fn name(value: &Value) -> String {
    let name = value.as_str().map_or_else(|| value.to_string().into(), Cow::Borrowed);
    name.chars().take(COLUMN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use proptest::prelude::*;
    use serde_json::json;

    fn now() -> Instant {
        "2024-03-05T10:00:00Z".parse().expect("a time")
    }

    fn answer(status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> HttpResponse {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        HttpResponse { status, headers, body: body.into() }
    }

    #[test]
    fn a_status_has_its_meaning() {
        use ConnectorErrorKind::*;
        let table = [
            (401, Denied),
            (403, Denied),
            (429, RateLimited),
            (400, QueryInvalid),
            (404, PlaceUnknown),
            (410, PlaceUnknown),
            (302, Unavailable),
            (500, Unavailable),
            (503, Unavailable),
            (408, Timeout),
            (504, Timeout),
        ];
        for (status, kind) in table {
            let error = read(&answer(status, &[], "{}"), now()).expect_err("refused");
            assert_eq!((error.kind, error.is_reported), (kind, kind == Timeout), "{status}");
            assert!(error.message.contains(&status.to_string()));
        }
        assert_eq!(read(&answer(204, &[], ""), now()).expect("empty"), Value::Null);
    }

    #[test]
    fn a_rest_is_understood() {
        let table = [
            ("7", Some(7)),
            (" 120 ", Some(120)),
            ("Tue, 05 Mar 2024 10:01:30 GMT", Some(90)),
            ("Tue, 05 Mar 2024 09:00:00 GMT", Some(0)),
            ("99999999999", Some(RETRY_AFTER_MAX.as_secs())),
            ("soon", None),
            ("-5", None),
        ];
        for (text, seconds) in table {
            let error = read(&answer(429, &[("retry-after", text)], ""), now()).expect_err("limited");
            assert_eq!(error.retry_after, seconds.map(Duration::from_secs), "{text}");
        }
    }

    #[test]
    fn reads_json_and_xml() {
        let latin: &[u8] = b"{\"a\":\"caf\xe9\"}";
        let latin_xml: &[u8] = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>caf\xe9</a>";
        let table: [(&str, &[u8], Value); 10] = [
            ("application/json", b"{\"a\":1}", json!({"a": 1})),
            ("text/html", b"{\"a\":1}", json!({"a": 1})),
            ("", b"\xef\xbb\xbf[1]", json!([1])),
            ("application/json; charset=\"iso-8859-1\"", latin, json!({"a": "café"})),
            ("application/json", latin, json!({"a": "caf\u{fffd}"})),
            ("text/xml", b"<a>1</a>", json!({"a": "1"})),
            ("application/atom+xml; charset=utf-8", b"<a>1</a>", json!({"a": "1"})),
            ("application/RSS+XML", b"<a>1</a>", json!({"a": "1"})),
            ("text/plain", latin_xml, json!({"a": "café"})),
            ("application/json", b"  ", Value::Null),
        ];
        for (media, body, want) in table {
            let read = read(&answer(200, &[("content-type", media)], body.to_vec()), now());
            assert_eq!(read.expect("an answer"), want, "{media}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (media, body) in [
            ("application/json", "<html>oops</html>"),
            ("application/json", "{\"a\":"),
            ("text/xml", "{\"a\":1}"),
            ("application/json", deep.as_str()),
        ] {
            let error =
                read(&answer(200, &[("content-type", media)], body.to_owned()), now()).expect_err(media);
            assert_eq!(error.kind, ConnectorErrorKind::Unreadable);
        }
    }

    #[test]
    fn an_answer_of_very_many_values_is_refused() {
        let lists = |count: usize| format!(r#"{{"items":[{}[0]]}}"#, "[0],".repeat(count - 1));
        let elements = |count: usize| format!("<r>{}</r>", "<a/>".repeat(count));
        let table = [
            ("application/json", lists(50_000), None),
            ("application/json", lists(60_000), Some("more than 16 MB of memory")),
            ("application/json", lists(2_400_000), Some("contains more than 200,000 values")),
            ("text/xml", elements(190_000), None),
            ("text/xml", elements(200_000), Some("more than 200,000 elements and attributes")),
        ];
        for (media, body, refused) in table {
            let read = read(&answer(200, &[("content-type", media)], body), now());
            match refused {
                None => assert!(read.is_ok(), "{media}"),
                Some(words) => {
                    let error = read.expect_err(words);
                    assert_eq!(error.kind, ConnectorErrorKind::Unreadable);
                    assert!(error.message.contains(words), "{error}");
                }
            }
        }
    }

    #[tokio::test]
    async fn a_long_answer_is_read_beside_the_runtime() {
        for bytes in [10, READ_INLINE_BYTES_MAX + 1] {
            let body = format!(r#"{{"a":"{}"}}"#, "x".repeat(bytes));
            let read = read_beside(answer(200, &[], body), now()).await.expect("an answer");
            assert_eq!(read["a"].as_str().map(str::len), Some(bytes));
        }
        let error = read_beside(answer(500, &[], "x".repeat(READ_INLINE_BYTES_MAX + 1)), now()).await;
        assert_eq!(error.expect_err("refused").kind, ConnectorErrorKind::Unavailable);
    }

    #[test]
    fn the_name_of_a_column_is_not_repeated_at_length() {
        let rows = [vec![json!("n".repeat(1_000_000))], vec![json!(1)], vec![json!(2)]];
        let objects = as_objects(json!(rows));
        assert_eq!(objects[1]["n".repeat(COLUMN_CHARS_MAX).as_str()], 2);
    }

    #[test]
    fn tables_become_objects() {
        let table = [
            (
                json!([["a", "b"], [1, 2], [3], [4, 5, 6]]),
                json!([{"a": 1, "b": 2}, {"a": 3}, {"a": 4, "b": 5}]),
            ),
            (json!([["a"]]), json!([])),
            (json!([{"a": 1}]), json!([{"a": 1}])),
            (
                json!({"contents": [{"column_names": ["Total Sales"], "data_rows": [[1], [2]]}, {"x": 1}]}),
                json!([{"Total_Sales": 1}, {"Total_Sales": 2}]),
            ),
            (json!({"contents": [{"id": 1}], "n": 1}), json!({"contents": [{"id": 1}], "n": 1})),
            (json!({"contents": "text"}), json!({"contents": "text"})),
        ];
        for (value, want) in table {
            assert_eq!(as_objects(value.clone()), want, "{value}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(
            media in "(text/xml|application/json|[a-z/+;= \"-]{0,30})(; charset=[a-z0-9-]{0,12})?",
            body in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..80),
                "(\\[|\\]|\\{|\\}|\"a\"|:|,|1|null|\"contents\"|\"column_names\"|\"data_rows\"){0,30}".prop_map(String::into_bytes),
                "<\\?xml version='1.0' encoding=['\"a-zA-Z0-9-]{0,16}\\?>(<a>|</a>|<b c='d'/>|t|&#[0-9]{1,9};){0,12}".prop_map(String::into_bytes),
            ],
            retry_after in ".{0,20}",
            status in 100u16..600,
        ) {
            let headers = [("content-type", media.as_str()), ("retry-after", retry_after.as_str())];
            let _ = read(&answer(status, &headers, body), now());
        }
    }
}
