//! What is fetched for a result or a typed URL, and with whose rights.

use super::{SourceItem, UserUrl, is_fetched_from_own_origin};
use crate::ids::ProviderId;
use crate::page_fetch::PageFetchConfig;
use crate::ports::{Origin, PluginRegistry};
use crate::provider::SearchProvider;
use crate::result::ResultItem;
use crate::secret::is_secret_name;
use std::borrow::Cow;
use url::Url;

/// A document that a provider returned: it is fetched by the provider's configuration and with its rights.
#[derive(Debug, Clone, Copy)]
pub struct SourcePage<'a> {
    provider: &'a SearchProvider,
    item: SourceItem<'a>,
}

impl<'a> SourcePage<'a> {
    /// None if the result belongs to another provider.
    pub fn of(provider: &'a SearchProvider, item: SourceItem<'a>) -> Option<Self> {
        (item.provider() == provider.id).then_some(Self { provider, item })
    }

    pub fn provider(&self) -> &'a SearchProvider {
        self.provider
    }

    pub fn item(&self) -> SourceItem<'a> {
        self.item
    }

    /// Whether the page is fetched from the provider's own origin. Otherwise the provider points to another host, as a
    /// search engine does. The target of a redirect is known only after the fetch.
    pub fn is_of_own_origin(&self) -> bool {
        is_fetched_from_own_origin(&self.provider.spec, self.item.url().as_str())
    }

    /// Whether anybody gets the same content at the URL of the document: no template leads to another URL, and nothing
    /// that identifies the user is sent.
    fn is_open(&self, plugins: &PluginRegistry) -> bool {
        let config = self.provider.spec.page_fetch_config_json.parsed();
        let has_rights = self.provider.user_token.is_some()
            || !self.provider.credentials.is_empty()
            || plugins.authenticator_of(self.provider).is_some()
            || config.headers.keys().any(|name| is_secret_name(name));
        config.content_url.is_none() && !(has_rights && self.is_of_own_origin())
    }
}

/// A typed URL on the origin of a provider that is queried with users' own accounts: it is fetched with the user's
/// token and with nothing of the provider's.
#[derive(Debug, Clone, Copy)]
pub struct AccountPage<'a> {
    provider: &'a SearchProvider,
    url: UserUrl<'a>,
}

impl<'a> AccountPage<'a> {
    /// None if the provider does not use users' accounts, or the URL is not on its origin.
    pub fn of(provider: &'a SearchProvider, plugins: &PluginRegistry, url: UserUrl<'a>) -> Option<Self> {
        plugins.authenticator_of(provider)?;
        let page = Self { provider, url };
        let parsed = Url::parse(url.as_str()).ok()?;
        page.origin().filter(|origin| origin.is_of(&parsed)).map(|_| page)
    }

    pub fn provider(&self) -> &'a SearchProvider {
        self.provider
    }

    pub fn url(&self) -> UserUrl<'a> {
        self.url
    }

    /// The only origin to which the user's token is sent.
    pub fn origin(&self) -> Option<Origin> {
        Origin::named_by(self.provider.spec.url.trim())
    }
}

