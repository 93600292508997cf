//! Chats over a real store, with a scripted model.

mod conversation;
mod documents;
mod limits;
mod scripted_model;

use crate::fixture::Fixture;
use domain::chat::{Chat, ChatMessage, ChatSpec};
use domain::owner_scope::OwnerScope;
use domain::ports::{ChatStore, Clock, SearchStore, SystemClock};
use domain::search::Search;
use rag::Summaries;
use rag::chat::{ChatError, ChatInput, Chats};
use scripted_model::ScriptedModel;
use std::sync::Arc;
use std::time::Duration;

/// A service with one chat.
struct Scenario {
    fixture: Fixture,
    model: Arc<ScriptedModel>,
    summaries: Arc<Summaries>,
    chat: Chat,
}

impl Scenario {
    async fn open() -> Self {
        Self::of(Fixture::open().await, ChatSpec::default()).await
    }

    async fn of(fixture: Fixture, spec: ChatSpec) -> Self {
        let model = ScriptedModel::new();
        let summaries = fixture.process_with(model.clone());
        let chat = fixture.store.create_chat(spec, fixture.search.owner, SystemClock.now()).await.unwrap();
        Self { fixture, model, summaries, chat }
    }

    fn chats(&self) -> &Arc<Chats> {
        self.summaries.chats()
    }

    async fn say(&self, content: &str) -> Result<ChatMessage, ChatError> {
        self.say_with(ChatInput { content: content.to_owned(), ..ChatInput::default() }).await
    }

    async fn say_with(&self, input: ChatInput) -> Result<ChatMessage, ChatError> {
        let chat = self.fixture.store.chat(self.chat.id).await.unwrap();
        // Nothing else runs the searches.
        tokio::select! {
            answer = self.chats().reply(chat, input) => answer,
            () = self.run_searches() => unreachable!(),
        }
    }

    async fn messages(&self) -> Vec<ChatMessage> {
        self.fixture.store.messages(self.chat.id).await.unwrap()
    }

    /// The searches of chats, oldest first.
    async fn searches(&self) -> Vec<Search> {
        let all = self
            .fixture
            .store
            .searches(OwnerScope::Only(self.fixture.search.owner), 0, 100)
            .await
            .unwrap()
            .items;
        let mut made: Vec<Search> =
            all.into_iter().filter(|one| one.spec.tags.iter().any(|tag| tag == "chat")).collect();
        made.sort_by_key(|search| search.id);
        made
    }

    /// Finishes every search with the same two results at new URLs.
    async fn run_searches(&self) {
        loop {
            for search in self.searches().await.into_iter().filter(|search| !search.status.is_final()) {
                let (spring, autumn) = (format!("Spring {}", search.id), format!("Autumn {}", search.id));
                let items = [
                    (
                        spring.as_str(),
                        "The <em>river</em> level rises in spring after the snow has melted in the hills.",
                        0.9,
                    ),
                    (
                        autumn.as_str(),
                        "The river level falls in autumn when there is little rain in the hills.",
                        0.8,
                    ),
                ];
                self.fixture.write_results(&search, &items).await;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
