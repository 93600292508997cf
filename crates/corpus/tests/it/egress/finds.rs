//! Documents are found in mail to external recipients, by links and attachments, and only those that the person may
//! see.

use super::fixture::{Fixture, Kept, message, with_file};
use crate::ground::content;
use corpus::ScanRequest;
use domain::corpus::{Channel, EventStatus, IndexedContent, MatchMethod, MatterTag, ScanStatus};
use domain::ids::SignalId;
use domain::ports::{ProviderEdits, ProviderStore, Retrieval, SignalStore};
use fakes::sent_mail::SentMessage;

const RIVERS: &str = "The river rose in the night and came over the old bridge while the town slept. In the morning \
    the mill stood under water, the fields were lost, and the people went up the hill with their cattle and waited \
    there for boats that came late in the afternoon from the harbour.";
const BUDGET: &str = "A committee of nine members decides on all questions of the yearly budget in public session. \
    Every department hands in its figures by the end of March; what comes later is left for the next year, unless \
    the treasurer and two auditors agree in writing that the matter cannot wait so long.";
const MERGER: &str = "This agreement is made between the buyer and the seller of all shares in the company. The \
    purchase price is paid at closing, less the debt on that day; representations, warranties and indemnities \
    survive closing for eighteen months, and disputes go to arbitration under the usual rules.";
const RECIPE: &str = "Beat four eggs with sugar until they are pale, fold in flour and melted butter, and bake the \
    dough in a hot oven for half an hour. Let the cake cool on a rack, cut it twice, spread cherry jam and whipped \
    cream between the layers, and dust the top with cocoa before it is served.";
const SATELLITE: &str = "The satellite turns its antenna to the ground station once in every orbit and sends what \
    its camera has seen. Engineers on duty check temperature, voltage and the spin of both wheels, and upload the \
    plan of the next pass, which the flight computer starts at the given second.";

async fn fixture(channel: Channel) -> (Fixture, Vec<SignalId>) {
    let inside = "cy@home.example";
    let safe = "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Ffiles.example%2Frivers.txt%3Futm_source%3Dmail&amp;data=1";
    let outside = |html: &str| message(&[inside, "Dora@Client.example"], html);
    let nearly = SATELLITE.replace("both wheels", "all three wheels");
    let other = "x".repeat(RECIPE.len());
    let messages = vec![
        outside(&format!("<p>See <a href=\"{safe}\">here</a></p>")),
        message(
            &[inside, "ed@sub.home.example", "fay@sister.example"],
            "<a href=\"https://files.example/rivers.txt\">",
        ),
        with_file(
            SentMessage { bcc: vec!["gil@mail.other.co.uk".to_owned()], ..message(&[inside], "") },
            "another name.txt",
            BUDGET,
        ),
        SentMessage {
            cc: vec!["dora@client.example".to_owned(), "ida@third.example".to_owned()],
            ..message(&[inside], "https://drive.google.com/open?id=1AbCdEfGhIjKlM")
        },
        with_file(outside(""), "Recipe.TXT", &other),
        with_file(outside(""), "orbit.txt", &nearly),
        outside("<a href='https://files.example/secret.txt'>x</a>"),
        with_file(outside("https://files.example/unknown.txt"), "unknown.txt", "too short"),
    ];
    let fixture = Fixture::with(channel, messages, |mut settings| {
        settings.org_internal_domains = vec!["sister.example".to_owned()];
        settings
    })
    .await;
    let (own, drive) =
        (fixture.source(&fixture.ann, "web").await, fixture.source(&fixture.ann, "drive").await);
    let bobs = fixture.source(&fixture.bob, "web").await;
    let kept = |url, title, text| Kept { url, title, text, matter: &["river"] };
    let mut ids = Vec::new();
    for (url, title, text) in [
        ("https://files.example/rivers.txt", "Rivers", RIVERS),
        ("https://files.example/budget.txt", "Budget", BUDGET),
    ] {
        ids.push(fixture.keep(&fixture.ann, &own, &kept(url, title, text)).await);
    }
    let shared = Kept {
        matter: &["merger"],
        ..kept("https://docs.google.com/document/d/1AbCdEfGhIjKlM/edit", "Merger", MERGER)
    };
    ids.push(fixture.keep(&fixture.ann, &drive, &shared).await);
    ids.push(
        fixture.keep(&fixture.ann, &own, &kept("https://files.example/recipe.txt", "A cake", RECIPE)).await,
    );
    ids.push(
        fixture
            .keep(&fixture.ann, &own, &kept("https://files.example/satellite.txt", "Orbits", SATELLITE))
            .await,
    );
    fixture
        .keep(
            &fixture.bob,
            &bobs,
            &kept("https://files.example/secret.txt", "Secret", &RIVERS.replace("river", "rover")),
        )
        .await;
    (fixture, ids)
}

