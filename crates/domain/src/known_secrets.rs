//! The secrets of one provider, to be masked where a source repeats them: in results, messages and requests.

use crate::inline_secrets;
use crate::ports::HttpRequest;
use crate::provider::{ProviderSpec, SearchProvider};
use crate::secret::{MASK, Secret, is_secret_name};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use std::borrow::Cow;
use syntax::credentials::SourceCredentials;
use syntax::query_template::encode_percent;

/// Shorter secrets are not searched for, because they occur in ordinary words.
const CHARS_MIN: usize = 4;
/// Minimum length of a text that is a secret only by its name, or `key=title` would mask a word.
const KEY_CHARS_MIN: usize = 8;

/// Every form in which a secret may be repeated, longest first.
#[derive(Clone, Default)]
pub struct KnownSecrets(Vec<Secret>);

impl KnownSecrets {
    /// Secrets in the provider's requests: its credentials, its headers, the user's token, and keys in its fields.
    pub fn of(provider: &SearchProvider) -> Self {
        let mut all = Self::default();
        all.add_credentials(&provider.credentials);
        if let Some(token) = &provider.user_token {
            all.add(token.expose());
        }
        for (name, value) in &provider.spec.http_request_headers {
            if is_secret_name(name) {
                all.add_header(value);
            }
        }
        for secret in of_fields(&provider.spec) {
            all.add_if_key(secret.expose());
        }
        all.sorted()
    }

    /// Secrets in one request.
    pub fn of_request(request: &HttpRequest) -> Self {
        let mut all = Self::default();
        request.secrets.iter().for_each(|secret| all.add(secret.expose()));
        for (name, value) in &request.secret_headers {
            if is_secret_name(name) {
                all.add_header(value.expose());
            }
        }
        all.sorted()
    }

