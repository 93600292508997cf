//! A cache with people, documents and mailboxes. Its records are in a file, so that tests can inspect it.

use crate::ground::{Ground, named};
use crate::web::Web;
use async_trait::async_trait;
use bytes::Bytes;
use corpus::ingest::{Document, IngestRequest};
use corpus::{
    CacheParts, EgressError, IngestDocument, MAIL_ANSWER_BYTES_MAX, MailParts, ScanRequest, ScanSentMail,
    SemanticCache,
};
use domain::corpus::{Channel, EgressEvent, MatterTag, Origin, Scan};
use domain::ids::{ScanId, SignalId, UserId};
use domain::instant::Instant;
use domain::ports::{
    ClaimedTask, EventFilter, FileToRead, PageText, QueueName, SignalStore, SourceTokenError, SourceTokens,
    TaskHandler,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::{Principal, UserSpec};
use extraction::{Extraction, Limits};
use fakes::sent_mail::{MAIL_TOKEN, MailServer, Mailbox, SentMessage};
use outbound::{ClientLimits, GuardedClient};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::SqlStore;
use testkit::clock::FixedClock;

const LEASE: Duration = Duration::from_secs(60);

/// The date of the newest message of every mailbox.
pub fn newest() -> Instant {
    "2026-03-20T12:00:00Z".parse().unwrap()
}

/// A person's tokens: each renewal gives the next one, and the last one stays.
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

pub struct Fixture {
    pub cache: Arc<SemanticCache>,
    pub parts: CacheParts,
    pub store: Arc<SqlStore>,
    pub clock: Arc<FixedClock>,
    pub wallet: Arc<Wallet>,
    /// Has connected the mailbox.
    pub ann: Principal,
    pub bob: Principal,
    web: Arc<Web>,
    pub post: MailServer,
    ground: Ground,
}

impl Fixture {
    pub async fn open(channel: Channel, messages: Vec<SentMessage>) -> Self {
        Self::with(channel, messages, |settings| settings).await
    }

    pub async fn with(
        channel: Channel,
        messages: Vec<SentMessage>,
        change: impl FnOnce(Settings) -> Settings,
    ) -> Self {
        let (ground, web) = (Ground::on_disk().await, Arc::new(Web::default()));
        let (post, settings) = post(channel, messages).await;
        let wallet = Arc::new(Wallet {
            channel,
            user: Mutex::new(UserId(0)),
            tokens: Mutex::new(vec![MAIL_TOKEN.to_owned()]),
        });
        let parts = ground.parts(change(settings)).await;
        let mail = MailParts {
            fetch: Arc::new(client()),
            extract: Arc::new(Extraction::start(Limits::default()).unwrap()),
            tokens: wallet.clone(),
            ..parts.mail
        };
        let parts = CacheParts { pages: web.clone(), mail, ..parts };
        let person = async |name: &str| {
            let email = format!("{name}@home.example");
            Principal::of(&ground.person(UserSpec { email, ..named(name) }).await)
        };
        let (ann, bob) = (person("ann").await, person("bob").await);
        *wallet.user.lock().unwrap() = ann.user;
        let cache = Arc::new(SemanticCache::new(parts.clone()));
        let (store, clock) = (ground.store.clone(), ground.clock.clone());
        Self { cache, parts, store, clock, wallet, ann, bob, web, post, ground }
    }

    pub fn mailbox(&self) -> &Mailbox {
        &self.post.mailbox
    }

    pub fn folder(&self) -> &Path {
        self.ground.folder()
    }

    /// A provider of one person, with this kind of source.
    pub async fn source(&self, owner: &Principal, kind: &str) -> SearchProvider {
        let spec: ProviderSpec = serde_json::from_value(json!({
            "name": format!("The {kind} of {}", owner.username), "shared": false,
            "config": {"swirl": {"cache": {"kind": kind}}},
        }))
        .unwrap();
        self.ground.source(owner.user, spec).await
    }

    /// Ingests a file that this person retrieved.
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
        self.web.gives_page(file.url, page);
        let mut item =
            ResultItem { title: file.title.to_owned(), url: file.url.to_owned(), ..ResultItem::default() };
        item.mark_as_given(source.id);
        let request = IngestRequest {
            user: by.user,
            document: Document::Result { provider: source.clone(), item },
            matter_tags: file.matter.iter().filter_map(|tag| MatterTag::parse(tag)).collect(),
            origin: Origin::Ingest,
        };
        let id = self.cache.ingest(request).await.unwrap().signal.signal_id;
        let handler = IngestDocument(Arc::clone(&self.cache));
        while let Some(task) = self.claim().await {
            handler.run(&task).await.unwrap();
            self.parts.queue.finish(&task).await.unwrap();
        }
        let signal = self.store.signal(id).await.unwrap();
        assert!(!signal.content_hash.is_empty(), "{:?}", signal.notices);
        id
    }

    pub async fn begin(&self) -> Result<Scan, EgressError> {
        self.cache.begin_scan(&self.ann, ScanRequest::default()).await
    }

    pub async fn claim(&self) -> Option<ClaimedTask> {
        self.parts.queue.claim(QueueName::Corpus, "a worker", LEASE).await.unwrap()
    }

    /// Starts a scan and runs it to its end.
    pub async fn scan(&self, request: ScanRequest) -> Scan {
        let scan = self.cache.begin_scan(&self.ann, request).await.unwrap();
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

/// A message of Ann to these recipients.
pub fn message(to: &[&str], html: &str) -> SentMessage {
    SentMessage {
        from: "ann@home.example".to_owned(),
        to: to.iter().map(|address| (*address).to_owned()).collect(),
        subject: "About it".to_owned(),
        html: html.to_owned(),
        ..SentMessage::default()
    }
}

pub fn with_file(message: SentMessage, name: &str, text: &str) -> SentMessage {
    let file = (name.to_owned(), "text/plain".to_owned(), Bytes::copy_from_slice(text.as_bytes()));
    SentMessage { files: vec![file], ..message }
}

async fn post(channel: Channel, messages: Vec<SentMessage>) -> (MailServer, Settings) {
    let settings = Settings { storage_max_body_mb: 1, ..Settings::default() };
    match channel {
        Channel::Outlook => {
            let post = MailServer::outlook(messages, newest()).await;
            let settings = Settings { egress_outlook_url: post.url(), ..settings };
            (post, settings)
        }
        Channel::Gmail => {
            let post = MailServer::gmail(messages, newest()).await;
            let settings = Settings { egress_gmail_url: post.url(), ..settings };
            (post, settings)
        }
    }
}

fn client() -> GuardedClient {
    let limits = ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(20),
        body_bytes_max: MAIL_ANSWER_BYTES_MAX,
        redirects_max: 3,
        allow: Vec::new(),
    };
    GuardedClient::new(limits).unwrap()
}
