//! A PageFetch with the real client, and providers for it.

use async_trait::async_trait;
use chrono::DateTime;
use domain::corpus::SourceKind;
use domain::ids::{ProviderId, UserId};
use domain::ports::{
    Capability, ConnectorError, ConnectorErrorKind, ConnectorKind, DocumentRequest, PageError, PageText,
    PluginRegistry, ReadPages, ResultOrigin, SourceTokenError, SourceTokens, TestTarget,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::secret::Secret;
use domain::settings::{PluginSettings, Seconds};
use domain::validation::FieldErrors;
use extraction::{Extraction, Limits};
use outbound::{AllowRule, ClientLimits, GuardedClient};
use page_fetch::{PageFetch, PageFetchParts};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use testkit::source::Source;

/// One connector that needs each person's own token.
pub const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[ConnectorKind {
        name: "Personal",
        module: "personal",
        summary: "",
        capability: Capability { page: false, date_sort: false, not: false },
        settings: &[],
        authenticator: Some("microsoft"),
        origin: ResultOrigin::Live,
        source_kind: SourceKind::Web,
        test_target: TestTarget::Fake,
        check: |_| FieldErrors::default(),
        build: |_, _| Err(ConnectorError::new(ConnectorErrorKind::ConfigInvalid, "never built here")),
    }],
    query_processors: &[],
    result_processors: &[],
    post_result_processors: &[],
    mixers: &[],
    default_post_result: &[],
    read_answer: |_, _| Ok(Value::Null),
};

pub const ANN: UserId = UserId(1);
pub const BOB: UserId = UserId(2);

/// Ann has connected her account, Bob has not.
struct Tokens;

#[async_trait]
impl SourceTokens for Tokens {
    async fn access_token(&self, user: UserId, authenticator: &str) -> Result<Secret, SourceTokenError> {
        match user {
            ANN => Ok(Secret::new(format!("token-of-ann-for-{authenticator}"))),
            _ => Err(SourceTokenError::NotConnected(authenticator.to_owned())),
        }
    }
}

/// With private hosts that may be reached although nobody vouches for them.
pub fn pages(allowed: &[&Source]) -> PageFetch {
    let rules: Vec<String> = allowed.iter().map(|source| source.address().to_string()).collect();
    let client = GuardedClient::new(ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(20),
        body_bytes_max: 1_000_000,
        redirects_max: 3,
        allow: AllowRule::parse_all(&rules).expect("rules"),
    });
    PageFetch::new(PageFetchParts {
        fetch: Arc::new(client.expect("a client")),
        extract: Arc::new(Extraction::start(Limits::default()).expect("threads")),
        tokens: Arc::new(Tokens),
        plugins: PLUGINS,
        settings: Arc::new(PluginSettings {
            page_fetch_timeout: Seconds::new(5),
            ..PluginSettings::default()
        }),
    })
}

/// A provider of the API at `url`, with more fields.
pub fn provider(url: &str, more: Value) -> SearchProvider {
    let mut fields = json!({"name": "Rivers", "url": url, "page_fetch_config_json": {"cache": "false"}});
    fields.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let spec: ProviderSpec = serde_json::from_value(fields).expect("a spec");
    assert!(spec.check().is_empty(), "{}", spec.check());
    SearchProvider::unsaved(spec, ANN, DateTime::UNIX_EPOCH)
}

/// As returned by the provider.
pub fn item(url: impl ToString, body: &str) -> ResultItem {
    let mut item = typed(url, body);
    item.mark_as_given(ProviderId(0));
    item
}

/// As edited by a person before edits were recorded.
pub fn typed(url: impl ToString, body: &str) -> ResultItem {
    ResultItem { url: url.to_string(), body: body.to_owned(), ..ResultItem::default() }
}

pub async fn read(
    pages: &PageFetch,
    provider: &SearchProvider,
    item: &ResultItem,
) -> Result<PageText, PageError> {
    read_as(pages, provider, item, ANN).await
}

pub async fn read_as(
    pages: &PageFetch,
    provider: &SearchProvider,
    item: &ResultItem,
    user: UserId,
) -> Result<PageText, PageError> {
    pages.read(&DocumentRequest::of_result(provider, item, user, Duration::from_secs(10))).await
}
