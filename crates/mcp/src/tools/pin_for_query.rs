//! `pin_for_query`: a curator says which document is the answer to a query. It takes nobody else's decision away.

use super::{Row, ToolCall};
use crate::call::{Call, Said, arguments};
use crate::error::ToolError;
use crate::markdown::inline;
use crate::schema;
use crate::views::TITLE_CHARS_MAX;
use async_trait::async_trait;
use corpus::canonical::{CanonicalError, PinWish, Pinned};
use domain::corpus::Scope;
use domain::ids::SignalId;
use domain::search::{LIST_ITEM_CHARS_MAX, QUERY_CHARS_MAX};
use domain::validation::FieldErrors;
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) const ROW: Row = Row {
    name: "pin_for_query",
    aliases: &[],
    title: "Pin a document",
    description: "For curators: pins a document of the cache as the answer to a query, for all who may see it. Do it only \
        when the person asked for it. A pin of another document is not replaced.",
    is_read_only: false,
    is_open_world: false,
    input: schema::of::<Arguments>,
    output: schema::of::<PinView>,
    tool: &PinForQuery,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The document, as list_versions names it.
    signal_id: i64,
    /// The query that it answers, in any case and spacing.
    query: String,
    /// firm when it is not said, or matter:<tag>.
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
    /// False: it was pinned already.
    is_new: bool,
}

struct PinForQuery;

#[async_trait]
impl ToolCall for PinForQuery {
    async fn call(&self, call: &Call<'_>, given: JsonObject) -> Result<Said, ToolError> {
        let wish = wish(arguments(given)?)?;
        let pinned = call.mcp.corpus.pin(&call.principal, wish).await.map_err(refused)?;
        let view = PinView::of(pinned);
        Said::new(&view, view.markdown())
    }
}

fn wish(given: Arguments) -> Result<PinWish, ToolError> {
    let scope = given.scope.unwrap_or_default();
    let query = given.query.trim().to_owned();
    let mut errors = FieldErrors::default();
    errors.check(!query.is_empty(), "query", || "A query is needed.".to_owned());
    errors.check_text("query", &query, QUERY_CHARS_MAX);
    errors.check_text("scope", &scope, LIST_ITEM_CHARS_MAX);
    errors.into_result(()).map_err(ToolError::arguments)?;
    Ok(PinWish { signal_id: SignalId(given.signal_id), query, scope: Scope::read(&scope), force: false })
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
    use domain::contracts::StoreError;

    fn given(query: &str, scope: Option<&str>) -> Arguments {
        Arguments { signal_id: 7, query: query.to_owned(), scope: scope.map(str::to_owned) }
    }

    #[test]
    fn wishes_have_their_limits_and_never_force() {
        let made = wish(given(" The MSA ", Some("matter:acme"))).expect("a wish");
        assert_eq!((made.query.as_str(), made.force), ("The MSA", false));
        assert_eq!(made.scope, Scope::Matter("acme".to_owned()));
        assert_eq!(wish(given("msa", None)).expect("a wish").scope, Scope::Firm);
        assert!(wish(given(&"x".repeat(QUERY_CHARS_MAX), None)).is_ok());
        for bad in [
            given("  ", None),
            given(&"x".repeat(QUERY_CHARS_MAX + 1), None),
            given("msa", Some(&"x".repeat(LIST_ITEM_CHARS_MAX + 1))),
        ] {
            assert!(wish(bad).is_err());
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
            let told = refused(error);
            assert!(told.to_string().contains(word), "{told}");
        }
        let inside = refused(CanonicalError::Store(StoreError::Failed("secret table".to_owned())));
        assert!(!inside.to_string().contains("secret"), "{inside}");
    }
}
