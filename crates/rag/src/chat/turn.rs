//! One chat turn: from a user's message through tool calls to the reply.

use super::error::ChatError;
use super::event::ChatEvent;
use super::limits::{ANSWER_TIME, ANSWER_TOKENS_MAX, ROUNDS_MAX};
use super::model::{DeltaSink, ModelReply, model_request, request_reply};
use super::question::Question;
use super::small_talk::SmallMessage;
use super::system_prompt::{self, SystemPrompt};
use super::tool_scope::{ToolScope, fitted};
use super::tools::SearchArgs;
use super::{citations, history, tools};
use crate::check::sanitized_text;
use crate::context::RagDeps;
use crate::extractive::extract;
use crate::generate::CUT_OFF;
use crate::prompt::NOT_FOUND;
use crate::query::language_of_query;
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL};
use domain::chat::{Chat, ChatMessage, MessageContent};
use domain::ports::{Prompt, ToolDefinition, Turn};
use domain::prompt::{CHAT, CHAT_RAG};
use serde_json::Value;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout_at};

/// The reply if no sentence of the sources is relevant. Pages translate it.
pub const NOTHING_FOUND: &str = "The sources do not contain an answer to this.";
/// One part in this many of the context window is for the history.
const HISTORY_SHARE: usize = 3;

/// A message that is being answered.
pub(super) struct ChatTurn<'a> {
    scope: ToolScope<'a>,
}

impl<'a> ChatTurn<'a> {
    pub fn new(
        deps: &'a RagDeps,
        chat: &'a Chat,
        provider: AiProvider,
        events: &'a Sender<ChatEvent>,
    ) -> Self {
        Self { scope: ToolScope::new(deps, chat, provider, events) }
    }

    /// Runs the whole turn within its time limit.
    pub async fn answer(
        mut self,
        before: &[ChatMessage],
        message: &ChatMessage,
    ) -> Result<MessageContent, ChatError> {
        let (started, deadline) = (Instant::now(), self.scope.deadline);
        let work = async {
            let chat = self.scope.chat;
            let federation = &self.scope.deps.federation;
            self.scope.sources =
                federation.selector.providers_for_user(chat.owner, &chat.spec.searchprovider_list).await?;
            let (system, turns) = self.opening(before, message).await?;
            if self.has_tools() {
                self.with_tools(&system, turns).await
            } else {
                self.with_one_search(&system, turns, before, &message.body.content).await
            }
        };
        let reply = timeout_at(deadline, work).await.map_err(|_late| ChatError::Timeout)??;
        let mut checked = citations::check_reply(&reply.text, &self.scope.documents);
        checked.warnings.extend(reply.is_cut.then(|| CUT_OFF.to_owned()));
        if checked.content.trim().is_empty() {
            let message = format!("{} returned no text.", reply.provider.spec.name);
            return Err(ChatError::Model { message });
        }
        self.scope.emit(ChatEvent::Citations(checked.citations.clone())).await;
        Ok(MessageContent {
            content: checked.content,
            attach: Vec::new(),
            tool_calls: self.scope.uses,
            citations: checked.citations,
            follow_ups: checked.follow_ups,
            warnings: checked.warnings,
            ai_model: reply.provider.spec.model,
            took: domain::instant::tenths(started.elapsed()),
        })
    }

    /// Rounds of tool calls until the model replies or has to.
    async fn with_tools(&mut self, system: &str, mut turns: Vec<Turn>) -> Result<ModelReply, ChatError> {
        let definitions = tools::definitions();
        for round in 1..=ROUNDS_MAX {
            if self.scope.time_left() <= ANSWER_TIME {
                break;
            }
            let reply = self.ask(round, system, &turns, definitions.clone()).await?;
            if reply.calls.is_empty() {
                return Ok(reply);
            }
            let results = tools::use_all(&mut self.scope, &reply).await?;
            turns.push(Turn::Assistant { text: reply.text, calls: reply.calls });
            turns.extend(results);
        }
        let mut turns = history::without_tools(&turns);
        history::append(
            &mut turns,
            "Nothing more can be looked up for this message. Answer now from what you have.",
        );
        self.ask(ROUNDS_MAX + 1, system, &turns, Vec::new()).await
    }

    /// For models without tools: the message itself is the query, with the subject of the question that it refers to.
    async fn with_one_search(
        &mut self,
        system: &str,
        mut turns: Vec<Turn>,
        before: &[ChatMessage],
        message: &str,
    ) -> Result<ModelReply, ChatError> {
        if let Some(small) = SmallMessage::of(message) {
            if !self.is_extractive() {
                return self.ask(1, system, &turns, Vec::new()).await;
            }
            let text = small.reply(&self.scope.sources);
            let shown = sanitized_text(&text, &[]);
            return Ok(self.own_reply(text, shown).await);
        }
        let question = Question::of(&self.scope.deps.settings, before, message);
        let found = tools::search_for(&mut self.scope, SearchArgs::of_message(&question.query)).await?;
        if !self.is_extractive() {
            history::append(&mut turns, &found);
            return self.ask(1, system, &turns, Vec::new()).await;
        }
        let extracted = self.extracted(&question);
        let (text, shown) = if extracted.trim().is_empty() {
            // With the marker it is not a claim, which would need a source.
            (format!("{NOT_FOUND}\n{NOTHING_FOUND}"), NOTHING_FOUND.to_owned())
        } else {
            (extracted.clone(), extracted)
        };
        Ok(self.own_reply(text, shown).await)
    }

