//! State of one chat turn that its tools read and change.

use super::context_documents::ContextDocuments;
use super::error::ChatError;
use super::event::ChatEvent;
use super::history::Count;
use super::limits::MESSAGE_TIME_MAX;
use crate::context::RagDeps;
use domain::ai_provider::AiProvider;
use domain::chat::{Chat, DocumentRef, ToolUse};
use domain::page_starts::PageStarts;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::summary::SourceMode;
use domain::user::Principal;
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::mpsc::Sender;
use tokio::time::Instant;

/// The text of a document, as far as it could be read.
#[derive(Clone)]
pub(super) struct LoadedDocument {
    pub item: ResultItem,
    pub text: String,
    /// Where the pages of a PDF begin in the text; empty if unknown.
    pub page_starts: PageStarts,
    pub mode: SourceMode,
    /// The type of the document.
    pub kind: String,
    /// Why the text is that of the result.
    pub note: String,
}

/// What tools may use during one turn: dependencies, documents, and the remaining budget.
pub(super) struct ToolScope<'a> {
    pub deps: &'a RagDeps,
    pub chat: &'a Chat,
    pub events: &'a Sender<ChatEvent>,
    pub provider: AiProvider,
    pub deadline: Instant,
    /// The providers that may be searched for this user in this chat.
    pub sources: Vec<SearchProvider>,
    pub documents: ContextDocuments,
    /// Documents of earlier messages.
    pub readable: Vec<DocumentRef>,
    /// Documents that were read, so that their next window costs nothing.
    pub loaded: HashMap<DocumentRef, LoadedDocument>,
    pub uses: Vec<ToolUse>,
    pub searches: u32,
    /// Remaining tokens for tool results.
    pub tokens_left: usize,
}

impl<'a> ToolScope<'a> {
    pub fn new(
        deps: &'a RagDeps,
        chat: &'a Chat,
        provider: AiProvider,
        events: &'a Sender<ChatEvent>,
    ) -> Self {
        Self {
            deps,
            chat,
            events,
            provider,
            deadline: Instant::now() + MESSAGE_TIME_MAX,
            sources: Vec::new(),
            documents: ContextDocuments::default(),
            readable: Vec::new(),
            loaded: HashMap::new(),
            uses: Vec::new(),
            searches: 0,
            tokens_left: 0,
        }
    }

    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub fn count(&self, text: &str) -> usize {
        self.deps.context.generative_models.count_tokens(&self.provider, text)
    }

    /// The longest beginning of a text within a number of tokens and the remaining budget.
    pub fn fitting<'t>(&self, text: &'t str, tokens_max: usize) -> &'t str {
        fitted(text, tokens_max.min(self.tokens_left), &|text: &str| self.count(text))
    }

    /// Subtracts the tokens of a text from the budget.
    pub fn charge(&mut self, text: &str) {
        self.tokens_left = self.tokens_left.saturating_sub(self.count(text));
    }

    /// Truncates a text with [`Self::fitting`] and charges it.
    pub fn within_budget(&mut self, text: &str, tokens_max: usize) -> String {
        let kept = self.fitting(text, tokens_max).to_owned();
        self.charge(&kept);
        kept
    }

    pub async fn principal(&self) -> Result<Principal, ChatError> {
        Ok(Principal::of(&self.deps.store.user(self.chat.owner).await?))
    }

    pub async fn emit(&self, event: ChatEvent) {
        let _nobody_listens = self.events.send(event).await;
    }
}

/// The longest beginning of a text with at most this many tokens.
pub(super) fn fitted<'a>(text: &'a str, tokens_max: usize, count: Count<'_>) -> &'a str {
    if count(text) <= tokens_max {
        return text;
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| count(&text[..*end]) <= tokens_max);
    &text[..fitting.checked_sub(1).map_or(0, |at| ends[at])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_to_the_token() {
        let words = |text: &str| text.split_whitespace().count();
        for (text, most, expected) in [
            ("one two three", 3, "one two three"),
            ("one two three", 2, "one two "),
            ("one two three", 0, ""),
            ("", 0, ""),
            ("été déjà vu", 1, "été "),
        ] {
            assert_eq!(fitted(text, most, &words), expected, "{text} {most}");
        }
    }
}
