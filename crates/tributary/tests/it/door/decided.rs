//! What the scenario has of decisions on versions, and of what went outside.

use crate::app_harness::{AppHarness, Client, long_text};
use crate::held::held_run;
use domain::contracts::{EgressStore, EventFilter, ScanOutcome, UserStore};
use domain::corpus::{Channel, MatchMethod, NewEvent, NewScan, ScanCounts};
use domain::ids::SignalId;
use domain::settings::Settings;
use serde_json::json;
use testkit::source::{Behaviour, Source};

pub struct Decided {
    /// A document of the source, the second of all.
    pub shared: i64,
    pub run: i64,
    pub other_run: i64,
    /// A scan of ann's that nobody runs, and what it has found.
    pub scan: i64,
    pub event: i64,
}

/// The mailbox is the account that the administrator has connected. Its address is none, so that a scan ends at once.
pub fn with_mailbox(settings: Settings) -> Settings {
    Settings {
        egress_outlook_authenticator: "hub".to_owned(),
        egress_outlook_url: "nowhere".to_owned(),
        ..settings
    }
}

impl Decided {
    /// The elections are of ann's search; the document of her own took part in them.
    pub async fn furnish(
        app: &AppHarness,
        ann: &Client,
        (provider, source): (i64, &Source),
        own: i64,
    ) -> Self {
        let page = format!("<html><body><main><p>{}</p></main></body></html>", long_text("weirs"));
        source.reply_at("/page", Behaviour::text("text/html", page));
        let wish = json!({"url": source.url_at("/page"), "wait": true});
        let kept = app.keep_given(ann, (provider, source), wish).await;
        assert_eq!(kept.status, 200, "{kept:?}");
        let shared = kept.body["signal_id"].as_i64().unwrap();
        assert_eq!((own, shared), (1, 2), "the bodies of the table name them so");
        let (scan, event) = scanned(app, shared).await;
        Self {
            shared,
            run: held_run(app, "ann", "weir", &[shared, own]).await,
            other_run: held_run(app, "ann", "dam", &[shared, own]).await,
            scan,
            event,
        }
    }
}

async fn scanned(app: &AppHarness, document: i64) -> (i64, i64) {
    let (store, now) = (&app.service.wired().store, app.service.wired().clock.now());
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
