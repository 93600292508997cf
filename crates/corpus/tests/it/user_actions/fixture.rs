//! A cache with people and documents, and scripted sources.

use crate::ground::{Ground, content, named, seen};
use async_trait::async_trait;
use corpus::{CacheParts, SemanticCache};
use domain::corpus::{Grant, IndexedContent, NewSignal, Origin, Signal};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{
    BodyKey, BodyStore, Clock, DocumentRequest, PageError, PageProbe, PageText, QueueName, ReadPages,
    Retrieval, SignalStore, TaskQueue, UserStore, WorkerSlots,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::settings::Settings;
use domain::user::Principal;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::SqlStore;
use testkit::clock::FixedClock;

const TITLE: &str = "A document";

pub struct Fixture {
    pub cache: Arc<SemanticCache>,
    pub store: Arc<SqlStore>,
    pub bodies: Arc<dyn BodyStore>,
    pub sources: Arc<Sources>,
    pub queue: Arc<dyn TaskQueue>,
    pub clock: Arc<FixedClock>,
    ground: Ground,
}

/// The response of a source, to one person or to all.
#[derive(Debug, Clone)]
pub enum Says {
    Status(u16),
    Version(&'static str),
    /// No response.
    Unavailable,
    /// It never responds.
    Silence,
}

/// The sources of all documents.
#[derive(Default)]
pub struct Sources {
    says: Mutex<BTreeMap<(String, Option<UserId>), Says>>,
    asked: Mutex<Vec<(UserId, String)>>,
}

impl Sources {
    pub fn say(&self, url: &str, says: Says) {
        self.says.lock().unwrap().insert((url.to_owned(), None), says);
    }

    pub fn say_to(&self, url: &str, user: UserId, says: Says) {
        self.says.lock().unwrap().insert((url.to_owned(), Some(user)), says);
    }

    /// Who asked since the last call.
    pub fn asked(&self) -> Vec<UserId> {
        self.asked.lock().unwrap().drain(..).map(|(user, _)| user).collect()
    }
}

#[async_trait]
impl ReadPages for Sources {
    async fn read(&self, _wanted: &DocumentRequest<'_>) -> Result<PageText, PageError> {
        Err(PageError::NoAddress)
    }

    async fn probe(&self, wanted: &DocumentRequest<'_>) -> Result<PageProbe, PageError> {
        let url = wanted.target.address().to_owned();
        self.asked.lock().unwrap().push((wanted.user, url.clone()));
        let says = {
            let known = self.says.lock().unwrap();
            known.get(&(url.clone(), Some(wanted.user))).or_else(|| known.get(&(url, None))).cloned()
        };
        let probe = |http_status, version: &str| Ok(PageProbe { http_status, version: version.to_owned() });
        match says {
            Some(Says::Status(status)) => probe(status, ""),
            Some(Says::Version(version)) => probe(200, version),
            Some(Says::Silence) => std::future::pending().await,
            Some(Says::Unavailable) | None => Err(PageError::failed("no answer")),
        }
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

/// A document that somebody retrieved.
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    pub by: UserId,
    pub from: Option<ProviderId>,
    pub url: &'a str,
    pub text: &'a str,
    pub version: &'a str,
    pub is_supplied: bool,
}

impl Fixture {
    pub async fn open(settings: Settings) -> Self {
        Self::with_license(settings, true).await
    }

    pub async fn with_license(settings: Settings, is_licensed: bool) -> Self {
        let ground = Ground::in_memory().await;
        let sources = Arc::new(Sources::default());
        let license = ground.license(is_licensed);
        let parts = CacheParts { pages: sources.clone(), license, ..ground.parts(settings).await };
        let (bodies, queue) = (Arc::clone(&parts.bodies), Arc::clone(&parts.queue));
        let (store, clock) = (ground.store.clone(), ground.clock.clone());
        Self { cache: Arc::new(SemanticCache::new(parts)), store, bodies, sources, queue, clock, ground }
    }

    pub async fn person(&self, name: &str) -> UserId {
        self.ground.person(named(name)).await.id
    }

    /// The principal of a user.
    pub async fn principal(&self, user: UserId, is_admin: bool) -> Principal {
        Principal { is_admin, ..Principal::of(&self.store.user(user).await.unwrap()) }
    }

    /// A shared provider; with an authenticator everybody gets their own results.
    pub async fn provider(&self, owner: UserId, name: &str, authenticator: &str) -> ProviderId {
        let spec = ProviderSpec {
            name: name.to_owned(),
            authenticator: authenticator.to_owned(),
            ..ProviderSpec::default()
        };
        self.ground.source(owner, spec).await.id
    }

    pub async fn keep(&self, kept: Kept<'_>) -> SignalId {
        let content = content(TITLE, kept.text);
        let now = self.clock.now();
        let id = self.asked(kept.by, kept.from, kept.url, kept.is_supplied).await;
        let key = BodyKey::of_hash(&content.content_hash).unwrap();
        let body_bytes = self.bodies.put(&key, kept.text.to_owned().into()).await.unwrap();
        let content_hash = content.content_hash.clone();
        let by = Retrieval { user: kept.by, idp: String::new(), account_provider_id: None, content_hash };
        let content = IndexedContent {
            source_provider_id: kept.from,
            external_version: kept.version.to_owned(),
            is_supplied: kept.is_supplied,
            body_key: Some(key),
            body_bytes,
            ..content
        };
        self.store.index_signal(id, content, &by, now).await.unwrap().signal_id
    }

    /// A request for a document without a text.
    pub async fn note(&self, by: UserId, from: Option<ProviderId>, url: &str) -> SignalId {
        self.asked(by, from, url, false).await
    }

    async fn asked(&self, by: UserId, from: Option<ProviderId>, url: &str, is_supplied: bool) -> SignalId {
        let seen = NewSignal {
            is_supplied,
            source_provider_id: from,
            source_provider: "Rivers".to_owned(),
            origin: Origin::Ingest,
            ..seen(url, TITLE)
        };
        let (idp, content_hash) = (String::new(), String::new());
        let by = Retrieval { user: by, idp, account_provider_id: None, content_hash };
        self.store.note_signal(seen, &by, self.clock.now()).await.unwrap().0.signal_id
    }

    pub async fn signal(&self, id: SignalId) -> Signal {
        self.store.signal(id).await.unwrap()
    }

    pub async fn grant(&self, id: SignalId, user: UserId) -> Option<Grant> {
        self.store.grants(id).await.unwrap().into_iter().find(|grant| grant.user_id == user)
    }

    /// Names and payloads of queued tasks.
    pub async fn waiting(&self) -> Vec<(String, serde_json::Value)> {
        let tasks = self
            .queue
            .claim_many(QueueName::Corpus, WorkerSlots::any(100), "test", Duration::from_secs(60))
            .await;
        let tasks = tasks.unwrap();
        for task in &tasks {
            self.queue.finish(task).await.unwrap();
        }
        tasks.into_iter().map(|task| (task.name, task.payload)).collect()
    }
}
