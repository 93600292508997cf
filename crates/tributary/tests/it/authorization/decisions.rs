//! The part of the scenario with elections and egress events.

use crate::app_harness::{AppHarness, Client, long_text};
use crate::election_fixture::store_election;
use domain::corpus::{Channel, MatchMethod, NewEvent, NewScan, ScanCounts};
use domain::ids::SignalId;
use domain::ports::{EgressStore, EventFilter, ScanOutcome, UserStore};
use domain::settings::Settings;
use serde_json::json;
use testkit::source::{Behavior, Source};

pub struct Decisions {
    /// A document of the source; its id is 2.
    pub shared: i64,
    pub run: i64,
    pub other_run: i64,
    /// A scan of ann's that nobody runs, and its event.
    pub scan: i64,
    pub event: i64,
}

/// Uses the account that the administrator connected as the mailbox. Its address is invalid, so that a scan ends at
/// once.
pub fn with_mailbox(settings: Settings) -> Settings {
    Settings {
        egress_outlook_authenticator: "hub".to_owned(),
        egress_outlook_url: "nowhere".to_owned(),
        ..settings
    }
}

impl Decisions {
    /// Creates elections for ann's search, in which her own document took part.
    pub async fn create(
        app: &AppHarness,
        ann: &Client,
        (provider, source): (i64, &Source),
        own: i64,
    ) -> Self {
        let page = format!("<html><body><main><p>{}</p></main></body></html>", long_text("weirs"));
        source.reply_at("/page", Behavior::text("text/html", page));
        let payload = json!({"url": source.url_at("/page"), "wait": true});
        let kept = app.ingest_from_provider(ann, (provider, source), payload).await;
        assert_eq!(kept.status, 200, "{kept:?}");
        let shared = kept.body["signal_id"].as_i64().unwrap();
        assert_eq!((own, shared), (1, 2), "the bodies of the table name them so");
        let (scan, event) = store_scan(app, shared).await;
        Self {
            shared,
            run: store_election(app, "ann", "weir", &[shared, own]).await,
            other_run: store_election(app, "ann", "dam", &[shared, own]).await,
            scan,
            event,
        }
    }
}

async fn store_scan(app: &AppHarness, document: i64) -> (i64, i64) {
    let (store, now) = (&app.service.app().store, app.service.app().clock.now());
    let user = store.user_by_name("ann").await.unwrap().id;
    let channel = Channel::Outlook;
    let wanted = NewScan { user, channel, matter_tag: String::new(), date_from: None, date_to: None };
    let ScanOutcome::Queued(scan) = store.begin_scan(wanted, now, now).await.unwrap() else {
        panic!("ann has another scan");
    };
    let event = NewEvent {
        signal_id: SignalId(document),
        signal_title: "Weirs".to_owned(),
        external_domains: vec!["example.org".to_owned()],
        sent_at: now,
        method: MatchMethod::FilenameSize,
        message_key: "a key".to_owned(),
    };
    store.add_events(scan.scan_id, ScanCounts::default(), vec![event], now).await.unwrap().unwrap();
    let events = store.events(user, &EventFilter::default(), 0, 1).await.unwrap();
    (scan.scan_id.0, events.items[0].event_id.0)
}
