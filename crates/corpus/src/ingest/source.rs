//! The source of a document, and whose credentials fetch it.

use super::request::IngestError;
use crate::CacheParts;
use domain::corpus::{Signal, SourceKind, Visibility};
use domain::ids::{ProviderId, UserId};
use domain::ports::{ByteOrigin, PluginRegistry, ResultOrigin, StoreError};
use domain::provenance::{AccountPage, PageTarget, SourcePage, UserUrl};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::user::Principal;
use serde_json::{Map, Value};
use syntax::strip_html::readable_plain;

/// Most recent result sets of a person and a provider that are searched for a typed URL.
const RESULT_SETS_MAX: u64 = 100;

/// A request for a document at its source. The document is attributed to the source if the source returned its URL and
/// its bytes; else the provider only links to the document, provides the account for a typed URL, or is empty.
#[derive(Debug, Clone)]
pub(crate) struct SourceRequest {
    pub provider: SearchProvider,
    pub item: ResultItem,
}

impl SourceRequest {
    pub fn target(&self, plugins: &PluginRegistry) -> PageTarget<'_> {
        target(plugins, &self.provider, &self.item)
    }
}

/// What is fetched for a document, and with whose credentials.
pub(super) fn target<'a>(
    plugins: &PluginRegistry,
    provider: &'a SearchProvider,
    item: &'a ResultItem,
) -> PageTarget<'a> {
    if item.as_given().is_none() {
        let account = AccountPage::of(provider, plugins, UserUrl::new(&item.url));
        return account.map_or(PageTarget::User(UserUrl::new(&item.url)), PageTarget::Account);
    }
    PageTarget::of_result(provider, item)
}

/// The provider that a document is attributed to if its bytes come from the provider's own origin, as far as that is
/// known before the fetch.
pub(super) fn attributable_to(provider: &SearchProvider, item: &ResultItem) -> Option<ProviderId> {
    PageTarget::of_result(provider, item).source_id()
}

/// The provider that a document is attributed to: the one that returned its URL, and from whose own origin its bytes
/// came.
pub(super) fn attributed_to(
    provider: &SearchProvider,
    item: &ResultItem,
    came_from: ByteOrigin,
) -> Option<ProviderId> {
    attributable_to(provider, item).filter(|_| came_from == ByteOrigin::Own)
}

/// The request for the document behind a result, as its provider returned it, whatever the owner changed in the
/// result. If that is not known, its URL counts as typed.
pub(super) fn request_for_result(
    parts: &CacheParts,
    user: UserId,
    provider: SearchProvider,
    item: &ResultItem,
) -> SourceRequest {
    let given = item.as_given().and_then(|given| SourcePage::of(&provider, given));
    let mut asked = match given.map(|page| page.item().to_result()) {
        Some(item) => SourceRequest { provider, item },
        None => typed_at(parts, user, provider, &item.url),
    };
    asked.item.swirl_id = item.swirl_id;
    asked
}

/// The request for a typed URL with a named provider. The document is the provider's only if the provider returned
/// this URL to this person.
pub(super) async fn request_for_address(
    parts: &CacheParts,
    user: UserId,
    provider: SearchProvider,
    url: &str,
) -> Result<SourceRequest, IngestError> {
    if !may_ask(parts, &provider, user).await? {
        return Err(IngestError::NotAllowed);
    }
    let url = url.trim();
    if let Some(found) = parts.store.unedited_result(user, provider.id, url, RESULT_SETS_MAX).await? {
        return Ok(request_for_result(parts, user, provider, &found.item));
    }
    Ok(typed_at(parts, user, provider, url))
}

/// A typed URL with a provider whose account fetches it if it is on the provider's origin.
fn typed_at(parts: &CacheParts, user: UserId, provider: SearchProvider, url: &str) -> SourceRequest {
    let is_account = AccountPage::of(&provider, &parts.plugins, UserUrl::new(url)).is_some();
    let provider = if is_account { provider } else { no_provider(parts, user) };
    SourceRequest { provider, item: typed_item(url) }
}

