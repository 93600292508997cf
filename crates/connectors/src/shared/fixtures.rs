//! Test fixtures: providers with a block of settings in their `config`.

use domain::provider::{ProviderSpec, SearchProvider};
use domain::validation::FieldErrors;
use serde_json::{Value, json};

/// A provider with this `swirl.<name>` block.
pub fn provider_with_block(name: &str, block: &Value) -> SearchProvider {
    provider_at("", name, block)
}

/// A provider with this URL and this `swirl.<name>` block.
pub fn provider_at(url: &str, name: &str, block: &Value) -> SearchProvider {
    let config = json!({"swirl": {name: block}});
    let spec = ProviderSpec {
        url: url.to_owned(),
        config: serde_json::from_value(config).unwrap(),
        ..ProviderSpec::default()
    };
    SearchProvider::unsaved(spec, Default::default(), Default::default())
}

/// The errors of the field `config`.
pub fn config_errors(errors: FieldErrors) -> Vec<String> {
    errors.into_map().remove("config").unwrap_or_default()
}
