//! The path of one message: what was said before, what the model looks up, and its answer.

use super::history::{self, Count};
use super::instructions::{self, Instructions};
use super::limits::{ANSWER_TIME, ANSWER_TOKENS_MAX, MESSAGE_TIME_MAX, ROUNDS_MAX};
use super::material::Material;
use super::model::{Heard, Told, ask};
use super::tools::{Loaded, SearchWish};
use super::{ChatError, ChatEvent, citations, tools, wanted};
use crate::AnswersParts;
use crate::extractive::extract;
use crate::prompt::NOT_FOUND;
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL};
use domain::chat::{Chat, ChatMessage, DocumentRef, MessageContent, ToolUse};
use domain::contracts::{Prompt, ToolOffer, Turn};
use domain::prompt_record::{CHAT, CHAT_RAG};
use domain::provider::SearchProvider;
use domain::user::Principal;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout_at};

/// What is said where no sentence speaks of the message.
const NOTHING_FOUND: &str = "The sources hold nothing that answers this.";
/// What a message leaves for its history, in parts of what there is.
const HISTORY_SHARE: usize = 3;

/// One message on its way to an answer.
pub(super) struct Exchange<'a> {
    pub parts: &'a AnswersParts,
    pub chat: &'a Chat,
    pub tell: &'a Sender<ChatEvent>,
    provider: AiProvider,
    pub deadline: Instant,
    /// The sources that may be searched for this person in this chat.
    pub sources: Vec<SearchProvider>,
    pub material: Material,
    /// Documents of earlier messages.
    pub readable: Vec<DocumentRef>,
    /// Documents that were read, so that their next window costs nothing.
    pub loaded: HashMap<DocumentRef, Loaded>,
    pub uses: Vec<ToolUse>,
    pub searches: u32,
    /// Tokens for what tools will say.
    pub tokens_left: usize,
}

impl<'a> Exchange<'a> {
    pub fn new(
        parts: &'a AnswersParts,
        chat: &'a Chat,
        provider: AiProvider,
        tell: &'a Sender<ChatEvent>,
    ) -> Self {
        Self {
            parts,
            chat,
            tell,
            provider,
            deadline: Instant::now() + MESSAGE_TIME_MAX,
            sources: Vec::new(),
            material: Material::default(),
            readable: Vec::new(),
            loaded: HashMap::new(),
            uses: Vec::new(),
            searches: 0,
            tokens_left: 0,
        }
    }

    /// The whole path, within its time.
    pub async fn answer(
        mut self,
        before: &[ChatMessage],
        message: &ChatMessage,
    ) -> Result<MessageContent, ChatError> {
        let (started, deadline) = (Instant::now(), self.deadline);
        let path = async {
            self.sources = self
                .parts
                .federation
                .sources_of(self.chat.owner, &self.chat.spec.searchprovider_list)
                .await?;
            let (system, turns) = self.opening(before, message).await?;
            match self.has_tools() {
                true => self.with_tools(&system, turns).await,
                false => self.with_one_search(&system, turns, &message.body.content).await,
            }
        };
        let heard = timeout_at(deadline, path).await.map_err(|_late| ChatError::Timeout)??;
        let finished = citations::finish(&heard.text, &self.material);
        if finished.content.trim().is_empty() {
            let message = format!("{} wrote no answer.", heard.provider.spec.name);
            return Err(ChatError::Model { message });
        }
        self.tell(ChatEvent::Citations(finished.citations.clone())).await;
        Ok(MessageContent {
            content: finished.content,
            attach: Vec::new(),
            tool_calls: self.uses,
            citations: finished.citations,
            follow_ups: finished.follow_ups,
            warnings: finished.warnings,
            ai_model: heard.provider.spec.model,
            took: domain::instant::tenths(started.elapsed()),
        })
    }

    /// Rounds of tools, until the model answers or has to.
    async fn with_tools(&mut self, system: &str, mut turns: Vec<Turn>) -> Result<Heard, ChatError> {
        let offers = tools::offers();
        for round in 1..=ROUNDS_MAX {
            if self.time_left() <= ANSWER_TIME {
                break;
            }
            let heard = self.ask(round, system, &turns, offers.clone()).await?;
            if heard.calls.is_empty() {
                return Ok(heard);
            }
            let said = tools::use_all(self, &heard).await?;
            turns.push(Turn::Assistant { text: heard.text, calls: heard.calls });
            turns.extend(said);
        }
        let mut turns = history::without_tools(&turns);
        history::add(
            &mut turns,
            "Nothing more can be looked up for this message. Answer now from what you have.",
        );
        self.ask(ROUNDS_MAX + 1, system, &turns, Vec::new()).await
    }

    /// For a model that cannot call tools: the message itself is the query.
    async fn with_one_search(
        &mut self,
        system: &str,
        mut turns: Vec<Turn>,
        message: &str,
    ) -> Result<Heard, ChatError> {
        let found = tools::search_for(self, SearchWish::of_message(message)).await?;
        if !self.is_extractive() {
            history::add(&mut turns, &found);
            return self.ask(1, system, &turns, Vec::new()).await;
        }
        let picked = extract(message, self.material.sources());
        let (text, shown) = match picked.trim().is_empty() {
            // With the mark it is no claim, which would need a source.
            true => (format!("{NOT_FOUND}\n{NOTHING_FOUND}"), NOTHING_FOUND.to_owned()),
            false => (picked.clone(), picked),
        };
        self.tell(ChatEvent::Delta { round: 1, text: shown }).await;
        Ok(Heard { provider: self.provider.clone(), text, calls: Vec::new(), calls_left_out: 0 })
    }

