//! Ingest requests and their results.

use super::fixture::{Away, Fixture, address, request, result, text_of};
use corpus::IngestDocument;
use corpus::ingest::{Document, IngestError, SUPPLIED_WORDS_MIN, WORDS_MIN};
use domain::corpus::{Liveness, Origin, SignalState};
use domain::ports::{PageError, ProviderEdits, SignalStore, TaskHandler, UserEdits};
use domain::secret::Secret;
use license::LicensePolicy;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const URL: &str = "https://a.example/river?utm_source=mail";

#[tokio::test]
async fn a_result_becomes_a_document_that_is_found() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 1_000)));
    let accepted = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    assert!(accepted.upgraded && !accepted.is_done && accepted.job.is_some());
    assert_eq!(accepted.signal.state, SignalState::Known);
    assert_eq!(fixture.work().await, 1);
    let signal = fixture.signal(accepted.signal.signal_id).await;
    assert_eq!((signal.state, signal.origin), (SignalState::Indexed, Origin::Ingest));
    assert_eq!((signal.url.as_str(), signal.title.as_str()), ("https://a.example/river", "The river"));
    assert_eq!(
        (signal.language.as_str(), signal.ext.as_str(), signal.author.as_str()),
        ("en", "html", "Ada")
    );
    assert_eq!((signal.liveness, signal.matter_tags.as_slice()), (Liveness::Alive, &["a".to_owned()][..]));
    assert_eq!(signal.source_provider_id, Some(provider.id));
    assert_eq!(signal.lineage_id, Some(signal.signal_id));
    assert_eq!(signal.embedding_dim, 256);
    assert_eq!(fixture.vectors().await, [(signal.signal_id, signal.chunk_count)]);
    assert!(signal.chunk_count >= 4 && signal.body_bytes > 0);
    let body = fixture.parts.bodies.get(&signal.body_key.clone().unwrap()).await.unwrap().unwrap();
    assert_eq!(body.as_ref(), text_of("river", 1_000).trim().as_bytes());
    assert_eq!(fixture.finds(fixture.ann, "what tells of the river").await, [signal.signal_id]);

    // Again: nothing to do, and nothing changes.
    let again =
        fixture.request(fixture.ann, result(&provider, "https://A.example:443/river#top")).await.unwrap();
    assert!(again.is_done && again.job.is_none() && !again.upgraded, "{again:?}");
    assert_eq!((again.signal.signal_id, fixture.work().await), (signal.signal_id, 0));
}

#[tokio::test]
async fn what_cannot_be_wished_for() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({"shared": false})).await;
    let no_address = fixture.request(fixture.ann, result(&provider, "/etc/passwd")).await;
    assert!(matches!(no_address, Err(IngestError::NoAddress)), "{no_address:?}");
    let not_his = fixture.request(fixture.bob, result(&provider, URL)).await;
    assert!(matches!(not_his, Err(IngestError::NotAllowed)), "{not_his:?}");
    let long = "word ".repeat(300_000);
    let too_large = fixture.request(fixture.ann, address(URL, Some(long))).await;
    assert!(matches!(too_large, Err(IngestError::TooLarge(1))), "{too_large:?}");
    let cache = fixture.provider("Cache", json!({"connector": "TributaryCorpusConnector"})).await;
    let of_itself = fixture.request(fixture.ann, result(&cache, URL)).await;
    assert!(matches!(of_itself, Err(IngestError::NotAllowed)), "{of_itself:?}");
    assert_eq!(fixture.store.corpus_counts().await.unwrap().grants, 0, "nothing was noted");

    let unlicensed = Fixture::with(
        |settings| settings,
        |parts| {
            let license = LicensePolicy::new(Secret::default(), None, Arc::clone(&parts.clock));
            corpus::CacheParts { license, ..parts }
        },
    )
    .await;
    let refused = unlicensed.request(unlicensed.ann, address(URL, None)).await;
    assert!(matches!(refused, Err(IngestError::Unlicensed)), "{refused:?}");
}

