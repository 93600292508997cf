//! The service under test, and the dispatch of each row of the interface to its call.

use super::tables::Endpoint;
use super::{cache, egress, search};
use crate::app_harness::{Answer, AppHarness, Client, items, licensed, long_text};
use domain::corpus::PROVIDER_NAME;
use domain::ids::{AuthenticatorId, UserId};
use domain::ports::{ConnectionStore, UserStore};
use domain::secret::Secret;
use domain::settings::{Ratio, Settings};
use domain::user::CURATORS;
use fakes::sent_mail::{MAIL_TOKEN, MailServer, SentMessage};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};
use tributary::corpus::provider as corpus_provider;

/// The number of versions of the document.
pub const VERSIONS: usize = 3;

pub struct Walk {
    pub app: AppHarness,
    pub prefix: &'static str,
    /// She searches, ingests documents, decides on versions, and has connected her mailbox.
    pub ann: Client,
    pub ann_id: UserId,
    /// Three versions of one agreement in the cache.
    pub signals: Vec<i64>,
    pub rivers: i64,
    pub source: Source,
    _mailbox: MailServer,
}

impl Walk {
    pub async fn start(prefix: &'static str) -> Self {
        let source = Source::start().await;
        source.reply(Behavior::Json(items("river", 2)));
        let mailbox = MailServer::outlook(vec![message()], "2026-05-01T12:00:00Z".parse().unwrap()).await;
        let url = mailbox.url();
        let allow = vec![url.split('/').nth(2).unwrap().to_owned()];
        let app = AppHarness::with(|settings| Settings {
            corpus_min_score: Ratio(0.1),
            canonical_auto_elect_enabled: true,
            egress_outlook_url: url,
            outbound_allow: allow,
            ..licensed(settings)
        })
        .await;
        corpus_provider::ensure(app.service.app()).await.unwrap();
        let rivers = app.provider("Rivers", &source).await;
        let picker = json!({"name": "Picker", "model": "local/extractive", "tags": ["rag"], "active": true});
        assert_eq!(app.admin.post("/svc/aiproviders/", &picker).await.status, 201);
        let ann = app.user("ann", &[CURATORS]).await;
        let ann_id = app.service.app().store.user_by_name("ann").await.unwrap().id;
        let mut walk =
            Self { app, prefix, ann, ann_id, signals: Vec::new(), rivers, source, _mailbox: mailbox };
        for version in 1..=VERSIONS {
            walk.signals.push(walk.ingest_version(version).await);
        }
        walk.connect_mailbox().await;
        walk
    }

    async fn ingest_version(&self, version: usize) -> i64 {
        let payload = json!({
            "url": format!("https://files.example/agreement-v{version}.pdf"),
            "title": format!("River gauge agreement v{version}"),
            "body": format!("{} It is version {version}.", long_text("the river gauge agreement")),
            "wait": true,
        });
        let kept = self.ann.post("/svc/ingest/", &payload).await;
        assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("indexed")), "{kept:?}");
        kept.body["signal_id"].as_i64().unwrap()
    }

    /// Connects a mailbox of hers.
    async fn connect_mailbox(&self) {
        let spec = json!({
            "idp": "microsoft", "name": "Microsoft", "client_id": "c", "auth_uri": "https://m.example/a",
            "token_uri": "https://m.example/t",
        });
        let made = self.app.admin.post("/svc/authenticators/", &spec).await;
        assert_eq!(made.status, 201, "{made:?}");
        let id = AuthenticatorId(made.body["id"].as_i64().unwrap());
        let wired = self.app.service.app();
        let tokens = domain::authenticator::Tokens {
            access: Secret::new(MAIL_TOKEN),
            refresh: Secret::default(),
            expires: None,
            scopes: "Mail.Read".to_owned(),
        };
        let account = "ann@firm.example".to_owned();
        wired.store.connect(self.ann_id, id, tokens, account, wired.clock.now()).await.unwrap();
    }

    /// A path of the interface under this prefix.
    pub fn at(&self, path: &str) -> String {
        path.replacen("/svc", self.prefix, 1)
    }

    /// Sends a request of Ann's under this prefix.
    pub async fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        let request = self.ann.request(method.parse::<Method>().unwrap(), &self.at(path));
        let request = match body {
            Value::Null => request,
            body => request.header("Content-Type", "application/json").body(body.to_string()),
        };
        Answer::of(request).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &Value::Null).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, body).await
    }

    /// Ann searches in the cache. Returns the winning version and the id of its election.
    pub async fn elected(&self, query: &str) -> (Value, i64) {
        let spec = json!({"query_string": query, "searchprovider_list": [PROVIDER_NAME]});
        let search = self.ann.search(&spec).await;
        let page = self.ann.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
        let first = page["results"][0].clone();
        assert_eq!(first["cache"]["cluster"]["size"], VERSIONS, "{first}");
        let run = first["cache"]["run_id"].as_i64().unwrap_or_else(|| panic!("{first}"));
        (first, run)
    }

    /// Every endpoint requires authentication, whatever its path contains.
    pub async fn assert_requires_authentication(&self, endpoint: &Endpoint) {
        let path = self.at(&endpoint.path.split('?').next().unwrap().replace(['<', '>'], ""));
        let path: String = path
            .split('/')
            .map(|part| if part.ends_with("id") { "1" } else { part })
            .collect::<Vec<_>>()
            .join("/");
        let request = self.app.anonymous().request(endpoint.method.parse::<Method>().unwrap(), &path);
        let answer = Answer::of(request.header("Content-Type", "application/json").body("{}")).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (401, "not_authenticated"),
            "{}",
            endpoint.name()
        );
        assert!(answer.header("www-authenticate").starts_with("Basic"), "{answer:?}");
    }

    /// Calls one row of the interface. An unknown row fails the test.
    pub async fn call(&self, row: &str) {
        let path = row.split_once(' ').unwrap().1;
        match path.split('/').nth(2) {
            Some("search" | "results" | "rag-search") => search::call(self, row).await,
            Some("ingest" | "cache" | "canonical") => cache::call(self, row).await,
            Some("egress") => egress::call(self, row).await,
            _ => search::call_other(self, row).await,
        }
    }
}

/// A message to somebody outside that contains no cached document.
fn message() -> SentMessage {
    SentMessage {
        from: "ann@firm.example".to_owned(),
        to: vec!["jane@client.example".to_owned()],
        subject: "Lunch".to_owned(),
        html: "<p>At noon?</p>".to_owned(),
        ..SentMessage::default()
    }
}
