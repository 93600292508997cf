//! A model that follows a script and records its prompts.

use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec, Role};
use domain::ids::AiProviderId;
use domain::ports::{
    Completion, CompletionChunk, GenerativeModels, ModelError, ModelRequest, Prompt, ToolCall, Turn,
};
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One round of the model.
#[derive(Debug, Clone)]
pub enum Step {
    Says(String),
    /// Sends its reasoning as text before the reply, and reaches its token limit.
    ReasonsAndIsCut(&'static str),
    /// Names and arguments of tools.
    Calls(Vec<(&'static str, Value)>),
    Hangs,
    /// Waits, then calls `list_sources`.
    Waits(Duration),
    Fails,
}

pub fn says(text: &str) -> Step {
    Step::Says(text.to_owned())
}

pub fn calls(name: &'static str, arguments: Value) -> Step {
    Step::Calls(vec![(name, arguments)])
}

pub fn searches(query: &str) -> Step {
    calls("search", json!({"query": query}))
}

pub struct ScriptedModel {
    script: Mutex<VecDeque<Step>>,
    pub provider: Mutex<Option<AiProviderSpec>>,
    pub prompts: Mutex<Vec<Prompt>>,
    pub tokens_max: Mutex<usize>,
}

impl ScriptedModel {
    pub fn new() -> Arc<Self> {
        let spec = AiProviderSpec {
            name: "Fixture".to_owned(),
            model: "gpt-5".to_owned(),
            tags: vec!["chat".to_owned()],
            ..AiProviderSpec::default()
        };
        Arc::new(Self {
            script: Mutex::default(),
            provider: Mutex::new(Some(spec)),
            prompts: Mutex::default(),
            tokens_max: Mutex::new(8000),
        })
    }

    /// Sets the next steps; the last one is repeated.
    pub fn follow_script(&self, script: impl IntoIterator<Item = Step>) {
        *self.script.lock().unwrap() = script.into_iter().collect();
        self.prompts.lock().unwrap().clear();
    }

    pub fn prompts(&self) -> Vec<Prompt> {
        self.prompts.lock().unwrap().clone()
    }

    /// All tool results in the last prompt.
    pub fn tool_text(&self) -> String {
        let prompts = self.prompts();
        let turns = prompts.last().map(|prompt| prompt.turns.clone()).unwrap_or_default();
        let text = |turn: &Turn| match turn {
            Turn::User(text) | Turn::Assistant { text, .. } | Turn::Tool { text, .. } => text.clone(),
        };
        turns.iter().map(text).collect::<Vec<_>>().join("\n---\n")
    }

    /// Waits until it was asked this often.
    pub async fn asked(&self, count: usize) {
        while self.prompts.lock().unwrap().len() < count {
            tokio::task::yield_now().await;
        }
    }

    fn record(&self, role: Role) -> Result<AiProvider, ModelError> {
        let spec = self.provider.lock().unwrap().clone().ok_or_else(|| ModelError::no_provider(role))?;
        let epoch = Default::default();
        Ok(AiProvider {
            id: AiProviderId(1),
            owner: None,
            spec,
            is_unreadable: false,
            date_created: epoch,
            date_updated: epoch,
        })
    }
}

#[async_trait]
impl GenerativeModels for ScriptedModel {
    async fn select(&self, request: &ModelRequest) -> Result<AiProvider, ModelError> {
        assert_eq!(request.role, Role::Chat);
        assert!(request.user.is_some());
        self.record(request.role)
    }

    async fn complete(&self, request: &ModelRequest, prompt: &Prompt) -> Result<Completion, ModelError> {
        self.prompts.lock().unwrap().push(prompt.clone());
        let next = {
            let mut script = self.script.lock().unwrap();
            if script.len() > 1 { script.pop_front() } else { script.front().cloned() }
        };
        let chunks = match next.unwrap() {
            Step::Waits(time) => {
                tokio::time::sleep(time).await;
                let (id, name) = ("call0".to_owned(), "list_sources".to_owned());
                vec![Ok(CompletionChunk::Call(ToolCall { id, name, arguments: json!({}) }))]
            }
            Step::Hangs => return std::future::pending().await,
            Step::Fails => {
                return Err(ModelError::new(domain::ports::ModelErrorKind::Denied, "the key was refused"));
            }
            Step::Says(text) => {
                text.split_inclusive(' ').map(|word| Ok(CompletionChunk::Text(word.to_owned()))).collect()
            }
            Step::ReasonsAndIsCut(reply) => {
                let text = |text: &str| Ok(CompletionChunk::Text(text.to_owned()));
                let reasoning = text("They greet me. I think I greet them.\n");
                vec![reasoning, Ok(CompletionChunk::ReasoningEnd), text(reply), Ok(CompletionChunk::Cut)]
            }
            Step::Calls(calls) => {
                let call = |(at, (name, arguments)): (usize, (&str, Value))| {
                    Ok(CompletionChunk::Call(ToolCall {
                        id: format!("call{at}"),
                        name: name.to_owned(),
                        arguments,
                    }))
                };
                calls.into_iter().enumerate().map(call).collect::<Vec<_>>()
            }
        };
        let provider = self.record(request.role)?;
        let requested_model = provider.spec.model.clone();
        Ok(Completion {
            provider,
            requested_model,
            fallback_engaged: false,
            chunks: stream::iter(chunks).boxed(),
        })
    }

    fn count_tokens(&self, _provider: &AiProvider, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn tokens_max(&self, _provider: &AiProvider) -> usize {
        *self.tokens_max.lock().unwrap()
    }
}
