//! `read_document`: windows of documents that this chat knows, and attached documents.

use super::arguments::{number_of, text_of};
use super::result::ToolResult;
use crate::chat::context_documents::parse_reference;
use crate::chat::error::ChatError;
use crate::chat::limits::{
    ANSWER_TIME, DOCUMENT_CHARS_MAX, PASSAGE_WORDS, TOOL_TOKENS_MAX, WINDOW_CHARS, WINDOW_CHARS_MAX,
};
use crate::chat::tool_scope::{LoadedDocument, ToolScope};
use crate::fetch_texts::mode_of;
use crate::prompt::{SEARCH_RESULT, escape_text};
use crate::query::query_language;
use crate::second_reader::{PassageRatings, TEXTS_MAX};
use domain::chat::{DocumentRef, MessageContent};
use domain::page_starts::PageStarts;
use domain::ports::{DocumentRequest, PageText, StoreError};
use domain::summary::SourceMode;
use futures_util::future::try_join_all;
use relevancy::Query;
use relevancy::passages::{best_rated_passages, best_windows};
use serde_json::Value;
use syntax::strip_html::readable;

pub(super) async fn read_document(scope: &mut ToolScope<'_>, args: &Value) -> Result<ToolResult, ChatError> {
    let known = parse_reference(text_of(args, "ref"))
        .filter(|one| scope.documents.holds(*one) || scope.readable.contains(one));
    let Some(reference) = known else {
        return Ok(ToolResult::text("This chat has no document with this ref; use one that search gave."));
    };
    let loaded = match scope.loaded.get(&reference) {
        Some(loaded) => Some(loaded.clone()),
        None => load(scope, reference).await?,
    };
    let Some(loaded) = loaded else {
        return Ok(ToolResult::text("This document cannot be read any more."));
    };
    scope.loaded.insert(reference, loaded.clone());
    let offset = number_of(args, "offset").unwrap_or_default();
    let window = number_of(args, "window").unwrap_or(WINDOW_CHARS).clamp(1, WINDOW_CHARS_MAX);
    Ok(ToolResult::text(window_of(scope, reference, &loaded, offset, window)))
}

/// The relevant passages of the documents attached to a message, each within its share of the budget.
pub(in crate::chat) async fn attached(
    scope: &mut ToolScope<'_>,
    message: &MessageContent,
) -> Result<Vec<String>, ChatError> {
    let all = try_join_all(message.attach.iter().map(|reference| load(scope, *reference))).await?;
    let mut texts = Vec::new();
    let share = scope.tokens_left / 2 / message.attach.len().max(1);
    for (reference, loaded) in message.attach.iter().zip(all) {
        let Some(loaded) = loaded else {
            texts.push("An attached document cannot be read any more.".to_owned());
            continue;
        };
        let passages_max = TEXTS_MAX / message.attach.len().max(1);
        let ratings = if scope.count(&loaded.text) > share {
            rate_passages(scope, &loaded.text, &message.content, passages_max).await
        } else {
            PassageRatings::new()
        };
        let text = passages_of(scope, (*reference, &loaded), &message.content, share, &ratings);
        scope.loaded.insert(*reference, loaded);
        texts.push(format!("The person attached this document:\n{text}"));
        tokio::task::yield_now().await;
    }
    Ok(texts)
}

/// The best passages of a text by its words, as the second reader rates them; none if it is off.
async fn rate_passages(scope: &ToolScope<'_>, text: &str, query: &str, max: usize) -> PassageRatings {
    let Some(reader) = &scope.deps.second_reader else { return PassageRatings::new() };
    let form = Query::parse_by_language(query_language(&scope.deps.settings), query);
    let passages = best_windows(text, &form.for_text(text), PASSAGE_WORDS, max);
    reader.rate_passages(query, passages).await
}

