//! Binding of stored secrets to their destinations: a stored secret is kept only while its destinations do not change.

use crate::ai_provider::AiProviderSpec;
use crate::authenticator::AuthenticatorSpec;
use crate::provider::ProviderSpec;
use crate::validation::FieldErrors;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use syntax::query_template::bind_configuration;
use url::Url;

/// Error of a field whose stored secret would be sent to a changed address.
const ADDRESS_CHANGED: &str = "The address has changed, and a stored secret is not sent to a different destination: enter the secret again.";
/// The field of `config` with the address of a model's service.
const API_BASE: &str = "api_base";
const SERVICE_FIELDS: [&str; 3] = ["custom_llm", "AWS_REGION_NAME", "AWS_REGION"];
/// The field of a provider's `config` with a list of further hosts.
const HOSTS: &str = "hosts";

/// Destinations of secrets: scheme, host and port of each, or the text if it is not a URL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Destinations(BTreeSet<String>);

/// Which texts of a configuration are destinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DestinationTexts {
    /// Those that are URLs.
    Urls,
    /// All, as in a list of hosts.
    All,
}

impl Destinations {
    pub fn of_provider(spec: &ProviderSpec) -> Self {
        let mut places = Self::default();
        let mappings = spec.query_mappings.parsed().cloned().unwrap_or_default();
        let bound = |template: &str| {
            bind_configuration(template, spec.url.trim(), &mappings).unwrap_or_else(|_| template.to_owned())
        };
        places.add(&bound("{url}").replace("{url}", ""));
        // A statement or a body is not a URL.
        if let Some(origin) = origin(&bound(&spec.query_template)) {
            places.0.insert(origin);
        }
        // A connector may read a URL from a mapping, as Pinecone does from `api`.
        places.0.extend(mappings.pairs().iter().filter_map(|(_, value)| origin(value.trim())));
        places.add_addresses(spec.page_fetch_config_json.as_ref(), DestinationTexts::Urls);
        places.add_addresses(spec.config.as_ref(), DestinationTexts::Urls);
        places
    }

    pub fn of_ai_provider(spec: &AiProviderSpec) -> Self {
        let mut places = Self::default();
        places.add_addresses(&spec.config, DestinationTexts::Urls);
        // Without an address in `config`, the model's service decides.
        if spec.config_text(API_BASE).and_then(|address| origin(address.trim())).is_none() {
            places.0.insert(format!("service of {}", service_of(&spec.model)));
            let fields = SERVICE_FIELDS.iter().filter_map(|field| spec.config_text(field));
            places.0.extend(fields.map(|value| value.trim().to_owned()));
        }
        places
    }

    pub fn of_authenticator(spec: &AuthenticatorSpec) -> Self {
        let mut places = Self::default();
        for address in [
            &spec.token_uri,
            &spec.auth_uri,
            &spec.revoke_uri,
            &spec.user_data_url,
            &spec.jwks_uri,
            &spec.issuer,
        ] {
            places.add(address);
        }
        places
    }

    /// Whether there is a destination that is not among the others. Removed destinations do not count.
    pub fn has_others_than(&self, before: &Self) -> bool {
        !self.0.is_subset(&before.0)
    }

    fn add(&mut self, address: &str) {
        let address = address.trim();
        if !address.is_empty() {
            self.0.insert(origin(address).unwrap_or_else(|| address.to_owned()));
        }
    }

    /// Every URL among the values, and every text of a list of hosts.
    fn add_addresses(&mut self, values: &Map<String, Value>, texts: DestinationTexts) {
        for (name, value) in values {
            self.add_value(value, if name == HOSTS { DestinationTexts::All } else { texts });
        }
    }

    fn add_value(&mut self, value: &Value, texts: DestinationTexts) {
        let is_destination = |text: &str| texts == DestinationTexts::All || origin(text.trim()).is_some();
        match value {
            Value::String(text) if is_destination(text) => self.add(text),
            Value::Array(list) => list.iter().for_each(|one| self.add_value(one, texts)),
            Value::Object(object) => self.add_addresses(object, texts),
            _ => {}
        }
    }
}

/// The fields whose stored secrets would be sent to a different destination. `fields`: those that keep one.
pub fn check(
    before: &Destinations,
    after: &Destinations,
    fields: &[&'static str],
) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if after.has_others_than(before) {
        fields.iter().for_each(|field| errors.add(field, ADDRESS_CHANGED));
    }
    errors.into_result(())
}

/// The prefix of a model's name up to its first slash, else up to the first character that is not alphabetic:
/// `anthropic` of `anthropic/claude-5`, `gpt` of `gpt-5`.
fn service_of(model: &str) -> String {
    let model = model.trim();
    let service = match model.split_once('/') {
        Some((service, _)) => service,
        None => model.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default(),
    };
    service.to_ascii_lowercase()
}

