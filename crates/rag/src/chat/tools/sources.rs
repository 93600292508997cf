//! `list_sources`: the searchable sources, and which are not connected.

use super::result::ToolResult;
use crate::chat::limits::TOOL_TOKENS_MAX;
use crate::chat::system_prompt::card;
use crate::chat::tool_scope::ToolScope;
use domain::provider::DESCRIPTION_CHARS_MAX;

pub(super) async fn list(scope: &mut ToolScope<'_>) -> ToolResult {
    let mut lines = Vec::new();
    for source in &scope.sources {
        let mut line = card(source, DESCRIPTION_CHARS_MAX);
        if !source.spec.tags.is_empty() {
            line.push_str(&format!(" Tags: {}.", source.spec.tags.join(", ")));
        }
        if let Some(reason) = scope.deps.federation.prober.missing_connection(scope.chat.owner, source).await
        {
            line.push_str(&format!(" Not connected: {reason}."));
        }
        lines.push(format!("- {line}"));
    }
    if lines.is_empty() {
        lines.push("There are no sources that may be searched for this person in this chat.".to_owned());
    }
    ToolResult::text(scope.within_budget(&lines.join("\n"), TOOL_TOKENS_MAX))
}
