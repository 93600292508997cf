//! The own origin of a provider, which decides whether a document is attributed to it.

use crate::ports::Origin;
use crate::provider::ProviderSpec;
use url::Url;

/// Whether a document that this provider returned with this URL is fetched from the provider's own origin: the one in
/// its `content_url` or, without such a template, the one of its `url`, if the URL is on it. Both were written by an
/// administrator; a template whose host comes from the result has no origin.
pub fn is_fetched_from_own_origin(provider: &ProviderSpec, address: &str) -> bool {
    if let Some(template) = &provider.page_fetch_config_json.parsed().content_url {
        return Origin::named_by(template).is_some();
    }
    let address = Url::parse(address.trim()).ok();
    Origin::named_by(provider.url.trim()).zip(address).is_some_and(|(origin, address)| origin.is_of(&address))
}

#[cfg(test)]
mod tests {
    use super::super::{PageTarget, UserUrl};
    use crate::ids::{ProviderId, UserId};
    use crate::instant::Instant;
    use crate::provider::SearchProvider;
    use crate::result::ResultItem;
    use serde_json::json;

    /// The spec, the address in the result, and whether the document is attributed to the provider.
    #[test]
    fn a_document_is_attributed_only_when_the_providers_own_origin_is_asked() {
        let url = "https://a.example/api?q={q}";
        let template =
            |template: &str| json!({"url": url, "page_fetch_config_json": {"content_url": template}});
        let table = [
            (json!({"url": url}), "https://a.example/1", true),
            (json!({"url": url}), " https://A.example:443/1 ", true),
            (json!({"url": url}), "https://b.example/1", false),
            (json!({"url": url}), "https://www.a.example/1", false),
            (json!({"url": url}), "https://a.example.b.example/1", false),
            (json!({"url": url}), "https://a.example@b.example/1", false),
            (json!({"url": url}), "https://a.example:8443/1", false),
            (json!({"url": url}), "http://a.example/1", false),
            (json!({"url": "http://a.example/api"}), "https://a.example/1", false),
            (json!({"url": "{host}/api"}), "https://a.example/1", false),
            (json!({"url": "/data/library.db"}), "https://a.example/1", false),
            (json!({}), "https://a.example/1", false),
            (template("https://content.example/{id}"), "https://b.example/1", true),
            (template("https://content.example/fixed"), "https://b.example/1", true),
            (template("{link}"), "https://b.example/1", false),
            (template("{link}"), "https://a.example/1", false),
            (template("{url}?raw=1"), "https://a.example/1", false),
            (template("https://{host}/1"), "https://a.example/1", false),
            (template("https://content.example{id}"), "https://a.example/1", false),
        ];
        for (spec, url, expected) in table {
            let named = serde_json::from_value(spec.clone()).expect("a spec");
            let unsaved = SearchProvider::unsaved(named, UserId(1), Instant::UNIX_EPOCH);
            let provider = SearchProvider { id: ProviderId(7), ..unsaved };
            let mut item = ResultItem { url: url.to_owned(), ..ResultItem::default() };
            item.mark_as_given(provider.id);
            let target = PageTarget::of_result(&provider, &item);
            assert!(matches!(target, PageTarget::Source(_)), "{spec} {url}");
            assert_eq!(target.source_id(), expected.then_some(provider.id), "{spec} {url}");
            let typed = PageTarget::User(UserUrl::new(url));
            assert_eq!(typed.source_id(), None, "a typed address is nobody's");
        }
    }
}