/// What is fetched, and with whose rights.
#[derive(Debug, Clone, Copy)]
pub enum PageTarget<'a> {
    /// With the rights of the provider, or of the user's account there.
    Source(SourcePage<'a>),
    /// With the user's own token.
    Account(AccountPage<'a>),
    /// Without any rights.
    User(UserUrl<'a>),
}

impl<'a> PageTarget<'a> {
    /// The page behind a result: the one that the provider returned, regardless of edits by the owner. If the
    /// provider's original is unknown, the URL counts as typed.
    pub fn of_result(provider: &'a SearchProvider, item: &'a ResultItem) -> Self {
        let page = item.as_given().and_then(|given| SourcePage::of(provider, given));
        page.map_or(Self::User(UserUrl::new(&item.url)), Self::Source)
    }

    /// The URL that identifies the document, which is not always the one that is fetched.
    pub fn address(&self) -> &'a str {
        match self {
            Self::Source(page) => page.item.url().as_str(),
            Self::Account(page) => page.url.as_str(),
            Self::User(url) => url.as_str(),
        }
    }

    /// The provider to which a document fetched from here is attributed, provided that its bytes come from there: the
    /// one that returned the URL and whose own origin is requested. An account only fetches a URL that its owner typed.
    pub fn source_id(&self) -> Option<ProviderId> {
        match self {
            Self::Source(page) if page.is_of_own_origin() => Some(page.provider.id).filter(|id| id.0 != 0),
            Self::Source(_) | Self::Account(_) | Self::User(_) => None,
        }
    }

    /// The provider without which a document that is attributed to no provider cannot be fetched again: the user's
    /// account there, its credentials or its template returned the text. None: anybody gets it at its URL.
    pub fn account_id(&self, plugins: &PluginRegistry) -> Option<ProviderId> {
        match self {
            Self::Account(page) => Some(page.provider.id),
            Self::Source(page) if !page.is_open(plugins) => Some(page.provider.id).filter(|id| id.0 != 0),
            Self::Source(_) | Self::User(_) => None,
        }
    }

    /// How the page is fetched: by the configuration of its provider only if the provider returned it.
    pub fn fetch_config(&self) -> Cow<'a, PageFetchConfig> {
        match self {
            Self::Source(page) => Cow::Borrowed(page.provider.spec.page_fetch_config_json.parsed()),
            Self::Account(page) => Cow::Owned(PageFetchConfig {
                is_enabled: page.provider.spec.page_fetch_config_json.parsed().is_enabled,
                ..PageFetchConfig::default()
            }),
            Self::User(_) => Cow::Owned(PageFetchConfig::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;
    use crate::instant::Instant;
    use crate::provider::ProviderSpec;
    use serde_json::{Value, json};

    fn provider(id: i64, spec: Value) -> SearchProvider {
        let spec: ProviderSpec = serde_json::from_value(spec).expect("a spec");
        SearchProvider { id: ProviderId(id), ..SearchProvider::unsaved(spec, UserId(1), Instant::UNIX_EPOCH) }
    }

    fn item(url: &str) -> ResultItem {
        ResultItem { url: url.to_owned(), ..ResultItem::default() }
    }

    #[test]
    fn only_the_providers_own_result_is_fetched_with_its_rights() {
        let spec = json!({"page_fetch_config_json": {"cache": "", "content_url": "http://127.0.0.1/{id}"}});
        let (own, other) = (provider(7, spec.clone()), provider(8, spec));
        let mut given = item("https://a.example/1");
        given.mark_as_given(own.id);
        let edited = item("http://127.0.0.1/").in_place_of(&given);
        for item in [given, edited] {
            let target = PageTarget::of_result(&own, &item);
            assert!(matches!(target, PageTarget::Source(_)));
            assert_eq!(target.address(), "https://a.example/1");
            assert!(target.fetch_config().content_url.is_some());
            assert!(matches!(PageTarget::of_result(&other, &item), PageTarget::User(_)));
        }
        let typed = item("http://127.0.0.1/");
        let target = PageTarget::of_result(&own, &typed);
        assert!(matches!(target, PageTarget::User(_)));
        assert_eq!(*target.fetch_config(), PageFetchConfig::default());
    }

    const PLUGINS: PluginRegistry = PluginRegistry {
        connectors: &[],
        query_processors: &[],
        result_processors: &[],
        post_result_processors: &[],
        mixers: &[],
        default_post_result: &[],
        read_answer: |_, _| Ok(serde_json::Value::Null),
    };

    /// What came with the provider's rights or by its template is not fetched again without them.
    #[test]
    fn only_what_anybody_gets_is_fetched_again_as_nobody() {
        let (url, own, foreign) = ("https://a.example/api", "https://a.example/1", "https://b.example/1");
        let table = [
            (json!({"url": url}), own, true),
            (json!({"url": url}), foreign, true),
            (json!({"url": url, "credentials": "bearer=x"}), own, false),
            (json!({"url": url, "credentials": "bearer=x"}), foreign, true),
            (json!({"url": url, "authenticator": "hub"}), own, false),
            (json!({"url": url, "authenticator": "hub"}), foreign, true),
            (json!({"url": url, "page_fetch_config_json": {"headers": {"X-Api-Key": "x"}}}), own, false),
            (json!({"url": url, "page_fetch_config_json": {"headers": {"Accept": "x"}}}), own, true),
            (json!({"url": url, "page_fetch_config_json": {"content_url": "{link}"}}), foreign, false),
        ];
        for (spec, url, is_open) in table {
            let provider = provider(7, spec.clone());
            let mut item = item(url);
            item.mark_as_given(provider.id);
            let account = PageTarget::of_result(&provider, &item).account_id(&PLUGINS);
            assert_eq!(account, (!is_open).then_some(provider.id), "{spec} {url}");
        }
    }

    #[test]
    fn an_account_reaches_the_origin_of_its_provider_alone() {
        let with = |authenticator: &str| {
            provider(7, json!({"url": "https://a.example/api?q={q}", "authenticator": authenticator}))
        };
        let table = [
            ("hub", "https://a.example/any", true),
            ("hub", "https://A.example:443/any", true),
            ("hub", "http://a.example/any", false),
            ("hub", "https://a.example:8443/any", false),
            ("hub", "https://a.example@b.example/any", false),
            ("hub", "https://b.example/any", false),
            ("", "https://a.example/any", false),
        ];
        for (authenticator, url, expected) in table {
            let provider = with(authenticator);
            let page = AccountPage::of(&provider, &PLUGINS, UserUrl::new(url));
            assert_eq!(page.is_some(), expected, "{authenticator} {url}");
            let Some(target) = page.map(PageTarget::Account) else { continue };
            let (source, account) = (target.source_id(), target.account_id(&PLUGINS));
            assert_eq!(
                (source, account),
                (None, Some(provider.id)),
                "the account fetches, and vouches for nothing"
            );
        }
    }
}
