//! The URL to fetch for a result.

use domain::page_fetch::PageFetchConfig;
use domain::ports::PageError;
use domain::provenance::{PageTarget, SourceItem};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use syntax::json_path::JsonPath;
use url::Url;

/// Longest URL that is fetched, in bytes.
pub const ADDRESS_BYTES_MAX: usize = 8 * 1024;

/// Characters of a value that are not percent-encoded, so that a value stays one part of the URL.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The URL of the content: from the provider's template if the provider returned the document, else its own URL.
pub fn of(target: PageTarget<'_>, config: &PageFetchConfig) -> Result<Url, PageError> {
    let text = match (target, &config.content_url) {
        (PageTarget::Source(page), Some(template)) => {
            filled(template, page.item()).ok_or(PageError::NoAddress)?
        }
        _ => target.address().trim().to_owned(),
    };
    parse(&text).ok_or(PageError::NoAddress)
}

/// An HTTP or HTTPS URL.
pub fn parse(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|_| text.len() <= ADDRESS_BYTES_MAX)?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// Fills a template with values of the result as its provider returned them: `{id}`, `{file.id}`. A value at the start
/// of the template is a complete URL; any other stays one part of the URL. None if a value is missing.
pub fn filled(template: &str, item: SourceItem<'_>) -> Option<String> {
    let mut address = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        address.push_str(&rest[..open]);
        let close = open + rest[open..].find('}')?;
        let value = value(item, rest[open + 1..close].trim())?;
        match value.as_str() {
            whole if address.is_empty() => address.push_str(whole),
            // They would change the path.
            "" | "." | ".." => return None,
            part => address.extend(utf8_percent_encode(part, KEPT)),
        }
        rest = &rest[close + 1..];
    }
    address.push_str(rest);
    Some(address)
}

fn value(item: SourceItem<'_>, name: &str) -> Option<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    if let Some(value) = item.payload().get(name) {
        return text(value);
    }
    if name == "url" {
        return Some(item.url().as_str().to_owned());
    }
    let path = JsonPath::parse(name).ok()?;
    path.find(&Value::Object(item.payload().clone())).into_iter().find_map(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{ProviderId, UserId};
    use domain::provider::{ProviderSpec, SearchProvider};
    use domain::result::ResultItem;
    use serde_json::json;

    fn provider() -> SearchProvider {
        SearchProvider::unsaved(ProviderSpec::default(), UserId(1), Default::default())
    }

    fn given(mut item: ResultItem, by: ProviderId) -> ResultItem {
        item.mark_as_given(by);
        item
    }

    fn item() -> ResultItem {
        let payload = json!({
            "id": "a/b c", "number": 7, "file": {"id": "x"}, "up": "..", "list": [1],
            "@graph.downloadUrl": "https://files.example/1?sig=2",
        });
        ResultItem {
            url: "https://a.example/page".to_owned(),
            payload: payload.as_object().unwrap().clone(),
            ..ResultItem::default()
        }
    }

    #[test]
    fn a_template_is_filled() {
        let table = [
            ("https://a.example/{id}/content", Some("https://a.example/a%2Fb%20c/content")),
            ("https://a.example/{file.id}?n={number}", Some("https://a.example/x?n=7")),
            ("{@graph.downloadUrl}", Some("https://files.example/1?sig=2")),
            ("{url}?raw=1", Some("https://a.example/page?raw=1")),
            ("https://a.example/{up}/x", None),
            ("https://a.example/{missing}", None),
            ("https://a.example/{list}", None),
            ("https://a.example/{id", None),
            ("https://a.example/", Some("https://a.example/")),
        ];
        let item = given(item(), ProviderId(1));
        let item = item.as_given().expect("a provider gave it");
        for (template, expected) in table {
            assert_eq!(filled(template, item).as_deref(), expected, "{template}");
        }
    }

    #[test]
    fn the_address_is_the_templates_or_the_results() {
        let own = PageFetchConfig::default();
        let provider = provider();
        let address = |url: &str, config: &PageFetchConfig| {
            let item = given(ResultItem { url: url.to_owned(), ..item() }, provider.id);
            of(PageTarget::of_result(&provider, &item), config).map(|url| url.to_string()).ok()
        };
        let table = [
            (" https://a.example/x ", Some("https://a.example/x")),
            ("", None),
            ("/relative", None),
            ("file:///etc/passwd", None),
            ("ftp://a.example/", None),
            ("javascript:alert(1)", None),
        ];
        for (url, expected) in table {
            assert_eq!(address(url, &own).as_deref(), expected, "{url}");
        }
        let template = PageFetchConfig { content_url: Some("https://b.example/{number}".to_owned()), ..own };
        assert_eq!(address("", &template).as_deref(), Some("https://b.example/7"));
        let typed = ResultItem { url: "https://a.example/typed".to_owned(), ..item() };
        let own = of(PageTarget::of_result(&provider, &typed), &template).map(|url| url.to_string());
        assert_eq!(own.as_deref(), Ok("https://a.example/typed"), "templates are for what the provider gave");
        let long = format!("https://a.example/{}", "x".repeat(ADDRESS_BYTES_MAX));
        assert_eq!(parse(&long), None);
    }
}
