//! The tools of the chat model.

mod arguments;
mod read;
mod result;
mod search;
mod sources;

pub(super) use read::attached;
pub(super) use search::SearchArgs;

use super::error::ChatError;
use super::event::ChatEvent;
use super::limits::{ANSWER_TIME, CALLS_PER_ROUND_MAX};
use super::model::ModelReply;
use super::tool_scope::ToolScope;
use domain::chat::ToolUse;
use domain::ports::{ToolCall, ToolDefinition, Turn};
use result::ToolResult;
use serde_json::{Value, json};
use tokio::time::Instant;

const LIST_SOURCES: &str = "list_sources";
const SEARCH: &str = "search";
const READ_DOCUMENT: &str = "read_document";
/// Maximum size in bytes of stored arguments.
const ARGS_BYTES_MAX: usize = 4096;

pub(super) fn definitions() -> Vec<ToolDefinition> {
    let definition = |name: &str, description: &str, properties: Value, required: &[&str]| ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": required,
            "additionalProperties": false}),
    };
    vec![
        definition(
            LIST_SOURCES,
            "Lists the sources that can be searched for this person: id, name, what they hold, how to write queries \
             in their own language, and whether the person has connected them.",
            json!({}),
            &[],
        ),
        definition(
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
        definition(
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

/// Runs the tool calls of a reply one after the other.
pub(super) async fn use_all(scope: &mut ToolScope<'_>, reply: &ModelReply) -> Result<Vec<Turn>, ChatError> {
    let mut turns = Vec::new();
    for call in &reply.calls {
        let text = use_one(scope, call).await?;
        turns.push(Turn::Tool { call_id: call.id.clone(), name: call.name.clone(), text });
    }
    if let (Some(Turn::Tool { text, .. }), true) = (turns.last_mut(), reply.calls_left_out > 0) {
        text.push_str(&format!(
            "\n{} more calls were left out: at most {CALLS_PER_ROUND_MAX} at once.",
            reply.calls_left_out
        ));
    }
    Ok(turns)
}

/// A search without the model, reported and recorded like one of its tool calls.
pub(super) async fn search_for(scope: &mut ToolScope<'_>, args: SearchArgs) -> Result<String, ChatError> {
    let arguments = json!({"query": args.query});
    use_one(scope, &ToolCall { id: String::new(), name: SEARCH.to_owned(), arguments }).await
}

async fn use_one(scope: &mut ToolScope<'_>, call: &ToolCall) -> Result<String, ChatError> {
    let started = Instant::now();
    let args = bounded(&call.arguments);
    scope.emit(ChatEvent::Tool { name: call.name.clone(), args: args.clone() }).await;
    let result = if scope.time_left() <= ANSWER_TIME {
        ToolResult::text("There is no time left to look anything up. Answer now from what you have.")
    } else {
        match call.name.as_str() {
            LIST_SOURCES => sources::list(scope).await,
            SEARCH => search::search(scope, &call.arguments).await?,
            READ_DOCUMENT => read::read_document(scope, &call.arguments).await?,
            _ => ToolResult::text(format!(
                "There is no such tool. Use {LIST_SOURCES}, {SEARCH} or {READ_DOCUMENT}."
            )),
        }
    };
    let took = domain::instant::tenths(started.elapsed());
    let tool_use = ToolUse { name: bounded_name(&call.name), args, search_id: result.search, took };
    scope.emit(ChatEvent::ToolDone(tool_use.clone())).await;
    scope.uses.push(tool_use);
    Ok(result.text)
}

/// Drops arguments that are too large to store.
fn bounded(args: &Value) -> Value {
    if args.to_string().len() <= ARGS_BYTES_MAX { args.clone() } else { Value::Null }
}

fn bounded_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_call_is_bounded() {
        let fits = json!({"query": "x".repeat(ARGS_BYTES_MAX - 12)});
        assert_eq!(bounded(&fits), fits);
        assert_eq!(bounded(&json!({"query": "x".repeat(ARGS_BYTES_MAX)})), Value::Null);
        assert_eq!(bounded_name(&"n\n".repeat(100)).len(), 64);
    }

    #[test]
    fn offers_describe_objects() {
        for definition in definitions() {
            assert_eq!(definition.parameters["type"], "object");
            for name in definition.parameters["required"].as_array().unwrap() {
                assert!(definition.parameters["properties"].get(name.as_str().unwrap()).is_some(), "{name}");
            }
        }
    }
}
