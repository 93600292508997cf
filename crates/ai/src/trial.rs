//! Trying one AIProvider, active or not: a word from a model that writes, a vector from one that reads, two ranks from
//! one that ranks. Nothing is kept, and nobody steps in.

use crate::readers::Readers;
use crate::writers::AiWriters;
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL, Role};
use domain::contracts::{ModelError, Piece, Prompt, Turn};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// A trial takes no longer.
pub const TRIAL_TIME_MAX: Duration = Duration::from_secs(30);
/// Enough for a model that thinks before it says one word.
const ANSWER_TOKENS_MAX: u32 = 1000;
/// More of an answer is not shown.
const SAMPLE_CHARS_MAX: usize = 200;

const QUESTION: &str = "This is a test of the connection. Answer with the single word: ready";
const RANKED_QUERY: &str = "How high is the water of the river?";
const RANKED: [&str; 2] =
    ["The water of the river stands at three metres and rises.", "The bakery opens at six in the morning."];

/// How a trial ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What it was tried for.
    pub role: Role,
    /// Seconds.
    pub time: f64,
    /// What the model gave, or why it gave nothing, in a sentence without secrets.
    pub outcome: Result<String, String>,
}

/// Tries providers through the same ways that searches use.
pub struct Trials {
    writers: Arc<AiWriters>,
    readers: Arc<Readers>,
}

impl Trials {
    pub fn new(writers: Arc<AiWriters>, readers: Arc<Readers>) -> Self {
        Self { writers, readers }
    }

    /// Tries it for this role, else for the first one that it has.
    pub async fn try_provider(&self, provider: &AiProvider, role: Option<Role>) -> Trial {
        let role = role.unwrap_or_else(|| role_of(provider));
        let started = Instant::now();
        let asking = async {
            match role {
                Role::Reader => self.read(provider).await,
                Role::Reranker => self.rank(provider).await,
                Role::Query | Role::Connector | Role::Rag | Role::Chat => self.write(provider).await,
            }
        };
        let outcome = timeout(TRIAL_TIME_MAX, asking).await;
        let outcome = outcome.unwrap_or_else(|_| Err("It did not answer in time.".to_owned()));
        Trial { role, time: started.elapsed().as_secs_f64(), outcome }
    }

    async fn write(&self, provider: &AiProvider) -> Result<String, String> {
        if provider.spec.model == EXTRACTIVE_MODEL {
            return Ok("Picks sentences out of the sources; nobody is asked.".to_owned());
        }
        let prompt = Prompt {
            system: String::new(),
            turns: vec![Turn::User(QUESTION.to_owned())],
            tools: Vec::new(),
            answer_tokens_max: ANSWER_TOKENS_MAX,
            time_max: TRIAL_TIME_MAX,
        };
        let said = |error: ModelError| error.message;
        let mut writing = self.writers.ask(provider, &prompt).await.map_err(said)?;
        let mut text = String::new();
        while let Some(piece) = writing.pieces.next().await {
            if let Piece::Text(more) = piece.map_err(said)? {
                text.push_str(&more);
            }
        }
        let text = text.trim();
        if text.is_empty() {
            return Err("The service answered, and the model wrote nothing.".to_owned());
        }
        Ok(text.chars().take(SAMPLE_CHARS_MAX).collect())
    }

    async fn read(&self, provider: &AiProvider) -> Result<String, String> {
        let vector = self.readers.try_reading(provider).await.map_err(|error| error.to_string())?;
        if vector.is_empty() {
            return Err("The service answered without a vector.".to_owned());
        }
        Ok(format!("A vector of {} numbers.", vector.len()))
    }

    async fn rank(&self, provider: &AiProvider) -> Result<String, String> {
        let texts = RANKED.map(str::to_owned);
        let ranks =
            self.readers.rank(provider, RANKED_QUERY, &texts).await.map_err(|error| error.to_string())?;
        match ranks[..] {
            [fitting, other] => Ok(format!("{fitting:.2} for what fits, {other:.2} for what does not.")),
            _ => Err(format!("2 texts were sent and {} ranks came back.", ranks.len())),
        }
    }
}

/// What it is for: writing before reading before ranking.
fn role_of(provider: &AiProvider) -> Role {
    let order = [Role::Rag, Role::Chat, Role::Query, Role::Connector, Role::Reader, Role::Reranker];
    order.into_iter().find(|role| provider.spec.serves(*role)).unwrap_or(Role::Rag)
}
