//! Egress scans and their matches: by user, once per document and message.

use super::fixture::{at, person};
use super::signals::indexed;
use chrono::NaiveDate;
use domain::corpus::{Channel, EventStatus, MatchMethod, NewEvent, NewScan, Scan, ScanCounts, ScanStatus};
use domain::ids::{EventId, ScanId, SignalId, UserId};
use domain::ports::{AddedEvents, EventFilter, ScanEnd, ScanOutcome, Store, StoreError};
use futures_util::future::join_all;
use std::collections::BTreeSet;

/// Scans that one user starts concurrently.
const RACERS: usize = 12;
/// Most scans that are kept per user.
const SCANS_KEPT: u64 = 100;

pub fn new_scan(user: UserId) -> NewScan {
    NewScan {
        user,
        channel: Channel::Gmail,
        matter_tag: "acme".to_owned(),
        date_from: NaiveDate::from_ymd_opt(2024, 2, 29),
        date_to: None,
    }
}

pub fn found(signal: SignalId, message: &str, method: MatchMethod) -> NewEvent {
    NewEvent {
        signal_id: signal,
        signal_title: format!("Title {message}"),
        external_domains: vec!["a.example".to_owned(), "b.example".to_owned()],
        sent_at: at(message.len() as i64),
        method,
        message_key: message.to_owned(),
    }
}

pub(crate) async fn begun(store: &dyn Store, user: UserId, seconds: i64) -> ScanId {
    match store.begin_scan(new_scan(user), at(seconds - 1_000), at(seconds)).await.expect("begun") {
        ScanOutcome::Queued(scan) => scan.scan_id,
        ScanOutcome::Busy(scan) => panic!("{scan:?}"),
    }
}

fn seen(messages_seen: u64) -> ScanCounts {
    ScanCounts { messages_seen, messages_external: messages_seen / 2, ..ScanCounts::default() }
}

fn end(status: ScanStatus, counts: ScanCounts) -> ScanEnd {
    ScanEnd { status, counts, error: String::new(), truncated: false }
}

pub async fn scans_run_one_at_a_time(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let race = join_all((0..RACERS).map(|_| store.begin_scan(new_scan(ann), at(-1_000), at(1)))).await;
    let queued: Vec<&Scan> = race
        .iter()
        .filter_map(|outcome| match outcome {
            Ok(ScanOutcome::Queued(scan)) => Some(scan),
            _ => None,
        })
        .collect();
    assert_eq!(queued.len(), 1, "{race:?}");
    let first = queued[0].clone();
    assert!(race.iter().all(|outcome| match outcome {
        Ok(ScanOutcome::Queued(scan) | ScanOutcome::Busy(scan)) => *scan == first,
        Err(_) => false,
    }));
    let expected = Scan {
        scan_id: first.scan_id,
        user: ann,
        channel: Channel::Gmail,
        status: ScanStatus::Queued,
        matter_tag: "acme".to_owned(),
        date_from: NaiveDate::from_ymd_opt(2024, 2, 29),
        date_to: None,
        counts: ScanCounts::default(),
        created_at: at(1),
        started_at: None,
        finished_at: None,
        error: String::new(),
        truncated: false,
    };
    assert_eq!(store.scan(first.scan_id).await.unwrap(), expected);
    let of_ben = begun(store, ben, 1).await;
    let page = store.scans(ann, 0, 9).await.unwrap();
    assert_eq!((page.items, page.total), (vec![expected], 1));

    // A heartbeat after that time means that the scan is not abandoned.
    let id = first.scan_id;
    assert_eq!(store.add_events(id, seen(4), vec![], at(50)).await.unwrap(), Some(AddedEvents::default()));
    let busy = store.begin_scan(new_scan(ann), at(50), at(60)).await.unwrap();
    let ScanOutcome::Busy(running) = busy else { panic!("{busy:?}") };
    assert_eq!(
        (running.status, running.started_at, running.counts),
        (ScanStatus::Running, Some(at(50)), seen(4))
    );
    let next = store.begin_scan(new_scan(ann), at(51), at(61)).await.unwrap();
    let ScanOutcome::Queued(next) = next else { panic!("{next:?}") };
    let failed = store.scan(id).await.unwrap();
    assert_eq!((failed.status, failed.finished_at), (ScanStatus::Failed, Some(at(61))));
    assert!(!failed.error.is_empty());
    assert_eq!(store.scan(of_ben).await.unwrap().status, ScanStatus::Queued, "only that person's");
    let listed: Vec<ScanId> =
        store.scans(ann, 0, 1).await.unwrap().items.iter().map(|one| one.scan_id).collect();
    assert_eq!(listed, [next.scan_id], "newest first");
    assert_eq!(store.scan(ScanId(999)).await, Err(StoreError::NotFound));
}

