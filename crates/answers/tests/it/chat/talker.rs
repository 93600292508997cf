//! A model that says and calls what its script says, and remembers what it was asked.

use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec, Role};
use domain::contracts::{ModelError, Piece, Prompt, ToolCall, Turn, WriterWanted, Writers, Writing};
use domain::ids::AiProviderId;
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the model does in one round.
#[derive(Debug, Clone)]
pub enum Does {
    Says(String),
    /// Names and arguments of tools.
    Calls(Vec<(&'static str, Value)>),
    Hangs,
    /// Thinks for a while, then wants the sources.
    Waits(Duration),
    Fails,
}

pub fn says(text: &str) -> Does {
    Does::Says(text.to_owned())
}

pub fn calls(name: &'static str, arguments: Value) -> Does {
    Does::Calls(vec![(name, arguments)])
}

pub fn searches(query: &str) -> Does {
    calls("search", json!({"query": query}))
}

pub struct Talker {
    script: Mutex<VecDeque<Does>>,
    pub provider: Mutex<Option<AiProviderSpec>>,
    pub prompts: Mutex<Vec<Prompt>>,
    pub tokens_max: Mutex<usize>,
}

impl Talker {
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

    /// What it does next; the last thing again and again.
    pub fn will(&self, script: impl IntoIterator<Item = Does>) {
        *self.script.lock().unwrap() = script.into_iter().collect();
        self.prompts.lock().unwrap().clear();
    }

    pub fn prompts(&self) -> Vec<Prompt> {
        self.prompts.lock().unwrap().clone()
    }

    /// What tools said to it in all, with the last prompt.
    pub fn told(&self) -> String {
        let prompts = self.prompts();
        let turns = prompts.last().map(|prompt| prompt.turns.clone()).unwrap_or_default();
        let text = |turn: &Turn| match turn {
            Turn::User(text) | Turn::Assistant { text, .. } | Turn::Tool { text, .. } => text.clone(),
        };
        turns.iter().map(text).collect::<Vec<_>>().join("\n---\n")
    }

    /// Waits until it is asked so often.
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
impl Writers for Talker {
    async fn chosen(&self, wanted: &WriterWanted) -> Result<AiProvider, ModelError> {
        assert_eq!(wanted.role, Role::Chat);
        assert!(wanted.user.is_some());
        self.record(wanted.role)
    }

    async fn write(&self, wanted: &WriterWanted, prompt: &Prompt) -> Result<Writing, ModelError> {
        self.prompts.lock().unwrap().push(prompt.clone());
        let next = {
            let mut script = self.script.lock().unwrap();
            if script.len() > 1 { script.pop_front() } else { script.front().cloned() }
        };
        let pieces = match next.unwrap() {
            Does::Waits(time) => {
                tokio::time::sleep(time).await;
                let (id, name) = ("call0".to_owned(), "list_sources".to_owned());
                vec![Ok(Piece::Call(ToolCall { id, name, arguments: json!({}) }))]
            }
            Does::Hangs => return std::future::pending().await,
            Does::Fails => {
                return Err(ModelError::new(
                    domain::contracts::ModelErrorKind::Denied,
                    "the key was refused",
                ));
            }
            Does::Says(text) => {
                text.split_inclusive(' ').map(|word| Ok(Piece::Text(word.to_owned()))).collect()
            }
            Does::Calls(calls) => {
                let call = |(at, (name, arguments)): (usize, (&str, Value))| {
                    Ok(Piece::Call(ToolCall { id: format!("call{at}"), name: name.to_owned(), arguments }))
                };
                calls.into_iter().enumerate().map(call).collect::<Vec<_>>()
            }
        };
        let provider = self.record(wanted.role)?;
        let requested_model = provider.spec.model.clone();
        Ok(Writing {
            provider,
            requested_model,
            fallback_engaged: false,
            pieces: stream::iter(pieces).boxed(),
        })
    }

    fn count_tokens(&self, _provider: &AiProvider, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn tokens_max(&self, _provider: &AiProvider) -> usize {
        *self.tokens_max.lock().unwrap()
    }
}
