//! `score_document`: how well a text answers a query, and why, by the scale that orders the results.

use super::{Row, ToolCall};
use crate::call::{Call, Said, arguments};
use crate::error::ToolError;
use crate::schema;
use async_trait::async_trait;
use domain::notation::marks::plain;
use domain::result::ResultItem;
use domain::search::QUERY_CHARS_MAX;
use relevancy::{Query, Scale, score_pool};
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) const ROW: Row = Row {
    name: "score_document",
    aliases: &[],
    title: "Score a text",
    description: "How well a text answers a query, from 0 to 1, and what that rests on. 0.7 and more is good. Give \
        either the text itself, or search_id and swirl_id of one of your results.",
    is_read_only: true,
    is_open_world: false,
    input: schema::of::<Arguments>,
    output: schema::of::<ScoreView>,
    tool: &ScoreDocument,
};

/// Longest text that is scored, in characters.
const TEXT_CHARS_MAX: usize = 20_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What the text should answer.
    query: String,
    /// The text, at most 20000 characters.
    #[serde(default)]
    text: Option<String>,
    /// Instead of text: the search of a result.
    #[serde(default)]
    search_id: Option<i64>,
    /// Instead of text: the result.
    #[serde(default)]
    swirl_id: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ScoreView {
    /// 0 to 1.
    confidence: f64,
    /// The older score; 100 and more is good.
    score: f64,
    /// What the scores rest on.
    explain: Map<String, Value>,
}

struct ScoreDocument;

#[async_trait]
impl ToolCall for ScoreDocument {
    async fn call(&self, call: &Call<'_>, given: JsonObject) -> Result<Said, ToolError> {
        let given: Arguments = arguments(given)?;
        if given.query.trim().is_empty() || given.query.chars().count() > QUERY_CHARS_MAX {
            return Err(ToolError::arguments(format!("query needs 1 to {QUERY_CHARS_MAX} characters")));
        }
        let item = match (&given.text, given.search_id, given.swirl_id) {
            (Some(text), None, None) => text_item(text)?,
            (None, Some(search), Some(result)) => {
                let saved = call.own_result(search, result).await?.item;
                let (title, body) = (plain(&saved.title), plain(&saved.body));
                ResultItem { title, body, author: saved.author, ..ResultItem::default() }
            }
            _ => return Err(ToolError::arguments("give text, or search_id with swirl_id")),
        };
        let scale = Scale::of(&call.mcp.settings);
        // Reading a long text takes the processor for a while; others must not wait for it.
        let scoring = tokio::task::spawn_blocking(move || scored(&given.query, &scale, item));
        let view = scoring.await.map_err(ToolError::internal)?;
        let markdown = format!(
            "Confidence {:.2} of 1 ({}), score {:.1}.",
            view.confidence,
            if view.confidence >= 0.7 { "good" } else { "doubtful" },
            view.score
        );
        Said::new(&view, markdown)
    }
}

fn text_item(text: &str) -> Result<ResultItem, ToolError> {
    match text.chars().count() {
        0 => Err(ToolError::arguments("text is empty")),
        count if count > TEXT_CHARS_MAX => {
            Err(ToolError::arguments(format!("text has {count} characters; {TEXT_CHARS_MAX} is the most")))
        }
        _ => Ok(ResultItem { body: text.to_owned(), ..ResultItem::default() }),
    }
}

fn scored(query: &str, scale: &Scale, mut item: ResultItem) -> ScoreView {
    score_pool(&Query::parse(query), scale, &mut [&mut item]);
    ScoreView {
        confidence: item.swirl_confidence_score,
        score: item.swirl_score,
        explain: item.explain.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confidence(query: &str, text: &str) -> f64 {
        scored(query, &Scale::default(), text_item(text).expect("a text")).confidence
    }

    #[test]
    fn the_better_text_has_the_higher_number() {
        let good = confidence("river level sensors", "Sensors that measure the level of a river.");
        let other = confidence("river level sensors", "Soups for cold days.");
        assert!(good > other && (0.0..=1.0).contains(&good), "{good} {other}");
    }

    #[test]
    fn texts_have_their_limit() {
        assert!(text_item(&"ä".repeat(TEXT_CHARS_MAX)).is_ok());
        assert!(text_item(&"ä".repeat(TEXT_CHARS_MAX + 1)).is_err());
        assert!(text_item("").is_err());
    }
}
