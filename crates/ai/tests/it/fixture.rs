//! A service, the guarded client and the writers.

use crate::rows::Row;
use ai::AiWriters;
use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec, Role};
use domain::contracts::{
    AiProviderStore, ModelError, Piece, Prompt, StoreError, ToolCall, Turn, WriterWanted, Writers, Writing,
};
use domain::ids::{AiProviderId, UserId};
use domain::instant::Instant;
use domain::settings::Settings;
use futures_util::StreamExt;
use outbound::{ClientLimits, GuardedClient};
use std::sync::Arc;
use std::time::Duration;
use testkit::clock::FixedClock;
use testkit::vendors::models::ModelServer;

/// More than a test needs.
pub const AMPLE: Duration = Duration::from_secs(30);

/// What the records are, and nothing else of a store.
pub struct Records(pub Vec<AiProvider>);

#[async_trait]
impl AiProviderStore for Records {
    async fn create_ai_provider(
        &self,
        _spec: AiProviderSpec,
        _owner: Option<UserId>,
        _now: Instant,
    ) -> Result<AiProvider, StoreError> {
        Err(StoreError::Failed("read only".to_owned()))
    }
    async fn ai_provider(&self, id: AiProviderId) -> Result<AiProvider, StoreError> {
        self.0.iter().find(|one| one.id == id).cloned().ok_or(StoreError::NotFound)
    }
    async fn ai_providers(&self) -> Result<Vec<AiProvider>, StoreError> {
        Ok(self.0.clone())
    }
    async fn replace_ai_provider(
        &self,
        _id: AiProviderId,
        _spec: AiProviderSpec,
        _now: Instant,
    ) -> Result<AiProvider, StoreError> {
        Err(StoreError::Failed("read only".to_owned()))
    }
    async fn delete_ai_provider(&self, _id: AiProviderId) -> Result<(), StoreError> {
        Err(StoreError::Failed("read only".to_owned()))
    }
}

pub fn client() -> Arc<GuardedClient> {
    let limits = ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(20),
        body_bytes_max: 10_000_000,
        redirects_max: 3,
        allow: Vec::new(),
    };
    Arc::new(GuardedClient::new(limits).unwrap())
}

pub fn writers(providers: Vec<AiProvider>) -> AiWriters {
    let clock = Arc::new(FixedClock::default());
    AiWriters::new(Arc::new(Records(providers)), client(), clock, Arc::new(Settings::default()))
}

/// One service and its record.
pub struct Fixture {
    pub server: ModelServer,
    pub provider: AiProvider,
    pub writers: AiWriters,
}

impl Fixture {
    pub async fn of(row: &Row) -> Self {
        let server = ModelServer::of((row.vendor)()).await;
        let provider = row.provider(1, server.url());
        Self { writers: writers(vec![provider.clone()]), server, provider }
    }

    pub async fn write(&self, prompt: &Prompt) -> Result<Writing, ModelError> {
        self.writers.write(&wanted(), prompt).await
    }

    /// Writes and reads to the end.
    pub async fn told(&self, prompt: &Prompt) -> Told {
        match self.write(prompt).await {
            Ok(writing) => Told::of(writing).await,
            Err(error) => Told { error: Some(error), ..Told::default() },
        }
    }
}

pub fn wanted() -> WriterWanted {
    WriterWanted::of(Role::Rag, None)
}

pub fn prompt(time_max: Duration) -> Prompt {
    Prompt {
        system: "Answer from the sources alone.".to_owned(),
        turns: vec![Turn::User("What stands by the river?".to_owned())],
        tools: Vec::new(),
        answer_tokens_max: 500,
        time_max,
    }
}

/// Everything that a model wrote.
#[derive(Debug, Default)]
pub struct Told {
    pub text: String,
    pub texts: usize,
    pub calls: Vec<ToolCall>,
    pub usage: Option<(u64, u64)>,
    pub error: Option<ModelError>,
}

impl Told {
    pub async fn of(mut writing: Writing) -> Self {
        let mut told = Self::default();
        while let Some(piece) = writing.pieces.next().await {
            assert!(told.error.is_none(), "an error is the last");
            match piece {
                Ok(Piece::Text(text)) => {
                    told.text.push_str(&text);
                    told.texts += 1;
                }
                Ok(Piece::Call(call)) => told.calls.push(call),
                Ok(Piece::Usage { tokens_in, tokens_out }) => told.usage = Some((tokens_in, tokens_out)),
                Err(error) => told.error = Some(error),
            }
        }
        told
    }
}
