//! Fixture with twelve versions of three documents, the people who ingested them, and the results that each of them
//! gets.

use crate::app_harness::{AppHarness, Client, licensed};
use domain::authenticator::Tokens;
use domain::corpus::PROVIDER_NAME;
use domain::ids::AuthenticatorId;
use domain::ports::{ConnectionStore, UserStore};
use domain::secret::Secret;
use domain::settings::{Ratio, Settings};
use domain::user::CURATORS;
use fakes::sent_mail::{MAIL_TOKEN, MailServer, SentMessage};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};
use tributary::corpus::provider as corpus_provider;

/// The version that Ben sent to a client.
pub const SENT: &str = "Master services agreement v3";

/// The origin of a version, which decides who may see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// A source for everybody.
    Registry,
    /// A source of the group `law`.
    Vault,
    /// A text supplied by the person who ingests it.
    Own,
}

/// Title, origin, and the person who ingests it.
const VERSIONS: [(&str, From, &str); 12] = [
    ("Master services agreement v1 draft", From::Registry, "ann"),
    ("Master services agreement v2", From::Registry, "ann"),
    ("Master services agreement v3", From::Registry, "ann"),
    ("Master services agreement v4 final", From::Registry, "ann"),
    ("Master services agreement v5", From::Own, "ann"),
    ("Flood plan v1", From::Registry, "ben"),
    ("Flood plan v2", From::Registry, "ben"),
    ("Flood plan v3", From::Vault, "ben"),
    ("Flood plan v4", From::Vault, "ben"),
    ("Price list v1", From::Registry, "cleo"),
    ("Price list v2", From::Registry, "cleo"),
    ("Price list v3", From::Registry, "cleo"),
];

const AGREEMENT: &str = "This master services agreement is made between the supplier and the customer and governs every statement \
    of work that the parties sign under it. The supplier provides consulting services with reasonable skill and care. Invoices \
    are payable within thirty days of receipt and late payment bears interest at the statutory rate. Each party keeps the \
    confidential information of the other secret for five years after termination. Intellectual property that existed before \
    the agreement remains with its owner, while deliverables are assigned upon payment. Neither party limits its liability for \
    fraud or for death caused by negligence; otherwise liability is capped at the fees of the preceding twelve months. Either \
    party may terminate for material breach that is not cured within sixty days of notice. The courts of the capital have \
    exclusive jurisdiction, and disputes go to mediation first.";
const PLAN: &str = "When the river rises above the second mark at the old bridge, the duty officer wakes the wardens and opens the \
    control space in the fire station. Sandbags lie ready in the yard behind the mill and are carried to the quay by volunteers. \
    Families in the low streets are told to leave by loudspeaker and find beds in the school gymnasium. The pumps at the weir \
    run day and night until the water falls, and diesel comes by boat from the harbour. Cattle from the meadows are driven uphill \
    before dark. Nobody crosses the footbridge once waves touch its planks. After the peak, engineers inspect the dyke for seepage \
    and the doctors vaccinate against typhoid. Every autumn the whole town rehearses the evacuation with sirens.";
const PRICES: &str = "All amounts are in euros without tax and hold for orders of at least ten pieces. The radar level sensor costs \
    eleven hundred, its mounting arm ninety, and the solar panel with battery three hundred and forty. A data logger with cellular \
    modem is sold for six hundred and twenty, or with satellite modem for nine hundred. Replacement cables cost four per metre and \
    connectors twelve each. Calibration in our laboratory is charged at one hundred and fifty per instrument. Shipping inside the \
    continent is free above two thousand; elsewhere freight is billed at cost. Resellers receive a rebate of fifteen percent, \
    universities of twenty. Warranty is two years and can be extended to five for a tenth of the purchase sum.";

pub struct Library {
    pub app: AppHarness,
    pub ann: Client,
    /// A member of the group `law`.
    pub ben: Client,
    pub cleo: Client,
    /// A curator in the group `law`.
    pub cora: Client,
    /// A curator in no other group.
    pub carl: Client,
    signals: Vec<i64>,
    site: Source,
    _mailbox: MailServer,
}

/// A result from the cache.
#[derive(Debug, Clone)]
pub struct CachedResult {
    pub title: String,
    pub badge: String,
    pub cache: Value,
}

