//! The tools: one file for each, one row for each in the table.

mod chat;
mod get_search_results;
mod list_providers;
mod list_searches;
mod list_versions;
mod pin_for_query;
mod read_document;
mod score_document;
mod search;
mod search_rag;

pub(crate) use list_providers::visible_providers;
pub(crate) use search::first_results;

use crate::call::{Call, Said};
use crate::error::ToolError;
use async_trait::async_trait;
use domain::user::Principal;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use std::sync::Arc;

/// Every tool, in the order in which clients show them.
pub(crate) const TABLE: &[Row] = &[
    search::ROW,
    get_search_results::ROW,
    search_rag::ROW,
    read_document::ROW,
    score_document::ROW,
    chat::ROW,
    list_providers::ROW,
    list_searches::ROW,
    list_versions::ROW,
    pin_for_query::ROW,
];

/// One tool.
pub(crate) struct Row {
    pub name: &'static str,
    /// Names that other servers of this kind have for it; they are understood and not listed.
    pub aliases: &'static [&'static str],
    pub title: &'static str,
    /// For the model.
    pub description: &'static str,
    /// False: it adds something that is kept. No tool takes anything away.
    pub is_read_only: bool,
    /// It asks the sources.
    pub is_open_world: bool,
    pub input: fn() -> Arc<JsonObject>,
    pub output: fn() -> Arc<JsonObject>,
    pub tool: &'static dyn ToolCall,
}

#[async_trait]
pub(crate) trait ToolCall: Send + Sync {
    async fn call(&self, call: &Call<'_>, arguments: JsonObject) -> Result<Said, ToolError>;
}

impl Row {
    /// What only curators do is not shown to others. That it is refused to them does not rest on this.
    pub fn is_for(&self, principal: &Principal) -> bool {
        self.name != pin_for_query::ROW.name || principal.may_curate()
    }

    /// As clients see it.
    pub fn described(&self) -> Tool {
        let hints = ToolAnnotations::with_title(self.title)
            .read_only(self.is_read_only)
            .destructive(false)
            .open_world(self.is_open_world);
        Tool::new(self.name, self.description, (self.input)())
            .with_title(self.title)
            .with_raw_output_schema((self.output)())
            .with_annotations(hints)
    }
}

/// The tool of a name or of an alias.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name || row.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_tool_is_described() {
        let mut names = BTreeSet::new();
        for row in TABLE {
            let tool = row.described();
            assert!(names.insert(row.name), "{} stands twice", row.name);
            assert!(row.aliases.iter().all(|alias| names.insert(alias)), "{}", row.name);
            assert!(row.description.ends_with('.'), "{}", row.name);
            assert_eq!(tool.input_schema["type"], "object", "{}", row.name);
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", row.name);
            let output = tool.output_schema.expect("a schema");
            assert_eq!(output["type"], "object", "{}", row.name);
            for (argument, schema) in tool.input_schema["properties"].as_object().into_iter().flatten() {
                assert!(schema.get("description").is_some(), "{}: {argument} is not described", row.name);
            }
            let hints = tool.annotations.expect("hints");
            assert!(!hints.is_destructive() && hints.read_only_hint.is_some(), "{}", row.name);
        }
        for alias in ["create_search", "get_results", "rag_answer"] {
            assert!(row(alias).is_some(), "{alias}");
        }
        assert!(row("delete_everything").is_none());
    }

    #[test]
    fn decisions_are_for_curators() {
        let person = |is_admin: bool, group: &str| Principal {
            user: domain::ids::UserId(1),
            username: "ann".to_owned(),
            is_admin,
            groups: vec![group.to_owned()],
        };
        for (principal, hidden) in [
            (person(false, "law"), Some("pin_for_query")),
            (person(false, domain::user::CURATORS), None),
            (person(true, ""), None),
        ] {
            let left_out: Vec<&str> =
                TABLE.iter().filter(|row| !row.is_for(&principal)).map(|row| row.name).collect();
            assert_eq!(left_out, Vec::from_iter(hidden), "{principal:?}");
        }
    }
}
