//! Results of a tool call: structured data, or text and link blocks.

use super::response::{kind_of, said};
use crate::shared::found_item::{FoundItem, first_text, or};
use domain::bounded_json::parse_answer;
use domain::ports::{ConnectorError, ConnectorErrorKind};
use serde_json::Value;

/// Most blocks of a result that become items.
const BLOCKS_MAX: usize = 1000;
/// Longest title made from a text, in characters.
const TITLE_CHARS_MAX: usize = 120;

/// A parsed tool result.
#[derive(Debug, PartialEq)]
pub enum Data {
    /// To be split by the provider's response mappings.
    Structured(Value),
    /// Items with the fields of a result.
    Items(Vec<Value>),
}

/// Structured data if there is any, otherwise each link and text as an item. A failed tool call is an error.
pub fn data(result: &Value) -> Result<Data, ConnectorError> {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    if result["isError"] == true {
        return Err(tool_failed(blocks));
    }
    match &result["structuredContent"] {
        Value::Null => {}
        data => return Ok(Data::Structured(data.clone())),
    }
    if let [block] = blocks
        && let Some(data) = block["text"].as_str().and_then(as_data)
    {
        return Ok(Data::Structured(data));
    }
    Ok(Data::Items(blocks.iter().take(BLOCKS_MAX).flat_map(items).collect()))
}

/// The only list of an object; anything else unchanged.
pub fn only_list(data: Value) -> Value {
    let Value::Object(object) = &data else { return data };
    let mut lists = object.values().filter(|value| value.is_array());
    match (lists.next(), lists.next()) {
        (Some(list), None) => list.clone(),
        _ => data,
    }
}

/// Many tools write their data as text.
fn as_data(text: &str) -> Option<Value> {
    parse_answer(text.as_bytes()).ok().filter(|value: &Value| value.is_object() || value.is_array())
}

/// One block as items: a text that contains data becomes one item per entry.
fn items(block: &Value) -> Vec<Value> {
    let item = match block["type"].as_str().unwrap_or_default() {
        "resource_link" => FoundItem {
            title: or(first_text(block, &["/title", "/name"]), "(no title)"),
            url: first_text(block, &["/uri"]),
            body: first_text(block, &["/description"]),
            date: first_text(block, &["/annotations/lastModified"]),
            ..FoundItem::default()
        },
        "resource" => {
            let body = first_text(block, &["/resource/text"]);
            let url = first_text(block, &["/resource/uri"]);
            let title = or(first_text(block, &["/resource/title", "/resource/name"]), &title_of(&body));
            FoundItem { title: or(title, &url), url, body, ..FoundItem::default() }
        }
        "text" => {
            let text = block["text"].as_str().unwrap_or_default();
            match as_data(text) {
                Some(Value::Array(list)) => return list,
                Some(object) => return vec![object],
                None if text.trim().is_empty() => return Vec::new(),
                None => FoundItem { title: title_of(text), body: text.to_owned(), ..FoundItem::default() },
            }
        }
        _ => return Vec::new(),
    };
    vec![item.with(&[("mime_type", block.get("mimeType"))])]
}

/// The beginning of the first line.
fn title_of(text: &str) -> String {
    let line = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', '*', ' ']))
        .find(|line| !line.is_empty());
    line.unwrap_or_default().chars().take(TITLE_CHARS_MAX).collect()
}

/// Tool errors have no codes; some servers put the protocol's code in front of the text.
fn tool_failed(blocks: &[Value]) -> ConnectorError {
    let text = blocks.iter().find_map(|block| block["text"].as_str()).unwrap_or("no reason");
    let code = text.strip_prefix("MCP error ").and_then(|rest| rest.split(':').next()?.trim().parse().ok());
    let kind = code.map_or(ConnectorErrorKind::Unavailable, kind_of);
    ConnectorError::new(kind, format!("the tool reports: {}", said(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(title: &str, url: &str, body: &str, date: &str) -> Value {
        json!({"title": title, "url": url, "body": body, "author": "", "date_published": date})
    }

    #[test]
    fn answers_of_every_form() {
        let link = json!({"type": "resource_link", "uri": "https://a.example/1", "name": "one", "description": "D",
            "annotations": {"lastModified": "2024-01-02"}});
        let embedded =
            json!({"type": "resource", "resource": {"uri": "https://a.example/2", "text": "# Two\nmore"}});
        let table = [
            (
                json!({"structuredContent": {"hits": [1]}, "content": []}),
                Data::Structured(json!({"hits": [1]})),
            ),
            (
                json!({"content": [{"type": "text", "text": "[{\"a\": 1}]"}]}),
                Data::Structured(json!([{"a": 1}])),
            ),
            (
                json!({"content": [{"type": "text", "text": "{\"a\": 1}"}, {"type": "text", "text": "{\"a\": 2}"}]}),
                Data::Items(vec![json!({"a": 1}), json!({"a": 2})]),
            ),
            (
                json!({"content": [link, embedded, {"type": "text", "text": " \nRivers rise.\nIn spring."}, {"type": "image"}]}),
                Data::Items(vec![
                    item("one", "https://a.example/1", "D", "2024-01-02"),
                    item("Two", "https://a.example/2", "# Two\nmore", ""),
                    item("Rivers rise.", "", " \nRivers rise.\nIn spring.", ""),
                ]),
            ),
            (json!({}), Data::Items(Vec::new())),
        ];
        for (result, want) in table {
            assert_eq!(data(&result).expect("an answer"), want, "{result}");
        }
        let many: Vec<Value> = (0..=BLOCKS_MAX).map(|_| json!({"type": "text", "text": "x"})).collect();
        assert!(
            matches!(data(&json!({"content": many})), Ok(Data::Items(items)) if items.len() == BLOCKS_MAX)
        );
    }

    #[test]
    fn a_tool_that_failed_is_an_error() {
        let failed = |text: &str| {
            data(&json!({"isError": true, "content": [{"type": "text", "text": text}]}))
                .expect_err("failed")
                .kind
        };
        assert_eq!(failed("the index is away"), ConnectorErrorKind::Unavailable);
        assert_eq!(failed("MCP error -32602: Tool x not found"), ConnectorErrorKind::ConfigInvalid);
        assert!(data(&json!({"isError": true})).is_err());
    }

    #[test]
    fn one_list_is_the_list() {
        assert_eq!(only_list(json!({"result": [1], "n": 2})), json!([1]));
        assert_eq!(only_list(json!({"a": [1], "b": [2]})), json!({"a": [1], "b": [2]}));
        assert_eq!(only_list(json!([3])), json!([3]));
    }
}
