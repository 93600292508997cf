//! Who may begin, read and end a scan, and who may say something of an event.

use super::house::{House, Kept, letter};
use corpus::{CacheParts, EgressError, ScanWish, SemanticCache};
use domain::contracts::EventFilter;
use domain::corpus::{Channel, EventStatus, LicenseGate, ScanStatus};
use domain::secret::Secret;
use domain::user::Principal;

const TEXT: &str = "Everybody has a right to their own mail and to nobody else's, and so has this short document, \
    which needs more than forty words to come into the cache at all. It is of no other interest, but it can be \
    linked to in a message, found by who sent it, and confirmed or dismissed by the same person alone.";

async fn house() -> House {
    let house =
        House::open(Channel::Gmail, vec![letter(&["bo@client.example"], "https://files.example/a.txt")])
            .await;
    let source = house.source(&house.ann, "web").await;
    let kept = Kept { url: "https://files.example/a.txt", title: "Rights", text: TEXT, matter: &[] };
    house.keep(&house.ann, &source, &kept).await;
    house
}

#[tokio::test]
async fn one_scan_at_a_time() {
    let house = house().await;
    let first = house.begin().await.unwrap();
    assert_eq!((first.status, first.channel), (ScanStatus::Queued, Channel::Gmail));
    match house.begin().await {
        Err(EgressError::Running(scan)) => assert_eq!(*scan, first),
        other => panic!("{other:?}"),
    }
    // One that never began can be ended, and its task then does nothing.
    let ended = house.cache.cancel_scan(&house.ann, first.scan_id).await.unwrap();
    assert_eq!(ended.status, ScanStatus::Cancelled);
    house.work().await;
    assert_eq!((house.read(first.scan_id).await, house.mailbox().requests()), (ended.clone(), 0));
    assert_eq!(house.cache.cancel_scan(&house.ann, first.scan_id).await.unwrap(), ended);
    assert_eq!(house.scan(ScanWish::default()).await.status, ScanStatus::Completed);
    assert_eq!(house.cache.scans(&house.ann, 0, 10).await.unwrap().total, 2);
}

#[tokio::test]
async fn a_mailbox_must_be_connected() {
    let house = house().await;
    let wish = |channel| ScanWish { channel, ..ScanWish::default() };
    for (who, channel, names) in [
        (&house.ann, Some(Channel::Outlook), "microsoft"),
        (&house.bob, Some(Channel::Gmail), "google"),
        (&house.bob, None, "microsoft or google"),
    ] {
        match house.cache.begin_scan(who, wish(channel)).await {
            Err(EgressError::NotConnected(sentence)) => assert!(sentence.contains(names), "{sentence}"),
            other => panic!("{other:?}"),
        }
    }
    let late =
        ScanWish { date_from: "2026-02-01".parse().ok(), date_to: "2026-01-01".parse().ok(), ..wish(None) };
    let refused = house.cache.begin_scan(&house.ann, late).await;
    assert!(matches!(refused, Err(EgressError::Invalid("date_to", _))));
    assert_eq!(house.cache.scans(&house.bob, 0, 10).await.unwrap().total, 0);
}

#[tokio::test]
async fn everything_belongs_to_who_scanned() {
    let house = house().await;
    let scan = house.scan(ScanWish::default()).await;
    let event = house.events().await.remove(0);
    let admin = Principal { is_admin: true, ..house.bob.clone() };
    for other in [&house.bob, &admin] {
        assert!(matches!(house.cache.scan(other, scan.scan_id).await, Err(EgressError::NotFound)));
        assert!(matches!(house.cache.cancel_scan(other, scan.scan_id).await, Err(EgressError::NotFound)));
        let decided = house.cache.decide(other, event.event_id, EventStatus::Dismissed).await;
        assert!(matches!(decided, Err(EgressError::NotFound)));
        let theirs = house.cache.events(other, &EventFilter::default(), 0, 10).await.unwrap();
        assert_eq!(theirs.total, 0);
    }
    let none = house.cache.decide(&house.ann, event.event_id, EventStatus::Candidate).await;
    assert!(matches!(none, Err(EgressError::Invalid("status", _))));
    let dismissed = house.cache.decide(&house.ann, event.event_id, EventStatus::Dismissed).await.unwrap();
    assert_eq!((dismissed.status, dismissed.decided_at.is_some()), (EventStatus::Dismissed, true));
    assert_eq!(house.events().await, [dismissed]);
}

#[tokio::test]
async fn without_a_license_nothing_begins_and_all_is_read() {
    let mut house = house().await;
    let scan = house.scan(ScanWish::default()).await;
    let queued = house.begin().await.unwrap();
    let license = LicenseGate::new(Secret::default(), None, house.clock.clone());
    let closed = SemanticCache::new(CacheParts { license, ..house.parts.clone() });
    let event = house.events().await.remove(0);
    assert!(matches!(closed.begin_scan(&house.ann, ScanWish::default()).await, Err(EgressError::Unlicensed)));
    let decided = closed.decide(&house.ann, event.event_id, EventStatus::Dismissed).await;
    assert!(matches!(decided, Err(EgressError::Unlicensed)));
    assert_eq!(closed.scan(&house.ann, scan.scan_id).await.unwrap(), scan);
    assert_eq!(closed.events(&house.ann, &EventFilter::default(), 0, 10).await.unwrap().items, [event]);
    // What waits when the license ends is not done.
    let before = house.mailbox().requests();
    house.cache = closed.into();
    house.work().await;
    let ended = house.read(queued.scan_id).await;
    assert_eq!((ended.status, house.mailbox().requests()), (ScanStatus::Failed, before));
    assert!(ended.error.contains("license"), "{}", ended.error);
}
