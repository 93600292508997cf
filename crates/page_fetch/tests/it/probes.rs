//! Probes: what is requested, which response counts, and how little is read.

use crate::fixture::{ANN, BOB, item, pages, provider};
use domain::ids::UserId;
use domain::ports::{DocumentRequest, PageError, PageProbe, ReadPages};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use page_fetch::PageFetch;
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

async fn probe_as(
    pages: &PageFetch,
    provider: &SearchProvider,
    item: &ResultItem,
    user: UserId,
) -> Result<PageProbe, PageError> {
    let time_max = Duration::from_secs(2);
    pages.probe(&DocumentRequest::of_result(provider, item, user, time_max)).await
}

fn tagged(code: u16, header: (&str, &str)) -> Behavior {
    let headers = vec![(header.0.to_owned(), header.1.to_owned())];
    Behavior::Status { code, headers, body: "words".into() }
}

fn methods(site: &Source) -> Vec<String> {
    site.requests().into_iter().map(|request| request.method).collect()
}

/// Each row: the responses in order, the resulting status, and the requests.
#[tokio::test]
async fn head_is_believed_when_its_news_are_good() {
    let status = Behavior::status;
    let table = [
        (vec![status(200)], 200, vec!["HEAD"]),
        (vec![status(204)], 204, vec!["HEAD"]),
        (vec![status(304)], 304, vec!["HEAD"]),
        (vec![status(429)], 429, vec!["HEAD"]),
        (vec![status(500)], 500, vec!["HEAD"]),
        (vec![status(503)], 503, vec!["HEAD"]),
        (vec![status(405), status(206)], 206, vec!["HEAD", "GET"]),
        (vec![status(501), status(200)], 200, vec!["HEAD", "GET"]),
        (vec![status(403), status(206)], 206, vec!["HEAD", "GET"]),
        (vec![status(404), status(200)], 200, vec!["HEAD", "GET"]),
        (vec![status(400), status(404)], 404, vec!["HEAD", "GET"]),
        (vec![status(404)], 404, vec!["HEAD", "GET"]),
        (vec![status(410)], 410, vec!["HEAD", "GET"]),
        (vec![status(401)], 401, vec!["HEAD", "GET"]),
        (vec![status(405), status(416), status(200)], 200, vec!["HEAD", "GET", "GET"]),
        (vec![status(405), status(405)], 405, vec!["HEAD", "GET"]),
    ];
    for (turns, expected, asked) in table {
        let site = Source::start().await;
        site.reply(Behavior::Sequence(turns.clone()));
        let rivers = provider("https://api.example/", json!({}));
        let found = probe_as(&pages(&[&site]), &rivers, &item(site.url_at("/x"), ""), ANN).await;
        assert_eq!(found.map(|probe| probe.http_status), Ok(expected), "{turns:?}");
        assert_eq!(methods(&site), asked, "{turns:?}");
        let ranges: Vec<Option<String>> =
            site.requests().iter().map(|one| one.header("range").map(str::to_owned)).collect();
        let wanted = [None, Some("bytes=0-0".to_owned()), None];
        assert_eq!(ranges, wanted[..asked.len()], "{turns:?}");
    }
}

#[tokio::test]
async fn the_version_is_that_of_the_answer_that_counts() {
    let table = [
        (vec![tagged(200, ("ETag", "\"a1\""))], "\"a1\""),
        (
            vec![tagged(200, ("Last-Modified", "Tue, 03 Nov 2026 10:00:00 GMT"))],
            "Tue, 03 Nov 2026 10:00:00 GMT",
        ),
        (vec![tagged(405, ("ETag", "\"error\"")), tagged(206, ("ETag", "\"b2\""))], "\"b2\""),
        (vec![Behavior::status(200)], ""),
    ];
    for (turns, version) in table {
        let site = Source::start().await;
        site.reply(Behavior::Sequence(turns));
        let rivers = provider("https://api.example/", json!({}));
        let found = probe_as(&pages(&[&site]), &rivers, &item(site.url(), ""), ANN).await;
        assert_eq!(found.expect("an answer").version, version);
    }
}