pub async fn scans_end_once(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let one = indexed(store, "x", "one", ann).await;
    for (status, error, truncated) in [
        (ScanStatus::Completed, "", true),
        (ScanStatus::Failed, "the mailbox does not answer \0", false),
        (ScanStatus::Cancelled, "", false),
    ] {
        let id = begun(store, ann, 1).await;
        let ended = ScanEnd { error: error.to_owned(), truncated, ..end(status, seen(9)) };
        assert!(store.end_scan(id, ended.clone(), at(5)).await.unwrap());
        let scan = store.scan(id).await.unwrap();
        assert_eq!((scan.status, scan.finished_at, scan.truncated), (status, Some(at(5)), truncated));
        assert_eq!((scan.error, scan.counts), (error.replace('\0', ""), seen(9)));
        assert!(!store.end_scan(id, end(ScanStatus::Completed, seen(10)), at(6)).await.unwrap());
        let events = vec![found(one, "m", MatchMethod::LinkExact)];
        assert_eq!(store.add_events(id, seen(11), events, at(6)).await.unwrap(), None, "it is over");
        assert_eq!(store.scan(id).await.unwrap().finished_at, Some(at(5)));
    }
    assert_eq!(store.events(ann, &EventFilter::default(), 0, 9).await.unwrap().total, 0);
    let id = begun(store, ann, 7).await;
    let no_end = store.end_scan(id, end(ScanStatus::Running, seen(1)), at(8)).await;
    assert!(matches!(no_end, Err(StoreError::Failed { .. })), "{no_end:?}");
    assert_eq!(store.add_events(ScanId(999), seen(1), vec![], at(8)).await.unwrap(), None);
    assert!(!store.end_scan(ScanId(999), end(ScanStatus::Failed, seen(1)), at(8)).await.unwrap());
}

pub async fn events_are_kept_once(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let (one, two) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    let scan = begun(store, ann, 1).await;
    let page = vec![
        found(one, "m", MatchMethod::LinkExact),
        found(one, "mm", MatchMethod::FilenameSize),
        found(two, "m", MatchMethod::ContentSimilarity),
        found(one, "m", MatchMethod::AttachmentHash),
        found(SignalId(999), "m", MatchMethod::LinkExact),
    ];
    assert_eq!(
        store.add_events(scan, seen(5), page.clone(), at(2)).await.unwrap(),
        Some(AddedEvents { matches: 1, candidates: 2 })
    );
    assert_eq!(
        store.add_events(scan, seen(6), page.clone(), at(3)).await.unwrap(),
        Some(AddedEvents::default())
    );
    let counts = ScanCounts { matches: 1, candidates: 2, ..seen(6) };
    assert_eq!(store.scan(scan).await.unwrap().counts, counts, "counted from the events");
    let listed = store.events(ann, &EventFilter::default(), 0, 9).await.unwrap();
    let first = &listed.items[0];
    assert_eq!((first.sent_at, first.signal_id, first.user), (at(2), Some(one), ann), "newest sent first");
    assert_eq!((first.match_method, first.confidence), (MatchMethod::FilenameSize, 0.8));
    assert_eq!((first.channel, first.scan_id, first.decided_at), (Channel::Gmail, scan, None));
    assert_eq!(first.external_domains, ["a.example", "b.example"]);
    assert_eq!(first.signal_title, "Title mm");

    let confirmed = store.decide_event(first.event_id, ann, EventStatus::Confirmed, at(4)).await.unwrap();
    assert_eq!((confirmed.status, confirmed.decided_at), (EventStatus::Confirmed, Some(at(4))));
    assert!(store.end_scan(scan, end(ScanStatus::Completed, seen(6)), at(5)).await.unwrap());
    assert_eq!(store.scan(scan).await.unwrap().counts, counts);
    let again = begun(store, ann, 6).await;
    assert_eq!(
        store.add_events(again, seen(5), page.clone(), at(7)).await.unwrap(),
        Some(AddedEvents::default())
    );
    let kept = store.events(ann, &EventFilter { scan_id: Some(scan), ..EventFilter::default() }, 0, 9).await;
    assert_eq!(kept.unwrap().items[0], confirmed, "a later scan changes nothing that was decided");
    let of_ben = begun(store, ben, 8).await;
    assert_eq!(
        store.add_events(of_ben, seen(5), page, at(9)).await.unwrap(),
        Some(AddedEvents { matches: 1, candidates: 2 }),
        "another's mail"
    );
}

