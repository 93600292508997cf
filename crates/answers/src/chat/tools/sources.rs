//! `list_sources`: what can be searched, and what the person has not connected.

use super::ToolSaid;
use crate::chat::exchange::Exchange;
use crate::chat::instructions::card;
use crate::chat::limits::TOOL_TOKENS_MAX;
use domain::provider::DESCRIPTION_CHARS_MAX;

pub(super) async fn list(exchange: &mut Exchange<'_>) -> ToolSaid {
    let mut lines = Vec::new();
    for source in &exchange.sources {
        let mut line = card(source, DESCRIPTION_CHARS_MAX);
        if !source.spec.tags.is_empty() {
            line.push_str(&format!(" Tags: {}.", source.spec.tags.join(", ")));
        }
        if let Some(reason) = exchange.parts.federation.missing_connection(exchange.chat.owner, source).await
        {
            line.push_str(&format!(" Not connected: {reason}."));
        }
        lines.push(format!("- {line}"));
    }
    if lines.is_empty() {
        lines.push("There are no sources that may be searched for this person in this chat.".to_owned());
    }
    ToolSaid::text(exchange.within_budget(&lines.join("\n"), TOOL_TOKENS_MAX))
}
