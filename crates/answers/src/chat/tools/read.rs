//! `read_document`: windows of documents that this chat knows, and of those that the person attached.

use super::{ToolSaid, number_of, text_of};
use crate::chat::ChatError;
use crate::chat::exchange::Exchange;
use crate::chat::limits::{
    ANSWER_TIME, DOCUMENT_CHARS_MAX, PASSAGE_WORDS, TOOL_TOKENS_MAX, WINDOW_CHARS, WINDOW_CHARS_MAX,
};
use crate::chat::material::read;
use crate::gather::mode_of;
use crate::prompt::{SEARCH_RESULT, inert};
use domain::answer::SourceMode;
use domain::chat::{DocumentRef, MessageContent};
use domain::contracts::{PageWanted, StoreError};
use domain::notation::markup::readable;
use domain::rag::WindowMethod;
use domain::result::ResultItem;
use futures_util::future::try_join_all;
use relevancy::passages::best_passages;
use serde_json::Value;

/// The text of a document, as far as it could be read.
#[derive(Clone)]
pub(in crate::chat) struct Loaded {
    item: ResultItem,
    text: String,
    mode: SourceMode,
    /// The type of the document.
    kind: String,
    /// Why it is the result's own text.
    note: String,
}

pub(super) async fn read_document(exchange: &mut Exchange<'_>, args: &Value) -> Result<ToolSaid, ChatError> {
    let known = read(text_of(args, "ref"))
        .filter(|one| exchange.material.holds(*one) || exchange.readable.contains(one));
    let Some(reference) = known else {
        return Ok(ToolSaid::text("This chat has no document with this ref; use one that search gave."));
    };
    let loaded = match exchange.loaded.get(&reference) {
        Some(loaded) => Some(loaded.clone()),
        None => load(exchange, reference).await?,
    };
    let Some(loaded) = loaded else {
        return Ok(ToolSaid::text("This document cannot be read any more."));
    };
    exchange.loaded.insert(reference, loaded.clone());
    let offset = number_of(args, "offset").unwrap_or_default();
    let window = number_of(args, "window").unwrap_or(WINDOW_CHARS).clamp(1, WINDOW_CHARS_MAX);
    Ok(ToolSaid::text(window_of(exchange, reference, &loaded, (offset, window))))
}

/// The documents that came with a message: what of them has to do with it, each within its share of what is left.
pub(in crate::chat) async fn attached(
    exchange: &mut Exchange<'_>,
    message: &MessageContent,
) -> Result<Vec<String>, ChatError> {
    let all = try_join_all(message.attach.iter().map(|reference| load(exchange, *reference))).await?;
    let mut texts = Vec::new();
    let share = exchange.tokens_left / 2 / message.attach.len().max(1);
    for (reference, loaded) in message.attach.iter().zip(all) {
        let Some(loaded) = loaded else {
            texts.push("An attached document cannot be read any more.".to_owned());
            continue;
        };
        let text = passages_of(exchange, *reference, &loaded, (&message.content, share));
        exchange.loaded.insert(*reference, loaded);
        texts.push(format!("The person attached this document:\n{text}"));
        tokio::task::yield_now().await;
    }
    Ok(texts)
}

/// The whole document, or the best passages of it.
fn passages_of(
    exchange: &mut Exchange<'_>,
    reference: DocumentRef,
    loaded: &Loaded,
    (query, tokens_max): (&str, usize),
) -> String {
    let mut fits = |text: &str| exchange.count(text) <= tokens_max;
    let is_whole = fits(&loaded.text);
    let part = match is_whole {
        true => loaded.text.clone(),
        false => best_passages(&loaded.text, query, WindowMethod::TermCount, PASSAGE_WORDS, &mut fits),
    };
    let total = loaded.text.chars().count();
    let shown = shown(exchange, reference, loaded, &part);
    match is_whole {
        true => format!("{shown}{}", loaded.note),
        false => format!("{shown}These are passages of {total} characters.{}", loaded.note),
    }
}

/// A part of a document as the model sees it.
fn window_of(
    exchange: &mut Exchange<'_>,
    reference: DocumentRef,
    loaded: &Loaded,
    (offset, window): (usize, usize),
) -> String {
    let total = loaded.text.chars().count();
    if offset > 0 && offset >= total {
        return format!("The document ends at character {total}.");
    }
    let part: String = loaded.text.chars().skip(offset).take(window).collect();
    let part = exchange.fitting(&part, TOOL_TOKENS_MAX).to_owned();
    if part.is_empty() && total > 0 {
        return "There is no space for more text. Answer now from what you have.".to_owned();
    }
    let shown = shown(exchange, reference, loaded, &part);
    let end = offset + part.chars().count();
    format!("{shown}Characters {offset} to {end} of {total}.{}", loaded.note)
}

/// Numbers a document, and takes what the model sees of it from what is left.
fn shown(exchange: &mut Exchange<'_>, reference: DocumentRef, loaded: &Loaded, part: &str) -> String {
    let n = exchange.material.number(reference, &loaded.item);
    let shown = exchange.material.show(n, part, (loaded.mode, &loaded.kind));
    exchange.charge(&shown);
    shown
}

/// None when it is gone, or the person may no longer see its source.
async fn load(exchange: &Exchange<'_>, reference: DocumentRef) -> Result<Option<Loaded>, ChatError> {
    let store = &exchange.parts.store;
    let found = async {
        let (saved, search) = exchange.parts.federation.saved_result(reference.swirl_id).await?;
        let provider = store.provider(saved.provider).await?;
        Ok::<_, StoreError>((saved, search, provider))
    };
    let (saved, search, provider) = match found.await {
        Ok(found) => found,
        Err(StoreError::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let is_own = saved.search == reference.search_id && search.owner == exchange.chat.owner;
    if !is_own || !exchange.person().await?.may_see(&provider) {
        return Ok(None);
    }
    let time_max = exchange
        .parts
        .context
        .settings
        .page_fetch_timeout
        .0
        .min(exchange.time_left().saturating_sub(ANSWER_TIME));
    let (item, user) = (saved.item, exchange.chat.owner);
    let wanted = PageWanted::of_result(&provider, &item, user, time_max);
    let instead = |why: String| {
        let note = format!(" {why}; this is what the source said of it.");
        (inert(&readable(&item.body)), SourceMode::Snippet, SEARCH_RESULT.to_owned(), note)
    };
    let (text, mode, kind, note) = match exchange.parts.pages.read(&wanted).await {
        Ok(page) if page.text.trim().is_empty() => instead("The page has no text".to_owned()),
        Ok(page) => (bounded(&page.text), mode_of(&page), page.media_type, String::new()),
        Err(error) => instead(format!("The page itself could not be read ({error})")),
    };
    Ok(Some(Loaded { item, text, mode, kind, note }))
}

/// A document is read up to a limit; what comes after it can be searched, but not read here.
fn bounded(text: &str) -> String {
    let end = text.char_indices().nth(DOCUMENT_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    inert(&text[..end])
}