#[tokio::test]
async fn failures_leave_a_message_and_no_document() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let few = text_of("river", WORDS_MIN - 16);
    let table: [(&str, Result<&str, PageError>, usize, &str); 5] = [
        ("https://a.example/1", Ok(&few), 1, "40 are needed"),
        ("https://a.example/2", Err(PageError::failed("no answer")), 3, "no answer"),
        ("https://a.example/3", Err(PageError::Gone(410)), 1, "HTTP 410"),
        ("https://a.example/4", Err(PageError::Denied(403)), 1, "HTTP 403"),
        ("https://a.example/5", Ok("1 2 3 "), 1, "only 3 words"),
    ];
    for (url, page, runs, why) in table {
        fixture.web.gives(url, page.clone());
        let accepted = fixture.request(fixture.ann, result(&provider, url)).await.unwrap();
        assert_eq!(fixture.work().await, runs, "{url}");
        let signal = fixture.signal(accepted.signal.signal_id).await;
        assert_eq!((signal.state, signal.notices.len()), (SignalState::Known, 1), "{url}");
        assert!(signal.notices[0].to_string().contains(why), "{:?}", signal.notices);
        let is_gone = matches!(page, Err(PageError::Gone(_)));
        assert_eq!(signal.liveness == Liveness::Gone, is_gone, "{url}");
    }
    assert_eq!((fixture.vectors().await.len(), fixture.bodies().await), (0, 0));

    // It is retried when somebody requests it again.
    fixture.web.gives("https://a.example/2", Ok(&text_of("river", 100)));
    let signal = fixture.ingest(fixture.ann, &provider, "https://a.example/2").await;
    assert_eq!(signal.state, SignalState::Indexed);
}

#[tokio::test]
async fn a_refusal_takes_the_right_away_at_once() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    for user in [fixture.ann, fixture.bob] {
        fixture.ingest(user, &provider, URL).await;
        assert_eq!(fixture.finds(user, "river").await.len(), 1);
    }
    fixture.web.gives_to(fixture.ann, URL, Err(PageError::Denied(401)));
    fixture.clock.advance(Duration::from_secs(7_200));
    let signal = fixture.ingest(fixture.ann, &provider, URL).await;
    assert_eq!(fixture.finds(fixture.ann, "river").await, []);
    assert_eq!(fixture.finds(fixture.bob, "river").await, [signal.signal_id]);
    // Repeating the request gives no access.
    fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    assert_eq!(fixture.finds(fixture.ann, "river").await, []);
}

#[tokio::test]
async fn what_is_gone_for_ones_account_ends_ones_own_right() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    for user in [fixture.ann, fixture.bob] {
        fixture.ingest(user, &provider, URL).await;
    }
    fixture.web.gives_to(fixture.ann, URL, Err(PageError::Gone(404)));
    fixture.clock.advance(Duration::from_secs(7_200));
    let signal = fixture.ingest(fixture.ann, &provider, URL).await;
    assert_eq!((signal.liveness, signal.liveness_http), (Liveness::Alive, None));
    assert_eq!(fixture.finds(fixture.ann, "river").await, []);
    assert_eq!(fixture.finds(fixture.bob, "river").await, [signal.signal_id]);
}

/// The reason of a failure names only what that person requested, and with which credentials.
#[tokio::test]
async fn a_failure_is_told_to_the_person_who_asked_alone() {
    let fixture = Fixture::open().await;
    let mails = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
    let failed = || PageError::failed("no token");
    for (url, is_typed, error) in [
        ("https://a.example/1", false, failed()),
        ("https://b.example/1", true, failed()),
        ("https://b.example/2", true, PageError::Gone(404)),
    ] {
        let document = || if is_typed { address(url, None) } else { result(&mails, url) };
        fixture.web.gives(url, Ok(&text_of("river", 100)));
        let mut id = None;
        for user in [fixture.ann, fixture.bob] {
            let asked = fixture.request(user, document()).await.unwrap().signal.signal_id;
            fixture.work().await;
            id = fixture.store.led_to(asked, user).await.unwrap().or(Some(asked));
        }
        let id = id.unwrap();
        fixture.web.gives_to(fixture.ann, url, Err(error));
        fixture.clock.advance(Duration::from_secs(7_200));
        fixture.request(fixture.ann, document()).await.unwrap();
        fixture.work().await;
        assert_eq!(fixture.cache.document_of(fixture.ann, id).await.unwrap().notices.len(), 1, "{url}");
        let his = fixture.cache.document_of(fixture.bob, id).await.unwrap();
        assert_eq!((his.notices.len(), his.liveness), (0, Liveness::Alive), "{url}");
        // When the text is fetched, the failure is cleared.
        fixture.web.gives_to(fixture.ann, url, Ok(&text_of("river", 100)));
        fixture.request(fixture.ann, document()).await.unwrap();
        fixture.work().await;
        assert_eq!(fixture.cache.document_of(fixture.ann, id).await.unwrap().notices.len(), 0, "{url}");
    }
}

