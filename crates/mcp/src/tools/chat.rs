//! `chat`: a message to the search assistant, which searches, reads and answers with citations.

use super::definition::{Row, ToolCall};
use crate::error::ToolError;
use crate::markdown::{cut, inline, link, one_line};
use crate::tool_context::{NamedProvider, ToolContext, ToolOutput, arguments};
use crate::views::TITLE_CHARS_MAX;
use crate::{QuotaClass, schema};
use async_trait::async_trait;
use domain::chat::{CHATS_MAX, Chat, ChatCitation, ChatMessage, ChatSpec};
use domain::ids::ChatId;
use domain::ports::StoreError;
use futures_util::StreamExt;
use rag::chat::{ChatError, ChatEvent, ChatInput};
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) const ROW: Row = Row {
    name: "chat",
    aliases: &[],
    title: "Ask the assistant",
    description: "Sends a message to the search assistant of the service, which searches and reads by itself and \
        answers with citations. Pass the chat_id of the reply to continue the conversation.",
    is_read_only: false,
    is_open_world: true,
    input: schema::of::<Arguments>,
    output: schema::of::<ReplyView>,
    tool: &ChatTool,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The message.
    message: String,
    /// One of your conversations; omit it to start a new one.
    #[serde(default)]
    chat_id: Option<i64>,
    /// For a new conversation: ids, names or tags of the sources to search.
    #[serde(default)]
    providers: Option<Vec<NamedProvider>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ReplyView {
    chat_id: i64,
    message_id: i64,
    /// Text with citations such as [1].
    content: String,
    citations: Vec<CitationView>,
    follow_ups: Vec<String>,
    warnings: Vec<String>,
    ai_model: String,
    /// Seconds.
    took: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CitationView {
    /// Its number in the text.
    n: u32,
    title: String,
    url: String,
    search_id: i64,
    swirl_id: i64,
}

struct ChatTool;

#[async_trait]
impl ToolCall for ChatTool {
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
        let given: Arguments = arguments(given)?;
        // A new conversation needs a message.
        if given.message.trim().is_empty() && given.chat_id.is_none() {
            return Err(ToolError::arguments("message: A message is needed."));
        }
        context.charge_quota(QuotaClass::Chat)?;
        let chat = match given.chat_id {
            Some(id) => own_chat(context, id).await?,
            None => new_chat(context, given.providers).await?,
        };
        let input = ChatInput { content: given.message, ..ChatInput::default() };
        let view = ReplyView::of(answered(context, chat, input).await?);
        ToolOutput::new(&view, view.markdown())
    }
}

async fn own_chat(context: &ToolContext<'_>, id: i64) -> Result<Chat, ToolError> {
    match context.mcp.store.chat(ChatId(id)).await {
        Ok(chat) if context.principal.owns(&chat) => Ok(chat),
        Ok(_) | Err(StoreError::NotFound) => Err(ToolError::new(
            format!("You have no conversation with the id {id}."),
            "Call chat without chat_id to begin a new one.",
        )),
        Err(error) => Err(error.into()),
    }
}

async fn new_chat(
    context: &ToolContext<'_>,
    providers: Option<Vec<NamedProvider>>,
) -> Result<Chat, ToolError> {
    let spec = ChatSpec {
        searchprovider_list: providers.into_iter().flatten().map(Into::into).collect(),
        ..ChatSpec::default()
    };
    let errors = spec.check();
    if !errors.is_empty() {
        return Err(ToolError::fields(&errors));
    }
    let (store, user) = (&context.mcp.store, context.principal.user);
    if store.chats(user, 0, 1).await?.total >= CHATS_MAX {
        return Err(ToolError::new(
            format!("You have {CHATS_MAX} conversations, and no more are kept."),
            "Go on with one of them by chat_id, or delete some in the service.",
        ));
    }
    Ok(store.create_chat(spec, user, context.mcp.clock.now()).await?)
}

async fn answered(context: &ToolContext<'_>, chat: Chat, input: ChatInput) -> Result<ChatMessage, ToolError> {
    let (chats, id) = (context.mcp.summaries.chats(), chat.id);
    let pending = chats.begin(chat, input).await.map_err(|error| refused(id, error))?;
    let mut events = chats.follow(pending);
    while let Some(event) = events.next().await {
        match event {
            ChatEvent::Asking { round } => {
                context.progress.report(format!("The model is asked, round {round}.")).await
            }
            ChatEvent::Tool { name, .. } => context.progress.report(format!("The model uses {name}.")).await,
            ChatEvent::Done(message) => return Ok(*message),
            ChatEvent::Failed(error) => return Err(refused(id, error)),
            ChatEvent::ToolDone(_) | ChatEvent::Delta { .. } | ChatEvent::Citations(_) => {}
        }
    }
    Err(ToolError::internal("a chat ended without an answer"))
}

fn refused(chat: ChatId, error: ChatError) -> ToolError {
    let again = format!("Call chat again with chat_id {chat}.");
    match error {
        ChatError::Store(error) => error.into(),
        ChatError::Invalid(errors) => ToolError::fields(&errors),
        ChatError::Full => ToolError::new(ChatError::Full.to_string(), "Call chat without chat_id."),
        ChatError::NoProvider(message) => ToolError::new(
            message,
            "Use search and read_document instead. An administrator can add an AI provider for the role chat.",
        ),
        other => ToolError::new(other.to_string(), again),
    }
}

impl ReplyView {
    fn of(message: ChatMessage) -> Self {
        let ChatMessage { id, chat, body, .. } = message;
        Self {
            chat_id: chat.0,
            message_id: id.0,
            content: body.content,
            citations: body.citations.into_iter().map(CitationView::of).collect(),
            follow_ups: body.follow_ups,
            warnings: body.warnings,
            ai_model: body.ai_model,
            took: body.took,
        }
    }

    /// The links of the text were checked when it was generated.
    fn markdown(&self) -> String {
        let mut out = format!("{}\n\n", self.content);
        for citation in &self.citations {
            let title = link(&citation.title, &citation.url, TITLE_CHARS_MAX);
            let (search, result) = (citation.search_id, citation.swirl_id);
            let _ = writeln!(out, "{}. {title} (search_id {search}, swirl_id {result})", citation.n);
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "\n> {}", inline(warning, TITLE_CHARS_MAX));
        }
        let _ = writeln!(out, "\nchat_id {}", self.chat_id);
        out
    }
}

impl CitationView {
    fn of(citation: ChatCitation) -> Self {
        Self {
            n: citation.n,
            title: cut(&one_line(&citation.title), TITLE_CHARS_MAX),
            url: citation.url,
            search_id: citation.search_id.0,
            swirl_id: citation.swirl_id.0,
        }
    }
}