#[tokio::test]
async fn redirects_are_followed_as_head() {
    let (site, other) = (Source::start().await, Source::start().await);
    let pages = pages(&[&site, &other]);
    let rivers = provider("https://api.example/", json!({}));
    for (code, at_the_end) in [(301, 200), (302, 404), (303, 200), (307, 410), (308, 200)] {
        site.reply(Behavior::redirect(other.url_at("/there").to_string(), code));
        other.reply(Behavior::status(at_the_end));
        let before = other.requests().len();
        let found = probe_as(&pages, &rivers, &item(site.url(), ""), ANN).await;
        assert_eq!(found.map(|probe| probe.http_status), Ok(at_the_end), "{code}");
        assert_eq!(other.requests()[before].method, "HEAD", "{code}");
    }
    // Redirects without a target and redirect loops are not a response of the page.
    site.reply(Behavior::redirect(site.url_at("/round").to_string(), 302));
    assert!(probe_as(&pages, &rivers, &item(site.url(), ""), ANN).await.is_err());
}

/// A source without range support would send everything: the body is not read, however long it is.
#[tokio::test]
async fn no_body_is_read() {
    let site = Source::start().await;
    let pages = pages(&[&site]);
    let rivers = provider("https://api.example/", json!({}));
    let slow = Behavior::Drip { byte_every: Duration::from_secs(5), total: 100 };
    for body in [slow, Behavior::Huge { bytes: 50_000_000 }] {
        site.reply(Behavior::Sequence(vec![Behavior::status(405), body]));
        let started = Instant::now();
        let found = probe_as(&pages, &rivers, &item(site.url(), ""), ANN).await;
        assert_eq!(found.map(|probe| probe.http_status), Ok(200));
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
    // A large page reports its length to HEAD, which is fine.
    site.reply(tagged(200, ("Content-Length", "900000000")));
    assert_eq!(
        probe_as(&pages, &rivers, &item(site.url(), ""), ANN).await.map(|probe| probe.http_status),
        Ok(200)
    );
}

#[tokio::test]
async fn silence_is_no_answer_and_has_one_time_for_all_questions() {
    let site = Source::start().await;
    let pages = pages(&[&site]);
    let rivers = provider("https://api.example/", json!({}));
    let late = |code: u16| Behavior::status(code).delayed(Duration::from_millis(1500));
    for turns in [vec![Behavior::Hang], vec![Behavior::CloseAtOnce], vec![late(405), late(200)]] {
        site.reply(Behavior::Sequence(turns));
        let started = Instant::now();
        let error = probe_as(&pages, &rivers, &item(site.url_at("/x?key=canary"), ""), ANN).await;
        let error = error.expect_err("no answer").to_string();
        assert!(!error.contains("canary"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    }
}

#[tokio::test]
async fn the_persons_own_token_goes_to_the_providers_own_origin() {
    let (site, api) = (Source::start().await, Source::start().await);
    site.reply(Behavior::status(200));
    api.reply(Behavior::Sequence(vec![Behavior::status(405), Behavior::status(200)]));
    let pages = pages(&[&site]);
    let more = json!({"authenticator": "google", "page_fetch_config_json": {}});
    let rivers = provider(api.url().as_str(), more);
    assert!(probe_as(&pages, &rivers, &item(api.url_at("/page"), ""), ANN).await.is_ok());
    for request in api.requests() {
        assert_eq!(request.header("authorization"), Some("Bearer token-of-ann-for-google"));
    }
    assert!(probe_as(&pages, &rivers, &item(site.url(), ""), ANN).await.is_ok());
    assert_eq!(site.requests()[0].header("authorization"), None);
    // Without a token there is no response, and the source is not asked.
    let before = api.requests().len();
    assert!(probe_as(&pages, &rivers, &item(api.url(), ""), BOB).await.is_err());
    assert_eq!(api.requests().len(), before);
}
