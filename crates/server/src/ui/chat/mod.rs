//! The Assistant page. The chat list and each message are templates that scripts can fetch separately.

mod view;

use super::answer::prompts_for;
use super::i18n::t;
use super::page_context::PageContext;
use super::truncate::truncate;
use crate::api::chat::{messages_of, own_chat};
use crate::api::sapi::usable_models;
use crate::api::search::own_search;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::extract::{ApiPath, ApiQuery};
use crate::state::AppState;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL, Role};
use domain::chat::{CONTENT_CHARS_MAX, Chat, DocumentRef, LIST_MAX, Speaker};
use domain::ids::{AiProviderId, ChatId, MessageId, ProviderId, ResultId, SearchId};
use domain::prompt::{CHAT, CHAT_RAG};
use domain::provider::SearchProvider;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use syntax::highlights;
use view::{ChatView, DocumentView, MessageView};

/// Most chats in the list; the API returns older ones.
const CHATS_SHOWN_MAX: u64 = 200;
/// Most selectable sources.
const SOURCES_SHOWN_MAX: usize = 200;
/// Length at which the title of an attached document is cut.
const DOCUMENT_CHARS_MAX: usize = 120;

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route("/chat/", get(chat_page))
        .route("/chat/rail/", get(chat_list_fragment))
        .route("/chat/{id}/messages/{message}/", get(message_fragment))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChatQuery {
    /// The id of the open chat; none for a new one.
    chat: Option<String>,
    /// Results to attach, as `search:result`, separated by commas.
    attach: String,
}

impl ChatQuery {
    /// None if the text is not an id.
    fn id(&self) -> Option<ChatId> {
        self.chat.as_deref()?.trim().parse().ok().map(ChatId)
    }
}

#[derive(Serialize)]
struct Rail {
    open: Option<ChatId>,
    chats: Vec<ChatView>,
    total: u64,
}

#[derive(Serialize)]
struct ChatPage {
    #[serde(flatten)]
    rail: Rail,
    title: String,
    error: Option<&'static str>,
    messages: Vec<MessageView>,
    /// Whether the last message has no reply yet.
    is_waiting: bool,
    attached_documents: Vec<DocumentView>,
    attached_max: usize,
    models: Vec<ModelView>,
    prompts: Vec<String>,
    /// Visible sources; a new chat can be limited to some of them.
    sources: Vec<SourceView>,
    /// The extractive model, if it could be enabled for chats and no other model is.
    could_serve: Option<ModelView>,
    content_max: usize,
}

#[derive(Serialize)]
struct ModelView {
    id: AiProviderId,
    name: String,
    model: String,
    tags: Vec<String>,
}

#[derive(Serialize)]
struct SourceView {
    id: ProviderId,
    name: String,
}

/// `GET /chat/`: a new chat, or an existing one with `chat`.
async fn chat_page(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    ApiQuery(query): ApiQuery<ChatQuery>,
) -> Result<Response, ApiError> {
    let open = match query.id() {
        Some(id) => match own_chat(&state, &caller.principal, id).await {
            Ok(chat) => Some(chat),
            Err(error) if error.error_code() == ErrorCode::NotFound => None,
            Err(error) => return Err(error),
        },
        None => None,
    };
    let is_missing = query.chat.is_some_and(|text| !text.is_empty()) && open.is_none();
    let page = page_of(&state, &caller, open, &query.attach).await?;
    let error = is_missing.then(|| t("Chat not found."));
    let status = if is_missing { StatusCode::NOT_FOUND } else { StatusCode::OK };
    state.templates.render_page(status, "chat.html", &context, ChatPage { error, ..page })
}

/// `GET /chat/rail/`: the list of chats.
async fn chat_list_fragment(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    ApiQuery(query): ApiQuery<ChatQuery>,
) -> Result<Response, ApiError> {
    let rail = Rail::of(&state, &caller, query.id()).await?;
    fragment(state.templates.render("chat/rail.html", &context, rail)?)
}

/// `GET /chat/{id}/messages/{message}/`: one message.
async fn message_fragment(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    ApiPath((id, message)): ApiPath<(i64, i64)>,
) -> Result<Response, ApiError> {
    let chat = own_chat(&state, &caller.principal, ChatId(id)).await?;
    let messages = messages_of(&state, &chat).await?;
    let found = messages.into_iter().find(|one| one.id == MessageId(message));
    let message = MessageView::of(found.ok_or_else(|| ApiError::of(ErrorCode::NotFound))?);
    fragment(state.templates.render(
        "chat/message.html",
        &context,
        serde_json::json!({ "message": message }),
    )?)
}