    async fn ask(
        &self,
        round: u32,
        system: &str,
        turns: &[Turn],
        tools: Vec<ToolOffer>,
    ) -> Result<Heard, ChatError> {
        self.tell(ChatEvent::Asking { round }).await;
        let prompt = Prompt {
            system: system.to_owned(),
            turns: turns.to_vec(),
            tools,
            answer_tokens_max: u32::try_from(self.answer_tokens()).unwrap_or(u32::MAX),
            time_max: self.time_left(),
        };
        let told = Told { round, tell: self.tell, sources: self.material.sources() };
        ask(&*self.parts.context.writers, &wanted(self.chat), &prompt, told).await
    }

    /// What the model is told at the start, and what is left for tools after it.
    async fn opening(
        &mut self,
        before: &[ChatMessage],
        message: &ChatMessage,
    ) -> Result<(String, Vec<Turn>), ChatError> {
        let system = self.system(&message.body.content).await?;
        let parts = self.parts;
        let provider = self.provider.clone();
        let count = move |text: &str| parts.context.writers.count_tokens(&provider, text);
        let tokens_max = self.parts.context.writers.tokens_max(&self.provider);
        let sources = instructions::sources(&self.sources);
        let sources = fitted(&sources, tokens_max / 5, &count);
        let system = format!("{system}\n\n{sources}");
        let taken = count(&system) + count(&message.body.content) + self.answer_tokens();
        let left = tokens_max.saturating_sub(taken);
        let mut turns = history::turns(before, left / HISTORY_SHARE, &count);
        self.tokens_left = left.saturating_sub(turns.iter().map(|turn| count(words(turn))).sum());

        let documents = history::documents(before);
        self.readable = documents.iter().map(|(reference, _)| *reference).collect();
        history::add(&mut turns, &message.body.content);
        if let Some(told) = history::told(&documents) {
            let told = self.within_budget(&told, self.tokens_left / 4);
            history::add(&mut turns, &told);
        }
        for text in tools::attached(self, &message.body).await? {
            history::add(&mut turns, &text);
        }
        Ok((system, turns))
    }

    async fn system(&self, message: &str) -> Result<String, ChatError> {
        let records = self.parts.store.prompts().await?;
        let (user, name) = (self.chat.owner, self.chat.spec.prompt.as_str());
        let part = instructions::parts(&records, (CHAT, name), user, &self.provider);
        let with_sources = instructions::parts(&records, (CHAT_RAG, name), user, &self.provider);
        let instructions = Instructions {
            part: &part,
            with_sources: &with_sources,
            message,
            today: &self.parts.context.clock.now().format("%Y-%m-%d").to_string(),
            has_tools: self.has_tools(),
            follow_ups: self.parts.context.settings.rag_follow_ups,
        };
        Ok(instructions.text())
    }

    fn is_extractive(&self) -> bool {
        self.provider.spec.model == EXTRACTIVE_MODEL
    }

    /// `config.tools` false says that the service refuses them.
    fn has_tools(&self) -> bool {
        !self.is_extractive() && self.provider.spec.config.get("tools") != Some(&Value::Bool(false))
    }

    fn answer_tokens(&self) -> usize {
        ANSWER_TOKENS_MAX.min(self.parts.context.writers.tokens_max(&self.provider) / 4)
    }

    pub fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub fn count(&self, text: &str) -> usize {
        self.parts.context.writers.count_tokens(&self.provider, text)
    }

    /// As much of a text as so many tokens hold, and as is left.
    pub fn fitting<'t>(&self, text: &'t str, tokens_max: usize) -> &'t str {
        fitted(text, tokens_max.min(self.tokens_left), &|text: &str| self.count(text))
    }

    /// Takes what a text holds from what is left.
    pub fn charge(&mut self, text: &str) {
        self.tokens_left = self.tokens_left.saturating_sub(self.count(text));
    }

    /// Both of it.
    pub fn within_budget(&mut self, text: &str, tokens_max: usize) -> String {
        let kept = self.fitting(text, tokens_max).to_owned();
        self.charge(&kept);
        kept
    }

    pub async fn person(&self) -> Result<Principal, ChatError> {
        Ok(Principal::of(&self.parts.store.user(self.chat.owner).await?))
    }

    pub async fn tell(&self, event: ChatEvent) {
        let _nobody_listens = self.tell.send(event).await;
    }
}

fn words(turn: &Turn) -> &str {
    match turn {
        Turn::User(text) | Turn::Assistant { text, .. } | Turn::Tool { text, .. } => text,
    }
}

/// The longest beginning of a text that holds at most so many tokens.
fn fitted<'a>(text: &'a str, tokens_max: usize, count: Count<'_>) -> &'a str {
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
