//! Time and size limits hold whatever the server does.

use crate::{BODY_BYTES_MAX, client, fetch_trusted, limits, request};
use async_trait::async_trait;
use domain::ports::{Fetch, FetchError};
use outbound::{ClientLimits, GuardedClient, Lookup};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};
use url::Url;

/// Much longer than a test takes, much shorter than limits that are not under test.
const PATIENCE: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(100);
/// More than any test receives.
const ENDLESS: u64 = 1 << 40;

fn too_large() -> FetchError {
    FetchError::TooLarge { host: "127.0.0.1".to_owned(), bytes_max: BODY_BYTES_MAX }
}

fn slow_behaviors() -> Vec<Behavior> {
    vec![
        Behavior::Hang,
        Behavior::status(200).delayed(Duration::from_secs(60)),
        Behavior::Drip { byte_every: Duration::from_millis(20), total: 10_000 },
    ]
}

#[tokio::test]
async fn one_hop_ends_after_the_read_limit() {
    let client = GuardedClient::new(ClientLimits { read: SHORT, ..limits(&[]) }).unwrap();
    for behavior in slow_behaviors() {
        let source = Source::start().await;
        source.reply(behavior.clone());
        let start = Instant::now();
        let error = fetch_trusted(&client, &source.url()).await.unwrap_err();
        assert_eq!(error, FetchError::Timeout { host: "127.0.0.1".to_owned() }, "{behavior:?}");
        assert!(start.elapsed() < PATIENCE, "{behavior:?}");
    }
}

#[tokio::test]
async fn everything_ends_after_the_time_of_the_request() {
    let mut behaviors = slow_behaviors();
    behaviors.push(Behavior::redirect("/again", 302).delayed(SHORT.mul_f32(0.6)));
    for behavior in behaviors {
        let source = Source::start().await;
        source.reply(behavior.clone());
        let mut request = request(&source.url(), true);
        request.time_max = SHORT;
        let start = Instant::now();
        let error = client(&[]).fetch(&request).await.unwrap_err();
        assert_eq!(error, FetchError::Timeout { host: "127.0.0.1".to_owned() }, "{behavior:?}");
        assert!(start.elapsed() < PATIENCE, "{behavior:?}");
    }
}

#[tokio::test]
async fn without_time_nothing_is_sent() {
    let source = Source::start().await;
    source.reply(Behavior::text("text/plain", "here"));
    let mut request = request(&source.url(), true);
    request.time_max = Duration::ZERO;
    let error = client(&[]).fetch(&request).await.unwrap_err();
    assert_eq!(error, FetchError::Timeout { host: "127.0.0.1".to_owned() });
    assert!(source.requests().is_empty());
}

struct Silent;

#[async_trait]
impl Lookup for Silent {
    async fn addresses(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn connecting_ends_after_the_connect_limit() {
    let client =
        GuardedClient::with_lookup(ClientLimits { connect: SHORT, ..limits(&[]) }, Arc::new(Silent)).unwrap();
    let start = Instant::now();
    let error = fetch_trusted(&client, &Url::parse("http://silent.test/").unwrap()).await.unwrap_err();
    assert_eq!(error, FetchError::Timeout { host: "silent.test".to_owned() });
    assert!(start.elapsed() < PATIENCE);
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_read() {
    let source = Source::start().await;
    for behavior in [
        Behavior::text("text/plain", vec![b'x'; BODY_BYTES_MAX as usize]),
        Behavior::Huge { bytes: BODY_BYTES_MAX },
        Behavior::GzipBomb { bytes: BODY_BYTES_MAX },
    ] {
        source.reply(behavior);
        let answer = fetch_trusted(&client(&[]), &source.url()).await.unwrap();
        assert_eq!(answer.body.len() as u64, BODY_BYTES_MAX);
    }
}

#[tokio::test]
async fn a_larger_body_is_refused() {
    let source = Source::start().await;
    for behavior in [
        Behavior::text("text/plain", vec![b'x'; BODY_BYTES_MAX as usize + 1]),
        Behavior::Huge { bytes: BODY_BYTES_MAX + 1 },
        Behavior::GzipBomb { bytes: BODY_BYTES_MAX + 1 },
    ] {
        source.reply(behavior);
        assert_eq!(fetch_trusted(&client(&[]), &source.url()).await.unwrap_err(), too_large());
    }
}

/// These bodies never end, so a result within the time of the test shows that reading stopped early.
#[tokio::test]
async fn an_endless_body_is_cut_off() {
    let source = Source::start().await;
    for behavior in [
        Behavior::Huge { bytes: ENDLESS },
        Behavior::GzipBomb { bytes: ENDLESS },
        // The declared length alone is enough.
        Behavior::Status {
            code: 200,
            headers: vec![("content-length".to_owned(), ENDLESS.to_string())],
            body: "".into(),
        },
    ] {
        source.reply(behavior);
        assert_eq!(fetch_trusted(&client(&[]), &source.url()).await.unwrap_err(), too_large());
    }
}
