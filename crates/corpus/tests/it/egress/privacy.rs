//! Nothing of a message is kept: not in the records, not in the texts, not in the log.

use super::fixture::{Fixture, Kept, message, with_file};
use corpus::ScanRequest;
use domain::corpus::{Channel, ScanStatus};
use fakes::sent_mail::{Fault, SentMessage};
use std::fmt::{Debug, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Words that occur in messages only.
const PERSON: &str = "zorbadelphine";
const HIDDEN: &str = "quillomantra";
const SUBJECT: &str = "vexillothrum";
const BODY: &str = "pomgrandulux";
const FILE_TEXT: &str = "krendovispal";
const FILE_NAME: &str = "ostromelique";
const DEEP_DOMAIN: &str = "wuldersnap";
const WORDS: [&str; 7] = [PERSON, HIDDEN, SUBJECT, BODY, FILE_TEXT, FILE_NAME, DEEP_DOMAIN];

const TEXT: &str = "The minutes of the meeting say who was there, what was decided and by which majority, and when the \
    next one is to be. They are read aloud at its beginning, corrected where somebody remembers it otherwise, signed \
    by the chair and put with the others into the cabinet in the office.";

/// Everything logged in this process, at any level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>, Arc<AtomicU64>);

impl Log {
    fn line(&self, write: impl FnOnce(&mut Line<'_>)) {
        let mut text = self.0.lock().unwrap();
        write(&mut Line(&mut text));
        text.push('\n');
    }
}

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}

impl Subscriber for Log {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.line(|line| span.record(line));
        Id::from_u64(self.1.fetch_add(1, Ordering::Relaxed) + 1)
    }
    fn record(&self, _span: &Id, values: &Record<'_>) {
        self.line(|line| values.record(line));
    }
    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn event(&self, event: &Event<'_>) {
        self.line(|line| event.record(line));
    }
    fn enter(&self, _span: &Id) {}
    fn exit(&self, _span: &Id) {}
}

fn messages() -> Vec<SentMessage> {
    let html = format!("<p>{BODY} <a href=\"https://files.example/minutes.txt\">{BODY}</a></p>");
    let linked = SentMessage {
        cc: vec![format!("{HIDDEN}@client.example")],
        subject: format!("Re: {SUBJECT}"),
        ..message(&[&format!("{PERSON}@{DEEP_DOMAIN}.client.example")], &html)
    };
    let attached = with_file(linked.clone(), &format!("{FILE_NAME}.txt"), &format!("{FILE_TEXT} {TEXT}"));
    let same = with_file(linked.clone(), &format!("{FILE_NAME}.txt"), TEXT);
    let inside = SentMessage { to: vec![format!("{PERSON}@home.example")], cc: Vec::new(), ..linked.clone() };
    vec![linked, attached, same, inside]
}

#[tokio::test]
async fn nothing_of_a_message_stays() {
    let log = Log::default();
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    for channel in [Channel::Outlook, Channel::Gmail] {
        let fixture = Fixture::open(channel, messages()).await;
        let source = fixture.source(&fixture.ann, "web").await;
        let kept =
            Kept { url: "https://files.example/minutes.txt", title: "Minutes", text: TEXT, matter: &[] };
        fixture.keep(&fixture.ann, &source, &kept).await;
        fixture.mailbox().fail_request(2, Fault::Refuse(503, Some(0)));
        let scan = fixture.scan(ScanRequest::default()).await;
        assert_eq!(
            (scan.status, scan.counts.messages_external),
            (ScanStatus::Completed, 3),
            "{}",
            scan.error
        );
        assert_eq!(fixture.events().await.len(), 3);
        // A failing scan logs no more.
        fixture.mailbox().fail_request(fixture.mailbox().requests() + 3, Fault::Refuse(418, None));
        assert_eq!(fixture.scan(ScanRequest::default()).await.status, ScanStatus::Failed);
        let (mut files, mut found) = (0, Vec::new());
        search(fixture.folder(), &mut files, &mut found);
        assert!(files >= 2, "the records and a text: {files}");
        assert!(found.is_empty(), "{found:?}");
        // The search works: it finds what is there.
        let mut there = Vec::new();
        search_for(fixture.folder(), &["client.example", "Minutes", "link_exact"], &mut 0, &mut there);
        assert!(there.len() >= 3, "{there:?}");
    }
    let log = log.0.lock().unwrap();
    assert!(log.contains("saw 4 messages"), "the log was heard");
    for word in WORDS {
        assert!(!log.contains(word), "the log holds {word}");
    }
}

fn search(folder: &Path, files: &mut usize, found: &mut Vec<String>) {
    search_for(folder, &WORDS, files, found);
}

/// Every file below the folder, byte by byte.
fn search_for(folder: &Path, words: &[&str], files: &mut usize, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search_for(&path, words, files, found);
            continue;
        }
        *files += 1;
        let bytes = std::fs::read(&path).unwrap();
        for word in words {
            if bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes())) {
                found.push(format!("{} holds {word}", path.display()));
            }
        }
    }
}
