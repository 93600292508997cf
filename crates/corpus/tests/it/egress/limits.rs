//! Large mailboxes: complete within the limit, and the newest messages beyond it.

use super::fixture::{Fixture, Kept, message, with_file};
use corpus::ScanRequest;
use domain::corpus::{Channel, ScanStatus};
use fakes::sent_mail::SentMessage;

const MESSAGES: usize = 5_000;
const TEXT: &str = "word one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen twenty and the same once more in the other direction until there are more \
    than forty words in this short document about counting, which is all that a test needs.";

/// Every tenth message is external, and every hundredth has a link.
fn messages() -> Vec<SentMessage> {
    let one = |number: usize| {
        let to = if number.is_multiple_of(10) { "bo@client.example" } else { "cy@home.example" };
        let html =
            if number.is_multiple_of(100) { "<a href=\"https://files.example/a.txt\">a</a>" } else { "" };
        message(&[to], html)
    };
    (0..MESSAGES).map(one).collect()
}

async fn fixture(channel: Channel, most: u32) -> Fixture {
    let fixture = Fixture::with(channel, messages(), |mut settings| {
        settings.egress_max_messages = most;
        settings
    })
    .await;
    let source = fixture.source(&fixture.ann, "web").await;
    let kept = Kept { url: "https://files.example/a.txt", title: "Counting", text: TEXT, matter: &[] };
    fixture.keep(&fixture.ann, &source, &kept).await;
    fixture
}

#[tokio::test]
async fn five_thousand_messages_are_looked_through() {
    for channel in [Channel::Outlook, Channel::Gmail] {
        let fixture = fixture(channel, 5_000).await;
        let scan = fixture.scan(ScanRequest::default()).await;
        assert_eq!((scan.status, scan.error.as_str(), scan.truncated), (ScanStatus::Completed, "", false));
        let counts = scan.counts;
        assert_eq!((counts.messages_seen, counts.messages_external, counts.matches), (5_000, 500, 50));
        assert_eq!(fixture.events().await.len(), 50);
    }
}

#[tokio::test]
async fn a_scan_stops_at_its_limit_with_the_newest() {
    let usual = domain::settings::Settings::default().egress_max_messages;
    for channel in [Channel::Outlook, Channel::Gmail] {
        for (most, matches) in [(usual, 10), (1, 1), (150, 2)] {
            let fixture = fixture(channel, most).await;
            let scan = fixture.scan(ScanRequest::default()).await;
            assert_eq!((scan.status, scan.truncated), (ScanStatus::Completed, true), "{most}");
            assert_eq!((scan.counts.messages_seen, scan.counts.matches), (u64::from(most), matches));
        }
    }
}

#[tokio::test]
async fn pages_without_an_end_are_left() {
    for channel in [Channel::Outlook, Channel::Gmail] {
        let fixture = fixture(channel, 1_000).await;
        fixture.mailbox().make_endless();
        let scan = fixture.scan(ScanRequest::default()).await;
        assert_eq!((scan.status, scan.truncated), (ScanStatus::Completed, true));
        assert_eq!((scan.counts.messages_seen, fixture.mailbox().requests()), (0, 2_000));
    }
}

#[tokio::test]
async fn an_attachment_that_is_too_large_is_not_opened() {
    const BYTES_MAX: usize = 10 * 1024 * 1024;
    for channel in [Channel::Outlook, Channel::Gmail] {
        for (bytes, opened) in [(BYTES_MAX + 1, 0), (BYTES_MAX - 1_000, 1)] {
            let large = with_file(message(&["bo@client.example"], ""), "a.txt", &"x ".repeat(bytes)[..bytes]);
            let fixture = Fixture::open(channel, vec![large]).await;
            let source = fixture.source(&fixture.ann, "web").await;
            let kept =
                Kept { url: "https://files.example/a.txt", title: "Counting", text: TEXT, matter: &[] };
            fixture.keep(&fixture.ann, &source, &kept).await;
            let scan = fixture.scan(ScanRequest::default()).await;
            assert_eq!((scan.status, scan.error.as_str()), (ScanStatus::Completed, ""));
            assert_eq!(fixture.post.files_read(), opened, "{bytes}");
        }
    }
}

#[tokio::test]
async fn a_message_makes_a_hundred_events_at_most() {
    const DOCUMENTS: usize = 102;
    let url = |number: usize| format!("https://files.example/{number}.txt");
    let links: Vec<String> = (0..DOCUMENTS).map(url).collect();
    let fixture =
        Fixture::open(Channel::Outlook, vec![message(&["bo@client.example"], &links.join(" "))]).await;
    let source = fixture.source(&fixture.ann, "web").await;
    for (number, url) in links.iter().enumerate() {
        let text = format!("{TEXT} {number}");
        fixture.keep(&fixture.ann, &source, &Kept { url, title: "Counting", text: &text, matter: &[] }).await;
    }
    let scan = fixture.scan(ScanRequest::default()).await;
    assert_eq!((scan.status, scan.counts.matches), (ScanStatus::Completed, 100));
}
