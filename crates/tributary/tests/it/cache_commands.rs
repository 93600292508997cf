//! The commands that look after the semantic cache, as an operator runs them.

use crate::app_harness::{AppHarness, Client, licensed, long_text};
use crate::license::Stage;
use crate::program::{program, text};
use chrono::TimeDelta;
use domain::contracts::{
    CanonicalStore, EgressStore, EventFilter, PinFilter, ScanEnd, ScanOutcome, SignalStore, UserStore,
};
use domain::corpus::{
    Channel, EgressEvent, Factors, MatchMethod, Member, MemberRole, NewEvent, NewPin, NewRun, NewScan,
    PinAction, PinVia, Reason, Run, RunStatus, ScanCounts, ScanStatus, Scope, Thresholds, Weights,
};
use domain::ids::{SearchId, SignalId, UserId};
use domain::secret::Secret;
use domain::settings::Settings;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use store::SqlStore;

/// Runs a command on the data folder; its exit code and all that it said.
fn said(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let data_dir = folder.display().to_string();
    let arguments = [arguments, &["--data-dir", &data_dir]].concat();
    let output = program(folder, &arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

fn cache_lines(folder: &Path, arguments: &[&str]) -> (i32, Vec<String>) {
    let (code, said) = said(folder, arguments);
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
    let stage = Stage::new();
    stage.fill().await;
    let folder = stage.folder.path();

    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert_eq!((code, lines.len()), (0, 1), "{lines:?}");
    assert!(lines[0].starts_with("ok") && lines[0].contains("agree: 1 documents, 1 with text"), "{lines:?}");
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
        assert!(
            is_told("1 documents lack their text") && is_told("1 texts belong to no document"),
            "{lines:?}"
        );
    }
    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(code == 0 && lines.len() == 1 && lines[0].contains("0 kept texts in 0 files"), "{lines:?}");

    for (arguments, part) in [
        (&["init_storage"][..], "The storage of texts (fs) is ready."),
        (&["init_qdrant"], "The collection swirl_corpus is ready: 1 piece"),
        (&["upgrade_corpus_to_hybrid"], "1 piece of 1 document have their words now."),
        (&["upgrade_corpus_to_hybrid"], "the collection was hybrid before"),
        (&["reindex_corpus"], "1 piece of 1 document were read by"),
        (&["init_qdrant"], "with words"),
        (&["dedup_signal_url_hash"], "1 document looked at: 0 would be joined"),
        (&["dedup_signal_url_hash", "--apply"], "1 document looked at: 0 joined"),
        (&["drop_entity_collection"], "There is no swirl_entities"),
        (&["drop_entity_collection", "--yes"], "There is no swirl_entities"),
        (&["reset_semantic_cache", "--matter-tag", "other"], "There is no document of the matter other"),
    ] {
        let (code, said) = said(folder, arguments);
        assert!(code == 0 && said.contains(part), "{arguments:?}: {said}");
    }

    for (arguments, part) in [
        (&["reset_semantic_cache"][..], "Remove 1 document from the semantic cache?"),
        (&["reset_semantic_cache", "--matter-tag", "matter:"], "names no matter"),
    ] {
        let (code, said) = said(folder, arguments);
        assert!(code == 1 && said.contains(part), "{arguments:?}: {said}");
    }
    let (_, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(lines[0].contains("1 documents"), "nobody said yes: {lines:?}");
    let (code, said) = said(folder, &["reset_semantic_cache", "--yes"]);
    assert!(code == 0 && said.contains("Removed 1 document with 1 piece and 0 texts."), "{said}");
    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(code == 0 && lines[0].contains("agree: 0 documents"), "{lines:?}");
}

/// A service with three documents of ann's: two of the matter smith, and one more. The first and the last are pinned, and
/// were found in sent mail.
struct Decided {
    app: AppHarness,
    client: Client,
    ann: UserId,
    documents: Vec<SignalId>,
}

/// A text about something that a person supplies.
async fn supply(client: &Client, url: &str, title: &str, topic: &str, tags: Value) -> SignalId {
    let wish = json!({
        "url": url, "title": title, "body": long_text(topic), "matter_tags": tags, "wait": true,
    });
    let kept = client.post("/svc/ingest/", &wish).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    SignalId(kept.body["signal_id"].as_i64().unwrap())
}

impl Decided {
    async fn start() -> Self {
        let own_file = |settings| Settings { database_url: Secret::default(), ..licensed(settings) };
        let app = AppHarness::with(own_file).await;
        let client = app.user("ann", &[]).await;
        let ann = app.service.wired().store.user_by_name("ann").await.unwrap().id;
        let mut documents = Vec::new();
        for (number, tags) in [json!(["smith"]), json!(["smith"]), json!([])].into_iter().enumerate() {
            let (url, title) = (format!("https://h.example/{number}"), format!("Agreement {number}"));
            documents.push(supply(&client, &url, &title, &format!("agreement {number}"), tags).await);
        }
        let decided = Self { app, client, ann, documents };
        decided.pin("Alpha", 0).await;
        decided.pin("Gamma", 2).await;
        decided.send_outside(&[0, 2]).await;
        decided
    }

    async fn supply(&self, url: &str, title: &str, topic: &str, tags: Value) {
        supply(&self.client, url, title, topic, tags).await;
    }

    fn store(&self) -> &SqlStore {
        &self.app.service.wired().store
    }

    fn said(&self, arguments: &[&str]) -> (i32, String) {
        said(self.app.folder(), arguments)
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
        self.store().pin(wanted, false, self.app.service.wired().clock.now()).await.unwrap();
    }

    async fn send_outside(&self, documents: &[usize]) {
        let (store, now) = (self.store(), self.app.service.wired().clock.now());
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

    /// An election between the first two documents that was held so many days ago.
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
        let then = self.app.service.wired().clock.now() - TimeDelta::days(days);
        self.store().record_run(run, then).await.unwrap()
    }

    /// What is pinned now: query and document.
    async fn pinned(&self) -> Vec<(String, SignalId)> {
        let pins = self.store().pins(&PinFilter::default(), 0, 100).await.unwrap().items;
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
    let decided = Decided::start().await;
    let run = decided.elect("Alpha", 1, 0.0).await;
    let (code, said) = decided.said(&["canonical_diag"]);
    assert_eq!(code, 0, "{said}");
    let document = decided.documents[0];
    for part in [
        "2 pins in all.".to_owned(),
        "1 auto_elected".to_owned(),
        format!("\"Alpha\" (firm): document {document}, manual, by user {}", decided.ann),
        format!("election {}: \"Alpha\" (firm), auto_elected, document {document} of 2", run.run_id),
        "1 election computed again: every one came out the same.".to_owned(),
    ] {
        assert!(said.contains(&part), "{part}: {said}");
    }
    assert!(!said.contains("Agreement") && !said.contains("h.example"), "no document is shown: {said}");
    let (_, said) = decided.said(&["canonical_diag", "--query", " gamma "]);
    assert!(said.contains("\"Gamma\"") && !said.contains("Alpha"), "{said}");
    let (code, said) = decided.said(&["canonical_diag", "--run", "999999"]);
    assert!(code == 1 && said.contains("there is no election 999999"), "{said}");

    let wrong = decided.elect("Beta", 1, 0.5).await.run_id;
    let (code, said) = decided.said(&["canonical_diag", "--run", &wrong.to_string()]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("2. document") && said.contains("Its date is not known."), "{said}");
    assert!(said.contains("1 election computed again: 1 did not come out the same."), "{said}");
    let (code, said) = decided.said(&["canonical_diag", "--json"]);
    assert_eq!(code, 1, "{said}");
    let told: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&told["pins_total"], &told["replayed"]), (&json!(2), &json!(2)), "{told}");
    assert_eq!(told["differing"][0]["run_id"], wrong.0, "{told}");
    assert_eq!(told["differing"].as_array().unwrap().len(), 1, "{told}");
    decided.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn elections_that_nobody_decided_become_stale() {
    let decided = Decided::start().await;
    let (old, new) = (decided.elect("Old", 31, 0.0).await, decided.elect("New", 29, 0.0).await);
    for (arguments, expected) in [
        (&["--dry-run"][..], "1 open election older than 30 days would become stale. Nothing was changed."),
        (&["--dry-run", "--days", "28"], "2 open elections older than 28 days would become stale."),
        (&[], "1 open election older than 30 days became stale."),
        (&[], "0 open elections older than 30 days became stale."),
    ] {
        let (code, said) = decided.said(&[&["cleanup_stale_canonical_runs"], arguments].concat());
        assert!(code == 0 && said.contains(expected), "{arguments:?}: {said}");
    }
    let (code, said) = decided.said(&["cleanup_stale_canonical_runs", "--days", "0"]);
    assert!(code != 0, "{said}");
    for (run, status) in [(&old, RunStatus::Stale), (&new, RunStatus::AutoElected)] {
        assert_eq!(decided.store().run(run.run_id).await.unwrap().status, status);
    }
    decided.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_follow_their_documents() {
    let decided = Decided::start().await;
    let run = decided.elect("Delta", 1, 0.0).await;
    let (first, last) = (decided.documents[0], decided.documents[2]);
    let both = vec![("alpha".to_owned(), first), ("gamma".to_owned(), last)];
    let (code, said) = decided.said(&["drop_entity_collection", "--yes"]);
    assert_eq!((code, decided.pinned().await), (0, both.clone()), "{said}");

    // As an older version of the program would have kept it: the same text at another form of its address.
    decided.supply("https://h.example/2", "Agreement 2", "agreement 0", json!([])).await;
    let old = "https://h.example/0?utm_source=x";
    decided.store().readdress_signal(last, old, &"0a".repeat(32)).await.unwrap();
    let (code, said) = decided.said(&["dedup_signal_url_hash"]);
    assert_eq!((code, decided.pinned().await), (0, both), "{said}");
    let (code, said) = decided.said(&["dedup_signal_url_hash", "--apply"]);
    assert_eq!(code, 0, "{said}");
    let joined = vec![("alpha".to_owned(), first), ("gamma".to_owned(), first)];
    assert_eq!(decided.pinned().await, joined, "the pin goes over");
    let history = decided.store().pin_history(&PinFilter::default(), 0, 100).await.unwrap().items;
    assert_eq!((history[0].action, history[0].before), (PinAction::Replaced, Some(last)), "{history:?}");
    let events = decided.events().await;
    assert_eq!(events.iter().map(|event| event.signal_id).collect::<Vec<_>>(), [Some(first), Some(first)]);

    let (code, said) = decided.said(&["reset_semantic_cache", "--matter-tag", "smith", "--yes"]);
    assert!(code == 0 && said.contains("Removed 2 documents"), "{said}");
    assert_eq!(decided.pinned().await, [], "pins go with their documents");
    let history = decided.store().pin_history(&PinFilter::default(), 0, 100).await.unwrap();
    let actions: Vec<PinAction> = history.items.iter().map(|event| event.action).collect();
    let expected =
        [PinAction::Removed, PinAction::Removed, PinAction::Replaced, PinAction::Pinned, PinAction::Pinned];
    assert_eq!(actions, expected, "every change is told");
    assert!(
        !decided.store().run(run.run_id).await.unwrap().status.is_open(),
        "nobody can decide it any more"
    );
    for (number, event) in [0, 2].into_iter().zip(decided.events().await) {
        assert_eq!((event.signal_id, event.signal_title), (None, format!("Agreement {number}")));
    }
    let (code, said) = decided.said(&["canonical_diag"]);
    assert!(
        code == 0 && said.contains("0 pins in all.") && said.contains("1 election computed again"),
        "{said}"
    );
    decided.app.stop().await;
}
