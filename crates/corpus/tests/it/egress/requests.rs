//! Who may start, read and cancel a scan, and decide on events.

use super::fixture::{Fixture, Kept, message};
use corpus::{CacheParts, EgressError, ScanRequest, SemanticCache};
use domain::corpus::{Channel, EventStatus, ScanStatus};
use domain::ports::EventFilter;
use domain::secret::Secret;
use domain::user::Principal;
use license::LicensePolicy;

const TEXT: &str = "Everybody has a right to their own mail and to nobody else's, and so has this short document, \
    which needs more than forty words to come into the cache at all. It is of no other interest, but it can be \
    linked to in a message, found by who sent it, and confirmed or dismissed by the same person alone.";

async fn fixture() -> Fixture {
    let fixture =
        Fixture::open(Channel::Gmail, vec![message(&["bo@client.example"], "https://files.example/a.txt")])
            .await;
    let source = fixture.source(&fixture.ann, "web").await;
    let kept = Kept { url: "https://files.example/a.txt", title: "Rights", text: TEXT, matter: &[] };
    fixture.keep(&fixture.ann, &source, &kept).await;
    fixture
}

#[tokio::test]
async fn one_scan_at_a_time() {
    let fixture = fixture().await;
    let first = fixture.begin().await.unwrap();
    assert_eq!((first.status, first.channel), (ScanStatus::Queued, Channel::Gmail));
    match fixture.begin().await {
        Err(EgressError::Running(scan)) => assert_eq!(*scan, first),
        other => panic!("{other:?}"),
    }
    // A queued scan can be canceled, and its task then does nothing.
    let ended = fixture.cache.cancel_scan(&fixture.ann, first.scan_id).await.unwrap();
    assert_eq!(ended.status, ScanStatus::Cancelled);
    fixture.work().await;
    assert_eq!((fixture.read(first.scan_id).await, fixture.mailbox().requests()), (ended.clone(), 0));
    assert_eq!(fixture.cache.cancel_scan(&fixture.ann, first.scan_id).await.unwrap(), ended);
    assert_eq!(fixture.scan(ScanRequest::default()).await.status, ScanStatus::Completed);
    assert_eq!(fixture.cache.scans(&fixture.ann, 0, 10).await.unwrap().total, 2);
}

#[tokio::test]
async fn a_mailbox_must_be_connected() {
    let fixture = fixture().await;
    let request = |channel| ScanRequest { channel, ..ScanRequest::default() };
    for (who, channel, names) in [
        (&fixture.ann, Some(Channel::Outlook), "microsoft"),
        (&fixture.bob, Some(Channel::Gmail), "google"),
        (&fixture.bob, None, "microsoft or google"),
    ] {
        match fixture.cache.begin_scan(who, request(channel)).await {
            Err(EgressError::NotConnected(sentence)) => assert!(sentence.contains(names), "{sentence}"),
            other => panic!("{other:?}"),
        }
    }
    let late = ScanRequest {
        date_from: "2026-02-01".parse().ok(),
        date_to: "2026-01-01".parse().ok(),
        ..request(None)
    };
    let refused = fixture.cache.begin_scan(&fixture.ann, late).await;
    assert!(matches!(refused, Err(EgressError::Invalid("date_to", _))));
    assert_eq!(fixture.cache.scans(&fixture.bob, 0, 10).await.unwrap().total, 0);
}

#[tokio::test]
async fn everything_belongs_to_who_scanned() {
    let fixture = fixture().await;
    let scan = fixture.scan(ScanRequest::default()).await;
    let event = fixture.events().await.remove(0);
    let admin = Principal { is_admin: true, ..fixture.bob.clone() };
    for other in [&fixture.bob, &admin] {
        assert!(matches!(fixture.cache.scan(other, scan.scan_id).await, Err(EgressError::NotFound)));
        assert!(matches!(fixture.cache.cancel_scan(other, scan.scan_id).await, Err(EgressError::NotFound)));
        let decided = fixture.cache.decide(other, event.event_id, EventStatus::Dismissed).await;
        assert!(matches!(decided, Err(EgressError::NotFound)));
        let theirs = fixture.cache.events(other, &EventFilter::default(), 0, 10).await.unwrap();
        assert_eq!(theirs.total, 0);
    }
    let none = fixture.cache.decide(&fixture.ann, event.event_id, EventStatus::Candidate).await;
    assert!(matches!(none, Err(EgressError::Invalid("status", _))));
    let dismissed = fixture.cache.decide(&fixture.ann, event.event_id, EventStatus::Dismissed).await.unwrap();
    assert_eq!((dismissed.status, dismissed.decided_at.is_some()), (EventStatus::Dismissed, true));
    assert_eq!(fixture.events().await, [dismissed]);
}

#[tokio::test]
async fn without_a_license_nothing_begins_and_all_is_read() {
    let mut fixture = fixture().await;
    let scan = fixture.scan(ScanRequest::default()).await;
    let queued = fixture.begin().await.unwrap();
    let license = LicensePolicy::new(Secret::default(), None, fixture.clock.clone());
    let closed = SemanticCache::new(CacheParts { license, ..fixture.parts.clone() });
    let event = fixture.events().await.remove(0);
    assert!(matches!(
        closed.begin_scan(&fixture.ann, ScanRequest::default()).await,
        Err(EgressError::Unlicensed)
    ));
    let decided = closed.decide(&fixture.ann, event.event_id, EventStatus::Dismissed).await;
    assert!(matches!(decided, Err(EgressError::Unlicensed)));
    assert_eq!(closed.scan(&fixture.ann, scan.scan_id).await.unwrap(), scan);
    assert_eq!(closed.events(&fixture.ann, &EventFilter::default(), 0, 10).await.unwrap().items, [event]);
    // Queued scans are not run after the license ends.
    let before = fixture.mailbox().requests();
    fixture.cache = closed.into();
    fixture.work().await;
    let ended = fixture.read(queued.scan_id).await;
    assert_eq!((ended.status, fixture.mailbox().requests()), (ScanStatus::Failed, before));
    assert!(ended.error.contains("license"), "{}", ended.error);
}