#[tokio::test]
async fn a_new_text_takes_the_place_of_the_old() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 1_000)));
    let before = fixture.ingest(fixture.ann, &provider, URL).await;
    fixture.web.gives(URL, Ok(&text_of("parliament", 100)));
    fixture.clock.advance(Duration::from_secs(7_200));
    let after = fixture.ingest(fixture.ann, &provider, URL).await;
    assert_eq!(after.signal_id, before.signal_id);
    assert_eq!(fixture.store.earlier_hashes(after.signal_id).await.unwrap(), [before.content_hash]);
    assert_eq!(fixture.vectors().await, [(after.signal_id, after.chunk_count)]);
    assert!(after.chunk_count < before.chunk_count);
    assert_eq!(fixture.bodies().await, 1, "the old text is gone");
    let hit = fixture.found(fixture.ann, "parliament").await.remove(0);
    assert!(hit.passages[0].contains("parliament"));
}

#[tokio::test]
async fn the_same_text_is_verified_and_not_read_again() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let before = fixture.ingest(fixture.ann, &provider, URL).await;
    fixture.clock.advance(Duration::from_secs(7_200));
    let after = fixture.ingest(fixture.ann, &provider, URL).await;
    assert_eq!(after.indexed_at, before.indexed_at);
    assert!(after.last_verified > before.last_verified);
    // Shortly before it expires it is stored again, so that it is kept longer.
    fixture.clock.advance(Duration::from_secs(60 * 24 * 3_600));
    let renewed = fixture.ingest(fixture.ann, &provider, URL).await;
    assert!(renewed.body_expires > after.body_expires);
}

#[tokio::test]
async fn a_text_from_one_source_is_not_for_those_of_another() {
    let fixture = Fixture::open().await;
    let open = fixture.provider("Open", json!({})).await;
    let closed = fixture.provider("Closed", json!({"shared": false})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    fixture.ingest(fixture.bob, &open, URL).await;
    assert_eq!(fixture.finds(fixture.ann, "river").await.len(), 1, "everybody may ask this source");
    // Ann asks through a provider of her own, which returns another text.
    fixture.web.gives_to(fixture.ann, URL, Ok(&text_of("secret treaty", 100)));
    let signal = fixture.ingest(fixture.ann, &closed, URL).await;
    assert_eq!(signal.source_provider_id, Some(closed.id));
    let own = fixture.finds(fixture.ann, "secret treaty").await;
    assert_eq!(own.first(), Some(&signal.signal_id));
    assert!(!fixture.finds(fixture.bob, "secret treaty").await.contains(&signal.signal_id));
    assert!(fixture.found(fixture.bob, "river").await[0].passages[0].contains("river"), "he keeps his");
}

#[tokio::test]
async fn the_same_address_may_show_everybody_something_else() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Mails", json!({"authenticator": "microsoft"})).await;
    fixture.web.gives_to(fixture.ann, URL, Ok(&text_of("memo to ann", 100)));
    fixture.web.gives_to(fixture.bob, URL, Ok(&text_of("memo to bob", 100)));
    fixture.ingest(fixture.ann, &provider, URL).await;
    assert_eq!(fixture.finds(fixture.ann, "memo").await.len(), 1);
    fixture.ingest(fixture.bob, &provider, URL).await;
    for (user, name) in [(fixture.ann, "ann"), (fixture.bob, "bob")] {
        let found = fixture.found(user, "memo").await;
        assert_eq!(found.len(), 1, "{name}");
        assert!(found[0].passages[0].contains(name), "everybody has their own memo");
    }
    assert_eq!((fixture.vectors().await.len(), fixture.bodies().await), (2, 2));
}

