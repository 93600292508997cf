//! Throttling mailboxes, expiring tokens, crashing workers, canceled scans.

use super::fixture::{Fixture, Kept, message};
use corpus::{ScanRequest, ScanSentMail};
use domain::corpus::{Channel, ScanStatus};
use domain::ports::TaskHandler;
use fakes::sent_mail::{Fault, MAIL_TOKEN};
use std::sync::Arc;
use std::time::{Duration, Instant};

const TEXT: &str = "This short document speaks of patience: a service that is busy says how long to wait, and who \
    asks again sooner is told to wait once more. So a program that reads mail counts to the number that it was given, \
    asks again, and only after several such answers does it give up and say so to its owner.";

/// Three hundred external messages, each with a link to the one document.
async fn fixture(channel: Channel) -> Fixture {
    let messages = vec![message(&["bo@client.example"], "https://files.example/a.txt"); 300];
    let fixture = Fixture::open(channel, messages).await;
    let source = fixture.source(&fixture.ann, "web").await;
    let kept = Kept { url: "https://files.example/a.txt", title: "Patience", text: TEXT, matter: &[] };
    fixture.keep(&fixture.ann, &source, &kept).await;
    fixture
}

#[tokio::test]
async fn a_busy_mailbox_is_waited_for() {
    for channel in [Channel::Outlook, Channel::Gmail] {
        let fixture = fixture(channel).await;
        fixture.mailbox().fail_request(1, Fault::Refuse(429, Some(1)));
        fixture.mailbox().fail_request(50, Fault::Refuse(503, Some(0)));
        fixture.mailbox().fail_request(90, Fault::Refuse(429, Some(0)));
        let started = Instant::now();
        let scan = fixture.scan(ScanRequest::default()).await;
        assert!(started.elapsed() >= Duration::from_secs(1));
        assert_eq!(
            (scan.status, scan.counts.messages_seen, scan.counts.matches),
            (ScanStatus::Completed, 300, 300)
        );
    }
}

#[tokio::test]
async fn a_mailbox_that_stays_busy_ends_the_scan() {
    let fixture = fixture(Channel::Outlook).await;
    // On the second page, so that something was found before.
    for request in 102..200 {
        fixture.mailbox().fail_request(request, Fault::Refuse(429, Some(0)));
    }
    let scan = fixture.scan(ScanRequest::default()).await;
    assert_eq!(scan.status, ScanStatus::Failed);
    assert!(scan.error.contains("too busy; scan again later"), "{}", scan.error);
    assert_eq!((scan.counts.messages_seen, scan.counts.matches), (100, 100));
    assert_eq!(fixture.events().await.len(), 100);
}

#[tokio::test]
async fn a_token_that_ends_on_the_way_is_renewed() {
    for channel in [Channel::Outlook, Channel::Gmail] {
        let fixture = fixture(channel).await;
        fixture.mailbox().fail_request(150, Fault::Token("the next token".to_owned()));
        // The request needs one token, the scan another, and then it is renewed.
        *fixture.wallet.tokens.lock().unwrap() =
            vec![MAIL_TOKEN.to_owned(), MAIL_TOKEN.to_owned(), "the next token".to_owned()];
        let scan = fixture.scan(ScanRequest::default()).await;
        assert_eq!((scan.status, scan.counts.matches), (ScanStatus::Completed, 300), "{}", scan.error);
    }
}

#[tokio::test]
async fn a_token_that_cannot_be_renewed_ends_the_scan() {
    for (channel, name) in [(Channel::Outlook, "microsoft"), (Channel::Gmail, "google")] {
        let fixture = fixture(channel).await;
        fixture.mailbox().fail_request(250, Fault::Token("nobody has it".to_owned()));
        let scan = fixture.scan(ScanRequest::default()).await;
        let expected = format!(
            "the mailbox does not accept your connection any more; connect {name} again and scan again"
        );
        assert_eq!((scan.status, scan.error), (ScanStatus::Failed, expected));
        assert!(scan.finished_at.is_some() && scan.counts.messages_seen < 300);
        assert_eq!(fixture.events().await.len() as u64, scan.counts.matches);
    }
}

