//! Scripted model and pages.

use async_trait::async_trait;
use domain::ai_provider::{AiProvider, AiProviderSpec, Role};
use domain::ids::{AiProviderId, UserId};
use domain::page_starts::PageStarts;
use domain::ports::{
    Completion, CompletionChunk, DocumentRequest, GenerativeModels, ModelError, ModelErrorKind, ModelRequest,
    PageError, PageProbe, PageText, Prompt, ReadPages, Turn,
};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use futures_util::StreamExt;
use futures_util::stream;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Behavior of the model.
#[derive(Debug, Clone)]
pub enum Manner {
    /// Sends these chunks, each after a delay.
    Says(Vec<&'static str>, Duration),
    /// Sends the first chunk and then hangs.
    StopsAfter(&'static str),
    Fails(ModelErrorKind),
    /// Sends the first chunk and then fails.
    BreaksOff(&'static str),
    /// No model is configured.
    Missing,
    /// Calls a tool that was not offered, and replies.
    CallsATool,
    /// Sends its reasoning as text before the reply.
    Reasons,
    /// Reaches its token limit.
    IsCut,
}

pub struct Model {
    pub manner: Mutex<Manner>,
    pub model: Mutex<&'static str>,
    pub overrides: Mutex<AiProviderSpec>,
    /// The prompts it received.
    pub prompts: Mutex<Vec<Prompt>>,
    /// Completions in progress.
    pub open: Arc<AtomicUsize>,
    pub open_most: Arc<AtomicUsize>,
}

impl Model {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            manner: Mutex::new(Manner::Says(
                vec!["The river ", "rises in spring [1]. ", "It falls in autumn [2]."],
                Duration::ZERO,
            )),
            model: Mutex::new("gpt-5"),
            overrides: Mutex::default(),
            prompts: Mutex::default(),
            open: Arc::default(),
            open_most: Arc::default(),
        })
    }

    pub fn behaves(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    pub fn calls(&self) -> usize {
        self.prompts.lock().unwrap().len()
    }

    /// The last prompt as text.
    pub fn last_prompt(&self) -> String {
        let prompts = self.prompts.lock().unwrap();
        let prompt = prompts.last().unwrap();
        let turns = prompt.turns.iter().map(|turn| match turn {
            Turn::User(text) => text.as_str(),
            Turn::Assistant { .. } | Turn::Tool { .. } => "",
        });
        turns.collect::<Vec<_>>().join("\n")
    }

    /// Waits until this many completions are in progress.
    pub async fn wait_for_completions(&self, count: usize) {
        for _ in 0..500 {
            if self.open.load(Ordering::SeqCst) == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} answers are written, not {count}", self.open.load(Ordering::SeqCst));
    }

    fn provider(&self) -> AiProvider {
        let spec = AiProviderSpec {
            name: "Fixture".to_owned(),
            model: (*self.model.lock().unwrap()).to_owned(),
            tags: vec!["rag".to_owned()],
            ..self.overrides.lock().unwrap().clone()
        };
        let epoch = Default::default();
        AiProvider {
            id: AiProviderId(1),
            owner: None,
            spec,
            is_unreadable: false,
            date_created: epoch,
            date_updated: epoch,
        }
    }
}

/// Counts a completion while it is in progress.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl GenerativeModels for Model {
    async fn select(&self, request: &ModelRequest) -> Result<AiProvider, ModelError> {
        assert_eq!(request.role, Role::Rag);
        match *self.manner.lock().unwrap() {
            Manner::Missing => Err(ModelError::no_provider(request.role)),
            _ => Ok(self.provider()),
        }
    }