    /// The given secrets, also as quoted in logs and JSON.
    pub fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut all = Self::default();
        for text in texts {
            all.add(text);
            all.add(&text.replace('\\', "\\\\").replace('"', "\\\""));
        }
        all.sorted()
    }

    /// Merges two sets.
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self.sorted()
    }

    pub fn secrets(&self) -> &[Secret] {
        &self.0
    }

    fn sorted(mut self) -> Self {
        self.0.sort_by(|one, other| {
            let (one, other) = (one.expose(), other.expose());
            other.len().cmp(&one.len()).then(one.cmp(other))
        });
        self.0.dedup();
        self
    }

    /// The text with each secret masked.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut shown = Cow::Borrowed(text);
        for secret in &self.0 {
            if shown.contains(secret.expose()) {
                shown = Cow::Owned(shown.replace(secret.expose(), MASK));
            }
        }
        shown
    }

    pub fn mask_in_place(&self, text: &mut String) {
        if let Cow::Owned(shown) = self.mask(text) {
            *text = shown;
        }
    }

    /// Masks every text of a value, including the names of its fields.
    pub fn mask_value(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        match value {
            Value::String(text) => self.mask_in_place(text),
            Value::Array(list) => list.iter_mut().for_each(|item| self.mask_value(item)),
            Value::Object(object) => {
                object.values_mut().for_each(|item| self.mask_value(item));
                if object.keys().any(|name| matches!(self.mask(name), Cow::Owned(_))) {
                    let entries = std::mem::take(object).into_iter();
                    *object = entries.map(|(name, item)| (self.mask(&name).into_owned(), item)).collect();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_credentials(&mut self, credentials: &Secret) {
        let parsed =
            SourceCredentials::parse(credentials).unwrap_or(SourceCredentials::Plain(credentials.clone()));
        match &parsed {
            SourceCredentials::Basic(login)
            | SourceCredentials::Proxy(login)
            | SourceCredentials::Digest(login) => {
                self.add_login(&login.user, login.password.expose());
            }
            SourceCredentials::Pairs(pairs) => {
                for (name, value) in pairs {
                    if is_secret_name(name) {
                        self.add(value.expose());
                    } else {
                        self.add_if_key(value.expose());
                    }
                }
            }
            SourceCredentials::Plain(text) => {
                self.add(text.expose());
                if let Some((user, password)) = text.expose().split_once(':') {
                    self.add_login(user, password);
                }
            }
            other => other.secrets().iter().for_each(|secret| self.add(secret.expose())),
        }
    }

    /// A password, and the header that contains it with its user.
    fn add_login(&mut self, user: &str, password: &str) {
        self.add(password);
        let pair = format!("{user}:{password}");
        self.add(&STANDARD_NO_PAD.encode(&pair));
        self.add(&URL_SAFE_NO_PAD.encode(&pair));
    }

    /// The value of a header. For `Bearer abc`, a repetition may omit the scheme.
    fn add_header(&mut self, value: &str) {
        self.add(value);
        self.add(value.split_once(' ').map_or("", |(_, token)| token));
    }

    fn add_if_key(&mut self, text: &str) {
        let is_word = text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if text.chars().count() >= KEY_CHARS_MIN && !is_word {
            self.add(text);
        }
    }

    /// The text, also in its URL-encoded forms.
    fn add(&mut self, text: &str) {
        let text = text.trim();
        if text.chars().count() < CHARS_MIN {
            return;
        }
        let encoded = encode_percent(text);
        let spaced = encoded.replace("%20", "+");
        let in_address = url::Url::parse(&format!("http://h/?{text}")).ok();
        let in_address = in_address.and_then(|url| url.query().map(str::to_owned)).unwrap_or_default();
        let lower = encoded.split('%').enumerate().map(|(place, part)| match (place, part.get(..2)) {
            (0, _) | (_, None) => part.to_owned(),
            (_, Some(digits)) => format!("{}{}", digits.to_ascii_lowercase(), &part[2..]),
        });
        let lower = lower.collect::<Vec<String>>().join("%");
        for form in [text.to_owned(), encoded, spaced, lower, in_address] {
            if form.chars().count() >= CHARS_MIN {
                self.0.push(Secret::new(form));
            }
        }
    }
}

/// Secrets inside fields that are not secret themselves.
pub fn of_fields(spec: &ProviderSpec) -> Vec<Secret> {
    let mut found = Vec::new();
    for text in [spec.url.as_str(), &spec.query_template, &spec.query_mappings] {
        found.extend(inline_secrets::find(text));
    }
    let pages = spec.page_fetch_config_json.as_ref();
    for object in [&spec.query_template_json, &spec.post_query_template, pages] {
        found.extend(of_object(object));
    }
    found
}

/// Secrets in an object with arbitrary field names.
pub fn of_object(object: &Map<String, Value>) -> Vec<Secret> {
    let mut found = Vec::new();
    object.iter().for_each(|(name, value)| add_values(name, value, &mut found));
    found
}

fn add_values(name: &str, value: &Value, found: &mut Vec<Secret>) {
    match value {
        Value::String(text)
            if inline_secrets::is_secret_parameter(name) && !inline_secrets::is_placeholder(text) =>
        {
            found.push(Secret::new(text.as_str()));
        }
        Value::String(text) => found.extend(inline_secrets::find(text)),
        Value::Array(list) => list.iter().for_each(|item| add_values(name, item, found)),
        Value::Object(object) => object.iter().for_each(|(name, item)| add_values(name, item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;
    use serde_json::json;

    fn known(spec: Value) -> KnownSecrets {
        let spec = serde_json::from_value(spec).expect("a spec");
        KnownSecrets::of(&SearchProvider::unsaved(spec, UserId(1), chrono::DateTime::UNIX_EPOCH))
    }

    #[test]
    fn a_secret_is_known_in_every_form() {
        let table = [
            (
                json!({"credentials": "key=a b/Cé=1"}),
                vec!["a b/Cé=1", "a%20b%2FC%C3%A9%3D1", "a+b%2FC%C3%A9%3D1", "a%20b%2fC%c3%a9%3d1"],
            ),
            (json!({"credentials": "HTTPBasicAuth('svc','S3CRET')"}), vec!["S3CRET", "c3ZjOlMzQ1JFVA"]),
            (json!({"credentials": "bearer=tok-1,verify_certs=false"}), vec!["tok-1"]),
            (json!({"credentials": "me:password"}), vec!["me:password", "password", "bWU6cGFzc3dvcmQ"]),
            (
                json!({"http_request_headers": {"Authorization": "Bearer canary"}}),
                vec!["Bearer canary", "canary"],
            ),
            (json!({"url": "https://u:canary-1@h/?api_key=CANARY-5"}), vec!["canary-1", "CANARY-5"]),
            (json!({"query_mappings": "token=MAP-CANARY6,lang=en"}), vec!["MAP-CANARY6"]),
            (json!({"post_query_template": {"auth": {"apiKey": "BODY-CANARY"}}}), vec!["BODY-CANARY"]),
        ];
        for (spec, secrets) in table {
            let known = known(spec.clone());
            for secret in secrets {
                assert_eq!(known.mask(&format!("x {secret} y")), format!("x {MASK} y"), "{spec}: {secret}");
            }
        }
    }

    #[test]
    fn ordinary_words_stay() {
        let known = known(json!({
            "credentials": "key=abc,user=title", "http_request_headers": {"Accept": "text/html", "X-Key": "on"},
            "query_mappings": "key=published_date", "url": "https://h.example/?session=1",
        }));
        let text = "abc title on published_date text/html 1 h.example";
        assert_eq!(known.mask(text), text);
    }

    #[test]
    fn any_text_is_known_as_logs_quote_it() {
        let known = KnownSecrets::of_texts(["pass\"word\\1"])
            .and(known(json!({"credentials": "key=other-1"})))
            .and(KnownSecrets::of_texts([""]));
        assert_eq!(known.mask(r#"a pass"word\1 b pass\"word\\1 c other-1"#), "a •••• b •••• c ••••");
        let Value::Object(object) =
            json!({"proxy": "http://u:pw-12345@h/", "a": {"api_key": "k-1"}, "b": "c"})
        else {
            unreachable!("it is an object")
        };
        let found: Vec<String> = of_object(&object).iter().map(|secret| secret.expose().to_owned()).collect();
        assert_eq!(found, ["pw-12345", "k-1"]);
    }

    #[test]
    fn every_text_of_a_value_is_masked() {
        let known = known(json!({"credentials": "key=canary-1"}));
        let mut value = json!({"a": ["x canary-1", 1, null], "canary-1": {"b": "canary-1"}, "c": "plain"});
        known.mask_value(&mut value);
        assert_eq!(value, json!({"a": ["x ••••", 1, null], "••••": {"b": "••••"}, "c": "plain"}));
    }
}
