//! A writer for tests that need no service: it says one thing, or fails, and remembers what it was asked.

use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec};
use domain::contracts::{ModelError, ModelErrorKind, Piece, Prompt, WriterWanted, Writers, Writing};
use domain::ids::AiProviderId;
use domain::instant::Instant;
use std::sync::Mutex;

pub struct Scribe {
    says: Result<String, ModelErrorKind>,
    asked: Mutex<Vec<(WriterWanted, Prompt)>>,
}

impl Scribe {
    pub fn saying(text: &str) -> Self {
        Self { says: Ok(text.to_owned()), asked: Mutex::default() }
    }

    pub fn failing(kind: ModelErrorKind) -> Self {
        Self { says: Err(kind), asked: Mutex::default() }
    }

    pub fn asked(&self) -> Vec<(WriterWanted, Prompt)> {
        self.asked.lock().expect("no panic").clone()
    }
}

#[async_trait]
impl Writers for Scribe {
    async fn chosen(&self, wanted: &WriterWanted) -> Result<AiProvider, ModelError> {
        Err(ModelError::no_provider(wanted.role))
    }

    async fn write(&self, wanted: &WriterWanted, prompt: &Prompt) -> Result<Writing, ModelError> {
        self.asked.lock().expect("no panic").push((*wanted, prompt.clone()));
        let text = self.says.clone().map_err(|kind| ModelError::new(kind, "it failed"))?;
        let provider = AiProvider {
            id: AiProviderId(1),
            owner: None,
            spec: AiProviderSpec {
                name: "Scribe".to_owned(),
                model: "scribe-1".to_owned(),
                ..AiProviderSpec::default()
            },
            is_unreadable: false,
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        };
        Ok(Writing {
            provider,
            requested_model: String::new(),
            fallback_engaged: false,
            pieces: Box::pin(futures_util::stream::iter([Ok(Piece::Text(text))])),
        })
    }

    fn count_tokens(&self, _provider: &AiProvider, text: &str) -> usize {
        text.len()
    }

    fn tokens_max(&self, _provider: &AiProvider) -> usize {
        1000
    }
}
