//! What is fetched for a result or for a typed address, and with whose rights.

use super::{SourceItem, UserUrl};
use crate::contracts::{Catalogues, Origin};
use crate::ids::ProviderId;
use crate::page_fetch::PageFetchConfig;
use crate::provider::SearchProvider;
use crate::result::ResultItem;
use url::Url;

/// A document that a provider named: it is fetched by the provider's rules and with its rights.
#[derive(Debug, Clone, Copy)]
pub struct SourcePage<'a> {
    provider: &'a SearchProvider,
    item: SourceItem<'a>,
}

impl<'a> SourcePage<'a> {
    /// None when the result is another provider's.
    pub fn of(provider: &'a SearchProvider, item: SourceItem<'a>) -> Option<Self> {
        (item.provider() == provider.id).then_some(Self { provider, item })
    }

    pub fn provider(&self) -> &'a SearchProvider {
        self.provider
    }

    pub fn item(&self) -> SourceItem<'a> {
        self.item
    }

    /// True when the provider's record says where the page is: it names a template for pages, or the address is on the
    /// origin of its own `url`. Else the provider leads to a host of somebody else, as a search engine does.
    pub fn is_of_own_origin(&self) -> bool {
        let url = Url::parse(self.item.url().as_str()).ok();
        let origin = Origin::named_by(self.provider.draft.url.trim());
        let is_own = origin.zip(url).is_some_and(|(origin, url)| origin.is_of(&url));
        is_own || PageFetchConfig::of(&self.provider.draft).content_url.is_some()
    }
}

/// A typed address on the origin of a provider that is asked with the person's own account there: it is fetched with the
/// person's token and with nothing of the provider's.
#[derive(Debug, Clone, Copy)]
pub struct AccountPage<'a> {
    provider: &'a SearchProvider,
    url: UserUrl<'a>,
}

impl<'a> AccountPage<'a> {
    /// None when the provider knows no accounts of people, or the address is not on its origin.
    pub fn of(provider: &'a SearchProvider, catalogues: &Catalogues, url: UserUrl<'a>) -> Option<Self> {
        catalogues.authenticator_of(provider)?;
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

    /// The one origin that the person's token is sent to.
    pub fn origin(&self) -> Option<Origin> {
        Origin::named_by(self.provider.draft.url.trim())
    }
}

/// What is fetched, and with whose rights.
#[derive(Debug, Clone, Copy)]
pub enum PageTarget<'a> {
    /// With the provider's rights, or with those of the person's account there.
    Source(SourcePage<'a>),
    /// With the person's own token.
    Account(AccountPage<'a>),
    /// Without any rights.
    User(UserUrl<'a>),
}

impl<'a> PageTarget<'a> {
    /// The page behind a result: the one that the provider named, whatever the owner made of the result. Where it is not
    /// known what the provider gave, the address is a typed one.
    pub fn of_result(provider: &'a SearchProvider, item: &'a ResultItem) -> Self {
        let page = item.as_given().and_then(|given| SourcePage::of(provider, given));
        page.map_or(Self::User(UserUrl::new(&item.url)), Self::Source)
    }

    /// The address by which the document is known, which is not always the one that is fetched.
    pub fn address(&self) -> &'a str {
        match self {
            Self::Source(page) => page.item.url().as_str(),
            Self::Account(page) => page.url.as_str(),
            Self::User(url) => url.as_str(),
        }
    }

    /// The provider that a document fetched from here is attributed to: the one that gave the address. An account only
    /// fetches an address that its owner typed.
    pub fn source_id(&self) -> Option<ProviderId> {
        match self {
            Self::Source(page) => Some(page.provider.id).filter(|id| id.0 != 0),
            Self::Account(_) | Self::User(_) => None,
        }
    }

    /// The provider whose account is used for a typed address.
    pub fn account_id(&self) -> Option<ProviderId> {
        match self {
            Self::Account(page) => Some(page.provider.id),
            Self::Source(_) | Self::User(_) => None,
        }
    }

    /// How the page is fetched: by the rules of its provider only if the provider named it.
    pub fn fetch_config(&self) -> PageFetchConfig {
        match self {
            Self::Source(page) => PageFetchConfig::of(&page.provider.draft),
            Self::Account(page) => PageFetchConfig {
                is_enabled: PageFetchConfig::of(&page.provider.draft).is_enabled,
                ..PageFetchConfig::default()
            },
            Self::User(_) => PageFetchConfig::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;
    use crate::instant::Instant;
    use crate::provider::ProviderDraft;
    use serde_json::{Value, json};

    fn provider(id: i64, draft: Value) -> SearchProvider {
        let draft: ProviderDraft = serde_json::from_value(draft).expect("a draft");
        SearchProvider {
            id: ProviderId(id),
            ..SearchProvider::unsaved(draft, UserId(1), Instant::UNIX_EPOCH)
        }
    }

    fn item(url: &str) -> ResultItem {
        ResultItem { url: url.to_owned(), ..ResultItem::default() }
    }

    #[test]
    fn only_the_providers_own_result_is_fetched_with_its_rights() {
        let draft = json!({"page_fetch_config_json": {"cache": "", "content_url": "http://127.0.0.1/{id}"}});
        let (own, other) = (provider(7, draft.clone()), provider(8, draft));
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
        assert_eq!(target.fetch_config(), PageFetchConfig::default());
    }

    #[test]
    fn a_page_on_another_host_is_not_of_the_providers_origin() {
        let table = [
            (json!({"url": "https://a.example/api?q={q}"}), "https://a.example/1", true),
            (json!({"url": "https://a.example/api?q={q}"}), "https://b.example/1", false),
            (json!({"url": "https://a.example/api"}), "http://a.example/1", false),
            (json!({}), "https://a.example/1", false),
            (json!({"page_fetch_config_json": {"content_url": "{link}"}}), "https://b.example/1", true),
        ];
        for (draft, url, expected) in table {
            let provider = provider(7, draft.clone());
            let mut item = item(url);
            item.mark_as_given(provider.id);
            let page = item.as_given().and_then(|given| SourcePage::of(&provider, given)).expect("a page");
            assert_eq!(page.is_of_own_origin(), expected, "{draft} {url}");
        }
    }

    #[test]
    fn an_account_reaches_the_origin_of_its_provider_alone() {
        let catalogues = Catalogues {
            connectors: &[],
            query_processors: &[],
            result_processors: &[],
            post_result_processors: &[],
            mixers: &[],
            default_post_result: &[],
            read_answer: |_, _| Err(String::new()),
        };
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
            let page = AccountPage::of(&provider, &catalogues, UserUrl::new(url));
            assert_eq!(page.is_some(), expected, "{authenticator} {url}");
            let Some(target) = page.map(PageTarget::Account) else { continue };
            let (source, account) = (target.source_id(), target.account_id());
            assert_eq!(
                (source, account),
                (None, Some(provider.id)),
                "the account fetches, and vouches for nothing"
            );
        }
    }
}
