//! The tools, one file and one row for each.

mod chat;
mod definition;
mod get_search_results;
mod list_providers;
mod list_searches;
mod list_versions;
mod pin_for_query;
mod read_document;
mod score_document;
mod search;
mod search_rag;

pub(crate) use definition::Row;
pub(crate) use list_providers::visible_providers;
pub(crate) use search::first_results;

use domain::user::Principal;

/// Every tool, in display order.
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

impl Row {
    /// Whether the tool is listed for a user. Permission is checked separately when it is called.
    pub fn is_for(&self, principal: &Principal) -> bool {
        self.name != pin_for_query::ROW.name || principal.may_curate()
    }
}

/// Finds a tool by name or alias.
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
            assert!(names.insert(row.name), "{} is listed twice", row.name);
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
