//! OpenSearch descriptions: the search URLs of a site and their formats.

use crate::shared::xml;
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use syntax::error::SyntaxError;

/// How long a description is cached.
pub const CACHE_TTL: Duration = Duration::from_secs(60 * 60);
/// Most cached descriptions.
const DESCRIPTIONS_MAX: u64 = 1_000;
/// Most URLs of one description.
pub const URLS_MAX: usize = 50;

/// One search URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchUrl {
    pub template: String,
    pub format: Format,
    /// The number of the first result and of the first page.
    pub index_offset: u32,
    pub page_offset: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Atom,
    Rss,
    Json,
}

/// The supported search URLs, in order; the error describes what is wrong with the document.
pub fn parse(text: &str) -> Result<Vec<SearchUrl>, SyntaxError> {
    let document = xml::to_json(text).map_err(|error| {
        SyntaxError::new(format!("the description is not valid XML: {error}")).caused_by(error)
    })?;
    let root = document.as_object().and_then(|object| object.iter().next());
    let Some((_, root)) = root.filter(|(name, _)| local(name) == "OpenSearchDescription") else {
        return Err("the address does not return an OpenSearch description".into());
    };
    let members = root.as_object().into_iter().flatten();
    let urls = members.filter(|(name, _)| local(name) == "Url").flat_map(|(_, value)| match value {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    });
    let found: Vec<SearchUrl> = urls.take(URLS_MAX).filter_map(search_url).collect();
    if found.is_empty() {
        Err("the description contains no URL for RSS, Atom or JSON".into())
    } else {
        Ok(found)
    }
}

/// The best search URL: feeds have a known format; JSON needs response mappings.
pub fn choose(urls: &[SearchUrl], has_mappings: bool) -> Option<&SearchUrl> {
    let order = if has_mappings {
        [Format::Json, Format::Atom, Format::Rss]
    } else {
        [Format::Atom, Format::Rss, Format::Json]
    };
    let usable = if has_mappings { 3 } else { 2 };
    order[..usable].iter().find_map(|format| urls.iter().find(|url| url.format == *format))
}

type Cache = moka::sync::Cache<String, Arc<Vec<SearchUrl>>>;

/// A connector lives as long as one search; the cache outlives it.
static CACHE: LazyLock<Cache> = LazyLock::new(|| {
    moka::sync::Cache::builder().max_capacity(DESCRIPTIONS_MAX).time_to_live(CACHE_TTL).build()
});

pub fn cached(address: &str) -> Option<Arc<Vec<SearchUrl>>> {
    CACHE.get(address)
}

pub fn cache(address: String, urls: &Arc<Vec<SearchUrl>>) {
    CACHE.insert(address, Arc::clone(urls));
}

fn search_url(url: &Value) -> Option<SearchUrl> {
    let text = |name: &str| url.get(name).and_then(Value::as_str);
    let is_search = text("@rel").is_none_or(|rel| rel.split_whitespace().any(|word| word == "results"));
    let is_get = text("@method")
        .or_else(|| text("@parameters:method"))
        .is_none_or(|word| word.eq_ignore_ascii_case("get"));
    let format = match text("@type")?.split(';').next()?.trim().to_ascii_lowercase().as_str() {
        "application/atom+xml" => Format::Atom,
        "application/rss+xml" | "application/rdf+xml" | "text/xml" | "application/xml" => Format::Rss,
        "application/json" => Format::Json,
        _ => return None,
    };
    let offset = |name: &str| text(name).and_then(|text| text.trim().parse().ok()).unwrap_or(1);
    (is_search && is_get).then_some(SearchUrl {
        template: text("@template")?.to_owned(),
        format,
        index_offset: offset("@indexOffset"),
        page_offset: offset("@pageOffset"),
    })
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIPTION: &str = r#"<?xml version="1.0"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
        <ShortName>S</ShortName><Url type="text/html" template="http://s/html?q={searchTerms}"/>
        <Url type="application/rss+xml" indexOffset="0" pageOffset="0" template="http://s/rss?q={searchTerms}&amp;p={startPage?}"/>
        <Url type="application/atom+xml; charset=utf-8" rel="results" template="http://s/atom?q={searchTerms}"/>
        <Url type="application/json" template="http://s/json?q={searchTerms}"/>
        <Url type="application/rss+xml" rel="suggestions" template="http://s/no"/>
        <Url type="application/rss+xml" method="post" template="http://s/no"/></OpenSearchDescription>"#;

    #[test]
    fn ways_to_ask_are_found() {
        let urls = parse(DESCRIPTION).expect("a description");
        assert_eq!(urls.len(), 3);
        assert_eq!(
            (urls[0].template.as_str(), urls[0].index_offset),
            ("http://s/rss?q={searchTerms}&p={startPage?}", 0)
        );
        assert_eq!((urls[1].format, urls[1].page_offset), (Format::Atom, 1));
        assert_eq!(choose(&urls, false).map(|url| url.format), Some(Format::Atom));
        assert_eq!(choose(&urls, true).map(|url| url.format), Some(Format::Json));
        assert_eq!(choose(&urls[2..], false), None);
    }

    #[test]
    fn other_documents_are_told() {
        for (text, want) in [
            ("<rss/>", "does not return"),
            ("no xml", "not valid XML"),
            (
                "<OpenSearchDescription><Url type='text/html' template='x'/></OpenSearchDescription>",
                "contains no URL",
            ),
            ("<OpenSearchDescription/>", "contains no URL"),
        ] {
            assert!(parse(text).expect_err(text).message().contains(want), "{text}");
        }
        let many = format!(
            "<OpenSearchDescription>{}</OpenSearchDescription>",
            "<Url type='application/rss+xml' template='x'/>".repeat(URLS_MAX + 5)
        );
        assert_eq!(parse(&many).expect("a description").len(), URLS_MAX);
    }
}