    async fn complete(&self, _request: &ModelRequest, prompt: &Prompt) -> Result<Completion, ModelError> {
        self.prompts.lock().unwrap().push(prompt.clone());
        let error = |kind| ModelError::new(kind, "the service answered 500");
        let text = |text: &str| Ok(CompletionChunk::Text(text.to_owned()));
        let (chunks, every, ends) = match self.manner.lock().unwrap().clone() {
            Manner::Says(chunks, every) => (chunks.into_iter().map(text).collect::<Vec<_>>(), every, true),
            Manner::StopsAfter(first) => (vec![text(first)], Duration::ZERO, false),
            Manner::Fails(kind) => return Err(error(kind)),
            Manner::BreaksOff(first) => {
                (vec![text(first), Err(error(ModelErrorKind::Unreadable))], Duration::ZERO, true)
            }
            Manner::Missing => return Err(ModelError::no_provider(Role::Rag)),
            Manner::Reasons => {
                let reasoning = text("They ask for the river. It is said that it rises. ");
                let reply = text("The river rises in spring [1].");
                (vec![reasoning, Ok(CompletionChunk::ReasoningEnd), reply], Duration::ZERO, true)
            }
            Manner::IsCut => {
                (vec![text("The river rises in spring [1]."), Ok(CompletionChunk::Cut)], Duration::ZERO, true)
            }
            Manner::CallsATool => {
                let call = domain::ports::ToolCall {
                    id: "1".to_owned(),
                    name: "send_mail".to_owned(),
                    arguments: serde_json::json!({"to": "mallory@evil.example"}),
                };
                (
                    vec![Ok(CompletionChunk::Call(call)), text("The river rises in spring [1].")],
                    Duration::ZERO,
                    true,
                )
            }
        };
        let count = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.open_most.fetch_max(count, Ordering::SeqCst);
        let open = Open(Arc::clone(&self.open));
        let written = stream::iter(chunks).then(move |chunk| async move {
            tokio::time::sleep(every).await;
            chunk
        });
        let rest = if ends { stream::empty().boxed() } else { stream::pending().boxed() };
        let chunks = written.chain(rest).inspect(move |_| {
            let _held_while_written = &open;
        });
        let provider = self.provider();
        let requested_model = provider.spec.model.clone();
        Ok(Completion { provider, requested_model, fallback_engaged: false, chunks: chunks.boxed() })
    }

    fn count_tokens(&self, _provider: &AiProvider, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn tokens_max(&self, _provider: &AiProvider) -> usize {
        8000
    }
}

/// Page texts by URL; all others cannot be fetched.
#[derive(Default)]
pub struct Pages {
    pub texts: BTreeMap<&'static str, &'static str>,
    /// The pages of PDF files, by URL.
    pub pdfs: BTreeMap<&'static str, Vec<&'static str>>,
    /// URLs that never respond.
    pub slow: Vec<&'static str>,
    pub read: Mutex<Vec<(String, Duration, UserId)>>,
}

#[async_trait]
impl ReadPages for Pages {
    async fn read(&self, request: &DocumentRequest<'_>) -> Result<PageText, PageError> {
        let url = request.target.address();
        self.read.lock().unwrap().push((url.to_owned(), request.time_max, request.user));
        if self.slow.contains(&url) {
            std::future::pending::<()>().await;
        }
        if let Some(pages) = self.pdfs.get(url) {
            let (mut text, mut page_starts) = (String::new(), PageStarts::default());
            for page in pages {
                page_starts.begin_page(text.len());
                text.push_str(page);
                text.push_str("\n\n");
            }
            let media_type = "application/pdf".to_owned();
            return Ok(PageText { text, page_starts, media_type, ..PageText::default() });
        }
        match self.texts.get(url) {
            Some(text) => Ok(PageText {
                text: (*text).to_owned(),
                media_type: "text/html".to_owned(),
                ..PageText::default()
            }),
            None => Err(PageError::failed("the page answered 404")),
        }
    }

    async fn probe(&self, _wanted: &DocumentRequest<'_>) -> Result<PageProbe, PageError> {
        Err(PageError::NoAddress)
    }

    async fn fill_bodies(
        &self,
        _provider: &SearchProvider,
        _items: &mut [ResultItem],
        _query: &str,
        _user: UserId,
        _time_max: Duration,
    ) -> usize {
        0
    }
}
