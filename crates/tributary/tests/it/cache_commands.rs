//! The maintenance commands of the semantic cache, as an operator runs them.

use crate::app_harness::{AppHarness, Client, licensed, long_text};
use crate::license::LicenseFixture;
use crate::program::{program, text};
use chrono::TimeDelta;
use domain::corpus::{
    Channel, EgressEvent, Factors, MatchMethod, Member, MemberRole, NewEvent, NewPin, NewRun, NewScan,
    OwnedVisibility, PinAction, PinVia, Reason, Run, RunStatus, ScanCounts, ScanStatus, Scope, Thresholds,
    Weights,
};
use domain::ids::{SearchId, SignalId, UserId};
use domain::ports::{
    CanonicalStore, EgressStore, EventFilter, ExistingPin, PinFilter, ScanEnd, ScanOutcome, SignalStore,
    UserStore,
};
use domain::secret::Secret;
use domain::settings::Settings;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use store::SqlStore;

/// Runs a command on the data folder. Returns its exit code and its output.
fn output_of(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let data_dir = folder.display().to_string();
    let arguments = [arguments, &["--data-dir", &data_dir]].concat();
    let output = program(folder, &arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

fn cache_lines(folder: &Path, arguments: &[&str]) -> (i32, Vec<String>) {
    let (code, said) = output_of(folder, arguments);
    (code, said.lines().filter(|line| line.contains("  cache  ")).map(str::to_owned).collect())
}

fn bodies(folder: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder.join("bodies")).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|path| std::fs::read_dir(path).unwrap());
    files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "zst"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cache_is_looked_after_by_commands() {
    let license_fixture = LicenseFixture::new();
    license_fixture.fill().await;
    let folder = license_fixture.folder.path();

    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert_eq!((code, lines.len()), (0, 1), "{lines:?}");
    assert!(
        lines[0].starts_with("ok") && lines[0].contains("are consistent: 1 documents, 1 with text"),
        "{lines:?}"
    );
    let file = bodies(folder).remove(0);
    std::fs::remove_file(&file).unwrap();
    let stray = format!("{}.zst", "0a".repeat(32));
    std::fs::create_dir_all(folder.join("bodies/0a")).unwrap();
    std::fs::write(folder.join("bodies/0a").join(stray), b"?").unwrap();
    for (arguments, code, verdict) in [
        (&["doctor", "--offline"][..], 1, "fail"),
        (&["doctor", "--offline", "--repair", "--yes"], 0, "warn"),
    ] {
        let (ended, lines) = cache_lines(folder, arguments);
        assert_eq!(ended, code, "{lines:?}");
        let is_told = |part: &str| lines.iter().any(|line| line.starts_with(verdict) && line.contains(part));
        assert!(is_told("1 documents have no text") && is_told("1 texts belong to no document"), "{lines:?}");
    }
    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(code == 0 && lines.len() == 1 && lines[0].contains("0 stored texts in 0 files"), "{lines:?}");

    for (arguments, part) in [
        (&["init_storage"][..], "The text storage (fs) is ready."),
        (&["init_qdrant"], "The collection swirl_corpus is ready: 1 chunk"),
        (&["upgrade_corpus_to_hybrid"], "1 chunk of 1 document have sparse vectors"),
        (&["upgrade_corpus_to_hybrid"], "the collection was already hybrid"),
        (&["reindex_corpus"], "1 chunk of 1 document were embedded by"),
        (&["init_qdrant"], "with sparse vectors"),
        (&["dedup_signal_url_hash"], "1 document checked: 0 would be merged"),
        (&["dedup_signal_url_hash", "--apply"], "1 document checked: 0 merged"),
        (&["drop_entity_collection"], "No collection swirl_entities"),
        (&["drop_entity_collection", "--yes"], "No collection swirl_entities"),
        (&["reset_semantic_cache", "--matter-tag", "other"], "No documents of the matter other"),
    ] {
        let (code, said) = output_of(folder, arguments);
        assert!(code == 0 && said.contains(part), "{arguments:?}: {said}");
    }

    for (arguments, expected, part) in [
        (&["reset_semantic_cache"][..], 1, "Delete 1 document from the semantic cache?"),
        (&["reset_semantic_cache", "--matter-tag", "matter:"], 2, "Name a matter, such as acme"),
    ] {
        let (code, said) = output_of(folder, arguments);
        assert!(code == expected && said.contains(part), "{arguments:?}: {said}");
    }
    let (_, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(lines[0].contains("1 documents"), "nobody said yes: {lines:?}");
    let (code, said) = output_of(folder, &["reset_semantic_cache", "--yes"]);
    assert!(code == 0 && said.contains("Deleted 1 document with 1 chunk and 0 texts."), "{said}");
    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(code == 0 && lines[0].contains("are consistent: 0 documents"), "{lines:?}");
}

/// A service with three documents of ann's: two of the matter smith, and one more. The first and the last are pinned,
/// and were found in sent mail.
struct Fixture {
    app: AppHarness,
    client: Client,
    ann: UserId,
    documents: Vec<SignalId>,
}

/// Ingests a text that the person supplies.
async fn supply(client: &Client, url: &str, title: &str, topic: &str, tags: Value) -> SignalId {
    let payload = json!({
        "url": url, "title": title, "body": long_text(topic), "matter_tags": tags, "wait": true,
    });
    let kept = client.post("/svc/ingest/", &payload).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    SignalId(kept.body["signal_id"].as_i64().unwrap())
}

impl Fixture {
    async fn start() -> Self {
        let own_file = |settings| Settings { database_url: Secret::default(), ..licensed(settings) };
        let app = AppHarness::with(own_file).await;
        let client = app.user("ann", &[]).await;
        let ann = app.service.app().store.user_by_name("ann").await.unwrap().id;
        let mut documents = Vec::new();
        for (number, tags) in [json!(["smith"]), json!(["smith"]), json!([])].into_iter().enumerate() {
            let (url, title) = (format!("https://h.example/{number}"), format!("Agreement {number}"));
            documents.push(supply(&client, &url, &title, &format!("agreement {number}"), tags).await);
        }
        let fixture = Self { app, client, ann, documents };
        fixture.pin("Alpha", 0).await;
        fixture.pin("Gamma", 2).await;
        fixture.send_outside(&[0, 2]).await;
        fixture
    }

    async fn supply(&self, url: &str, title: &str, topic: &str, tags: Value) {
        supply(&self.client, url, title, topic, tags).await;
    }

    fn store(&self) -> &SqlStore {
        &self.app.service.app().store
    }

    fn output_of(&self, arguments: &[&str]) -> (i32, String) {
        output_of(self.app.folder(), arguments)
    }

    async fn pin(&self, query: &str, document: usize) {
        let wanted = NewPin {
            query: query.to_owned(),
            scope: Scope::Firm,
            signal_id: self.documents[document],
            pinned_by: self.ann,
            via: PinVia::Manual,
            run_id: None,
        };
        self.store().pin(wanted, ExistingPin::Keep, self.app.service.app().clock.now()).await.unwrap();
    }

    async fn send_outside(&self, documents: &[usize]) {
        let (store, now) = (self.store(), self.app.service.app().clock.now());
        let wanted = NewScan {
            user: self.ann,
            channel: Channel::Gmail,
            matter_tag: String::new(),
            date_from: None,
            date_to: None,
        };
        let ScanOutcome::Queued(scan) = store.begin_scan(wanted, now, now).await.unwrap() else {
            panic!("nobody scans");
        };
        let event = |document: &usize| NewEvent {
            signal_id: self.documents[*document],
            signal_title: format!("Agreement {document}"),
            external_domains: vec!["client.example".to_owned()],
            sent_at: now,
            method: MatchMethod::LinkExact,
            message_key: format!("message {document}"),
        };
        let counts = ScanCounts::default();
        store.add_events(scan.scan_id, counts, documents.iter().map(event).collect(), now).await.unwrap();
        let end = ScanEnd { status: ScanStatus::Completed, counts, error: String::new(), truncated: false };
        assert!(store.end_scan(scan.scan_id, end, now).await.unwrap());
    }

    /// Stores an election between the first two documents that was held this many days ago.
    async fn elect(&self, query: &str, days: i64, score: f64) -> Run {
        let member = |number: u32| Member {
            signal_id: self.documents[number as usize],
            relevance: if number == 0 { 0.9 } else { 0.8 },
            is_gone: false,
            dated: None,
            eligible: true,
            reasons: vec![Reason::DateUnknown],
            factors: Factors::default(),
            score,
            rank: number + 1,
            role: if number == 0 { MemberRole::Winner } else { MemberRole::Alternate },
        };
        let run = NewRun {
            query: query.to_owned(),
            scope: Scope::Firm,
            cluster_key: self.documents[0],
            auto: true,
            winner_signal_id: self.documents[0],
            margin: 0.0,
            members: vec![member(0), member(1)],
            weights: Weights::default(),
            thresholds: Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 },
            search_id: SearchId(1),
            search_owner: self.ann,
        };
        let then = self.app.service.app().clock.now() - TimeDelta::days(days);
        self.store().record_run(run, then).await.unwrap()
    }

    /// The pins: query and document.
    async fn pinned(&self) -> Vec<(String, SignalId)> {
        let pins = self
            .store()
            .pins(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, 100)
            .await
            .unwrap()
            .items;
        let mut pinned: Vec<_> = pins.into_iter().map(|pin| (pin.query_key, pin.signal_id)).collect();
        pinned.sort();
        pinned
    }

    async fn events(&self) -> Vec<EgressEvent> {
        let all = self.store().events(self.ann, &EventFilter::default(), 0, 100).await.unwrap();
        let mut events = all.items;
        events.sort_by(|one, other| one.signal_title.cmp(&other.signal_title));
        events
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_are_shown_and_computed_again() {
    let fixture = Fixture::start().await;
    let run = fixture.elect("Alpha", 1, 0.0).await;
    let (code, said) = fixture.output_of(&["canonical_diag"]);
    assert_eq!(code, 0, "{said}");
    let document = fixture.documents[0];
    for part in [
        "2 pins in all.".to_owned(),
        "1 auto_elected".to_owned(),
        format!("\"Alpha\" (firm): document {document}, manual, by user {}", fixture.ann),
        format!("election {}: \"Alpha\" (firm), auto_elected, document {document} of 2", run.run_id),
        "1 election recomputed: all reproduced.".to_owned(),
    ] {
        assert!(said.contains(&part), "{part}: {said}");
    }
    assert!(!said.contains("Agreement") && !said.contains("h.example"), "no document is shown: {said}");
    let (_, said) = fixture.output_of(&["canonical_diag", "--query", " gamma "]);
    assert!(said.contains("\"Gamma\"") && !said.contains("Alpha"), "{said}");
    let (code, said) = fixture.output_of(&["canonical_diag", "--run", "999999"]);
    assert!(code == 1 && said.contains("no election 999999"), "{said}");

    let wrong = fixture.elect("Beta", 1, 0.5).await.run_id;
    let (code, said) = fixture.output_of(&["canonical_diag", "--run", &wrong.to_string()]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("2. document") && said.contains("Its date is not known."), "{said}");
    assert!(said.contains("1 election recomputed: 1 not reproduced."), "{said}");
    let (code, said) = fixture.output_of(&["canonical_diag", "--json"]);
    assert_eq!(code, 1, "{said}");
    let told: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&told["pins_total"], &told["replayed"]), (&json!(2), &json!(2)), "{told}");
    assert_eq!(told["differing"][0]["run_id"], wrong.0, "{told}");
    assert_eq!(told["differing"].as_array().unwrap().len(), 1, "{told}");
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn elections_that_nobody_decided_become_stale() {
    let fixture = Fixture::start().await;
    let (old, new) = (fixture.elect("Old", 31, 0.0).await, fixture.elect("New", 29, 0.0).await);
    for (arguments, expected) in [
        (
            &["--dry-run"][..],
            "1 open election older than 30 days would be marked as stale. Nothing was changed.",
        ),
        (&["--dry-run", "--days", "28"], "2 open elections older than 28 days would be marked as stale."),
        (&[], "1 open election older than 30 days marked as stale."),
        (&[], "0 open elections older than 30 days marked as stale."),
    ] {
        let (code, said) = fixture.output_of(&[&["cleanup_stale_canonical_runs"], arguments].concat());
        assert!(code == 0 && said.contains(expected), "{arguments:?}: {said}");
    }
    let (code, said) = fixture.output_of(&["cleanup_stale_canonical_runs", "--days", "0"]);
    assert!(code != 0, "{said}");
    for (run, status) in [(&old, RunStatus::Stale), (&new, RunStatus::AutoElected)] {
        assert_eq!(fixture.store().run(run.run_id).await.unwrap().status, status);
    }
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_follow_their_documents() {
    let fixture = Fixture::start().await;
    let run = fixture.elect("Delta", 1, 0.0).await;
    let (first, last) = (fixture.documents[0], fixture.documents[2]);
    let both = vec![("alpha".to_owned(), first), ("gamma".to_owned(), last)];
    let (code, said) = fixture.output_of(&["drop_entity_collection", "--yes"]);
    assert_eq!((code, fixture.pinned().await), (0, both.clone()), "{said}");

    // As an older version of the program stored it: the same text under another form of its URL.
    fixture.supply("https://h.example/2", "Agreement 2", "agreement 0", json!([])).await;
    let old = "https://h.example/0?utm_source=x";
    fixture.store().readdress_signal(last, old, &"0a".repeat(32)).await.unwrap();
    let (code, said) = fixture.output_of(&["dedup_signal_url_hash"]);
    assert_eq!((code, fixture.pinned().await), (0, both), "{said}");
    let (code, said) = fixture.output_of(&["dedup_signal_url_hash", "--apply"]);
    assert_eq!(code, 0, "{said}");
    let joined = vec![("alpha".to_owned(), first), ("gamma".to_owned(), first)];
    assert_eq!(fixture.pinned().await, joined, "the pin goes over");
    let history = fixture
        .store()
        .pin_history(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, 100)
        .await
        .unwrap()
        .items;
    assert_eq!((history[0].action, history[0].before), (PinAction::Replaced, Some(last)), "{history:?}");
    let events = fixture.events().await;
    assert_eq!(events.iter().map(|event| event.signal_id).collect::<Vec<_>>(), [Some(first), Some(first)]);

    let (code, said) = fixture.output_of(&["reset_semantic_cache", "--matter-tag", "MATTER:smith", "--yes"]);
    assert!(code == 0 && said.contains("Deleted 2 documents"), "{said}");
    assert_eq!(fixture.pinned().await, [], "pins go with their documents");
    let history = fixture
        .store()
        .pin_history(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, 100)
        .await
        .unwrap();
    let actions: Vec<PinAction> = history.items.iter().map(|event| event.action).collect();
    let expected =
        [PinAction::Removed, PinAction::Removed, PinAction::Replaced, PinAction::Pinned, PinAction::Pinned];
    assert_eq!(actions, expected, "every change is in the history");
    assert!(
        !fixture.store().run(run.run_id).await.unwrap().status.is_open(),
        "nobody can decide it any more"
    );
    for (number, event) in [0, 2].into_iter().zip(fixture.events().await) {
        assert_eq!((event.signal_id, event.signal_title), (None, format!("Agreement {number}")));
    }
    let (code, said) = fixture.output_of(&["canonical_diag"]);
    assert!(code == 0 && said.contains("0 pins in all.") && said.contains("1 election recomputed"), "{said}");
    fixture.app.stop().await;
}
