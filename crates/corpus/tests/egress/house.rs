//! A cache with people, documents and mailboxes. Its records lie in a file, so that it can be seen what is in them.

use async_trait::async_trait;
use bytes::Bytes;
use chrono::Days;
use corpus::ingest::{Document, IngestWish};
use corpus::{
    CacheParts, EgressError, IngestDocument, MAIL_ANSWER_BYTES_MAX, MailParts, ScanSentMail, ScanWish,
    SemanticCache, words,
};
use domain::contracts::{
    Catalogues, ClaimedTask, Clock, EventFilter, FileToRead, Nothing, PageError, PageProbe, PageText,
    PageWanted, ProviderStore, QueueName, ReadPages, SignalStore, SourceTokenError, SourceTokens, Store,
    TaskHandler, UserStore,
};
use domain::corpus::{Channel, EgressEvent, LicenseGate, Origin, Scan};
use domain::ids::{ScanId, SignalId, UserId};
use domain::instant::Instant;
use domain::license::{LicenseTerms, SigningKey};
use domain::provider::{ProviderDraft, SearchProvider};
use domain::result::ResultItem;
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::{Principal, UserDraft};
use extraction::{Extraction, Limits};
use outbound::{Gate, GateLimits};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::bodies::FolderBodies;
use store::vectors::MemoryVectors;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tempfile::TempDir;
use testkit::clock::FixedClock;
use testkit::vendors::sent_mail::{GmailPost, Letter, MAIL_TOKEN, Mailbox, OutlookPost};

const LEASE: Duration = Duration::from_secs(60);
const NO_CATALOGUES: Catalogues = Catalogues {
    connectors: &[],
    query_processors: &[],
    result_processors: &[],
    post_result_processors: &[],
    mixers: &[],
    default_post_result: &[],
    read_answer: |_, _| Err("nothing".to_owned()),
};

/// The newest letter of every mailbox.
pub fn newest() -> Instant {
    "2026-03-20T12:00:00Z".parse().unwrap()
}

/// Pages by whose they are and where.
#[derive(Default)]
pub struct Web(Mutex<BTreeMap<String, PageText>>);