#[tokio::test]
async fn a_permission_that_is_missing_is_named() {
    let fixture = fixture(Channel::Gmail).await;
    fixture.mailbox().fail_request(1, Fault::Refuse(403, None));
    let scan = fixture.scan(ScanRequest::default()).await;
    assert!(scan.error.contains("lacks the permission to read mail"), "{}", scan.error);
}

/// The scan waits for the mailbox on its second page.
async fn waiting(fixture: &Fixture) -> domain::ports::ClaimedTask {
    fixture.begin().await.unwrap();
    fixture.mailbox().fail_request(120, Fault::Refuse(429, Some(3)));
    fixture.claim().await.unwrap()
}

#[tokio::test]
async fn a_scan_can_be_cancelled_while_it_runs() {
    let fixture = fixture(Channel::Outlook).await;
    let task = waiting(&fixture).await;
    let scan = fixture.cache.scans(&fixture.ann, 0, 1).await.unwrap().items.remove(0);
    let handler = ScanSentMail(Arc::clone(&fixture.cache));
    let cancelled = async {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        fixture.cache.cancel_scan(&fixture.ann, scan.scan_id).await.unwrap()
    };
    let (ran, cancelled) = tokio::join!(handler.run(&task), cancelled);
    ran.unwrap();
    assert_eq!((cancelled.status, cancelled.counts.messages_seen), (ScanStatus::Cancelled, 100));
    assert_eq!(fixture.read(scan.scan_id).await, cancelled);
    // Matches are kept, and the next scan may start.
    assert_eq!(fixture.events().await.len(), 100);
    assert_eq!(fixture.scan(ScanRequest::default()).await.status, ScanStatus::Completed);
}

#[tokio::test]
async fn a_cancelled_scan_waits_for_no_mailbox() {
    let fixture = fixture(Channel::Outlook).await;
    fixture.mailbox().fail_request(1, Fault::Refuse(429, Some(120)));
    let scan = fixture.begin().await.unwrap();
    let task = fixture.claim().await.unwrap();
    let handler = ScanSentMail(Arc::clone(&fixture.cache));
    let started = Instant::now();
    let cancelled = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        fixture.cache.cancel_scan(&fixture.ann, scan.scan_id).await.unwrap()
    };
    let (ran, cancelled) = tokio::join!(handler.run(&task), cancelled);
    ran.unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "the worker waits on");
    assert_eq!(fixture.read(scan.scan_id).await, cancelled);
    assert_eq!((cancelled.status, fixture.mailbox().requests()), (ScanStatus::Cancelled, 1));
}

#[tokio::test]
async fn a_scan_whose_worker_stopped_runs_again() {
    let fixture = fixture(Channel::Outlook).await;
    let task = waiting(&fixture).await;
    let handler = ScanSentMail(Arc::clone(&fixture.cache));
    let stopped = tokio::time::timeout(Duration::from_millis(1_500), handler.run(&task)).await;
    assert!(stopped.is_err());
    let scan = fixture.cache.scans(&fixture.ann, 0, 1).await.unwrap().items.remove(0);
    assert_eq!((scan.status, scan.counts.messages_seen), (ScanStatus::Running, 100));
    handler.run(&task).await.unwrap();
    let scan = fixture.read(scan.scan_id).await;
    assert_eq!((scan.status, scan.counts.messages_seen), (ScanStatus::Completed, 300));
    assert_eq!((scan.counts.matches, fixture.events().await.len()), (300, 300));
    // A repeated task finds it finished.
    handler.run(&task).await.unwrap();
    assert_eq!(fixture.read(scan.scan_id).await, scan);
}
