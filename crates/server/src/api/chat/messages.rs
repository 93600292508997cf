//! Saying something: the answer at once, or by server-sent events while it is made.

use super::own_chat;
use super::view::MessageView;
use crate::AppState;
use crate::api::rag_search::accepts_events;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::throttle::{Class, StreamPlace};
use answers::chat::{ChatEvent, ROUNDS_MAX, Said};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::chat::DocumentRef;
use domain::ids::ChatId;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// A comment in quiet times, so that proxies keep the line open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What you say.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct ChatMessageInput {
    /// Empty: your last message is answered again, when it has no answer.
    #[schema(example = "Who owns the dam?", max_length = 8000)]
    content: String,
    /// Results of your searches that the answer should look at.
    #[schema(max_items = 20)]
    attach: Vec<DocumentRef>,
}

/// Says something in a chat and answers it from the sources, with citations.
///
/// The message is kept in any case; when there is no answer, an empty `content` asks for it again. With
/// `Accept: text/event-stream` the answer is told while it is made: `status` (`stage`, `round`), `tool` (what is looked
/// up, and with `took` when it is done), `delta` (`text` of a `round`; it counts when that round uses no tool),
/// `citations`, and `done` with the whole message, or `error`.
#[utoipa::path(post, path = "/svc/chat/{id}/messages/", tag = "answers", params(("id" = i64, Path, description = "Id of the chat.")),
    request_body = ChatMessageInput, responses(
    (status = 201, description = "The answer.", body = MessageView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody),
    (status = 409, description = "The message before is still being answered, or the chat is full.", body = ErrorBody),
    (status = 429, description = "You ask too often; `retry_after` says when to try again.", body = ErrorBody),
    (status = 502, description = "`ai_provider_error`: the model failed.", body = ErrorBody),
    (status = 503, description = "`no_ai_provider`: none is active for the chat.", body = ErrorBody),
    (status = 504, description = "`rag_timeout`: it took too long.", body = ErrorBody)))]
pub async fn send_message(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    (address, headers): (ClientAddress, HeaderMap),
    ApiPath(id): ApiPath<i64>,
    ApiJson(input): ApiJson<ChatMessageInput>,
) -> Result<Response, ApiError> {
    let chat = own_chat(&state, &caller.principal, ChatId(id)).await?;
    state.throttles.take(Class::Chat, caller.principal.user, address)?;
    let ChatMessageInput { content, attach } = input;
    let (chats, said) = (state.answers.chats(), Said { content, attach });
    if accepts_events(&headers) {
        let place = state.throttles.streams.enter(caller.principal.user)?;
        let begun = chats.begin(chat, said).await?;
        return Ok(stream(chats.follow(begun), place));
    }
    let answer = chats.say(chat, said).await?;
    Ok((StatusCode::CREATED, Json(MessageView::from(answer))).into_response())
}

/// The stream's place is free again when it ends.
fn stream(answer: BoxStream<'static, ChatEvent>, place: StreamPlace) -> Response {
    let events = answer.filter_map(move |one| {
        let _held = &place;
        std::future::ready(told(one).map(Ok::<_, Infallible>))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()
}

fn told(one: ChatEvent) -> Option<Event> {
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
                tracing::error!("a message could not be answered: {cause}");
            }
            event("error", &json!({"code": refusal.code(), "message": refusal.detail()}))
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    let made = Event::default().event(name).json_data(data);
    made.inspect_err(|error| tracing::error!(%error, "events: an event cannot be written: {error}")).ok()
}