fn fragment(text: String) -> Result<Response, ApiError> {
    Ok(([(header::CACHE_CONTROL, "no-store")], Html(text)).into_response())
}

async fn page_of(
    state: &AppState,
    caller: &Caller,
    open: Option<Chat>,
    attach: &str,
) -> Result<ChatPage, ApiError> {
    let mut messages = Vec::new();
    if let Some(chat) = &open {
        messages = messages_of(state, chat).await?;
    }
    let is_waiting = messages.last().is_some_and(|message| matches!(message.role, Speaker::User));
    let usable = usable_models(state, caller).await?;
    let (models, others): (Vec<AiProvider>, Vec<AiProvider>) =
        usable.into_iter().partition(|model| model.spec.serves(Role::Chat));
    let could_serve = others.into_iter().find(|model| model.spec.model == EXTRACTIVE_MODEL);
    let mut providers = state.store.providers().await?;
    let may_see = |provider: &SearchProvider| caller.principal.may_see(provider);
    providers.retain(|one| one.spec.active && may_see(one) && state.can_have_results(one));
    let sources = providers.into_iter().take(SOURCES_SHOWN_MAX);
    Ok(ChatPage {
        sources: sources.map(|one| SourceView { id: one.id, name: one.spec.name }).collect(),
        rail: Rail::of(state, caller, open.as_ref().map(|chat| chat.id)).await?,
        title: open.map(|chat| chat.spec.title).unwrap_or_default(),
        error: None,
        messages: messages.into_iter().map(MessageView::of).collect(),
        is_waiting,
        attached_documents: attached_documents(state, caller, attach).await?,
        attached_max: LIST_MAX,
        could_serve: could_serve.filter(|_| models.is_empty()).map(ModelView::of),
        models: models.into_iter().map(ModelView::of).collect(),
        prompts: prompts_for(state, caller.principal.user, &[CHAT, CHAT_RAG]).await?,
        content_max: CONTENT_CHARS_MAX,
    })
}

/// The documents in `attach` that are results of the caller's own searches.
async fn attached_documents(
    state: &AppState,
    caller: &Caller,
    attach: &str,
) -> Result<Vec<DocumentView>, ApiError> {
    let mut documents = Vec::new();
    for reference in references(attach) {
        let DocumentRef { search_id, swirl_id } = reference;
        let Ok(search) = own_search(state, &caller.principal, search_id).await else { continue };
        let Ok((saved, _)) = state.federation.reader.saved_result(swirl_id).await else { continue };
        if saved.search == search.id {
            let title = truncate(&highlights::plain(&saved.item.title), DOCUMENT_CHARS_MAX);
            documents.push(DocumentView { search_id, swirl_id, title });
        }
    }
    Ok(documents)
}

/// Parses `attach`; invalid entries are ignored.
fn references(text: &str) -> Vec<DocumentRef> {
    let pair = |fragment: &str| {
        let (search, result) = fragment.split_once(':')?;
        let (search, result) = (search.trim().parse().ok()?, result.trim().parse().ok()?);
        Some(DocumentRef { search_id: SearchId(search), swirl_id: ResultId(result) })
    };
    text.split(',').filter_map(pair).take(LIST_MAX).collect()
}

impl Rail {
    async fn of(state: &AppState, caller: &Caller, open: Option<ChatId>) -> Result<Self, ApiError> {
        let page = state.store.chats(caller.principal.user, 0, CHATS_SHOWN_MAX).await?;
        let now = state.clock.now();
        let chats = page.items.into_iter().map(|chat| ChatView::of(chat, now)).collect();
        Ok(Self { open, chats, total: page.total })
    }
}

impl ModelView {
    fn of(model: AiProvider) -> Self {
        let (id, spec) = (model.id, model.spec);
        Self { id, name: spec.name, model: spec.model, tags: spec.tags }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attached_documents_are_parsed() {
        let read = |text: &str| -> Vec<(i64, i64)> {
            references(text).iter().map(|one| (one.search_id.0, one.swirl_id.0)).collect()
        };
        for (text, expected) in
            [("", vec![]), ("7:12, 7:13", vec![(7, 12), (7, 13)]), ("7,x:1,7:y,8:1", vec![(8, 1)])]
        {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(read(&vec!["1:1"; LIST_MAX + 1].join(",")).len(), LIST_MAX);
    }
}