#[tokio::test]
async fn documents_are_recognised_in_both_mailboxes() {
    for channel in [Channel::Outlook, Channel::Gmail] {
        let (fixture, ids) = fixture(channel).await;
        let scan = fixture.scan(ScanRequest::default()).await;
        assert_eq!((scan.status, scan.error.as_str(), scan.channel), (ScanStatus::Completed, "", channel));
        let counts = scan.counts;
        assert_eq!(
            (counts.messages_seen, counts.messages_external, counts.matches, counts.candidates),
            (8, 7, 3, 2)
        );
        assert!(!scan.truncated && scan.started_at.is_some() && scan.finished_at.is_some());
        let found: Vec<_> = fixture
            .events()
            .await
            .into_iter()
            .map(|event| {
                (event.signal_id.unwrap(), event.match_method, event.status, event.external_domains.join(" "))
            })
            .collect();
        let (client, exact, candidate) = ("client.example", EventStatus::Confirmed, EventStatus::Candidate);
        let expected = [
            (ids[0], MatchMethod::LinkExact, exact, client),
            (ids[1], MatchMethod::AttachmentHash, exact, "other.co.uk"),
            (ids[2], MatchMethod::AttachmentId, exact, "client.example third.example"),
            (ids[3], MatchMethod::FilenameSize, candidate, client),
            (ids[4], MatchMethod::ContentSimilarity, candidate, client),
        ];
        assert_eq!(
            found,
            expected.map(|(id, method, status, domains)| (id, method, status, domains.to_owned()))
        );
        let events = fixture.events().await;
        assert_eq!((events[0].signal_title.as_str(), events[0].confidence), ("Rivers", 1.0));
        assert_eq!(events[1].sent_at, super::fixture::newest() - chrono::TimeDelta::hours(2));
        // Internal mail was not even opened.
        assert_eq!(fixture.post.texts_read(), 7);
    }
}

/// One message to an external recipient, in the mailbox of somebody with one document.
async fn one_message(channel: Channel, message: SentMessage) -> (Fixture, SignalId) {
    let fixture = Fixture::open(channel, vec![message]).await;
    let own = fixture.source(&fixture.ann, "web").await;
    let kept =
        Kept { url: "https://files.example/orbits.txt", title: "Orbits", text: SATELLITE, matter: &[] };
    let id = fixture.keep(&fixture.ann, &own, &kept).await;
    (fixture, id)
}

#[tokio::test]
async fn a_link_at_the_end_of_a_long_text_is_found() {
    let html = format!("{} <a href='https://files.example/orbits.txt'>", "<p>word</p>".repeat(20_000));
    for channel in [Channel::Outlook, Channel::Gmail] {
        let (fixture, id) = one_message(channel, message(&["bo@client.example"], &html)).await;
        fixture.scan(ScanRequest::default()).await;
        let found = fixture.events().await.into_iter().map(|event| (event.signal_id, event.match_method));
        assert_eq!(found.collect::<Vec<_>>(), [(Some(id), MatchMethod::LinkExact)], "{channel:?}");
    }
}

