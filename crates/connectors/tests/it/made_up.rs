//! Made-up responses become items, through RequestsGet.

use crate::fixture::{answer, connector, context, query};
use domain::ports::{ConnectorError, ConnectorErrorKind, NormalizedPage};
use domain::provider::ProviderSpec;
use serde_json::{Value, json};

async fn normalized(
    media_type: &str,
    body: &'static str,
    mappings: &str,
) -> Result<NormalizedPage, ConnectorError> {
    let spec = ProviderSpec {
        url: "https://source.example/search".into(),
        response_mappings: mappings.into(),
        ..ProviderSpec::default()
    };
    let connector = connector(spec, &context(answer(media_type, body)));
    connector.prepare(&query("river"))?.execute().await?.normalize()
}

#[tokio::test]
async fn an_atom_feed() {
    let mappings = "FOUND=$.feed['opensearch:totalResults']['#text'],RESULTS=feed.entry";
    let body = include_str!("../answers/atom_feed.xml");
    let page = normalized("application/atom+xml; charset=UTF-8", body, mappings).await.expect("a page");
    assert_eq!((page.found, page.retrieved, page.items.len()), (Some(41), None, 2));
    assert_eq!(
        page.items[0],
        json!({
            "id": "http://notes.example/abs/1",
            "published": "2021-03-04T05:06:07Z",
            "title": "Gauges & floods: a study of café rivers",
            "summary": "How a <b>gauge</b> warns a town.",
            "author": [{"name": "Mo Field"}, {"name": "Ada Brook"}],
            "category": {"@term": "hydrology", "@scheme": "http://notes.example/terms"},
        })
    );
    assert_eq!(page.items[1]["summary"], Value::Null);
    assert_eq!(page.items[1]["category"], json!([{"@term": "sediment"}, {"@term": "rivers"}]));
}

#[tokio::test]
async fn an_rss_feed_with_one_item_and_with_none() {
    let one = include_str!("../answers/rss_one_item.xml");
    let page = normalized("application/rss+xml", one, "RESULTS=rss.channel.item").await.expect("a page");
    assert_eq!(page.items.len(), 1);
    assert_eq!(page.items[0]["source"], json!({"@url": "https://paper.example", "#text": "The Paper"}));
    let none = include_str!("../answers/rss_no_item.xml");
    let page = normalized("text/xml", none, "RESULTS=rss.channel.item").await.expect("a page");
    assert_eq!((page.found, page.items.len()), (Some(0), 0));
}

#[tokio::test]
async fn json_answers() {
    let search_api = include_str!("../answers/search_api.json");
    let mappings = "FOUND=searchInformation.totalResults,RETRIEVED=queries.request[0].count,RESULTS=items";
    let page = normalized("application/json", search_api, mappings).await.expect("a page");
    assert_eq!((page.found, page.retrieved), (Some(1280), Some(2)));
    assert_eq!(page.items[0]["pagemap"]["metatags"][0]["og:type"], json!("article"));

    let wrapped = include_str!("../answers/wrapped_hits.json");
    let page = normalized("application/json", wrapped, "FOUND=total.value,RESULTS=hits,RESULT=document");
    let page = page.await.expect("a page");
    assert_eq!((page.found, page.items), (Some(3), vec![json!({"id": "a"}), json!({"id": "c"})]));

    let lists = include_str!("../answers/list_of_lists.json");
    let page = normalized("application/json", lists, "").await.expect("a page");
    let want = [json!({"id": 1, "name": "one"}), json!({"id": 2, "name": "two"}), json!({"id": 3})];
    assert_eq!(page.items, want);
}

#[tokio::test]
async fn garbage_is_an_error_and_not_zero_results() {
    for (media_type, body) in
        [("application/json", "<html>"), ("text/xml", "{}"), ("application/json", "{\"a\":")]
    {
        let error = normalized(media_type, body, "RESULTS=items").await.expect_err("garbage");
        assert_eq!(error.kind, ConnectorErrorKind::Unreadable, "{body}");
    }
}
