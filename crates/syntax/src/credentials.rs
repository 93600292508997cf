//! `credentials` of a provider in all of their forms, and `eval_credentials`, the name of a session value to insert
//! into them.

use crate::error::SyntaxError;
use crate::secret::Secret;
use crate::suggest;
use std::collections::BTreeMap;

/// The placeholder in `credentials` for the session value.
pub const SESSION_PLACE: &str = "{credentials}";

const SCHEMES: [&str; 3] = ["HTTPBasicAuth", "HTTPDigestAuth", "HTTPProxyAuth"];
const BEARER_KEYS: [&str; 3] = ["bearer", "verify_certs", "ca_certs"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SourceCredentials {
    #[default]
    None,
    /// `HTTPBasicAuth('user','password')`
    Basic(Login),
    /// `HTTPDigestAuth('user','password')`
    Digest(Login),
    /// `HTTPProxyAuth('user','password')`
    Proxy(Login),
    /// `bearer=<token>`, with `verify_certs=<bool>` and `ca_certs=<path>` beside it.
    Bearer { token: Secret, verify_certs: bool, ca_certs: Option<String> },
    /// `X-Api-Key=<key>`
    ApiKeyHeader(Secret),
    /// `key=value,…`: bound into the query template.
    Pairs(Vec<(String, Secret)>),
    /// Anything else: an API key, `user:password`, a connection string.
    Plain(Secret),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    pub user: String,
    pub password: Secret,
}

impl SourceCredentials {
    /// Parses credentials. Error messages contain no part of a secret.
    pub fn parse(secret: &Secret) -> Result<Self, SyntaxError> {
        let text = secret.expose().trim();
        if text.is_empty() {
            Ok(Self::None)
        } else if text.starts_with("HTTP") {
            scheme(text)
        } else if text.starts_with("bearer=") {
            bearer(text)
        } else if let Some(key) = text.strip_prefix("X-Api-Key=") {
            let key = key.trim();
            if key.is_empty() {
                Err("X-Api-Key= needs a key.".into())
            } else {
                Ok(Self::ApiKeyHeader(Secret::new(key)))
            }
        } else {
            Ok(match pairs(text) {
                Some(pairs) => Self::Pairs(pairs),
                None => Self::Plain(Secret::new(text)),
            })
        }
    }

    /// Whether they contain the placeholder for a session value.
    pub fn need_session(&self) -> bool {
        let is_place = |text: &str| text.contains(SESSION_PLACE);
        let user = match self {
            Self::Basic(login) | Self::Digest(login) | Self::Proxy(login) => login.user.as_str(),
            _ => "",
        };
        is_place(user) || self.secrets().iter().any(|secret| is_place(secret.expose()))
    }

    /// Inserts the session value. It is inserted into the parsed parts, so that no character in it can change their
    /// structure. `None` if the session has no such value.
    pub fn with_session(self, eval_credentials: &str, session: &BTreeMap<String, Secret>) -> Option<Self> {
        if !self.need_session() {
            return Some(self);
        }
        let value = session.get(session_name(eval_credentials).ok()??).filter(|value| !value.is_empty())?;
        let filled = |secret: Secret| Secret::new(secret.expose().replace(SESSION_PLACE, value.expose()));
        let login = |login: Login| Login {
            user: login.user.replace(SESSION_PLACE, value.expose()),
            password: filled(login.password),
        };
        Some(match self {
            Self::None => Self::None,
            Self::Basic(own) => Self::Basic(login(own)),
            Self::Digest(own) => Self::Digest(login(own)),
            Self::Proxy(own) => Self::Proxy(login(own)),
            Self::Bearer { token, verify_certs, ca_certs } => {
                Self::Bearer { token: filled(token), verify_certs, ca_certs }
            }
            Self::ApiKeyHeader(key) => Self::ApiKeyHeader(filled(key)),
            Self::Pairs(pairs) => {
                Self::Pairs(pairs.into_iter().map(|(key, value)| (key, filled(value))).collect())
            }
            Self::Plain(text) => Self::Plain(filled(text)),
        })
    }

    /// Every secret text in them.
    pub fn secrets(&self) -> Vec<Secret> {
        match self {
            Self::None => Vec::new(),
            Self::Basic(login) | Self::Digest(login) | Self::Proxy(login) => vec![login.password.clone()],
            Self::Bearer { token, .. } => vec![token.clone()],
            Self::ApiKeyHeader(key) | Self::Plain(key) => vec![key.clone()],
            Self::Pairs(pairs) => pairs.iter().map(|(_, value)| value.clone()).collect(),
        }
    }

    /// The values that may be bound into a template.
    pub fn pairs(&self) -> &[(String, Secret)] {
        if let Self::Pairs(pairs) = self { pairs } else { &[] }
    }
}

/// The name in `eval_credentials`: a bare name, `session['name']` or `session["name"]`; None if it is empty. Nothing is
/// evaluated.
pub fn session_name(eval_credentials: &str) -> Result<Option<&str>, SyntaxError> {
    let text = eval_credentials.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let quoted = text.strip_prefix("session[").and_then(|rest| rest.strip_suffix(']')).and_then(|inside| {
        let inside = inside.trim();
        ['\'', '"'].iter().find_map(|&quote| inside.strip_prefix(quote)?.strip_suffix(quote))
    });
    let name = quoted.unwrap_or(text);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(is_name) {
        return Err("Use a name of a-z, A-Z, 0-9, _, - and . alone, or session['name'].".into());
    }
    Ok(Some(name))
}

fn scheme(text: &str) -> Result<SourceCredentials, SyntaxError> {
    let form = || format!("Use {}('user','password').", SCHEMES.join(", "));
    let Some((name, arguments)) = text.split_once('(') else { return Err(form().into()) };
    let arguments = arguments.trim_end().strip_suffix(')').ok_or_else(form)?;
    let (user, password) = two_arguments(arguments.trim()).ok_or_else(form)?;
    let login = Login { user, password: Secret::new(password) };
    match name.trim() {
        "HTTPBasicAuth" => Ok(SourceCredentials::Basic(login)),
        "HTTPDigestAuth" => Ok(SourceCredentials::Digest(login)),
        // The second spelling is an old one that still occurs in configurations.
        "HTTPProxyAuth" | "HTTProxyAuth" => Ok(SourceCredentials::Proxy(login)),
        other => Err(suggest::unknown("kind of HTTP credentials", other, SCHEMES).into()),
    }
}

/// `'u','p'` or `u,p`. The first argument ends at its quote, so a password may contain commas.
fn two_arguments(text: &str) -> Option<(String, String)> {
    let first = text.chars().next()?;
    let (user, rest) = if matches!(first, '\'' | '"') {
        let inside = &text[1..];
        let (end, rest) = inside.match_indices(first).find_map(|(end, _)| {
            let rest = inside[end + 1..].trim_start();
            rest.strip_prefix(',').map(|rest| (end, rest))
        })?;
        (&inside[..end], rest)
    } else {
        text.split_once(',')?
    };
    let password = rest.trim();
    let unquoted = ['\'', '"'].iter().find_map(|&quote| password.strip_prefix(quote)?.strip_suffix(quote));
    Some((user.trim().to_owned(), unquoted.unwrap_or(password).to_owned()))
}

fn bearer(text: &str) -> Result<SourceCredentials, SyntaxError> {
    let (mut token, mut verify_certs, mut ca_certs) = (Secret::default(), true, None);
    for piece in text.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
        let unreadable =
            || format!("A piece after bearer= is not readable. Known: {}.", BEARER_KEYS.join(", "));
        let (key, value) = piece.split_once('=').ok_or_else(unreadable)?;
        match key.trim() {
            "bearer" => token = Secret::new(value.trim()),
            "verify_certs" => {
                verify_certs = match value.trim().to_ascii_lowercase().as_str() {
                    "true" | "1" | "yes" | "y" => true,
                    "false" | "0" | "no" | "n" => false,
                    // A misspelled word must not disable the check.
                    _ => return Err("verify_certs is true or false.".into()),
                };
            }
            "ca_certs" => ca_certs = Some(value.trim().to_owned()).filter(|path| !path.is_empty()),
            _ => return Err(unreadable().into()),
        }
    }
    if token.is_empty() {
        return Err("bearer= needs a token.".into());
    }
    Ok(SourceCredentials::Bearer { token, verify_certs, ca_certs })
}

