//! `score_document`: scores a text against a query as search results are scored.

use super::definition::{Row, ToolCall};
use crate::error::ToolError;
use crate::schema;
use crate::tool_context::{ToolContext, ToolOutput, arguments};
use async_trait::async_trait;
use domain::result::ResultItem;
use domain::search::QUERY_CHARS_MAX;
use domain::settings::PluginSettings;
use relevancy::{Query, ScoringConfig, score_pool};
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use syntax::highlights::plain;

pub(crate) const ROW: Row = Row {
    name: "score_document",
    aliases: &[],
    title: "Score a text",
    description: "How well a text answers a query, from 0 to 1, with an explanation. 0.7 and more is good. Give \
        either the text itself, or search_id and swirl_id of one of your results.",
    is_read_only: true,
    is_open_world: false,
    input: schema::of::<Arguments>,
    output: schema::of::<ScoreView>,
    tool: &ScoreDocument,
};

/// Maximum length of a text in characters.
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
    /// The legacy score; 100 and more is good.
    score: f64,
    /// Explanation of the scores.
    explain: Map<String, Value>,
}

struct ScoreDocument;

#[async_trait]
impl ToolCall for ScoreDocument {
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
        let given: Arguments = arguments(given)?;
        if given.query.trim().is_empty() || given.query.chars().count() > QUERY_CHARS_MAX {
            return Err(ToolError::arguments(format!("query needs 1 to {QUERY_CHARS_MAX} characters")));
        }
        let item = match (&given.text, given.search_id, given.swirl_id) {
            (Some(text), None, None) => text_item(text)?,
            (None, Some(search), Some(result)) => {
                let saved = context.own_result(search, result).await?.item;
                let (title, body) = (plain(&saved.title), plain(&saved.body));
                ResultItem { title, body, author: saved.author, ..ResultItem::default() }
            }
            _ => return Err(ToolError::arguments("give text, or search_id with swirl_id")),
        };
        let scale = ScoringConfig::of(&PluginSettings::from(&*context.mcp.settings));
        // Scoring a long text is CPU-bound.
        let scoring = tokio::task::spawn_blocking(move || scored(&given.query, &scale, item));
        let view = scoring.await.map_err(ToolError::internal)?;
        let markdown = format!(
            "Confidence {:.2} of 1 ({}), score {:.1}.",
            view.confidence,
            if view.confidence >= 0.7 { "good" } else { "doubtful" },
            view.score
        );
        ToolOutput::new(&view, markdown)
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

fn scored(query: &str, scale: &ScoringConfig, mut item: ResultItem) -> ScoreView {
    score_pool(&Query::parse_by_language(scale.language, query), scale, &mut [&mut item]);
    ScoreView {
        confidence: item.swirl_confidence_score,
        score: item.swirl_score,
        explain: item.explain.unwrap_or_default().to_map(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confidence(query: &str, text: &str) -> f64 {
        scored(query, &ScoringConfig::default(), text_item(text).expect("a text")).confidence
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
