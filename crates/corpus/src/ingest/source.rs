//! Which source gives a document, and with whose rights it is asked.

use super::IngestError;
use crate::CacheParts;
use domain::contracts::{ByteOrigin, PluginRegistry, StoreError};
use domain::corpus::{CONNECTOR_NAME, Signal, SourceKind};
use domain::ids::{ProviderId, UserId};
use domain::provenance::{AccountPage, PageTarget, SourcePage, UserUrl};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::user::Principal;
use serde_json::{Map, Value};

/// Newest result sets of a person and a provider in which a typed address is looked for.
const RESULT_SETS_MAX: u64 = 100;

/// A document as its source is asked for it. The document is attributed to the source if the source gave its address and
/// its bytes; else the source is one that only leads to the document, one whose account the person uses to fetch an
/// address that they typed, or nobody's.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub provider: SearchProvider,
    pub item: ResultItem,
}

impl Asked {
    pub fn target(&self, plugins: &PluginRegistry) -> PageTarget<'_> {
        target(plugins, &self.provider, &self.item)
    }
}

/// What is fetched for a document, and with whose rights.
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

/// The provider that a document is attributed to if its bytes come from the provider's own origin, as far as that is known
/// before it is fetched.
pub(super) fn attributable_to(provider: &SearchProvider, item: &ResultItem) -> Option<ProviderId> {
    PageTarget::of_result(provider, item).source_id()
}

/// The provider that a document is attributed to: the one that gave its address, and from whose own origin its bytes came.
pub(super) fn attributed_to(
    provider: &SearchProvider,
    item: &ResultItem,
    came_from: ByteOrigin,
) -> Option<ProviderId> {
    attributable_to(provider, item).filter(|_| came_from == ByteOrigin::Own)
}

/// How the document behind a result is asked for: as its provider gave it, whatever the owner made of the result. Where
/// that is not known, its address is a typed one.
pub(super) fn behind(parts: &CacheParts, user: UserId, provider: SearchProvider, item: &ResultItem) -> Asked {
    let given = item.as_given().and_then(|given| SourcePage::of(&provider, given));
    let mut asked = match given.map(|page| page.item().to_result()) {
        Some(item) => Asked { provider, item },
        None => typed_at(parts, user, provider, &item.url),
    };
    asked.item.swirl_id = item.swirl_id;
    asked
}

/// How the document at a typed address is asked for when a provider is named. It is the provider's document only if the
/// provider gave this very address to this person.
pub(super) async fn named(
    parts: &CacheParts,
    user: UserId,
    provider: SearchProvider,
    url: &str,
) -> Result<Asked, IngestError> {
    if !may_ask(parts, &provider, user).await? {
        return Err(IngestError::NotAllowed);
    }
    let url = url.trim();
    if let Some(found) = parts.store.unedited_result(user, provider.id, url, RESULT_SETS_MAX).await? {
        return Ok(behind(parts, user, provider, &found.item));
    }
    Ok(typed_at(parts, user, provider, url))
}

/// A typed address with a provider beside it, whose account fetches the address if it is on the provider's origin.
fn typed_at(parts: &CacheParts, user: UserId, provider: SearchProvider, url: &str) -> Asked {
    let is_account = AccountPage::of(&provider, &parts.plugins, UserUrl::new(url)).is_some();
    let provider = if is_account { provider } else { nobodys(parts, user) };
    Asked { provider, item: typed(url) }
}

/// A document of which only an address is known, because a person typed it.
pub(super) fn typed(url: &str) -> ResultItem {
    ResultItem { url: url.to_owned(), ..ResultItem::default() }
}

/// How this person asks the source of a cached document for it. None: the source is gone, or is not for them (any more).
pub(crate) async fn asked_for(
    parts: &CacheParts,
    signal: &Signal,
    user: UserId,
) -> Result<Option<Asked>, StoreError> {
    // A text that a person gave says nothing about who gave its address.
    let source = signal.source_provider_id.filter(|_| !signal.is_supplied);
    let account = account_of(parts, signal, user).await?;
    let provider = match source.or(account) {
        None => nobodys(parts, user),
        Some(id) => match parts.store.provider(id).await {
            Ok(provider) => provider,
            Err(StoreError::NotFound) => return Ok(None),
            Err(error) => return Err(error),
        },
    };
    // Without the account the address may show a sign-in page, which must not replace what the account was given.
    let is_out_of_reach =
        account.is_some() && AccountPage::of(&provider, &parts.plugins, UserUrl::new(&signal.url)).is_none();
    if is_out_of_reach || !may_ask(parts, &provider, user).await? {
        return Ok(None);
    }
    let item = item_of(signal, source);
    Ok(Some(Asked { provider, item }))
}

