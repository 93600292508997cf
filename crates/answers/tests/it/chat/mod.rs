//! Chats over a real store, with a model that follows a script.

mod documents;
mod limits;
mod talk;
mod talker;

use crate::fixture::Fixture;
use answers::Answers;
use answers::chat::{ChatError, Chats, Said};
use domain::chat::{Chat, ChatMessage, ChatSpec};
use domain::contracts::{Clock, SystemClock};
use domain::search::Search;
use std::sync::Arc;
use std::time::Duration;
use talker::Talker;

/// A service with a person who talks.
struct Scenario {
    fixture: Fixture,
    talker: Arc<Talker>,
    answers: Arc<Answers>,
    chat: Chat,
}

impl Scenario {
    async fn open() -> Self {
        Self::of(Fixture::open().await, ChatSpec::default()).await
    }

    async fn of(fixture: Fixture, spec: ChatSpec) -> Self {
        let talker = Talker::new();
        let answers = fixture.process_with(talker.clone());
        let chat = fixture.store.create_chat(spec, fixture.search.owner, SystemClock.now()).await.unwrap();
        Self { fixture, talker, answers, chat }
    }

    fn chats(&self) -> &Arc<Chats> {
        self.answers.chats()
    }

    async fn say(&self, content: &str) -> Result<ChatMessage, ChatError> {
        self.say_with(Said { content: content.to_owned(), ..Said::default() }).await
    }

    async fn say_with(&self, said: Said) -> Result<ChatMessage, ChatError> {
        let chat = self.fixture.store.chat(self.chat.id).await.unwrap();
        // Nobody else runs the searches.
        tokio::select! {
            answer = self.chats().say(chat, said) => answer,
            () = self.run_searches() => unreachable!(),
        }
    }

    async fn messages(&self) -> Vec<ChatMessage> {
        self.fixture.store.messages(self.chat.id).await.unwrap()
    }

    /// The searches that chats made, the oldest first.
    async fn searches(&self) -> Vec<Search> {
        let all = self.fixture.store.searches(Some(self.fixture.search.owner), 0, 100).await.unwrap().items;
        let mut made: Vec<Search> =
            all.into_iter().filter(|one| one.spec.tags.iter().any(|tag| tag == "chat")).collect();
        made.sort_by_key(|search| search.id);
        made
    }

    /// Finishes every search with the same two results, which other addresses hold each time.
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
