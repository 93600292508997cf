//! Tool errors, which are returned to the model with a suggested next step.

use domain::ports::{StoreError, chain};
use domain::validation::FieldErrors;
use federation::FederationError;
use rmcp::model::{CallToolResult, ContentBlock};

/// Errors of `tributary mcp`.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error("the client did not start the protocol correctly: {0}")]
    NotBegun(String),
    #[error("the connection to the client broke: {0}")]
    Broken(String),
}

/// An error message and the next step, both shown to the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} {next}")]
pub(crate) struct ToolError {
    pub message: String,
    pub next: String,
}

/// Record fields and their names as tool arguments.
const ARGUMENTS: [(&str, &str); 4] = [
    ("query_string", "query"),
    ("searchprovider_list", "providers"),
    ("results_requested", "max_results"),
    ("content", "message"),
];

const LATER: &str = "Try again in a few seconds.";

impl ToolError {
    pub fn new(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { message: message.into(), next: next.into() }
    }

    /// The arguments do not match the schema of the tool.
    pub fn arguments(message: impl std::fmt::Display) -> Self {
        let message = message.to_string();
        let message = message.trim_end_matches('.');
        Self::new(
            format!("The arguments are not valid: {message}."),
            "Correct them as the tool's input schema says, and call it again.",
        )
    }

    /// Invalid fields, with the names of the arguments.
    pub fn fields(errors: &FieldErrors) -> Self {
        let named = |(field, sentence): (&str, &str)| {
            let argument =
                ARGUMENTS.iter().find(|(known, _)| *known == field).map_or(field, |(_, name)| name);
            format!("{argument}: {sentence}")
        };
        Self::arguments(errors.iter().map(named).collect::<Vec<_>>().join(" "))
    }

    /// The search does not exist or belongs to another user.
    pub fn no_search(id: i64) -> Self {
        Self::new(
            format!("You have no search with the id {id}."),
            "Call list_searches for the ids of yours, or search for a new one.",
        )
    }

    /// The cause is only logged.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!("a tool failed: {cause}");
        Self::new("Something went wrong in the service.", LATER)
    }

    pub fn tool_result(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(format!("{}\n\nNext: {}", self.message, self.next))])
    }
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::new("There is no such record.", "Look at the id."),
            StoreError::UnknownReference(what) => {
                Self::new(format!("There is no {what}."), "Correct the name, and call the tool again.")
            }
            StoreError::Unreachable { .. } | StoreError::Full { .. } => {
                tracing::warn!("a tool cannot reach the records: {}", chain(&error));
                Self::new("The service cannot reach its records at the moment.", LATER)
            }
            other => Self::internal(chain(&other)),
        }
    }
}

impl From<FederationError> for ToolError {
    fn from(error: FederationError) -> Self {
        match error {
            FederationError::Store(error) => error.into(),
            FederationError::Invalid(errors) => Self::fields(&errors),
            FederationError::Contended => Self::new("This search is being changed concurrently.", LATER),
            FederationError::TooManyWaiting { max } => Self::new(
                format!("{max} of your searches are waiting to start."),
                "Wait until some of them have finished, then call the tool again.",
            ),
            FederationError::QueueFull { max } => {
                Self::new(format!("{max} searches of all users are waiting to start."), LATER)
            }
            FederationError::TooManyKept { max } => Self::new(
                format!(
                    "You have {max} searches, the most that are kept for one user, and all are saved, subscribed or \
                     still running."
                ),
                "Delete saved searches, or end subscriptions, and call the tool again.",
            ),
            FederationError::NotReady(status) => Self::new(
                format!("The search still runs ({}).", status.as_str()),
                "Call get_search_results with its id in a second.",
            ),
            FederationError::Queue(error) => {
                tracing::warn!("a tool cannot reach the queue: {}", chain(&error));
                Self::new("The service cannot start a search at the moment.", LATER)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_named_as_the_tools_name_them() {
        let mut errors = FieldErrors::one("query_string", "A query is needed.");
        errors.add("sort", "Use date.");
        for (error, expected) in [
            (ToolError::from(FederationError::Invalid(errors)), "query: A query is needed. sort: Use date."),
            (ToolError::arguments("missing field `query`"), "missing field `query`."),
        ] {
            assert_eq!(error.message, format!("The arguments are not valid: {expected}"));
        }
    }

    #[test]
    fn causes_stay_inside() {
        let causes = ["secret table", "secret host", "secret disk"];
        let errors = [
            StoreError::failed(causes[0]).caused_by(std::io::Error::other("a secret cause")),
            StoreError::unreachable(causes[1]),
            StoreError::full(causes[2]),
        ];
        for error in errors {
            let shown = ToolError::from(error);
            assert!(!shown.to_string().contains("secret"), "{shown}");
            assert_eq!(shown.tool_result().is_error, Some(true));
        }
    }
}