#[tokio::test]
async fn a_text_that_a_person_gives_is_theirs_alone() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let body = text_of("river", SUPPLIED_WORDS_MIN);
    let given = |user, text: &str| {
        let document = Document::Address {
            provider: Some(provider.clone()),
            url: URL.to_owned(),
            title: "Mine".to_owned(),
            body: Some(text.to_owned()),
        };
        fixture.request(user, document)
    };
    let accepted = given(fixture.ann, &body).await.unwrap();
    assert_eq!((fixture.work().await, fixture.web.asked_times()), (1, 0), "nobody was asked");
    let signal = fixture.signal(accepted.signal.signal_id).await;
    assert!(signal.is_supplied && signal.state == SignalState::Indexed);
    assert_eq!(fixture.finds(fixture.ann, "river").await, [signal.signal_id]);
    assert_eq!(fixture.finds(fixture.bob, "river").await, [], "although he may ask the source");

    // Another person's text does not replace it: it is private to them.
    let his = given(fixture.bob, &text_of("poison", SUPPLIED_WORDS_MIN)).await.unwrap();
    assert_eq!((his.signal.state, &his.message), (SignalState::Known, &accepted.message));
    fixture.work().await;
    assert_eq!(fixture.finds(fixture.bob, "poison").await, [his.signal.signal_id]);
    assert_eq!(fixture.finds(fixture.ann, "river").await, [signal.signal_id]);
    // Her own may.
    given(fixture.ann, &text_of("glacier", SUPPLIED_WORDS_MIN)).await.unwrap();
    fixture.work().await;
    assert!(fixture.found(fixture.ann, "glacier").await[0].passages[0].contains("glacier"));

    // The source's text has its own record, and is not replaced by a supplied one.
    fixture.web.gives(URL, Ok(&text_of("river at its source", 100)));
    let of_source = fixture.ingest(fixture.bob, &provider, URL).await;
    assert_eq!(fixture.finds(fixture.bob, "river").await.first(), Some(&of_source.signal_id));
    given(fixture.ann, &text_of("poison", SUPPLIED_WORDS_MIN)).await.unwrap();
    fixture.work().await;
    assert_eq!(fixture.signal(of_source.signal_id).await, of_source);
    let found = fixture.found(fixture.bob, "river at its source").await;
    assert!(found[0].passages[0].contains("at its source"));
}

#[tokio::test]
async fn a_text_that_is_given_twice_is_not_verified() {
    let fixture = Fixture::open().await;
    let body = text_of("river", SUPPLIED_WORDS_MIN);
    let mut seen = Vec::new();
    for _ in 0..2 {
        let accepted = fixture.request(fixture.ann, address(URL, Some(body.clone()))).await.unwrap();
        fixture.work().await;
        fixture.clock.advance(Duration::from_secs(60));
        let signal = fixture.signal(accepted.signal.signal_id).await;
        seen.push((signal.signal_id, signal.liveness, signal.last_verified, signal.liveness_checked));
    }
    assert_eq!(seen[0], seen[1], "nobody asked the source");
    assert_eq!((seen[1].1, seen[1].2), (Liveness::Unknown, None));
}

#[tokio::test]
async fn a_short_text_is_fetched_instead() {
    let fixture = Fixture::open().await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let few = text_of("river", SUPPLIED_WORDS_MIN - 16);
    let accepted = fixture.request(fixture.ann, address(URL, Some(few))).await.unwrap();
    fixture.work().await;
    assert_eq!(fixture.web.asked.lock().unwrap().as_slice(), [(fixture.ann, 0, URL.to_owned())]);
    let signal = fixture.signal(accepted.signal.signal_id).await;
    assert!(!signal.is_supplied && signal.source_provider_id.is_none());
    assert_eq!(fixture.finds(fixture.ann, "river").await, [signal.signal_id]);
    assert_eq!(fixture.finds(fixture.bob, "river").await, [], "what no source gave is for who fetched it");
}