/// Scheme, host and port of a URL, as an HTTP client parses it: `https:a.example` has a host, too.
fn origin(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let host = url.host_str().filter(|host| !host.is_empty())?.trim_end_matches('.').to_ascii_lowercase();
    let port = url.port_or_known_default().map_or_else(String::new, |port| port.to_string());
    Some(format!("{}://{host}:{port}", url.scheme()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn provider(fields: Value) -> Destinations {
        Destinations::of_provider(&serde_json::from_value(fields).expect("a spec"))
    }

    fn is_refused(before: &Destinations, after: &Destinations) -> bool {
        check(before, after, &["credentials"]).is_err()
    }

    #[test]
    fn a_provider_is_bound_to_scheme_host_and_port() {
        let stored = provider(json!({"url": "https://a.example/v1?x=1", "query_mappings": "host=a,lang=en"}));
        let same = [
            json!({"url": "https://A.example:443/other"}),
            json!({"url": " https://a.example./ ", "query_template": "{url}/x?q={query_string}"}),
            json!({"url": "https://{host}.example/", "query_mappings": "host=a"}),
        ];
        for spec in same {
            assert!(!is_refused(&stored, &provider(spec.clone())), "{spec}");
        }
        let other = [
            json!({"url": "https://b.example/v1"}),
            json!({"url": "http://a.example/v1"}),
            json!({"url": "https://a.example:8443/v1"}),
            json!({"url": "https://{host}.example/", "query_mappings": "host=b"}),
            json!({"url": "https://a.example@b.example/"}),
            json!({"url": "https://a.example/", "query_template": "https://b.example/?q={query_string}"}),
            json!({"url": "https://a.example/", "query_template": "{to}?q={query_string}", "query_mappings": "to=http://b/"}),
            json!({"url": "https://a.example/", "page_fetch_config_json": {"content_url": "https://b.example/{id}"}}),
            json!({"url": "https://a.example/", "config": {"swirl": {"x": {"hosts": ["b.example"]}}}}),
            json!({"url": "https://a.example/", "page_fetch_config_json": {"diffbot": {"url": "https:b.example"}}}),
            json!({"url": "https://a.example/", "query_mappings": "lang=en,api=https://b.example"}),
            json!({"url": "https://a.example/", "query_mappings": "lang=en,api=https:b.example"}),
        ];
        for spec in other {
            assert!(is_refused(&stored, &provider(spec.clone())), "{spec}");
        }
        assert!(is_refused(
            &provider(json!({"url": "db.example:5432:a"})),
            &provider(json!({"url": "x:5432:a"}))
        ));
        let databases = ["postgres://h/a", "postgres://h/b", "postgres://h:5433/a"]
            .map(|url| provider(json!({"url": url})));
        assert!(!is_refused(&databases[0], &databases[1]) && is_refused(&databases[0], &databases[2]));
    }

    #[test]
    fn a_model_is_bound_to_its_address_or_its_service() {
        let of = |model: &str, config: Value| {
            let spec = json!({"name": "A", "model": model, "config": config});
            Destinations::of_ai_provider(&serde_json::from_value(spec).expect("a spec"))
        };
        let stored = of("gpt-5", json!({}));
        assert!(!is_refused(&stored, &of("gpt-6", json!({"max_tokens": 5}))));
        assert!(is_refused(&stored, &of("anthropic/x", json!({}))));
        assert!(is_refused(&stored, &of("gpt-5", json!({"api_base": "http://b.example/v1"}))));
        assert!(is_refused(&stored, &of("gpt-5", json!({"api_base": "https:b.example/v1"}))));
        assert!(is_refused(&stored, &of("gpt-5", json!({"custom_llm": "anthropic"}))));
        for model in ["amazon.nova", "claude-5", "command-r", "gemini-3", "bedrock/x"] {
            assert!(is_refused(&stored, &of(model, json!({}))), "{model}");
        }
        let region = |region: &str| of("bedrock/x", json!({"AWS_REGION_NAME": region}));
        assert!(is_refused(&region("us-east-1"), &region("b.example/x?")));
        let own = of("meta/one", json!({"api_base": "http://a.example/v1"}));
        assert!(!is_refused(&own, &of("other/two", json!({"api_base": "http://a.example/v2"}))));
        assert!(is_refused(&own, &of("meta/one", json!({}))));
        let moved = of("claude-5", json!({"note": "http://a.example/v1"}));
        assert!(is_refused(&own, &moved), "an address in another field is nowhere sent to");
    }

    #[test]
    fn an_authenticator_is_bound_to_its_addresses() {
        let of = |token: &str, issuer: &str| {
            let spec = json!({"token_uri": token, "issuer": issuer});
            Destinations::of_authenticator(&serde_json::from_value(spec).expect("a spec"))
        };
        let stored = of("https://a.example/token", "https://a.example");
        assert!(!is_refused(&stored, &of("https://a.example/v2/token", "")));
        assert!(is_refused(&stored, &of("https://b.example/token", "https://a.example")));
        assert!(is_refused(&stored, &of("", "https://b.example")));
    }
}