/// A document of which only a typed URL is known.
pub(super) fn typed_item(url: &str) -> ResultItem {
    ResultItem { url: url.to_owned(), ..ResultItem::default() }
}

/// The request of this person for a cached document at its source. None: the source is gone, or the person may not use
/// it.
pub(crate) async fn source_request(
    parts: &CacheParts,
    signal: &Signal,
    user: UserId,
) -> Result<Option<SourceRequest>, StoreError> {
    // A supplied text says nothing about who provided its URL.
    let source = signal.source_provider_id.filter(|_| !signal.is_supplied);
    let account = account_of(parts, signal, user).await?;
    let provider = match source.or(account) {
        None => no_provider(parts, user),
        Some(id) => match parts.store.provider(id).await {
            Ok(provider) => provider,
            Err(StoreError::NotFound) => return Ok(None),
            Err(error) => return Err(error),
        },
    };
    // Without the account the URL may show a sign-in page, which must not replace the cached text.
    let is_out_of_reach =
        account.is_some() && AccountPage::of(&provider, &parts.plugins, UserUrl::new(&signal.url)).is_none();
    if is_out_of_reach || !may_ask(parts, &provider, user).await? {
        return Ok(None);
    }
    let item = item_of(signal, source);
    Ok(Some(SourceRequest { provider, item }))
}

/// The provider whose account this person needs to fetch an unattributed document again.
pub(crate) async fn account_of(
    parts: &CacheParts,
    signal: &Signal,
    user: UserId,
) -> Result<Option<ProviderId>, StoreError> {
    if signal.is_supplied || signal.source_provider_id.is_some() {
        return Ok(None);
    }
    let grants = parts.store.grants(signal.signal_id).await?;
    Ok(grants.iter().find(|grant| grant.user_id == user).and_then(|grant| grant.account_provider_id))
}

/// Whether this person's record is fetched in the same way as `target`: from the same provider, or with the same
/// account. The response of another provider or account says nothing about the record. A document that a redirect took
/// from elsewhere is unattributed although its provider is asked for it.
pub(crate) async fn is_fetched_by(
    parts: &CacheParts,
    signal: &Signal,
    target: &PageTarget<'_>,
    user: UserId,
) -> Result<bool, StoreError> {
    match signal.source_provider_id {
        Some(source) => Ok(matches!(target, PageTarget::Source(page) if page.provider().id == source)),
        None => Ok(account_of(parts, signal, user).await? == target.account_id(&parts.plugins)),
    }
}

/// All records of a URL that this person fetched in the same way as `target`.
pub(crate) async fn all_fetched_by(
    parts: &CacheParts,
    url_hash: &str,
    target: &PageTarget<'_>,
    user: UserId,
) -> Result<Vec<Signal>, StoreError> {
    let mut found = Vec::new();
    for signal in parts.store.signals_at(url_hash, Visibility::Unrestricted).await? {
        if is_fetched_by(parts, &signal, target, user).await? {
            found.push(signal);
        }
    }
    Ok(found)
}

/// Whether the person may use the provider now. The cache itself is not a source.
pub(super) async fn may_ask(
    parts: &CacheParts,
    provider: &SearchProvider,
    user: UserId,
) -> Result<bool, StoreError> {
    if is_cache(provider, &parts.plugins) {
        return Ok(false);
    }
    let person = match parts.store.user(user).await {
        Ok(user) => Principal::of(&user),
        Err(StoreError::NotFound) => return Ok(false),
        Err(error) => return Err(error),
    };
    Ok(provider.id.0 == 0 || person.may_see(provider))
}

/// An empty provider: pages are fetched anonymously.
pub(super) fn no_provider(parts: &CacheParts, user: UserId) -> SearchProvider {
    SearchProvider::unsaved(ProviderSpec::default(), user, parts.clock.now())
}

