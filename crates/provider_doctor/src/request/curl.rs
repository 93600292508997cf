//! Parses a curl command or a URL.

use crate::fields::identifier_words::is_listed;
use crate::request::shell;
use domain::bounded_json::{self, BoundedJsonError, FIELD_VALUES_MAX};
use domain::ports::HttpMethod;
use serde_json::Value;
use syntax::error::SyntaxError;
use url::{Url, form_urlencoded};

/// Longest text that is parsed, in bytes.
pub const REQUEST_BYTES_MAX: usize = 64 * 1024;

/// A request as entered. It may contain secrets, so it has no `Debug` implementation.
#[derive(Clone)]
pub struct Request {
    pub method: HttpMethod,
    pub url: Url,
    /// Names as written.
    pub headers: Vec<(String, String)>,
    pub body: Option<Body>,
    /// `-u user:password`.
    pub user: Option<(String, String)>,
    /// What was ignored, as sentences.
    pub remarks: Vec<String>,
}

#[derive(Clone, PartialEq)]
pub enum Body {
    Json(Value),
    Form(Vec<(String, String)>),
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// Parses a text; None if it is empty.
pub fn parse(text: &str) -> Result<Option<Request>, SyntaxError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() > REQUEST_BYTES_MAX {
        return Err(format!("The request has more than {REQUEST_BYTES_MAX} bytes.").into());
    }
    let is_curl =
        text.split_whitespace().next().is_some_and(|word| matches!(word, "curl" | "curl.exe" | "$"));
    if !is_curl {
        let bare = CurlOptions { urls: vec![text.to_owned()], ..CurlOptions::default() };
        return bare.into_request().map(Some);
    }
    let words = shell::split_words(text.trim_start_matches("$ "))?;
    parse_args(words.get(1..).unwrap_or_default()).map(Some)
}

/// Parses the arguments of a curl command.
pub fn parse_args(words: &[String]) -> Result<Request, SyntaxError> {
    let mut options = CurlOptions::default();
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        let (option, attached) = split_option(word);
        match option_kind(option) {
            OptionKind::Url => options.urls.push(word.to_owned()),
            OptionKind::Flag => options.flag(option),
            OptionKind::WithValue => {
                let value = match attached {
                    Some(value) => value,
                    None => words.next().ok_or_else(|| format!("{option} needs a value after it."))?,
                };
                options.option(option, value)?;
            }
            OptionKind::Unknown => {
                // It may take a value or not; a URL or another option is no value.
                words.next_if(|next| attached.is_none() && !next.starts_with('-') && !next.contains("://"));
                options.remarks.push(format!("The unknown option {option} was ignored."));
            }
        }
    }
    options.into_request()
}

enum OptionKind {
    Url,
    Flag,
    WithValue,
    Unknown,
}

/// Options of curl that are used, flags, and options whose values are ignored.
const VALUE_OPTIONS: &str = "-X --request -H --header -d --data --data-raw --data-ascii --data-binary --data-urlencode \
    --json -u --user --oauth2-bearer -A --user-agent -b --cookie -e --referer --url";
const FLAGS: &str = "-G --get -k --insecure -s --silent -S --show-error -L --location -i --include -v --verbose \
    -f --fail --compressed -N --no-buffer --http1.1 --http2 -# --globoff -g --location-trusted \
    -4";
const IGNORED: &str = "-o --output -m --max-time --connect-timeout --retry -w --write-out -x --proxy -D -c";
const SHORT_WITH_VALUE: &str = "XHduAebomwxDcr";

fn option_kind(option: &str) -> OptionKind {
    if !option.starts_with('-') || option == "-" {
        return OptionKind::Url;
    }
    let is_flag = is_listed(option, FLAGS);
    let is_group = option.starts_with('-')
        && !option.starts_with("--")
        && option.len() > 2
        && !option.contains(|c: char| SHORT_WITH_VALUE.contains(c));
    match option {
        _ if is_flag || is_group => OptionKind::Flag,
        _ if is_listed(option, VALUE_OPTIONS) || is_listed(option, IGNORED) => OptionKind::WithValue,
        _ => OptionKind::Unknown,
    }
}