impl Library {
    pub async fn open(change: impl FnOnce(Settings) -> Settings) -> Self {
        let site = Source::start().await;
        let messages = vec![message(site.url_at(&path_of(SENT)).as_str())];
        let mailbox = MailServer::outlook(messages, "2026-05-01T12:00:00Z".parse().unwrap()).await;
        let url = mailbox.url();
        let allow = vec![site.address().to_string(), url.split('/').nth(2).unwrap().to_owned()];
        let app = AppHarness::with(|settings| {
            change(Settings {
                corpus_min_score: Ratio(0.1),
                canonical_auto_elect_enabled: true,
                outbound_allow: allow,
                egress_outlook_url: url,
                ..licensed(settings)
            })
        })
        .await;
        let wired = app.service.app();
        assert!(corpus_provider::ensure(wired).await.unwrap());
        if wired.settings.corpus_hybrid {
            wired.corpus.upgrade_to_hybrid(&|_, _| {}).await.unwrap();
        }
        let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &["law"]).await);
        let (cleo, cora) = (app.user("cleo", &[]).await, app.user("cora", &["law", CURATORS]).await);
        let carl = app.user("carl", &[CURATORS]).await;
        let mut library =
            Self { app, ann, ben, cleo, cora, carl, signals: Vec::new(), site, _mailbox: mailbox };
        library.fill().await;
        library.connect("ben").await;
        library
    }

    async fn fill(&mut self) {
        let off = json!({"default": false});
        let registry = self.app.provider_with("Registry", &self.site, off).await;
        let closed = json!({"default": false, "shared": false, "groups": ["law"]});
        let vault = self.app.provider_with("Vault", &self.site, closed).await;
        for (title, from, keeper) in &VERSIONS {
            let (path, text) = (path_of(title), text_of(title));
            let html = format!(
                "<html><head><title>{title}</title></head><body><main><p>{text}</p></main></body></html>"
            );
            self.site.reply_at(&path, Behavior::text("text/html", html));
            let keeper = match *keeper {
                "ann" => &self.ann,
                "ben" => &self.ben,
                _ => &self.cleo,
            };
            let kept = match from {
                From::Own => {
                    let url = "https://own.example/v.html";
                    let payload = json!({"url": url, "title": title, "body": text, "wait": true});
                    keeper.post("/svc/ingest/", &payload).await
                }
                other => {
                    let provider = if *other == From::Vault { vault } else { registry };
                    let payload = json!({"url": self.site.url_at(&path), "title": title, "wait": true});
                    self.app.ingest_from_provider(keeper, (provider, &self.site), payload).await
                }
            };
            assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("indexed")), "{kept:?}");
            self.signals.push(kept.body["signal_id"].as_i64().unwrap());
        }
    }

    pub fn signal(&self, title: &str) -> i64 {
        self.signals[VERSIONS.iter().position(|(one, ..)| *one == title).unwrap()]
    }

    pub fn url(&self, title: &str) -> String {
        self.site.url_at(&path_of(title)).to_string()
    }

    /// Connects a mailbox of this person.
    async fn connect(&self, name: &str) {
        let spec = json!({
            "idp": "microsoft", "name": "Microsoft", "client_id": "c", "auth_uri": "https://m.example/a",
            "token_uri": "https://m.example/t",
        });
        let made = self.app.admin.post("/svc/authenticators/", &spec).await;
        assert_eq!(made.status, 201, "{made:?}");
        let wired = self.app.service.app();
        let id = AuthenticatorId(made.body["id"].as_i64().unwrap());
        let user = wired.store.user_by_name(name).await.unwrap().id;
        let access = Secret::new(MAIL_TOKEN);
        let tokens = Tokens { access, refresh: Secret::default(), expires: None, scopes: String::new() };
        let account = format!("{name}@firm.example");
        wired.store.connect(user, id, tokens, account, wired.clock.now()).await.unwrap();
    }

    /// The versions on the result page of a new search.
    pub async fn versions(&self, client: &Client, query: &str, tags: &[&str]) -> Vec<CachedResult> {
        self.page(client, &self.search(client, query, tags).await).await
    }

    /// The id of a new search.
    pub async fn search(&self, client: &Client, query: &str, tags: &[&str]) -> Value {
        let spec = json!({"query_string": query, "searchprovider_list": [PROVIDER_NAME], "tags": tags});
        let search = client.search(&spec).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
        search["id"].clone()
    }

    /// The versions on the result page of an existing search.
    pub async fn page(&self, client: &Client, search: &Value) -> Vec<CachedResult> {
        let page = client.get(&format!("/svc/results/?search_id={search}")).await;
        assert_eq!(page.status, 200, "{page:?}");
        let rows: Vec<CachedResult> =
            page.body["results"].as_array().unwrap().iter().map(cached_result).collect();
        let first = rows.first().unwrap_or_else(|| panic!("{page:?}"));
        let key = first.cache["cluster"]["key"].clone();
        assert!(key.is_number(), "{first:?}");
        let versions: Vec<CachedResult> =
            rows.iter().filter(|row| row.cache["cluster"]["key"] == key).cloned().collect();
        let ahead: Vec<&str> = rows[..versions.len()].iter().map(|row| row.title.as_str()).collect();
        assert_eq!(ahead, titles(&versions), "the other versions directly follow the winner");
        versions
    }

    /// The election of a result, as this person sees it.
    pub async fn run(&self, client: &Client, of: &CachedResult) -> Value {
        let run = client.get(&format!("/svc/canonical/{}/", of.cache["run_id"])).await;
        assert_eq!(run.status, 200, "{run:?}");
        run.body
    }
}

/// The path of a version on the site.
fn path_of(title: &str) -> String {
    format!("/{}.html", title.to_lowercase().replace(' ', "-"))
}

/// A message with a link to somebody outside.
fn message(link: &str) -> SentMessage {
    SentMessage {
        from: "ben@firm.example".to_owned(),
        to: vec!["jane@client.example".to_owned(), "cleo@firm.example".to_owned()],
        subject: "Our agreement".to_owned(),
        html: format!("<p>Please read <a href=\"{link}\">this</a>.</p>"),
        ..SentMessage::default()
    }
}

pub fn titles(rows: &[CachedResult]) -> Vec<&str> {
    rows.iter().map(|row| row.title.as_str()).collect()
}

fn cached_result(row: &Value) -> CachedResult {
    let title = row["title"].as_str().unwrap().replace("<em>", "").replace("</em>", "");
    let badge = row["cache"]["badge"].as_str().unwrap_or_default().to_owned();
    CachedResult { title, badge, cache: row["cache"].clone() }
}

/// Versions of a document differ in one sentence; documents differ completely.
fn text_of(title: &str) -> String {
    let base = match &title[..5] {
        "Maste" => AGREEMENT,
        "Flood" => PLAN,
        _ => PRICES,
    };
    let words: Vec<&str> = base.split_whitespace().collect();
    let text = words.join(" ");
    format!("{title}. {text} {text} This is {title} and no other.")
}