/// The whole document, or its best passages.
fn passages_of(
    scope: &mut ToolScope<'_>,
    (reference, loaded): (DocumentRef, &LoadedDocument),
    query: &str,
    tokens_max: usize,
    ratings: &PassageRatings,
) -> String {
    let query = Query::parse_by_language(query_language(&scope.deps.settings), query);
    let mut fits = |text: &str| scope.count(text) <= tokens_max;
    let is_whole = fits(&loaded.text);
    let part = if is_whole {
        loaded.text.clone()
    } else {
        best_rated_passages(
            &loaded.text,
            &query.for_text(&loaded.text),
            PASSAGE_WORDS,
            &|passage: &str| ratings.get(passage).copied(),
            &mut fits,
        )
    };
    let total = loaded.text.chars().count();
    let shown = shown(scope, reference, loaded, &part);
    if is_whole {
        format!("{shown}{}", loaded.note)
    } else {
        format!("{shown}These are passages of {total} characters.{}", loaded.note)
    }
}

/// A window of a document in the format of the prompt.
fn window_of(
    scope: &mut ToolScope<'_>,
    reference: DocumentRef,
    loaded: &LoadedDocument,
    offset: usize,
    window: usize,
) -> String {
    let total = loaded.text.chars().count();
    if offset > 0 && offset >= total {
        return format!("The document ends at character {total}.");
    }
    let part: String = loaded.text.chars().skip(offset).take(window).collect();
    let part = scope.fitting(&part, TOOL_TOKENS_MAX).to_owned();
    if part.is_empty() && total > 0 {
        return "There is no space for more text. Answer now from what you have.".to_owned();
    }
    let shown = shown(scope, reference, loaded, &part);
    let end = offset + part.chars().count();
    format!("{shown}Characters {offset} to {end} of {total}.{}", loaded.note)
}

/// Numbers a document, formats a part of it and charges the budget.
fn shown(scope: &mut ToolScope<'_>, reference: DocumentRef, loaded: &LoadedDocument, part: &str) -> String {
    let n = scope.documents.number(reference, &loaded.item);
    let shown = scope.documents.show(n, part, loaded.mode, &loaded.kind);
    scope.documents.keep_pages(n, &loaded.text, &loaded.page_starts);
    scope.charge(&shown);
    shown
}

/// Loads a document; None if it is gone or the user may no longer see its source.
async fn load(scope: &ToolScope<'_>, reference: DocumentRef) -> Result<Option<LoadedDocument>, ChatError> {
    let store = &scope.deps.store;
    let found = async {
        let (saved, search) = scope.deps.federation.reader.saved_result(reference.swirl_id).await?;
        let provider = store.provider(saved.provider).await?;
        Ok::<_, StoreError>((saved, search, provider))
    };
    let (saved, search, provider) = match found.await {
        Ok(found) => found,
        Err(StoreError::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let is_own = saved.search == reference.search_id && scope.chat.owner.owns(&search);
    if !is_own || !scope.principal().await?.may_see(&provider) {
        return Ok(None);
    }
    let time_max =
        scope.deps.settings.page_fetch_timeout.0.min(scope.time_left().saturating_sub(ANSWER_TIME));
    let (item, user) = (saved.item, scope.chat.owner);
    let wanted = DocumentRequest::of_result(&provider, &item, user, time_max);
    let instead = |why: String| {
        let note = format!(" {why}; this is what the source said of it.");
        let text =
            BoundedText { text: escape_text(&readable(&item.body)), page_starts: PageStarts::default() };
        (text, SourceMode::Snippet, SEARCH_RESULT.to_owned(), note)
    };
    let (text, mode, kind, note) = match scope.deps.pages.read(&wanted).await {
        Ok(page) if page.text.trim().is_empty() => instead("The page has no text".to_owned()),
        Ok(page) => (BoundedText::of_page(&page), mode_of(&page), page.media_type, String::new()),
        Err(error) => instead(format!("The page itself could not be read ({error})")),
    };
    let BoundedText { text, page_starts } = text;
    Ok(Some(LoadedDocument { item, text, page_starts, mode, kind, note }))
}

/// The truncated and escaped text of a document.
struct BoundedText {
    text: String,
    page_starts: PageStarts,
}

impl BoundedText {
    fn of_page(page: &PageText) -> Self {
        let end = page.text.char_indices().nth(DOCUMENT_CHARS_MAX).map_or(page.text.len(), |(at, _)| at);
        let own = &page.text[..end];
        let text = escape_text(own);
        let page_starts = page.page_starts.in_changed_text(own, &text, escape_text);
        Self { text, page_starts }
    }
}
