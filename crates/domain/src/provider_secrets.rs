//! Masking of secrets in a provider's configuration, and restoring of masked texts that are sent back.

use crate::inline_secrets::{self, is_placeholder, is_secret_parameter};
use crate::provider::{ProviderSpec, SearchProvider};
use crate::secret::{MASK, Secret, has_login, is_secret_name};
use crate::secret_binding::{self, Destinations};
use crate::validation::FieldErrors;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

impl ProviderSpec {
    /// The spec as shown to its editors: names of secrets stay readable, values are masked.
    pub fn masked(&self) -> Self {
        let headers = self.http_request_headers.iter().map(|(name, value)| {
            let is_secret = !value.is_empty() && (is_secret_name(name) || has_login(value));
            (name.clone(), if is_secret { MASK.to_owned() } else { value.clone() })
        });
        Self {
            url: inline_secrets::mask(&self.url),
            query_template: inline_secrets::mask(&self.query_template),
            query_mappings: inline_secrets::mask(&self.query_mappings).into(),
            query_template_json: masked_template(&self.query_template_json),
            post_query_template: masked_template(&self.post_query_template),
            http_request_headers: headers.collect(),
            page_fetch_config_json: masked_object(self.page_fetch_config_json.as_ref()).into(),
            credentials: Secret::new(self.credentials.clone()).masked(),
            ..self.clone()
        }
    }

    /// The spec that replaces a stored provider: masked texts are restored to the stored ones, and a masked or empty
    /// `credentials` becomes empty, which keeps the stored one. The errors name each field whose stored secret would be
    /// sent to a different destination.
    pub fn in_place_of(self, stored: &SearchProvider) -> Result<Self, FieldErrors> {
        let mut fields: Vec<&'static str> =
            self.masked_fields().into_iter().filter(|field| *field != "credentials").collect();
        let has_credentials = !stored.credentials.is_empty() || stored.unreadable.credentials;
        let keeps_credentials = self.credentials.is_empty() || Secret::is_masked(&self.credentials);
        if keeps_credentials && has_credentials {
            fields.push("credentials");
        }
        let mut spec = self.keeping(&stored.spec);
        // A mask without stored credentials is left for the checks.
        if keeps_credentials && has_credentials {
            spec.credentials.clear();
        }
        // Unreadable secrets stay stored, bound to their destination: the key may be found again.
        if stored.unreadable.after(&spec).confidential {
            fields.push("http_request_headers");
        }
        let places = [&stored.spec, &spec].map(Destinations::of_provider);
        secret_binding::check(&places[0], &places[1], &fields)?;
        Ok(spec)
    }

    /// Whether a field that is encrypted besides the credentials has a value.
    pub fn has_confidential(&self) -> bool {
        !self.http_request_headers.is_empty()
            || !self.page_fetch_config_json.as_ref().is_empty()
            || !self.eval_credentials.is_empty()
            || self.has_inline_secrets()
    }

    /// Whether the fields of the request are empty. They are encrypted if they contain a secret.
    pub fn has_no_request(&self) -> bool {
        self.url.is_empty() && self.query_template.is_empty() && self.query_mappings.is_empty()
    }

    /// Whether a field that is not secret itself contains a secret.
    pub fn has_inline_secrets(&self) -> bool {
        self.masked_inline() != *self
    }

    /// Masks only the secrets inside fields that are not secret themselves.
    fn masked_inline(&self) -> Self {
        let masked = self.masked();
        Self {
            http_request_headers: self.http_request_headers.clone(),
            page_fetch_config_json: self.page_fetch_config_json.clone(),
            credentials: self.credentials.clone(),
            ..masked
        }
    }

    /// Restores masked texts, except `credentials`, to the stored ones of the same name. Omitted values stay omitted.
    pub fn keeping(mut self, stored: &Self) -> Self {
        for (text, kept) in [(&mut self.url, &stored.url), (&mut self.query_template, &stored.query_template)]
        {
            *text = inline_secrets::restore(text, kept);
        }
        self.query_mappings = inline_secrets::restore(&self.query_mappings, &stored.query_mappings).into();
        keep(&mut self.query_template_json, &stored.query_template_json);
        keep(&mut self.post_query_template, &stored.post_query_template);
        for (name, value) in
            self.http_request_headers.iter_mut().filter(|(_, value)| Secret::is_masked(value))
        {
            if let Some(kept) = header(&stored.http_request_headers, name) {
                kept.clone_into(value);
            }
        }
        let mut config = self.page_fetch_config_json.as_ref().clone();
        keep(&mut config, stored.page_fetch_config_json.as_ref());
        self.page_fetch_config_json = config.into();
        self
    }

