//! Chat messages: the reply in one response, or by server-sent events while it is generated.

use super::access::own_chat;
use super::view::MessageView;
use crate::api::rag_search::accepts_events;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::state::AppState;
use crate::throttle::{Class, StreamPermit};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::chat::DocumentRef;
use domain::ids::ChatId;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use rag::chat::{ChatEvent, ChatInput, ROUNDS_MAX};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Comment in idle times, so that proxies keep the connection open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A message of the user.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct ChatMessageInput {
    /// Empty: your last message is answered again, if it has no reply.
    #[schema(example = "Who owns the dam?")]
    content: String,
    /// Results of your searches that the reply should consider.
    attach: Vec<DocumentRef>,
}

/// Sends a message to a chat and answers it from the sources, with citations.
///
/// The message is stored in any case; if there is no reply, an empty `content` requests it again. With `Accept:
/// text/event-stream` the reply is streamed: `status` (`stage`, `round`), `tool` (a lookup, with `took` when it is
/// done), `delta` (`text` of a `round`; final if that round uses no tool), `citations`, and `done` with the whole
/// message, or `error`.
#[utoipa::path(post, path = "/svc/chat/{id}/messages/", tag = "answers", params(("id" = i64, Path, description = "Id of the chat.")),
    request_body = ChatMessageInput, responses(
    (status = 201, description = "The message.", body = MessageView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 409, description = "The previous message is still being answered, or the chat is full.", body = ErrorBody),
    (status = 429, description = "Too many requests; `retry_after` says when to try again.", body = ErrorBody),
    (status = 502, description = "`ai_provider_error`: the model failed.", body = ErrorBody),
    (status = 503, description = "`no_ai_provider`: no model is active for the chat.", body = ErrorBody),
    (status = 504, description = "`rag_timeout`: it took too long.", body = ErrorBody)))]
pub async fn send_message(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    address: ClientAddress,
    headers: HeaderMap,
    ApiPath(id): ApiPath<i64>,
    ApiJson(input): ApiJson<ChatMessageInput>,
) -> Result<Response, ApiError> {
    let chat = own_chat(&state, &caller.principal, ChatId(id)).await?;
    state.throttles.take(Class::Chat, caller.principal.user, address)?;
    let ChatMessageInput { content, attach } = input;
    let (chats, input) = (state.summaries.chats(), ChatInput { content, attach });
    if accepts_events(&headers) {
        let permit = state.throttles.streams.enter(caller.principal.user)?;
        let begun = chats.begin(chat, input).await?;
        return Ok(stream(chats.follow(begun), permit));
    }
    let answer = chats.reply(chat, input).await?;
    Ok((StatusCode::CREATED, Json(MessageView::from(answer))).into_response())
}

/// The permit is released when the stream ends.
fn stream(answer: BoxStream<'static, ChatEvent>, permit: StreamPermit) -> Response {
    let events = answer.filter_map(move |one| {
        let _permit_ref = &permit;
        std::future::ready(encode(one).map(Ok::<_, Infallible>))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()
}

fn encode(one: ChatEvent) -> Option<Event> {
    match one {
        ChatEvent::Asking { round } => {
            event("status", &json!({"stage": "asking", "round": round, "of": ROUNDS_MAX + 1}))
        }
        ChatEvent::Tool { name, args } => event("tool", &json!({"name": name, "args": args})),
        ChatEvent::ToolDone(used) => event("tool", &used),
        ChatEvent::Delta { round, text } => event("delta", &json!({"round": round, "text": text})),
        ChatEvent::Citations(citations) => event("citations", &json!({"citations": citations})),
        ChatEvent::Done(message) => event("done", &MessageView::from(*message)),
        ChatEvent::Failed(error) => {
            let refusal = ApiError::from(error);
            if let Some(cause) = refusal.cause() {
                tracing::error!("a chat message could not be answered: {cause}");
            }
            event("error", &json!({"code": refusal.code(), "message": refusal.detail()}))
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    let made = Event::default().event(name).json_data(data);
    made.inspect_err(|error| tracing::error!(%error, "events: an event cannot be written: {error}")).ok()
}
