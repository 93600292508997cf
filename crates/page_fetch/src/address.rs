//! Which address is fetched for a result.

use domain::contracts::{Origin, PageError};
use domain::notation::json_path::JsonPath;
use domain::page_fetch::PageFetchConfig;
use domain::result::ResultItem;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use url::Url;

/// Longest address that is fetched, in bytes.
pub const ADDRESS_BYTES_MAX: usize = 8 * 1024;

/// What a value keeps where it is put into an address, so that it stays one part of it.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address of the content: by the provider's template, else the result's own.
pub fn of(item: &ResultItem, config: &PageFetchConfig) -> Result<Url, PageError> {
    let text = match &config.content_url {
        Some(template) => filled(template, item).ok_or(PageError::NoAddress)?,
        None => item.url.trim().to_owned(),
    };
    parse(&text).ok_or(PageError::NoAddress)
}

/// An address that may be asked for over HTTP.
pub fn parse(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|_| text.len() <= ADDRESS_BYTES_MAX)?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// A template with values of the result in it: `{id}`, `{file.id}`. A value that begins the template is an address of its
/// own; any other stays one part of the address. None when a value is missing.
pub fn filled(template: &str, item: &ResultItem) -> Option<String> {
    let mut address = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        address.push_str(&rest[..open]);
        let close = open + rest[open..].find('}')?;
        let value = value(item, rest[open + 1..close].trim())?;
        match value.as_str() {
            whole if address.is_empty() => address.push_str(whole),
            // They would climb out of their place.
            "" | "." | ".." => return None,
            part => address.extend(utf8_percent_encode(part, KEPT)),
        }
        rest = &rest[close + 1..];
    }
    address.push_str(rest);
    Some(address)
}

/// The origin of a template, where the template itself says it and no value of a result can change it.
pub fn literal_origin(template: &str) -> Option<Origin> {
    let literal = template.split('{').next().unwrap_or_default();
    let authority = literal.split_once("://")?.1;
    let is_closed = authority.contains(['/', '?', '#']) || literal.len() == template.len();
    Origin::of(&parse(literal).filter(|_| is_closed)?, true)
}

fn value(item: &ResultItem, name: &str) -> Option<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    if let Some(value) = item.payload.get(name) {
        return text(value);
    }
    if name == "url" {
        return Some(item.url.clone());
    }
    let path = JsonPath::parse(name).ok()?;
    path.find(&Value::Object(item.payload.clone())).into_iter().find_map(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        for (template, expected) in table {
            assert_eq!(filled(template, &item()).as_deref(), expected, "{template}");
        }
    }

    #[test]
    fn the_address_is_the_templates_or_the_results() {
        let own = PageFetchConfig::default();
        let address = |url: &str, config: &PageFetchConfig| {
            of(&ResultItem { url: url.to_owned(), ..item() }, config).map(|url| url.to_string()).ok()
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
        let long = format!("https://a.example/{}", "x".repeat(ADDRESS_BYTES_MAX));
        assert_eq!(parse(&long), None);
    }

    #[test]
    fn an_origin_is_the_templates_own_only_when_nothing_can_change_it() {
        let table = [
            ("https://a.example/{id}", true),
            ("https://a.example/fixed", true),
            ("https://a.example", true),
            ("https://a.example?x={id}", true),
            ("https://a.example{id}", false),
            ("https://a.example:{id}/", false),
            ("https://{host}/", false),
            ("{url}", false),
            ("file:///{id}", false),
        ];
        for (template, is_literal) in table {
            assert_eq!(literal_origin(template).is_some(), is_literal, "{template}");
        }
    }
}
