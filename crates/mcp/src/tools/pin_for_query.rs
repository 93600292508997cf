//! `pin_for_query`: a curator pins a document for a query. Existing pins are not replaced.

use super::definition::{Row, ToolCall};
use crate::error::ToolError;
use crate::markdown::inline;
use crate::schema;
use crate::tool_context::{ToolContext, ToolOutput, arguments};
use crate::views::TITLE_CHARS_MAX;
use async_trait::async_trait;
use corpus::canonical::{CanonicalError, PinRequest, Pinned};
use domain::corpus::Scope;
use domain::ids::SignalId;
use domain::ports::ExistingPin;
use domain::search::QUERY_CHARS_MAX;
use domain::validation::FieldErrors;
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) const ROW: Row = Row {
    name: "pin_for_query",
    aliases: &[],
    title: "Pin a document",
    description: "For curators: pins a document of the cache as the answer to a query, for all who may see it. Use it \
        only if the person asked for it. A pin of another document is not replaced.",
    is_read_only: false,
    is_open_world: false,
    input: schema::of::<Arguments>,
    output: schema::of::<PinView>,
    tool: &PinForQuery,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The document, as returned by list_versions.
    signal_id: i64,
    /// The query that it answers; case and spacing do not matter.
    query: String,
    /// firm (default) or matter:<tag>.
    #[serde(default)]
    scope: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PinView {
    pin_id: i64,
    signal_id: i64,
    title: String,
    query: String,
    scope: String,
    /// False if it was already pinned.
    is_new: bool,
}

struct PinForQuery;

#[async_trait]
impl ToolCall for PinForQuery {
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
        let pin_request = pin_request(arguments(given)?)?;
        let pinned = context.mcp.corpus.pin(&context.principal, pin_request).await.map_err(refused)?;
        let view = PinView::of(pinned);
        ToolOutput::new(&view, view.markdown())
    }
}

fn pin_request(given: Arguments) -> Result<PinRequest, ToolError> {
    let scope = given.scope.unwrap_or_default();
    let query = given.query.trim().to_owned();
    let mut errors = FieldErrors::default();
    errors.check(!query.is_empty(), "query", || "A query is needed.".to_owned());
    errors.check_text("query", &query, QUERY_CHARS_MAX);
    let scope = Scope::read(&mut errors, "scope", &scope);
    errors.into_result(()).map_err(ToolError::arguments)?;
    Ok(PinRequest { signal_id: SignalId(given.signal_id), query, scope, existing: ExistingPin::Keep })
}

fn refused(error: CanonicalError) -> ToolError {
    match error {
        CanonicalError::Unlicensed => ToolError::new(
            "The license does not open the semantic cache.",
            "Tell the person that an administrator can look at the license.",
        ),
        CanonicalError::NotFound => ToolError::new(
            "There is no such document, or it is not for you.",
            "Call list_versions for the signal_ids of a result's versions.",
        ),
        CanonicalError::Forbidden => ToolError::new(
            "Only curators and administrators pin documents.",
            "Tell the person whom they can ask: a member of the group curators.",
        ),
        CanonicalError::NotIndexed => ToolError::new(
            "The text of this document is not in the cache.",
            "Let the person keep a copy of it first.",
        ),
        CanonicalError::NoQuery => ToolError::arguments("query: A query is needed"),
        CanonicalError::PinExists { .. } => ToolError::new(
            "Another document is pinned for this query.",
            "Tell the person; they can replace it on the page of results.",
        ),
        CanonicalError::AlreadyDecided(_) => {
            ToolError::new("This is decided already.", "Tell the person so.")
        }
        CanonicalError::Store(error) => error.into(),
    }
}

impl PinView {
    fn of(pinned: Pinned) -> Self {
        let Pinned { pin: seen, is_new } = pinned;
        Self {
            pin_id: seen.pin.id.0,
            signal_id: seen.pin.signal_id.0,
            title: seen.document.map(|document| document.title).unwrap_or_default(),
            query: seen.pin.query,
            scope: seen.pin.scope.to_string(),
            is_new,
        }
    }

    fn markdown(&self) -> String {
        let title = inline(&self.title, TITLE_CHARS_MAX);
        let query = inline(&self.query, TITLE_CHARS_MAX);
        let how = if self.is_new { "is now pinned" } else { "was pinned already" };
        format!(
            "{title} (signal_id {}) {how} for “{query}” ({}).\n",
            self.signal_id,
            inline(&self.scope, 300)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::corpus::MATTER_CHARS_MAX;
    use domain::ports::StoreError;

    fn given(query: &str, scope: Option<&str>) -> Arguments {
        Arguments { signal_id: 7, query: query.to_owned(), scope: scope.map(str::to_owned) }
    }

    #[test]
    fn requests_are_limited_and_never_force() {
        let request = pin_request(given(" The MSA ", Some("matter:acme"))).expect("a request");
        assert_eq!((request.query.as_str(), request.existing), ("The MSA", ExistingPin::Keep));
        assert_eq!(Some(request.scope), Scope::parse("acme"));
        assert_eq!(pin_request(given("msa", None)).expect("a request").scope, Scope::Firm);
        assert!(pin_request(given(&"x".repeat(QUERY_CHARS_MAX), None)).is_ok());
        for bad in [
            given("  ", None),
            given(&"x".repeat(QUERY_CHARS_MAX + 1), None),
            given("msa", Some(&"x".repeat(MATTER_CHARS_MAX + 1))),
            given("msa", Some("matter:")),
        ] {
            assert!(pin_request(bad).is_err());
        }
    }

    #[test]
    fn refusals_say_what_comes_next() {
        let table = [
            (CanonicalError::Forbidden, "curators"),
            (CanonicalError::NotFound, "list_versions"),
            (CanonicalError::Unlicensed, "license"),
            (CanonicalError::NotIndexed, "keep a copy"),
        ];
        for (error, word) in table {
            let refusal = refused(error);
            assert!(refusal.to_string().contains(word), "{refusal}");
        }
        let inside = refused(CanonicalError::Store(StoreError::failed("secret table")));
        assert!(!inside.to_string().contains("secret"), "{inside}");
    }
}
