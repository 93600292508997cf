//! Panics: values with secrets are printed masked.

use chrono::DateTime;
use domain::ids::UserId;
use domain::provider::{ProviderSpec, SearchProvider};
use domain::secret::Secret;
use domain::settings::{RawSettings, Settings};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::catch_unwind;
use std::time::Duration;
use store::{EncryptionKey, StoreConfig};
use tasks::queue::NatsConfig;

/// The panic message of an `unwrap` on this value.
fn panicked(value: impl Debug + Send + 'static) -> String {
    let unwrap = |failed: Result<(), _>| failed.unwrap();
    let cause = catch_unwind(std::panic::AssertUnwindSafe(move || unwrap(Err(value)))).unwrap_err();
    cause.downcast::<String>().map(|text| *text).unwrap()
}

fn spec() -> ProviderSpec {
    serde_json::from_value(json!({
        "name": "shown", "credentials": "key=canary", "http_request_headers": {"X-Key": "canary", "Cookie": "canary"},
        "page_fetch_config_json": {"diffbot": {"token": "canary"}},
    }))
    .unwrap()
}

#[test]
fn a_panic_prints_no_secret() {
    let url = || Secret::new("postgres://u:canary@h.example/");
    let environment: BTreeMap<String, String> = [
        ("SVC_DATABASE_URL", "postgres://u:canary@h.example/"),
        ("SVC_QUEUE_URL", "nats://u:canary@h.example"),
        ("SVC_SECRET_KEY", "canary"),
        ("SVC_ADMIN_PASSWORD", "canary"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    let settings = Settings::parse(&RawSettings { environment, file: BTreeMap::new() }).unwrap().settings;
    let key = EncryptionKey::from_secret(&Secret::new("canary"));
    let texts = [
        panicked(spec()),
        panicked(SearchProvider::unsaved(spec(), UserId(1), DateTime::UNIX_EPOCH)),
        panicked(settings),
        panicked(StoreConfig { url: url(), pool_max: 1, key }),
        panicked(NatsConfig::new(url(), Duration::from_secs(1))),
    ];
    for text in &texts {
        assert!(!text.contains("canary"), "{text}");
    }
    assert!(texts[0].contains("shown") && texts[1].contains("shown"), "{texts:?}");
}