/// Pairs only if every piece is one: a connection string that contains `=` is not.
fn pairs(text: &str) -> Option<Vec<(String, Secret)>> {
    let pieces = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
    let pairs = pieces.map(|piece| {
        let (key, value) = piece.split_once('=')?;
        let named = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        (named && !key.is_empty() && !value.is_empty()).then(|| (key.to_owned(), Secret::new(value)))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::SourceCredentials::*;
    use super::*;

    fn parsed(text: &str) -> SourceCredentials {
        SourceCredentials::parse(&Secret::new(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn login(user: &str, password: &str) -> Login {
        Login { user: user.to_owned(), password: Secret::new(password) }
    }

    #[test]
    fn reads_each_form() {
        let pair = |key: &str, value: &str| (key.to_owned(), Secret::new(value));
        let bearer = |verify_certs, ca_certs| Bearer { token: Secret::new("abc=="), verify_certs, ca_certs };
        let table = [
            ("", None),
            ("HTTPBasicAuth('u','p')", Basic(login("u", "p"))),
            ("HTTPBasicAuth( 'u' , 'p,'q)' )", Basic(login("u", "p,'q)"))),
            ("HTTPBasicAuth(u,p)", Basic(login("u", "p"))),
            ("HTTPDigestAuth(\"u\",\"\")", Digest(login("u", ""))),
            ("HTTProxyAuth('u','p')", Proxy(login("u", "p"))),
            ("HTTPProxyAuth('u','p')", Proxy(login("u", "p"))),
            ("bearer=abc==", bearer(true, Option::None)),
            ("bearer=abc==,verify_certs=False,ca_certs=/x.pem", bearer(false, Some("/x.pem".into()))),
            ("bearer=abc==, verify_certs=yes", bearer(true, Option::None)),
            ("X-Api-Key=a,b=c", ApiKeyHeader(Secret::new("a,b=c"))),
            ("key=abc=", Pairs(vec![pair("key", "abc=")])),
            ("login=me, password=x y", Pairs(vec![pair("login", "me"), pair("password", "x y")])),
            ("user:password", Plain(Secret::new("user:password"))),
            ("mongodb+srv://u:p@h/?w=majority", Plain(Secret::new("mongodb+srv://u:p@h/?w=majority"))),
            ("verify_certs=true,u:p", Plain(Secret::new("verify_certs=true,u:p"))),
            ("c2VjcmV0=", Plain(Secret::new("c2VjcmV0="))),
        ];
        for (text, want) in table {
            assert_eq!(parsed(text), want, "{text}");
        }
    }

    #[test]
    fn mistakes_keep_the_secret() {
        for text in [
            "HTTPBasicAuth('hush')",
            "HTTPBasicAuth",
            "HTTPMagicAuth('u','hush')",
            "bearer=",
            "bearer=x,hush",
            "bearer=x,hush=y",
            "bearer=x,verify_certs=hush",
            "X-Api-Key=",
        ] {
            let error = SourceCredentials::parse(&Secret::new(text)).expect_err(text);
            assert!(!error.message().contains("hush"), "{error}");
        }
    }

    #[test]
    fn a_session_is_named_by_three_rules() {
        let table = [
            ("", Ok(Option::None)),
            ("token", Ok(Some("token"))),
            (" my-token.2_x ", Ok(Some("my-token.2_x"))),
            ("session['token']", Ok(Some("token"))),
            ("session[ \"token\" ]", Ok(Some("token"))),
        ];
        for (text, want) in table {
            assert_eq!(session_name(text), want, "{text}");
        }
        for text in [
            "session",
            "session[token]",
            "session['a\"]",
            "session['a'] or 'b'",
            "session['']",
            "__import__('os')",
            "request.session['a']",
            "session['a']['b']",
        ] {
            // `session` alone is a bare name like any other.
            assert_eq!(session_name(text).is_err(), text != "session", "{text}");
        }
    }

    #[test]
    fn a_sessions_value_goes_into_the_parts() {
        let session = BTreeMap::from([("t".to_owned(), Secret::new("a,verify_certs=false'"))]);
        let value = "a,verify_certs=false'";
        let bearer = Bearer { token: Secret::new(value), verify_certs: true, ca_certs: Option::None };
        let table = [
            ("bearer={credentials}", "t", Some(bearer)),
            ("HTTPBasicAuth('u','{credentials}')", "session['t']", Some(Basic(login("u", value)))),
            ("HTTPDigestAuth('{credentials}','p')", "t", Some(Digest(login(value, "p")))),
            ("X-Api-Key={credentials}", "t", Some(ApiKeyHeader(Secret::new(value)))),
            ("k={credentials}", "t", Some(Pairs(vec![("k".to_owned(), Secret::new(value))]))),
            ("{credentials}", "t", Some(Plain(Secret::new(value)))),
            ("bearer={credentials}", "other", Option::None),
            ("bearer={credentials}", "", Option::None),
            ("k=plain", "other", Some(Pairs(vec![("k".to_owned(), Secret::new("plain"))]))),
        ];
        for (text, name, want) in table {
            assert_eq!(parsed(text).with_session(name, &session), want, "{text} {name}");
        }
    }
}