pub async fn events_belong_to_one_person(store: &dyn Store) {
    let (ann, ben) = (person(store, "ann").await.id, person(store, "ben").await.id);
    let (one, two) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    let scan = begun(store, ann, 1).await;
    let events = vec![
        found(one, "a", MatchMethod::FilenameSize),
        found(two, "bb", MatchMethod::AttachmentId),
        found(two, "ccc", MatchMethod::ContentSimilarity),
    ];
    store.add_events(scan, seen(5), events, at(2)).await.unwrap();
    let all = EventFilter::default;
    for (user, filter, expected) in [
        (ann, all(), "ccc bb a"),
        (ben, all(), ""),
        (ann, EventFilter { status: Some(EventStatus::Confirmed), ..all() }, "bb"),
        (ann, EventFilter { status: Some(EventStatus::Dismissed), ..all() }, ""),
        (ann, EventFilter { signal_id: Some(two), ..all() }, "ccc bb"),
        (ann, EventFilter { signal_id: Some(two), status: Some(EventStatus::Candidate), ..all() }, "ccc"),
        (ann, EventFilter { scan_id: Some(ScanId(999)), ..all() }, ""),
    ] {
        let page = store.events(user, &filter, 0, 9).await.unwrap();
        let titles: Vec<String> =
            page.items.iter().map(|event| event.signal_title.replace("Title ", "")).collect();
        assert_eq!((titles.join(" ").as_str(), page.total), (expected, titles.len() as u64), "{filter:?}");
    }
    let page = store.events(ann, &all(), 1, 1).await.unwrap();
    assert_eq!((page.items[0].signal_title.as_str(), page.total), ("Title bb", 3));

    let candidate = store.events(ann, &all(), 2, 1).await.unwrap().items.remove(0).event_id;
    let refused = store.decide_event(candidate, ben, EventStatus::Confirmed, at(3)).await;
    assert_eq!(refused, Err(StoreError::NotFound), "somebody else's");
    let unknown = store.decide_event(EventId(999), ann, EventStatus::Confirmed, at(3)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    let shared = async || store.shared_externally(&[one, two, SignalId(999)]).await.unwrap();
    assert_eq!(shared().await, BTreeSet::from([two]), "a candidate says nothing");
    store.decide_event(candidate, ann, EventStatus::Confirmed, at(4)).await.unwrap();
    assert_eq!(shared().await, BTreeSet::from([one, two]));
    store.decide_event(candidate, ann, EventStatus::Dismissed, at(5)).await.unwrap();
    assert_eq!(shared().await, BTreeSet::from([two]));
    let counts = store.egress_counts().await.unwrap();
    let count = |status| counts.events.iter().find(|(one, _)| *one == status).map_or(0, |(_, count)| *count);
    assert_eq!(EventStatus::ALL.iter().map(|status| count(*status)).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(counts.scans, [(ScanStatus::Running, 1)]);
}

pub async fn scans_are_bounded(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let one = indexed(store, "x", "one", ann).await;
    let first = begun(store, ann, 0).await;
    store.add_events(first, seen(1), vec![found(one, "m", MatchMethod::LinkExact)], at(0)).await.unwrap();
    assert!(store.end_scan(first, end(ScanStatus::Completed, seen(1)), at(0)).await.unwrap());
    for _ in 0..SCANS_KEPT + 3 {
        let id = begun(store, ann, 1).await;
        assert!(store.end_scan(id, end(ScanStatus::Completed, seen(1)), at(1)).await.unwrap());
    }
    let page = store.scans(ann, SCANS_KEPT, 9).await.unwrap();
    let older: Vec<ScanId> = page.items.iter().map(|scan| scan.scan_id).collect();
    assert_eq!((older, page.total), (vec![first], SCANS_KEPT + 1), "and the one that found something");
}