/// `-XPOST` and `--request=POST` contain their values.
fn split_option(word: &str) -> (&str, Option<&str>) {
    if word.starts_with("--") {
        return match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word, None),
        };
    }
    let mut chars = word.char_indices();
    match (chars.next(), chars.next(), chars.next()) {
        (Some((_, '-')), Some((_, flag)), Some((at, _))) if SHORT_WITH_VALUE.contains(flag) => {
            (&word[..at], Some(&word[at..]))
        }
        _ => (word, None),
    }
}

/// Values of the options.
#[derive(Default)]
struct CurlOptions {
    method: Option<String>,
    urls: Vec<String>,
    headers: Vec<(String, String)>,
    data: Vec<String>,
    is_json: bool,
    as_query: bool,
    user: Option<(String, String)>,
    remarks: Vec<String>,
}

impl CurlOptions {
    fn flag(&mut self, option: &str) {
        match option {
            "-G" | "--get" => self.as_query = true,
            "-k" | "--insecure" => {
                self.remarks.push(format!("{option} was ignored: certificates are always verified."));
            }
            group if !group.starts_with("--") && group.contains('G') => self.as_query = true,
            _ => {}
        }
    }

    fn option(&mut self, option: &str, value: &str) -> Result<(), SyntaxError> {
        match option {
            "-X" | "--request" => self.method = Some(value.to_ascii_uppercase()),
            "-H" | "--header" => {
                let (name, value) = value.split_once(':').unwrap_or((value.trim_end_matches(';'), ""));
                self.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            "-d" | "--data" | "--data-raw" | "--data-ascii" | "--data-binary" | "--data-urlencode"
            | "--json" => {
                if value.starts_with('@') && option != "--data-raw" {
                    return Err(format!("{option} names a file; paste its content instead.").into());
                }
                self.is_json |= option == "--json";
                self.data.push(match option {
                    "--data-urlencode" => encoded(value),
                    _ => value.to_owned(),
                });
            }
            "-u" | "--user" => {
                let (user, password) = value.split_once(':').unwrap_or((value, ""));
                self.user = Some((user.to_owned(), password.to_owned()));
            }
            "--oauth2-bearer" => self.headers.push(("Authorization".to_owned(), format!("Bearer {value}"))),
            "-A" | "--user-agent" => self.headers.push(("User-Agent".to_owned(), value.to_owned())),
            "-b" | "--cookie" => self.headers.push(("Cookie".to_owned(), value.to_owned())),
            "--url" => self.urls.push(value.to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn into_request(mut self) -> Result<Request, SyntaxError> {
        let text = match self.urls.as_slice() {
            [] => return Err("There is no URL.".into()),
            [one] => one.clone(),
            [first, rest @ ..] => {
                self.remarks.push(format!("Only the first URL is used; {} more were ignored.", rest.len()));
                first.clone()
            }
        };
        let mut url = parse_url(&text)?;
        if self.user.is_none() && !url.username().is_empty() {
            let plain = |text: &str| {
                form_urlencoded::parse(text.replace('+', "%2B").as_bytes())
                    .next()
                    .map(|(name, _)| name.into_owned())
            };
            let password = url.password().and_then(plain).unwrap_or_default();
            self.user = Some((plain(url.username()).unwrap_or_default(), password));
        }
        let _cannot_fail = (url.set_username(""), url.set_password(None));
        url.set_fragment(None);
        let data = self.data.join("&");
        if self.as_query && !data.is_empty() {
            let query = [url.query().unwrap_or_default(), &data];
            let query: Vec<&str> = query.into_iter().filter(|part| !part.is_empty()).collect();
            url.set_query(Some(&query.join("&")));
        }
        let has_body = !self.as_query && !data.is_empty();
        let method = match self.method.as_deref() {
            None if has_body => HttpMethod::Post,
            None | Some("GET") => HttpMethod::Get,
            Some("POST") => HttpMethod::Post,
            Some(other) => {
                return Err(format!("The method {other} is not supported; use GET or POST.").into());
            }
        };
        let body = if has_body { Some(self.body(&data)?) } else { None };
        if method == HttpMethod::Get && body.is_some() {
            return Err(
                "A GET request with a body is not supported; use POST, or put the values into the URL."
                    .into(),
            );
        }
        let Self { headers, user, remarks, .. } = self;
        Ok(Request { method, url, headers, body, user, remarks })
    }

    fn body(&self, data: &str) -> Result<Body, SyntaxError> {
        let looks_json = data.trim_start().starts_with(['{', '[']);
        if self.is_json || looks_json {
            return match bounded_json::parse(data.as_bytes(), FIELD_VALUES_MAX) {
                Ok(value @ Value::Object(_)) => Ok(Body::Json(value)),
                Ok(_) => Err("The body must be a JSON object.".into()),
                Err(BoundedJsonError::Malformed(error)) => {
                    Err(SyntaxError::new(format!("The body is not valid JSON: {error}.")).caused_by(error))
                }
                Err(error) => Err(SyntaxError::new(format!("The body {error}.")).caused_by(error)),
            };
        }
        Ok(Body::Form(form_urlencoded::parse(data.as_bytes()).into_owned().collect()))
    }
}

/// `name=value` with the value encoded, as `--data-urlencode` does.
fn encoded(value: &str) -> String {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    match value.split_once('=') {
        Some((name, value)) => format!("{name}={}", encode(value)),
        None => encode(value),
    }
}

fn parse_url(text: &str) -> Result<Url, SyntaxError> {
    let text = text.trim();
    let neither =
        || "This is neither a curl command nor a URL. It must begin with curl or https://.".to_owned();
    if text.contains(char::is_whitespace) {
        return Err(neither().into());
    }
    let text = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&text)
        .map_err(|error| SyntaxError::new(format!("The URL is invalid: {error}.")).caused_by(error))?;
    let is_host = url.host_str().is_some_and(|host| host.contains(['.', ':']) || host == "localhost");
    if !matches!(url.scheme(), "http" | "https") {
        return Err("The URL must begin with http:// or https://.".into());
    }
    if is_host { Ok(url) } else { Err(neither().into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A request as text.
    fn shown(text: &str) -> String {
        let request = parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).expect("a request");
        let headers: Vec<String> =
            request.headers.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let body = match &request.body {
            None => String::new(),
            Some(Body::Json(value)) => value.to_string(),
            Some(Body::Form(pairs)) => {
                pairs.iter().map(|(name, value)| format!("{name}:{value}")).collect::<Vec<_>>().join(";")
            }
        };
        let user =
            request.user.as_ref().map(|(user, password)| format!("{user}/{password}")).unwrap_or_default();
        [request.method.as_str(), request.url.as_str(), &headers.join(","), &body, &user]
            .join(" ")
            .trim()
            .to_owned()
    }

    #[test]
    fn a_body_with_too_many_values_is_rejected() {
        let command =
            format!("curl https://h.example/ --json '{{\"a\": [{}0]}}'", "0,".repeat(FIELD_VALUES_MAX));
        let refused = parse(&command).err().expect("refused");
        assert_eq!(refused.message(), "The body contains more than 10,000 values.");
    }

    #[test]
    fn parses_commands_and_urls() {
        let table = [
            ("https://h.example/s?q=a b".replace(' ', "%20"), "GET https://h.example/s?q=a%20b"),
            ("h.example/s?q=tea#top".into(), "GET https://h.example/s?q=tea"),
            ("http://localhost:9200/x".into(), "GET http://localhost:9200/x"),
            ("curl https://h.example/s?q=tea".into(), "GET https://h.example/s?q=tea"),
            (
                "$ curl -sSL 'https://h.example/s?q=a&b=2' -o out.json | jq .".into(),
                "GET https://h.example/s?q=a&b=2",
            ),
            (
                "curl -XPOST -H'A: b' --header \"C:d\" https://h.example/ -d '{\"q\": \"tea\"}'".into(),
                r#"POST https://h.example/ A=b,C=d {"q":"tea"}"#,
            ),
            (
                "curl --request POST --url https://h.example/ --json '{\"q\":1}' \\\n --compressed".into(),
                r#"POST https://h.example/  {"q":1}"#,
            ),
            ("curl https://h.example/ -d q=tea -d 'n=1+2'".into(), "POST https://h.example/  q:tea;n:1 2"),
            (
                "curl -G https://h.example/?a=1 --data-urlencode 'q=solid state' -d n=2".into(),
                "GET https://h.example/?a=1&q=solid+state&n=2",
            ),
            ("curl -sG https://h.example/ -d q=x".into(), "GET https://h.example/?q=x"),
            ("curl -u me:pa:ss https://h.example/".into(), "GET https://h.example/   me/pa:ss"),
            ("curl https://me:p%40ss@h.example/".into(), "GET https://h.example/   me/p@ss"),
            (
                "curl --oauth2-bearer abc -A agent https://h.example/".into(),
                "GET https://h.example/ Authorization=Bearer abc,User-Agent=agent",
            ),
        ];
        for (text, want) in table {
            assert_eq!(shown(&text), want, "{text}");
        }
        assert!(parse("  ").expect("nothing").is_none());
    }

    #[test]
    fn reports_errors() {
        let table = [
            ("curl", "no URL"),
            ("curl -H", "needs a value"),
            ("curl 'https://h.example/", "not closed"),
            ("curl -X DELETE https://h.example/", "DELETE"),
            ("curl https://h.example/ -d @body.json", "paste its content"),
            ("curl https://h.example/ -d '[1]'", "JSON object"),
            ("curl https://h.example/ -d '{\"a\":'", "not valid JSON"),
            ("curl -X GET https://h.example/ -d a=1", "use POST"),
            ("ftp://h.example/", "http://"),
            ("tell me about tea", "neither a curl command"),
            ("sample", "neither a curl command"),
        ];
        for (text, want) in table {
            let error = parse(text).err().unwrap_or_else(|| panic!("{text} was read"));
            assert!(error.message().contains(want), "{text}: {error}");
        }
        assert!(
            parse(&"x".repeat(REQUEST_BYTES_MAX + 1))
                .err()
                .is_some_and(|error| error.message().contains("bytes"))
        );
        let most = format!("https://h.example/?q={}", "x".repeat(REQUEST_BYTES_MAX - 21));
        assert!(parse(&most).is_ok_and(|request| request.is_some()));
    }

    #[test]
    fn ignored_options_are_reported() {
        let request =
            parse("curl -k --weird value --odd https://h.example/ https://other.example/").expect("read");
        let remarks = request.expect("a request").remarks.join(" ");
        for part in ["-k was ignored", "--weird", "1 more"] {
            assert!(remarks.contains(part), "{remarks}");
        }
    }

    #[test]
    fn parses_arguments() {
        let words = ["-H", "A: b c", "https://h.example/?q=x"].map(str::to_owned);
        let request = parse_args(&words).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(request.header("a"), Some("b c"));
        assert!(request.body.is_none());
    }

    proptest! {
        #[test]
        fn never_panics(text in "curl (-[A-Za-z]|--[a-z]{1,9}|[a-z:/.@'\"{}=]{0,9}| ){0,12}|.{0,60}") {
            let _ = parse(&text);
        }
    }
}