/// The id of a provider; None for the empty one.
pub(super) fn id_of(provider: &SearchProvider) -> Option<ProviderId> {
    Some(provider.id).filter(|id| id.0 != 0)
}

/// The provider is the cache itself.
fn is_cache(provider: &SearchProvider, plugins: &PluginRegistry) -> bool {
    plugins.is_from(ResultOrigin::Corpus, provider)
}

/// Whether the provider's pages are cached without a request: they may be fetched, and `cache` is not `false`.
pub(super) fn caches_automatically(provider: &SearchProvider, plugins: &PluginRegistry) -> bool {
    let says_no = |value: &Value| match value {
        Value::Bool(keeps) => !keeps,
        Value::String(text) => text.trim().eq_ignore_ascii_case("false"),
        _ => false,
    };
    let said = provider.spec.page_fetch_config_json.as_ref().get("cache");
    said.is_some_and(|value| !says_no(value)) && !is_cache(provider, plugins)
}

/// The kind of source: `config.swirl.cache.kind`, else that of the connector.
pub(super) fn source_kind(provider: &SearchProvider, plugins: &PluginRegistry) -> SourceKind {
    provider.spec.config.cache.kind.unwrap_or_else(|| plugins.source_kind(provider))
}

/// A result item for a cached document: as its source returned it, or for a typed URL.
fn item_of(signal: &Signal, source: Option<ProviderId>) -> ResultItem {
    let payload = match serde_json::from_str(&signal.external_id) {
        Ok(Value::Object(values)) => values,
        _ => Map::new(),
    };
    let mut item = ResultItem {
        title: readable_plain(&signal.title).into_owned(),
        url: signal.url.clone(),
        author: readable_plain(&signal.author).into_owned(),
        date_published: signal.date_published.clone(),
        payload,
        ..ResultItem::default()
    };
    if let Some(source) = source {
        item.mark_as_given(source);
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::instant::Instant;
    use domain::ports::ConnectorKind;
    use serde_json::json;
    use testkit::plugins::{NO_PLUGINS, connector_kind};

    const PLUGINS: PluginRegistry = PluginRegistry {
        connectors: &[
            ConnectorKind { origin: ResultOrigin::Corpus, ..connector_kind("Cache") },
            ConnectorKind { source_kind: SourceKind::Mail, ..connector_kind("Mailbox") },
        ],
        ..NO_PLUGINS
    };

    fn provider(spec: Value) -> SearchProvider {
        let spec = serde_json::from_value(spec).unwrap();
        SearchProvider::unsaved(spec, UserId(1), Instant::default())
    }

    #[test]
    fn sources_say_whether_their_pages_are_kept() {
        let table = [
            (json!({}), false),
            (json!({"cache": "true"}), true),
            (json!({"cache": ""}), true),
            (json!({"cache": null}), true),
            (json!({"cache": "False"}), false),
            (json!({"cache": false}), false),
        ];
        for (config, keeps) in table {
            assert_eq!(
                caches_automatically(&provider(json!({"page_fetch_config_json": config})), &PLUGINS),
                keeps,
                "{config}"
            );
        }
        let cache = json!({"connector": "Cache", "page_fetch_config_json": {"cache": "true"}});
        assert!(!caches_automatically(&provider(cache), &PLUGINS));
    }

    #[test]
    fn kinds_are_said_or_known() {
        let table = [
            (json!({"connector": "Mailbox"}), SourceKind::Mail),
            (json!({"connector": "Unknown"}), SourceKind::Web),
            (json!({"config": {"swirl": {"cache": {"kind": "wiki"}}}}), SourceKind::Wiki),
            (json!({"config": {"swirl": {"cache": {"kind": "cellar"}}}}), SourceKind::Web),
        ];
        for (spec, expected) in table {
            assert_eq!(source_kind(&provider(spec.clone()), &PLUGINS), expected, "{spec}");
        }
    }
}
