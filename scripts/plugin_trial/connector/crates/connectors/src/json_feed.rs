//! JsonFeed connector: the items of a JSON Feed that contain every word of the query.

use crate::shared::http_check;
use crate::shared::http_source::HttpSource;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, HttpRequest, HttpResponse, NormalizedPage,
    PluginContext, ProviderQuery, RequestDescription, ResultOrigin, SourceRequest, SourceResponse,
    TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use serde_json::{Value, json};
use std::borrow::Cow;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "JsonFeed",
    module: "json_feed",
    summary: "The items of a JSON Feed that contain every word of the query.",
    capability: CAPABILITY,
    settings: &["url", "result_mappings", "credentials", "http_request_headers", "results_per_query"],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check: |provider| http_check::check(&whole_feed(provider)).1,
    build,
};

/// A feed is one file, which is not searched by its site.
const CAPABILITY: Capability = Capability { page: false, date_sort: false, not: false };

#[derive(Debug)]
struct JsonFeed {
    source: HttpSource,
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    Ok(JsonFeed { source: HttpSource::new(&whole_feed(provider), context)? }.boxed())
}

/// The provider as a plain HTTP source that returns all items.
fn whole_feed(provider: &SearchProvider) -> SearchProvider {
    let mut source = provider.clone();
    source.spec.query_template = "{url}".to_owned();
    source.spec.response_mappings = "RESULTS=items".into();
    source
}

impl TypedConnector for JsonFeed {
    type Request = FeedQuery;
    type Response = Feed;

    fn capability(&self) -> Capability {
        CAPABILITY
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<FeedQuery, ConnectorError> {
        let request = self.source.get(query)?;
        Ok(FeedQuery {
            address: request.shown_url(),
            request,
            words: query.text.split_whitespace().map(str::to_lowercase).collect(),
            rows_max: query.results_wanted,
        })
    }

    async fn execute(&self, query: &FeedQuery) -> Result<Feed, ConnectorError> {
        let http = self.source.send(&query.request).await?;
        Ok(Feed { http, words: query.words.clone(), rows_max: query.rows_max })
    }

    fn normalize(&self, feed: Feed) -> Result<NormalizedPage, ConnectorError> {
        let mut items = self.source.normalize(&feed.http)?.items;
        items.retain(|item| {
            let text = text(item);
            feed.words.iter().all(|word| text.contains(word))
        });
        let found = Some(items.len() as u64);
        items.truncate(feed.rows_max as usize);
        Ok(NormalizedPage { found, retrieved: Some(items.len() as u64), items, missing: None })
    }
}

/// The request for the feed, and the words that its items must contain.
#[derive(Debug)]
struct FeedQuery {
    request: HttpRequest,
    /// For display.
    address: String,
    words: Vec<String>,
    rows_max: u32,
}

impl SourceRequest for FeedQuery {
    /// The words are a part of it, because they decide which items are kept.
    fn description(&self) -> RequestDescription<'_> {
        let body = json!({"words": self.words});
        RequestDescription::Command { place: &self.address, body: Cow::Owned(body), rows_max: self.rows_max }
    }
}

#[derive(Debug, Clone)]
struct Feed {
    http: HttpResponse,
    words: Vec<String>,
    rows_max: u32,
}

impl SourceResponse for Feed {
    fn unparsed(&self) -> Option<&HttpResponse> {
        Some(&self.http)
    }
}

/// The text of an item, in lower case.
fn text(item: &Value) -> String {
    let fields = ["title", "summary", "content_text"];
    let texts = fields.map(|name| item.get(name).and_then(Value::as_str).unwrap_or_default());
    texts.join(" ").to_lowercase()
}