/// The provider without which this person cannot fetch a document again that is attributed to nobody.
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

/// True when this person has the record in the way that `target` is fetched: from the same provider, or with the same
/// account. What another provider or account answers says nothing of the record. A document that a redirect took from
/// elsewhere is attributed to nobody, although its provider is asked for it.
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

/// All records of an address that this person has in the way that `target` is fetched.
pub(crate) async fn all_fetched_by(
    parts: &CacheParts,
    url_hash: &str,
    target: &PageTarget<'_>,
    user: UserId,
) -> Result<Vec<Signal>, StoreError> {
    let mut found = Vec::new();
    for signal in parts.store.signals_at(url_hash, None).await? {
        if is_fetched_by(parts, &signal, target, user).await? {
            found.push(signal);
        }
    }
    Ok(found)
}

/// True when the person may use the source now. The cache itself gives no documents.
pub(super) async fn may_ask(
    parts: &CacheParts,
    provider: &SearchProvider,
    user: UserId,
) -> Result<bool, StoreError> {
    if is_cache(provider) {
        return Ok(false);
    }
    let person = match parts.store.user(user).await {
        Ok(user) => Principal::of(&user),
        Err(StoreError::NotFound) => return Ok(false),
        Err(error) => return Err(error),
    };
    Ok(provider.id.0 == 0 || person.may_see(provider))
}

/// Stands for no source: pages are asked for as anybody could.
pub(super) fn nobodys(parts: &CacheParts, user: UserId) -> SearchProvider {
    SearchProvider::unsaved(ProviderSpec::default(), user, parts.clock.now())
}

/// The id of a source; None for no source.
pub(super) fn id_of(provider: &SearchProvider) -> Option<ProviderId> {
    Some(provider.id).filter(|id| id.0 != 0)
}

/// The source is the cache itself.
pub(super) fn is_cache(provider: &SearchProvider) -> bool {
    provider.spec.connector == CONNECTOR_NAME
}

/// Pages of this source are kept without anybody's wish: they may be fetched, and it does not say `"cache": "false"`.
pub(super) fn keeps_by_itself(provider: &SearchProvider) -> bool {
    let says_no = |value: &Value| match value {
        Value::Bool(keeps) => !keeps,
        Value::String(text) => text.trim().eq_ignore_ascii_case("false"),
        _ => false,
    };
    let said = provider.spec.page_fetch_config_json.get("cache");
    said.is_some_and(|value| !says_no(value)) && !is_cache(provider)
}

/// What kind of place it is: as `config.swirl.cache.kind` says, else by its connector.
pub(super) fn kind(provider: &SearchProvider) -> SourceKind {
    let said = provider.config_value("cache", "kind").and_then(Value::as_str).and_then(SourceKind::parse);
    said.unwrap_or(match provider.spec.connector.as_str() {
        "Gmail" | "M365OutlookMessages" => SourceKind::Mail,
        "BoxStorage" | "Dropbox" | "FileSystem" | "GoogleDrive" | "M365OneDrive" => SourceKind::Drive,
        "M365SharePointSites" => SourceKind::Dms,
        "MicrosoftTeams" => SourceKind::Chat,
        "BigQuery" | "MSSQL" | "MongoDB" | "MySQL" | "Oracle" | "PgVector" | "PostgreSQL" | "Snowflake"
        | "Sqlite3" => SourceKind::Db,
        _ => SourceKind::Web,
    })
}

/// A result that stands for a cached document: as its source gave it, or of an address that a person typed.
fn item_of(signal: &Signal, source: Option<ProviderId>) -> ResultItem {
    let payload = match serde_json::from_str(&signal.external_id) {
        Ok(Value::Object(values)) => values,
        _ => Map::new(),
    };
    let mut item = ResultItem {
        title: signal.title.clone(),
        url: signal.url.clone(),
        author: signal.author.clone(),
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
    use serde_json::json;

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
                keeps_by_itself(&provider(json!({"page_fetch_config_json": config}))),
                keeps,
                "{config}"
            );
        }
        let cache = json!({"connector": CONNECTOR_NAME, "page_fetch_config_json": {"cache": "true"}});
        assert!(!keeps_by_itself(&provider(cache)));
    }

    #[test]
    fn kinds_are_said_or_known() {
        let table = [
            (json!({"connector": "Gmail"}), SourceKind::Mail),
            (json!({"connector": "RequestsGet"}), SourceKind::Web),
            (json!({"config": {"swirl": {"cache": {"kind": "wiki"}}}}), SourceKind::Wiki),
            (json!({"config": {"swirl": {"cache": {"kind": "cellar"}}}}), SourceKind::Web),
        ];
        for (spec, expected) in table {
            assert_eq!(kind(&provider(spec.clone())), expected, "{spec}");
        }
    }
}
