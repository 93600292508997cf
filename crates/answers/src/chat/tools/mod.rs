//! The tools of the model: it names one with arguments, and reads what it says.

mod read;
mod search;
mod sources;

pub(super) use read::{Loaded, attached};
pub(super) use search::SearchWish;

use super::exchange::Exchange;
use super::limits::{ANSWER_TIME, CALLS_PER_ROUND_MAX};
use super::model::Heard;
use super::{ChatError, ChatEvent};
use domain::chat::ToolUse;
use domain::contracts::{ToolCall, ToolOffer, Turn};
use domain::ids::SearchId;
use serde_json::{Value, json};
use tokio::time::Instant;

const LIST_SOURCES: &str = "list_sources";
const SEARCH: &str = "search";
const READ_DOCUMENT: &str = "read_document";
/// Most bytes of arguments that are kept with a message.
const ARGS_BYTES_MAX: usize = 4096;

/// What a tool said, and which search it made.
pub(super) struct ToolSaid {
    pub text: String,
    pub search: Option<SearchId>,
}

impl ToolSaid {
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), search: None }
    }
}

pub(super) fn offers() -> Vec<ToolOffer> {
    let offer = |name: &str, description: &str, properties: Value, required: &[&str]| ToolOffer {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": required,
            "additionalProperties": false}),
    };
    vec![
        offer(
            LIST_SOURCES,
            "Lists the sources that can be searched for this person: id, name, what they hold, how to write queries \
             in their own language, and whether the person has connected them.",
            json!({}),
            &[],
        ),
        offer(
            SEARCH,
            "Searches the sources and gives the best results with numbers, which are what you cite.",
            json!({
                "query": {"type": "string", "description": "A few words that a matching document holds."},
                "sources": {"type": "array", "items": {"type": "string"},
                    "description": "Names, ids or tags of sources. Leave out to search all."},
                "sort": {"type": "string", "enum": ["relevancy", "date"], "description": "date: newest first."},
                "native": {"type": "boolean",
                    "description": "True when the query is in the own language of the one source named."},
            }),
            &["query"],
        ),
        offer(
            READ_DOCUMENT,
            "Reads a part of a document that was found, attached or cited in this chat.",
            json!({
                "ref": {"type": "string", "description": "The ref of the document, such as 12:345."},
                "offset": {"type": "integer", "minimum": 0, "description": "Character to begin at."},
                "window": {"type": "integer", "minimum": 1, "description": "Characters to read, at most 8000."},
            }),
            &["ref"],
        ),
    ]
}

/// Uses the tools that the model named, one after the other.
pub(super) async fn use_all(exchange: &mut Exchange<'_>, heard: &Heard) -> Result<Vec<Turn>, ChatError> {
    let mut turns = Vec::new();
    for call in &heard.calls {
        let text = use_one(exchange, call).await?;
        turns.push(Turn::Tool { call_id: call.id.clone(), name: call.name.clone(), text });
    }
    if let (Some(Turn::Tool { text, .. }), true) = (turns.last_mut(), heard.calls_left_out > 0) {
        text.push_str(&format!(
            "\n{} more calls were left out: at most {CALLS_PER_ROUND_MAX} at once.",
            heard.calls_left_out
        ));
    }
    Ok(turns)
}

/// A search by itself, told and noted like one that the model wanted.
pub(super) async fn search_for(exchange: &mut Exchange<'_>, wish: SearchWish) -> Result<String, ChatError> {
    let arguments = json!({"query": wish.query});
    use_one(exchange, &ToolCall { id: String::new(), name: SEARCH.to_owned(), arguments }).await
}

async fn use_one(exchange: &mut Exchange<'_>, call: &ToolCall) -> Result<String, ChatError> {
    let started = Instant::now();
    let args = bounded(&call.arguments);
    exchange.tell(ChatEvent::Tool { name: call.name.clone(), args: args.clone() }).await;
    let said = if exchange.time_left() <= ANSWER_TIME {
        ToolSaid::text("There is no time left to look anything up. Answer now from what you have.")
    } else {
        match call.name.as_str() {
            LIST_SOURCES => sources::list(exchange).await,
            SEARCH => search::search(exchange, &call.arguments).await?,
            READ_DOCUMENT => read::read_document(exchange, &call.arguments).await?,
            _ => ToolSaid::text(format!(
                "There is no such tool. Use {LIST_SOURCES}, {SEARCH} or {READ_DOCUMENT}."
            )),
        }
    };
    let took = domain::instant::tenths(started.elapsed());
    let noted = ToolUse { name: bounded_name(&call.name), args, search_id: said.search, took };
    exchange.tell(ChatEvent::ToolDone(noted.clone())).await;
    exchange.uses.push(noted);
    Ok(said.text)
}

/// What a model calls is its own words: no more of them is kept than a person would read.
fn bounded(args: &Value) -> Value {
    if args.to_string().len() <= ARGS_BYTES_MAX { args.clone() } else { Value::Null }
}

fn bounded_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

/// A text argument; what is something else counts as not given.
fn text_of<'a>(args: &'a Value, key: &str) -> &'a str {
    args.get(key).and_then(Value::as_str).unwrap_or_default().trim()
}

/// A whole number, also when the model wrote it as text.
fn number_of(args: &Value, key: &str) -> Option<usize> {
    let value = args.get(key)?;
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
    usize::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_models_write_them() {
        let args = json!({"offset": "12", "window": 5, "ref": " 1:2 ", "sort": 7, "big": -1});
        assert_eq!((number_of(&args, "offset"), number_of(&args, "window")), (Some(12), Some(5)));
        assert_eq!((number_of(&args, "big"), number_of(&args, "none")), (None, None));
        assert_eq!((text_of(&args, "ref"), text_of(&args, "sort"), text_of(&args, "none")), ("1:2", "", ""));
        assert_eq!(text_of(&json!("text"), "ref"), "");
    }

    #[test]
    fn what_is_kept_of_a_call_is_bounded() {
        let fits = json!({"query": "x".repeat(ARGS_BYTES_MAX - 12)});
        assert_eq!(bounded(&fits), fits);
        assert_eq!(bounded(&json!({"query": "x".repeat(ARGS_BYTES_MAX)})), Value::Null);
        assert_eq!(bounded_name(&"n\n".repeat(100)).len(), 64);
    }

    #[test]
    fn offers_describe_objects() {
        for offer in offers() {
            assert_eq!(offer.parameters["type"], "object");
            for name in offer.parameters["required"].as_array().unwrap() {
                assert!(offer.parameters["properties"].get(name.as_str().unwrap()).is_some(), "{name}");
            }
        }
    }
}
