//! The service that the walk goes through, and who is asked for which row of the interface.

use super::tables::Endpoint;
use super::{cache, egress, search};
use crate::app_harness::{Answer, AppHarness, Client, items, licensed, long_text};
use domain::contracts::{ConnectionStore, UserStore};
use domain::corpus::PROVIDER_NAME;
use domain::ids::{AuthenticatorId, UserId};
use domain::secret::Secret;
use domain::settings::{Settings, Share};
use domain::user::CURATORS;
use reqwest::Method;
use serde_json::{Value, json};
use testkit::source::{Behaviour, Source};
use testkit::vendors::sent_mail::{Letter, MAIL_TOKEN, Post};
use tributary::cache_source;

/// How many versions of one document the walk has.
pub const VERSIONS: usize = 3;

pub struct Walk {
    pub app: AppHarness,
    pub prefix: &'static str,
    /// She searches, keeps documents, decides on versions, and has connected her mailbox.
    pub ann: Client,
    pub ann_id: UserId,
    /// Three versions of one agreement in the cache.
    pub signals: Vec<i64>,
    pub rivers: i64,
    pub source: Source,
    _mailbox: Post,
}

impl Walk {
    pub async fn start(prefix: &'static str) -> Self {
        let source = Source::start().await;
        source.reply(Behaviour::Json(items("river", 2)));
        let mailbox = Post::outlook(vec![letter()], "2026-05-01T12:00:00Z".parse().unwrap()).await;
        let url = mailbox.url();
        let allow = vec![url.split('/').nth(2).unwrap().to_owned()];
        let app = AppHarness::with(|settings| Settings {
            corpus_min_score: Share(0.1),
            canonical_auto_elect_enabled: true,
            egress_outlook_url: url,
            outbound_allow: allow,
            ..licensed(settings)
        })
        .await;
        cache_source::ensure(app.service.wired()).await.unwrap();
        let rivers = app.provider("Rivers", &source).await;
        let picker = json!({"name": "Picker", "model": "local/extractive", "tags": ["rag"], "active": true});
        assert_eq!(app.admin.post("/svc/aiproviders/", &picker).await.status, 201);
        let ann = app.user("ann", &[CURATORS]).await;
        let ann_id = app.service.wired().store.user_by_name("ann").await.unwrap().id;
        let mut walk =
            Self { app, prefix, ann, ann_id, signals: Vec::new(), rivers, source, _mailbox: mailbox };
        for version in 1..=VERSIONS {
            walk.signals.push(walk.kept(version).await);
        }
        walk.connected().await;
        walk
    }

    async fn kept(&self, version: usize) -> i64 {
        let wish = json!({
            "url": format!("https://files.example/agreement-v{version}.pdf"),
            "title": format!("River gauge agreement v{version}"),
            "body": format!("{} It is version {version}.", long_text("the river gauge agreement")),
            "wait": true,
        });
        let kept = self.ann.post("/svc/ingest/", &wish).await;
        assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("indexed")), "{kept:?}");
        kept.body["signal_id"].as_i64().unwrap()
    }

    /// Her mailbox, by an account that she connected.
    async fn connected(&self) {
        let spec = json!({
            "idp": "microsoft", "name": "Microsoft", "client_id": "c", "auth_uri": "https://m.example/a",
            "token_uri": "https://m.example/t",
        });
        let made = self.app.admin.post("/svc/authenticators/", &spec).await;
        assert_eq!(made.status, 201, "{made:?}");
        let id = AuthenticatorId(made.body["id"].as_i64().unwrap());
        let wired = self.app.service.wired();
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

    /// Ann's request under this prefix.
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

    /// Ann searches in the cache: the version that counts, and the run that said so.
    pub async fn elected(&self, query: &str) -> (Value, i64) {
        let spec = json!({"query_string": query, "searchprovider_list": [PROVIDER_NAME]});
        let search = self.ann.search(&spec).await;
        let page = self.ann.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
        let first = page["results"][0].clone();
        assert_eq!(first["cache"]["cluster"]["size"], VERSIONS, "{first}");
        let run = first["cache"]["run_id"].as_i64().unwrap_or_else(|| panic!("{first}"));
        (first, run)
    }

    /// Every endpoint requires authentication, whatever stands in its path.
    pub async fn refuses_nobody_knows_whom(&self, endpoint: &Endpoint) {
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

    /// One row of the interface. A row that nobody here knows fails the walk.
    pub async fn call(&self, row: &str) {
        let path = row.split_once(' ').unwrap().1;
        match path.split('/').nth(2) {
            Some("search" | "results" | "rag-search") => search::call(self, row).await,
            Some("ingest" | "cache" | "canonical") => cache::call(self, row).await,
            Some("egress") => egress::call(self, row).await,
            _ => search::call_the_rest(self, row).await,
        }
    }
}

/// A message to somebody outside, with nothing of the cache in it.
fn letter() -> Letter {
    Letter {
        from: "ann@firm.example".to_owned(),
        to: vec!["jane@client.example".to_owned()],
        subject: "Lunch".to_owned(),
        html: "<p>At noon?</p>".to_owned(),
        ..Letter::default()
    }
}