#[async_trait]
impl ReadPages for Web {
    async fn read(&self, wanted: &PageWanted<'_>) -> Result<PageText, PageError> {
        self.0.lock().unwrap().get(&wanted.item.url).cloned().ok_or(PageError::NoAddress)
    }
    async fn probe(&self, _wanted: &PageWanted<'_>) -> Result<PageProbe, PageError> {
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

/// What a person connected: the first token at first, each renewal gives the next, and the last one stays.
pub struct Wallet {
    pub channel: Channel,
    pub user: Mutex<UserId>,
    pub tokens: Mutex<Vec<String>>,
}

#[async_trait]
impl SourceTokens for Wallet {
    async fn access_token(&self, user: UserId, authenticator: &str) -> Result<Secret, SourceTokenError> {
        let own = match self.channel {
            Channel::Outlook => "microsoft",
            Channel::Gmail => "google",
        };
        if user != *self.user.lock().unwrap() || authenticator != own {
            return Err(SourceTokenError::NotConnected(authenticator.to_owned()));
        }
        let mut tokens = self.tokens.lock().unwrap();
        let token = tokens.first().unwrap().clone();
        if tokens.len() > 1 {
            tokens.remove(0);
        }
        Ok(Secret::new(token))
    }
}

enum Post {
    Outlook(OutlookPost),
    Gmail(GmailPost),
}

pub struct House {
    pub cache: Arc<SemanticCache>,
    pub parts: CacheParts,
    pub store: Arc<SqlStore>,
    pub clock: Arc<FixedClock>,
    pub wallet: Arc<Wallet>,
    /// Has connected the mailbox.
    pub ann: Principal,
    pub bob: Principal,
    web: Arc<Web>,
    post: Post,
    folder: TempDir,
}

impl House {
    pub async fn open(channel: Channel, letters: Vec<Letter>) -> Self {
        Self::with(channel, letters, |settings| settings).await
    }

    pub async fn with(
        channel: Channel,
        letters: Vec<Letter>,
        change: impl FnOnce(Settings) -> Settings,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (post, settings) = post(channel, letters).await;
        let key = SealKey::from_secret(&Secret::new("a test key"));
        let url = Secret::new(format!("sqlite://{}/house.db", folder.path().display()));
        let store = Arc::new(SqlStore::open(StoreConfig { url, pool_max: 2, key }).await.unwrap());
        let shared: Arc<dyn Store> = store.clone();
        let clock = Arc::new(FixedClock::default());
        let web = Arc::new(Web::default());
        let wallet = Arc::new(Wallet {
            channel,
            user: Mutex::new(UserId(0)),
            tokens: Mutex::new(vec![MAIL_TOKEN.to_owned()]),
        });
        let extract = Arc::new(Extraction::start(Limits::default()).unwrap());
        let parts = CacheParts {
            store: Arc::clone(&shared),
            signals: store.clone(),
            vectors: Arc::new(MemoryVectors::new(store.clone(), words)),
            bodies: Arc::new(FolderBodies::new(folder.path().join("bodies"), 1)),
            pages: web.clone(),
            readers: Arc::new(Nothing),
            queue: Arc::new(SqlQueue::new(shared, clock.clone())),
            catalogues: NO_CATALOGUES,
            mail: MailParts {
                fetch: Arc::new(gate()),
                extract,
                tokens: wallet.clone(),
                key: Secret::new("a test key"),
            },
            license: license(&clock),
            clock: clock.clone(),
            settings: Arc::new(change(settings)),
        };
        parts.bodies.prepare().await.unwrap();
        let person = async |name: &str| {
            let email = format!("{name}@home.example");
            let draft = UserDraft { username: name.to_owned(), email, ..UserDraft::default() };
            Principal::of(&store.create_user(draft, "hash".to_owned(), clock.now()).await.unwrap())
        };
        let (ann, bob) = (person("ann").await, person("bob").await);
        *wallet.user.lock().unwrap() = ann.user;
        let cache = Arc::new(SemanticCache::new(parts.clone()));
        Self { cache, parts, store, clock, wallet, ann, bob, web, post, folder }
    }

    pub fn mailbox(&self) -> &Mailbox {
        match &self.post {
            Post::Outlook(post) => &post.mailbox,
            Post::Gmail(post) => &post.mailbox,
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A source that belongs to one person, of one kind of place.
    pub async fn source(&self, owner: &Principal, kind: &str) -> SearchProvider {
        let draft: ProviderDraft = serde_json::from_value(json!({
            "name": format!("The {kind} of {}", owner.username), "shared": false,
            "config": {"swirl": {"cache": {"kind": kind}}},
        }))
        .unwrap();
        let now = self.clock.now();
        self.store.create_providers(vec![draft], owner.user, now).await.unwrap().remove(0)
    }

    /// What this person retrieved comes into the cache.
    pub async fn keep(&self, by: &Principal, source: &SearchProvider, file: &Kept<'_>) -> SignalId {
        let name = file.url.rsplit('/').next().unwrap().to_owned();
        let bytes = Bytes::copy_from_slice(file.text.as_bytes());
        let read = FileToRead { media_type: Some("text/plain".to_owned()), name, bytes };
        let text = self.parts.mail.extract.extract(read).await.unwrap().text;
        let page = PageText {
            title: file.title.to_owned(),
            text,
            media_type: "text/plain".to_owned(),
            file_bytes: file.text.len() as u64,
            ..PageText::default()
        };
        self.web.0.lock().unwrap().insert(file.url.to_owned(), page);
        let item =
            ResultItem { title: file.title.to_owned(), url: file.url.to_owned(), ..ResultItem::default() };
        let wish = IngestWish {
            user: by.user,
            document: Document::Result { provider: source.clone(), item },
            matter_tags: file.matter.iter().map(|tag| (*tag).to_owned()).collect(),
            origin: Origin::Ingest,
        };
        let id = self.cache.ingest(wish).await.unwrap().signal.signal_id;
        let handler = IngestDocument(Arc::clone(&self.cache));
        while let Some(task) = self.claim().await {
            handler.run(&task).await.unwrap();
            self.parts.queue.finish(&task).await.unwrap();
        }
        let signal = self.store.signal(id).await.unwrap();
        assert!(!signal.content_hash.is_empty(), "{:?}", signal.messages);
        id
    }

    pub async fn begin(&self) -> Result<Scan, EgressError> {
        self.cache.begin_scan(&self.ann, ScanWish::default()).await
    }

    pub async fn claim(&self) -> Option<ClaimedTask> {
        self.parts.queue.claim(QueueName::Corpus, "a worker", LEASE).await.unwrap()
    }

    /// Begins a scan and lets it come to its end.
    pub async fn scan(&self, wish: ScanWish) -> Scan {
        let scan = self.cache.begin_scan(&self.ann, wish).await.unwrap();
        self.work().await;
        self.read(scan.scan_id).await
    }

    pub async fn work(&self) {
        let handler = ScanSentMail(Arc::clone(&self.cache));
        let task = self.claim().await.expect("the task of the scan");
        handler.run(&task).await.unwrap();
        self.parts.queue.finish(&task).await.unwrap();
    }

    pub async fn read(&self, id: ScanId) -> Scan {
        self.cache.scan(&self.ann, id).await.unwrap()
    }

    pub async fn events(&self) -> Vec<EgressEvent> {
        let filter = EventFilter::default();
        self.cache.events(&self.ann, &filter, 0, 10_000).await.unwrap().items
    }
}

/// A file at a source.
pub struct Kept<'a> {
    pub url: &'a str,
    pub title: &'a str,
    pub text: &'a str,
    pub matter: &'a [&'a str],
}

/// A letter of Ann's to these.
pub fn letter(to: &[&str], html: &str) -> Letter {
    Letter {
        from: "ann@home.example".to_owned(),
        to: to.iter().map(|address| (*address).to_owned()).collect(),
        subject: "About it".to_owned(),
        html: html.to_owned(),
        ..Letter::default()
    }
}

pub fn with_file(letter: Letter, name: &str, text: &str) -> Letter {
    let file = (name.to_owned(), "text/plain".to_owned(), Bytes::copy_from_slice(text.as_bytes()));
    Letter { files: vec![file], ..letter }
}

async fn post(channel: Channel, letters: Vec<Letter>) -> (Post, Settings) {
    let settings = Settings { storage_max_body_mb: 1, ..Settings::default() };
    match channel {
        Channel::Outlook => {
            let post = OutlookPost::start(letters, newest()).await;
            let settings = Settings { egress_outlook_url: post.url(), ..settings };
            (Post::Outlook(post), settings)
        }
        Channel::Gmail => {
            let post = GmailPost::start(letters, newest()).await;
            let settings = Settings { egress_gmail_url: post.url(), ..settings };
            (Post::Gmail(post), settings)
        }
    }
}

fn gate() -> Gate {
    let limits = GateLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(20),
        body_bytes_max: MAIL_ANSWER_BYTES_MAX,
        redirects_max: 3,
        allow: Vec::new(),
    };
    Gate::new(limits).unwrap()
}

fn license(clock: &Arc<FixedClock>) -> LicenseGate {
    let (key, _) = SigningKey::make().unwrap();
    let today = clock.now().date_naive();
    let terms = LicenseTerms {
        owner: "Tests".to_owned(),
        issued: today,
        expiration: today + Days::new(365),
        cache: true,
        cache_expiration: None,
    };
    LicenseGate::new(Secret::new(terms.issue(&key)), key.issuer(), clock.clone())
}
