//! `/svc/canonical/…`: elections, decisions, pins, and their permissions.

mod diff;
mod elect;
mod pins;
mod race;
mod runs;

use crate::app_harness::{AppHarness, Client, licensed, long_text};
use domain::user::CURATORS;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

const PIN: &str = "/svc/canonical/pin-for-query/";
const QUERY: &str = "Master Services Agreement";

/// Two documents of a source that everybody may use, and one of Ann's own. Ann and Cora are curators, Ben is not.
struct Fixture {
    app: AppHarness,
    ann: Client,
    ben: Client,
    cora: Client,
    first: i64,
    second: i64,
    /// Only Ann sees it.
    own: i64,
    _site: Source,
}

impl Fixture {
    async fn start() -> Self {
        Self::of(AppHarness::with(licensed).await).await
    }

    async fn of(app: AppHarness) -> Self {
        let site = Source::start().await;
        site.reply(Behavior::Json(json!({"total": 0, "items": []})));
        let provider = app.provider_with("Papers", &site, json!({"shared": true})).await;
        let ann = app.user("ann", &[CURATORS]).await;
        let cora = app.user("cora", &[CURATORS]).await;
        let ben = app.user("ben", &[]).await;
        let mut shared = Vec::new();
        for name in ["first", "second"] {
            site.reply_at(&format!("/{name}"), page(name));
            let url = site.url_at(&format!("/{name}"));
            let payload = json!({"url": url, "title": format!("The {name}"), "wait": true});
            let kept = app.ingest_from_provider(&ann, (provider, &site), payload).await;
            shared.push(kept.body["signal_id"].as_i64().unwrap());
        }
        let own = keep_own(&ann, "own").await;
        Self { app, ann, ben, cora, first: shared[0], second: shared[1], own, _site: site }
    }

    async fn state(&self, id: i64) -> Value {
        self.ann.get(&format!("/svc/cache/{id}/")).await.body["state"].clone()
    }
}

fn page(name: &str) -> Behavior {
    let html = format!(
        "<html><head><title>The {name}</title></head><body><main><p>{}</p></main></body></html>",
        long_text(name)
    );
    Behavior::text("text/html", html)
}

async fn keep(client: &Client, mut payload: Value) -> i64 {
    payload["wait"] = json!(true);
    let kept = client.post("/svc/ingest/", &payload).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    kept.body["signal_id"].as_i64().unwrap()
}

/// Ingests a text that this person supplied, which nobody else sees.
async fn keep_own(client: &Client, name: &str) -> i64 {
    let url = format!("https://own.example/{name}");
    keep(client, json!({"url": url, "title": format!("The {name}"), "body": long_text(name)})).await
}
