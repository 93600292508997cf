//! Converts RSS and Atom feeds to result items.

use domain::ports::NormalizedPage;
use serde_json::{Map, Value, json};
use syntax::strip_html::readable;

/// The entries of a feed; `None` if the document is not a feed.
pub fn entries(answer: &Value) -> Option<NormalizedPage> {
    let channel =
        answer.pointer("/rss/channel").or_else(|| answer.get("feed")).or_else(|| answer.get("rdf:RDF"));
    // An empty feed is null.
    let is_feed = channel.is_some() || answer.get("rss").is_some();
    if !is_feed {
        return None;
    }
    let nothing = Value::Null;
    let channel = channel.unwrap_or(&nothing);
    let items = channel.get("item").or_else(|| channel.get("entry"));
    let items: Vec<Value> = match items {
        Some(Value::Array(list)) => list.clone(),
        Some(Value::Null) | None => Vec::new(),
        Some(one) => vec![one.clone()],
    };
    let found = ["opensearch:totalResults", "openSearch:totalResults", "os:totalResults", "totalResults"]
        .iter()
        .find_map(|name| text(channel.get(*name)?).trim().parse().ok());
    Some(NormalizedPage { found, retrieved: Some(items.len() as u64), items, missing: None })
}

/// An entry with the fields of a result; other members keep their names.
pub fn result(entry: &Value) -> Value {
    let Some(object) = entry.as_object() else { return entry.clone() };
    let first = |names: &[&str]| -> String {
        let found =
            names.iter().filter_map(|name| object.get(*name)).map(text).find(|text| !text.trim().is_empty());
        found.unwrap_or_default()
    };
    let mut result = Map::new();
    result.insert("title".to_owned(), json!(readable(&first(&["title", "media:title"]))));
    result.insert("url".to_owned(), json!(link(object)));
    let body = first(&["description", "summary", "content", "content:encoded", "media:description"]);
    result.insert("body".to_owned(), json!(readable(&body)));
    let date = first(&["published", "pubDate", "dc:date", "updated", "date"]);
    result.insert("date_published".to_owned(), json!(date));
    result.insert("author".to_owned(), json!(first(&["author", "dc:creator", "creator"])));
    const MAPPED: [&str; 12] = [
        "title",
        "link",
        "description",
        "summary",
        "content",
        "published",
        "pubDate",
        "dc:date",
        "updated",
        "author",
        "dc:creator",
        "content:encoded",
    ];
    for (name, value) in object.iter().filter(|(name, _)| !MAPPED.contains(&name.as_str())) {
        result.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Value::Object(result)
}

/// RSS has the URL as text, Atom as an attribute of one of several links.
fn link(entry: &Map<String, Value>) -> String {
    let links: &[Value] = match entry.get("link") {
        Some(Value::Array(list)) => list,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let href = |link: &Value| link.get("@href").and_then(Value::as_str).map(str::to_owned);
    let rel = |link: &Value| link.get("@rel").and_then(Value::as_str).unwrap_or("alternate").to_owned();
    let alternate = links.iter().find(|link| rel(link) == "alternate").and_then(href);
    let plain = || links.iter().map(text).find(|text| text.starts_with("http"));
    let id = || {
        ["id", "guid"].iter().filter_map(|name| entry.get(*name)).map(text).find(|id| id.starts_with("http"))
    };
    alternate.or_else(plain).or_else(|| links.first().and_then(href)).or_else(id).unwrap_or_default()
}

/// The text of an element: itself, beside its attributes, a person's name, or several names.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => {
            let inside = ["#text", "name", "div", "xhtml:div"].iter().find_map(|name| object.get(*name));
            inside.map(text).unwrap_or_default()
        }
        Value::Array(list) => {
            let texts: Vec<String> = list.iter().map(text).filter(|text| !text.is_empty()).collect();
            texts.join(", ")
        }
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::xml::to_json;

    fn read(text: &str) -> NormalizedPage {
        entries(&to_json(text).expect("XML")).expect("a feed")
    }

    #[test]
    fn rss_and_atom_are_read_alike() {
        let rss = r#"<rss xmlns:opensearch="o" xmlns:dc="d"><channel><title>S</title><opensearch:totalResults>42</opensearch:totalResults>
            <item><title>Floods &amp;amp; &amp;lt;rain&amp;gt;</title><link>http://s/1</link><description><![CDATA[<p>High <b>water</b></p>]]></description>
            <pubDate>Tue, 05 Mar 2024 10:00:00 GMT</pubDate><dc:creator>Ann</dc:creator><category>x</category></item></channel></rss>"#;
        let atom = r#"<feed xmlns="a"><entry><title type="html">Floods &amp;amp; &amp;lt;rain&amp;gt;</title><link rel="self" href="http://s/self"/>
            <link href="http://s/1"/><summary type="text">High water</summary><published>Tue, 05 Mar 2024 10:00:00 GMT</published>
            <updated>2025-01-01T00:00:00Z</updated><author><name>Ann</name></author><category>x</category></entry></feed>"#;
        let want = json!({"title": "Floods & &lt;rain>", "url": "http://s/1", "body": "High water",
            "date_published": "Tue, 05 Mar 2024 10:00:00 GMT", "author": "Ann", "category": "x"});
        for (feed, found) in [(rss, Some(42)), (atom, None)] {
            let page = read(feed);
            assert_eq!(page.found, found);
            let mapped: Vec<Value> = page.items.iter().map(result).collect();
            assert_eq!(mapped, std::slice::from_ref(&want));
        }
    }

    #[test]
    fn other_forms_are_understood() {
        assert_eq!(read("<rss><channel/></rss>").items.len(), 0);
        assert_eq!(read("<rss/>").items.len(), 0);
        assert_eq!(read("<feed/>").items.len(), 0);
        let rdf = r#"<rdf:RDF xmlns:rdf="r"><channel/><item><title>a</title><link>http://s/a</link></item><item><title>b</title></item></rdf:RDF>"#;
        assert_eq!(read(rdf).items.len(), 2);
        let only_id =
            result(&json!({"title": "a", "id": "http://s/id", "author": [{"name": "A"}, {"name": "B"}]}));
        assert_eq!((&only_id["url"], &only_id["author"]), (&json!("http://s/id"), &json!("A, B")));
        assert!(entries(&json!({"html": {}})).is_none());
    }
}