    /// The sentences that answer the message with its subject, or else the message alone if it has one of its own.
    fn extracted(&self, question: &Question) -> String {
        let sources = self.scope.documents.sources();
        let language = |text: &str| language_of_query(&self.scope.deps.settings, text);
        let asked = extract(language(&question.asked), &question.asked, sources);
        let asked = question.fitting_lines(&asked);
        if !asked.is_empty() || !question.has_own_subject {
            return asked;
        }
        question.fitting_lines(&extract(language(&question.message), &question.message, sources))
    }

    /// A reply that no model writes.
    async fn own_reply(&self, text: String, shown: String) -> ModelReply {
        self.scope.emit(ChatEvent::Delta { round: 1, text: shown }).await;
        let provider = self.scope.provider.clone();
        ModelReply { provider, text, calls: Vec::new(), calls_left_out: 0, is_cut: false }
    }

    async fn ask(
        &self,
        round: u32,
        system: &str,
        turns: &[Turn],
        tools: Vec<ToolDefinition>,
    ) -> Result<ModelReply, ChatError> {
        let scope = &self.scope;
        scope.emit(ChatEvent::Asking { round }).await;
        let prompt = Prompt {
            system: system.to_owned(),
            turns: turns.to_vec(),
            tools,
            answer_tokens_max: u32::try_from(self.answer_tokens()).unwrap_or(u32::MAX),
            time_max: scope.time_left(),
        };
        let sink = DeltaSink { round, events: scope.events, sources: scope.documents.sources() };
        request_reply(&*scope.deps.context.generative_models, &model_request(scope.chat), &prompt, sink).await
    }

    /// The system prompt and the first turns; sets the remaining token budget for tools.
    async fn opening(
        &mut self,
        before: &[ChatMessage],
        message: &ChatMessage,
    ) -> Result<(String, Vec<Turn>), ChatError> {
        let system = self.system(&message.body.content).await?;
        let deps = self.scope.deps;
        let provider = self.scope.provider.clone();
        let count = move |text: &str| deps.context.generative_models.count_tokens(&provider, text);
        let tokens_max = deps.context.generative_models.tokens_max(&self.scope.provider);
        let sources = system_prompt::sources(&self.scope.sources);
        let sources = fitted(&sources, tokens_max / 5, &count);
        let system = format!("{system}\n\n{sources}");
        let taken = count(&system) + count(&message.body.content) + self.answer_tokens();
        let left = tokens_max.saturating_sub(taken);
        let mut turns = history::turns(before, left / HISTORY_SHARE, &count);
        self.scope.tokens_left = left.saturating_sub(turns.iter().map(|turn| count(text_of(turn))).sum());

        let documents = history::documents(before);
        self.scope.readable = documents.iter().map(|(reference, _)| *reference).collect();
        history::append(&mut turns, &message.body.content);
        if let Some(list) = history::describe_documents(&documents) {
            let list = self.scope.within_budget(&list, self.scope.tokens_left / 4);
            history::append(&mut turns, &list);
        }
        for text in tools::attached(&mut self.scope, &message.body).await? {
            history::append(&mut turns, &text);
        }
        Ok((system, turns))
    }

    async fn system(&self, message: &str) -> Result<String, ChatError> {
        let ToolScope { deps, chat, provider, .. } = &self.scope;
        let records = deps.store.prompts().await?;
        let (user, name) = (chat.owner, chat.spec.prompt.as_str());
        let part = system_prompt::parts(&records, CHAT, name, user, provider);
        let with_sources = system_prompt::parts(&records, CHAT_RAG, name, user, provider);
        let prompt = SystemPrompt {
            part: &part,
            with_sources: &with_sources,
            message,
            today: &deps.context.clock.now().format("%Y-%m-%d").to_string(),
            has_tools: self.has_tools(),
            follow_ups: deps.settings.rag_follow_ups,
        };
        Ok(prompt.text())
    }

    fn is_extractive(&self) -> bool {
        self.scope.provider.spec.model == EXTRACTIVE_MODEL
    }

    /// `config.tools` is false for services that reject tools.
    fn has_tools(&self) -> bool {
        !self.is_extractive() && self.scope.provider.spec.config.get("tools") != Some(&Value::Bool(false))
    }

    fn answer_tokens(&self) -> usize {
        ANSWER_TOKENS_MAX.min(self.scope.deps.context.generative_models.tokens_max(&self.scope.provider) / 4)
    }
}

fn text_of(turn: &Turn) -> &str {
    match turn {
        Turn::User(text) | Turn::Assistant { text, .. } | Turn::Tool { text, .. } => text,
    }
}