    /// The fields with a masked text, which must not be stored.
    pub fn masked_fields(&self) -> Vec<&'static str> {
        let is_masked = [
            ("url", Secret::is_masked(&self.url)),
            ("query_template", Secret::is_masked(&self.query_template)),
            ("query_mappings", Secret::is_masked(&self.query_mappings)),
            ("query_template_json", self.query_template_json.values().any(holds_mask)),
            ("post_query_template", self.post_query_template.values().any(holds_mask)),
            ("credentials", Secret::is_masked(&self.credentials)),
            (
                "http_request_headers",
                self.http_request_headers.values().any(|value| Secret::is_masked(value)),
            ),
            ("page_fetch_config_json", self.page_fetch_config_json.as_ref().values().any(holds_mask)),
        ];
        is_masked.into_iter().filter(|(_, is_masked)| *is_masked).map(|(field, _)| field).collect()
    }
}

/// Masked, because it appears in error messages.
impl fmt::Debug for ProviderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = serde_json::to_string(&self.masked()).map_err(|_| fmt::Error)?;
        write!(f, "ProviderDraft {shown}")
    }
}

/// A header by its name, in any case.
fn header<'a>(headers: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Masks a body with placeholders: values of parameters whose names denote secrets, and secrets in texts.
fn masked_template(template: &Map<String, Value>) -> Map<String, Value> {
    fn shown(value: &Value, is_secret: bool) -> Value {
        match value {
            Value::String(text) if text.is_empty() || is_placeholder(text) => value.clone(),
            Value::String(_) if is_secret => Value::String(MASK.to_owned()),
            Value::String(text) => Value::String(inline_secrets::mask(text)),
            Value::Array(list) => list.iter().map(|item| shown(item, is_secret)).collect(),
            Value::Object(object) => Value::Object(masked_template(object)),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
    let entries = template.iter();
    entries.map(|(name, value)| (name.clone(), shown(value, is_secret_parameter(name)))).collect()
}

pub(crate) fn masked_object(object: &Map<String, Value>) -> Map<String, Value> {
    let masked = |name: &str, value: &Value| {
        if is_secret_name(name) { masked_secret(value) } else { masked_value(value) }
    };
    object.iter().map(|(name, value)| (name.clone(), masked(name, value))).collect()
}

/// Under a secret name, every value is masked as a whole, except for null, booleans and empty texts.
fn masked_secret(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::String(text) if text.is_empty() => value.clone(),
        _ => Value::String(MASK.to_owned()),
    }
}

/// Masks the secrets inside a value.
fn masked_value(value: &Value) -> Value {
    match value {
        Value::String(text) if has_login(text) => Value::String(MASK.to_owned()),
        Value::String(text) => Value::String(inline_secrets::mask(text)),
        Value::Array(list) => list.iter().map(masked_value).collect(),
        Value::Object(object) => Value::Object(masked_object(object)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

pub(crate) fn keep(given: &mut Map<String, Value>, stored: &Map<String, Value>) {
    for (name, value) in given {
        if let Some(kept) = stored.get(name) {
            keep_value(value, kept);
        }
    }
}

fn keep_value(given: &mut Value, stored: &Value) {
    match (given, stored) {
        (Value::String(text), _) if !Secret::is_masked(text) => {}
        (Value::String(text), Value::String(kept)) if text != MASK && !has_login(kept) => {
            *text = inline_secrets::restore(text, kept);
        }
        (given @ Value::String(_), kept) => kept.clone_into(given),
        (Value::Object(given), Value::Object(stored)) => keep(given, stored),
        (Value::Array(given), Value::Array(stored)) => {
            given.iter_mut().zip(stored).for_each(|(given, stored)| keep_value(given, stored));
        }
        _ => {}
    }
}

pub(crate) fn holds_mask(value: &Value) -> bool {
    match value {
        Value::String(text) => Secret::is_masked(text),
        Value::Array(list) => list.iter().any(holds_mask),
        Value::Object(object) => object.values().any(holds_mask),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;
    use crate::instant::Instant;
    use crate::unreadable_secrets::UnreadableSecrets;
    use serde_json::json;

    fn spec(headers: Value, config: Value) -> ProviderSpec {
        let read = json!({"http_request_headers": headers, "page_fetch_config_json": config});
        serde_json::from_value(read).expect("a spec")
    }

    fn stored() -> ProviderSpec {
        let headers = json!({
            "Accept": "text/html", "Authorization": "Bearer canary", "Cookie": "a=canary",
            "X-Proxy": "http://u:canary@h.example", "X-Subscription-Key": "canary", "X-Token": "",
        });
        let config = json!({
            "cache": "true", "timeout": 10, "headers": {"User-Agent": "bot/1", "authorization": "canary"},
            "diffbot": {"token": "canary", "use_token": true}, "keys": ["canary", 7],
            "ways": [{"secret": "canary"}, "plain", "https://u:canary@h.example/"],
        });
        spec(headers, config)
    }

    #[test]
    fn secrets_are_masked_and_the_rest_is_readable() {
        let masked = stored().masked();
        assert_eq!(
            json!(masked.http_request_headers),
            json!({
                "Accept": "text/html", "Authorization": "••••", "Cookie": "••••", "X-Proxy": "••••",
                "X-Subscription-Key": "••••", "X-Token": "",
            })
        );
        assert_eq!(
            json!(masked.page_fetch_config_json),
            json!({
                "cache": "true", "timeout": 10, "headers": {"User-Agent": "bot/1", "authorization": "••••"},
                "diffbot": {"token": "••••", "use_token": true}, "keys": "••••",
                "ways": [{"secret": "••••"}, "plain", "••••"],
            })
        );
        let shown = format!("{:?}", ProviderSpec { credentials: "key=canary".to_owned(), ..stored() });
        assert!(shown.contains("text/html") && !shown.contains("canary"), "{shown}");
    }

    #[test]
    fn a_masked_spec_sent_back_is_the_stored_one() {
        assert_eq!(stored().masked().keeping(&stored()), stored());
        assert_eq!(stored().masked().masked_fields(), ["http_request_headers", "page_fetch_config_json"]);
        assert!(stored().masked_fields().is_empty());
    }

    #[test]
    fn a_mask_keeps_what_has_its_name() {
        let table = [
            (json!({"AUTHORIZATION": "Bearer ••••"}), json!({"AUTHORIZATION": "Bearer canary"})),
            (json!({"Authorization": "new"}), json!({"Authorization": "new"})),
            (json!({"Authorization": ""}), json!({"Authorization": ""})),
            (json!({}), json!({})),
            (json!({"X-Other": "••••"}), json!({"X-Other": "••••"})),
        ];
        for (given, want) in table {
            let kept = spec(given.clone(), json!({})).keeping(&stored());
            assert_eq!(json!(kept.http_request_headers), want, "{given}");
        }
        let table = [
            (json!({"diffbot": {"token": "••••"}}), json!({"diffbot": {"token": "canary"}})),
            (json!({"diffbot": {"token": "new"}}), json!({"diffbot": {"token": "new"}})),
            (json!({"keys": "••••"}), json!({"keys": ["canary", 7]})),
            (json!({"other": "••••"}), json!({"other": "••••"})),
        ];
        for (given, want) in table {
            let kept = spec(json!({}), given.clone()).keeping(&stored());
            assert_eq!(json!(kept.page_fetch_config_json), want, "{given}");
        }
        let unknown = spec(json!({"X-Other": "••••"}), json!({"other": [{"token": "••••"}]}));
        assert_eq!(
            unknown.keeping(&stored()).masked_fields(),
            ["http_request_headers", "page_fetch_config_json"]
        );
    }

    #[test]
    fn an_unreadable_secret_stays_bound_to_its_address() {
        let spec = ProviderSpec { url: "https://a.example/".to_owned(), ..ProviderSpec::default() };
        let mut stored = SearchProvider::unsaved(spec.clone(), UserId(1), Instant::UNIX_EPOCH);
        let elsewhere = ProviderSpec { url: "https://b.example/".to_owned(), ..spec.clone() };
        assert!(elsewhere.clone().in_place_of(&stored).is_ok(), "nothing is stored");
        for (credentials, confidential, named) in
            [(true, false, "credentials"), (false, true, "http_request_headers")]
        {
            stored.unreadable = UnreadableSecrets { credentials, confidential };
            assert!(spec.clone().in_place_of(&stored).is_ok());
            let refused = elsewhere.clone().in_place_of(&stored).expect_err("it would follow").to_string();
            assert!(refused.contains(named), "{refused}");
            let entered = ProviderSpec { credentials: "key=new".to_owned(), ..elsewhere.clone() };
            assert!(entered.in_place_of(&stored).is_ok(), "it is replaced");
        }
        stored.unreadable = UnreadableSecrets { credentials: true, confidential: false };
        let masked = ProviderSpec { credentials: "key=••••".to_owned(), ..spec };
        assert_eq!(masked.in_place_of(&stored).expect("kept").credentials, "");
    }
}