#[tokio::test]
async fn an_attachment_without_an_ending_is_read() {
    for channel in [Channel::Outlook, Channel::Gmail] {
        let attached = with_file(message(&["bo@client.example"], ""), "Agreement", SATELLITE);
        let (fixture, id) = one_message(channel, attached).await;
        fixture.scan(ScanRequest::default()).await;
        let found = fixture.events().await.into_iter().map(|event| (event.signal_id, event.match_method));
        assert_eq!(found.collect::<Vec<_>>(), [(Some(id), MatchMethod::AttachmentHash)], "{channel:?}");
    }
}

#[tokio::test]
async fn texts_that_another_model_read_are_not_compared() {
    let nearly = SATELLITE.replace("both wheels", "all three wheels");
    for (model, candidates) in [(None, 1), (Some("another-model"), 0)] {
        let attached = with_file(message(&["bo@client.example"], ""), "orbit.txt", &nearly);
        let (fixture, id) = one_message(Channel::Outlook, attached).await;
        if let Some(model) = model {
            let kept = content("Orbits", SATELLITE);
            let content_hash = kept.content_hash.clone();
            let (user, idp) = (fixture.ann.user, String::new());
            let by = Retrieval { user, idp, account_provider_id: None, content_hash };
            let source_provider_id = fixture.store.signal(id).await.unwrap().source_provider_id;
            let kept = IndexedContent { source_provider_id, embedding_model: model.to_owned(), ..kept };
            fixture.store.index_signal(id, kept, &by, fixture.parts.clock.now()).await.unwrap();
        }
        let scan = fixture.scan(ScanRequest::default()).await;
        assert_eq!((scan.counts.matches, scan.counts.candidates), (0, candidates), "{model:?}");
    }
}

#[tokio::test]
async fn a_second_scan_makes_no_second_event() {
    let (fixture, ids) = fixture(Channel::Outlook).await;
    fixture.scan(ScanRequest::default()).await;
    let candidate = fixture.events().await[3].event_id;
    let decided = fixture.cache.decide(&fixture.ann, candidate, EventStatus::Dismissed).await.unwrap();
    assert_eq!((decided.status, decided.signal_id), (EventStatus::Dismissed, Some(ids[3])));
    let before = fixture.events().await;
    let again = fixture.scan(ScanRequest::default()).await;
    assert_eq!((again.status, again.counts.messages_seen), (ScanStatus::Completed, 8));
    assert_eq!((again.counts.matches, again.counts.candidates), (0, 0));
    assert_eq!(fixture.events().await, before);
}

#[tokio::test]
async fn a_scan_keeps_to_its_matter_and_its_days() {
    for channel in [Channel::Outlook, Channel::Gmail] {
        let (fixture, ids) = fixture(channel).await;
        let request = ScanRequest { matter_tag: MatterTag::parse("MATTER:merger"), ..ScanRequest::default() };
        let scan = fixture.scan(request).await;
        assert_eq!((scan.matter_tag.as_str(), scan.counts.matches, scan.counts.candidates), ("merger", 1, 0));
        assert_eq!(fixture.events().await[0].signal_id, Some(ids[2]));
        // All messages are of one day.
        for (first, last, seen) in [
            ("2026-03-20", "2026-03-20", 8),
            ("2026-03-21", "2026-03-30", 0),
            ("2026-01-01", "2026-03-19", 0),
        ] {
            let request = ScanRequest {
                date_from: first.parse().ok(),
                date_to: last.parse().ok(),
                ..ScanRequest::default()
            };
            assert_eq!(fixture.scan(request).await.counts.messages_seen, seen, "{first} to {last}");
        }
    }
}

#[tokio::test]
async fn what_was_taken_away_is_not_found() {
    let (fixture, ids) = fixture(Channel::Gmail).await;
    // Ann loses access to the providers: their documents are not matched any more.
    for provider in fixture.store.providers().await.unwrap() {
        fixture.store.delete_provider(provider.id).await.unwrap();
    }
    for id in &ids {
        fixture.store.revoke_grant(*id, fixture.ann.user, fixture.parts.clock.now()).await.unwrap();
    }
    let scan = fixture.scan(ScanRequest::default()).await;
    assert_eq!((scan.status, scan.counts.messages_external), (ScanStatus::Completed, 7));
    assert!(fixture.events().await.is_empty());
}