#[tokio::test]
async fn rights_are_looked_at_again_when_the_task_runs() {
    let fixture = Fixture::open().await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let provider = fixture.provider("Rivers", json!({})).await;
    let accepted = fixture.request(fixture.bob, result(&provider, URL)).await.unwrap();
    let mut spec = provider.spec.clone();
    spec.shared = false;
    fixture.store.replace_provider(provider.id, spec, fixture.parts.clock.now()).await.unwrap();
    fixture.work().await;
    assert_eq!(fixture.signal(accepted.signal.signal_id).await.state, SignalState::Known);
    assert_eq!(fixture.web.asked_times(), 0);

    fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    fixture.store.delete_provider(provider.id).await.unwrap();
    fixture.work().await;
    fixture.request(fixture.bob, address("https://b.example/", None)).await.unwrap();
    fixture.store.delete_user(fixture.bob).await.unwrap();
    fixture.work().await;
    assert_eq!((fixture.web.asked_times(), fixture.vectors().await.len()), (0, 0));
}

#[tokio::test]
async fn a_caller_may_wait() {
    let fixture = Arc::new(Fixture::open().await);
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    fixture.web.gives("https://a.example/gone", Err(PageError::Gone(404)));
    let waiting = |url: &'static str, at_most: u64| {
        let request = request(fixture.ann, result(&provider, url));
        let (cache, at_most) = (Arc::clone(&fixture.cache), Duration::from_millis(at_most));
        async move { cache.ingest_and_wait(request, at_most).await }
    };
    let worker = async {
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            fixture.work().await;
        }
    };
    let late = waiting(URL, 150).await.unwrap();
    assert!(!late.is_done && late.job.is_some(), "nobody works: {late:?}");
    tokio::select! {
        () = worker => {}
        () = async {
            let done = waiting(URL, 20_000).await.unwrap();
            assert!(done.is_done && done.signal.state == SignalState::Indexed, "{done:?}");
            let gone = waiting("https://a.example/gone", 20_000).await;
            assert!(matches!(&gone, Err(IngestError::NoText(why)) if why.contains("404")), "{gone:?}");
        } => {}
    }
}

#[tokio::test]
async fn a_caller_is_not_told_the_failure_of_another_task() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let handler = IngestDocument(Arc::clone(&fixture.cache));
    fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    let earlier = fixture.claim().await.unwrap();
    let request = request(fixture.ann, result(&provider, URL));
    let waiting = fixture.cache.ingest_and_wait(request, Duration::from_secs(20));
    let worker = async {
        let own = loop {
            tokio::time::sleep(Duration::from_millis(10)).await;
            if let Some(task) = fixture.claim().await {
                break task;
            }
        };
        fixture.web.gives(URL, Err(PageError::Gone(404)));
        handler.run(&earlier).await.unwrap();
        // The caller looks several times.
        tokio::time::sleep(Duration::from_millis(400)).await;
        fixture.web.gives(URL, Ok(&text_of("river", 100)));
        handler.run(&own).await.unwrap();
    };
    let (done, ()) = tokio::join!(waiting, worker);
    assert!(done.as_ref().is_ok_and(|done| done.is_done), "{done:?}");
}

#[tokio::test]
async fn equal_texts_are_kept_once_and_are_of_one_line() {
    let fixture = Fixture::open().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let mut lines = Vec::new();
    for url in ["https://a.example/1", "https://a.example/2"] {
        fixture.web.gives(url, Ok(&text_of("river", 100)));
        lines.push(fixture.ingest(fixture.ann, &provider, url).await.lineage_id);
    }
    assert_eq!((fixture.bodies().await, lines[0]), (1, lines[1]));
    fixture.web.gives("https://a.example/1", Ok(&text_of("parliament", 100)));
    fixture.clock.advance(Duration::from_secs(7_200));
    fixture.ingest(fixture.ann, &provider, "https://a.example/1").await;
    assert_eq!(fixture.bodies().await, 2, "the other document has the old text still");
}

#[tokio::test]
async fn without_its_reader_model_a_document_stays_out() {
    let fixture = Fixture::with(
        |settings| settings,
        |parts| corpus::CacheParts { embedding_models: Arc::new(Away), ..parts },
    )
    .await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fixture.web.gives(URL, Ok(&text_of("river", 100)));
    let signal = fixture.ingest(fixture.ann, &provider, URL).await;
    assert_eq!((signal.state, fixture.web.asked_times()), (SignalState::Known, 3));
    assert!(signal.notices[0].to_string().contains("does not answer"), "{:?}", signal.notices);
    assert_eq!(fixture.bodies().await, 0, "nothing is left behind");
}
