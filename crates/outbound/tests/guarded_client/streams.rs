//! Streamed responses follow the same rules up to their last byte.

use crate::{BODY_BYTES_MAX, client, limits, request};
use bytes::Bytes;
use domain::ports::{Fetch, FetchError, HttpRequest, HttpStream};
use domain::secret::Secret;
use fakes::models::request_post::RequestPost;
use fakes::models::{KEY, Manner, ModelServer, TEXT};
use futures_util::StreamExt;
use outbound::{ClientLimits, GuardedClient};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const SHORT: Duration = Duration::from_millis(150);
const PATIENCE: Duration = Duration::from_secs(20);
/// More than any test receives.
const ENDLESS: u64 = 1 << 40;

fn dripping(byte_every: u64, total: u64) -> Behavior {
    Behavior::Drip { byte_every: Duration::from_millis(byte_every), total }
}

/// The received chunks and the final error.
async fn read(mut stream: HttpStream) -> (Vec<Bytes>, Option<FetchError>) {
    let mut pieces = Vec::new();
    while let Some(piece) = stream.body.next().await {
        match piece {
            Ok(piece) => pieces.push(piece),
            Err(error) => {
                assert!(stream.body.next().await.is_none(), "an error is the last");
                return (pieces, Some(error));
            }
        }
    }
    (pieces, None)
}

#[tokio::test]
async fn slow_pieces_arrive_one_by_one() {
    let source = Source::start().await;
    source.reply(dripping(50, 6));
    let start = Instant::now();
    let stream = client(&[]).stream(&request(&source.url(), true)).await.unwrap();
    let head = start.elapsed();
    assert_eq!(stream.status, 200);
    assert!(stream.headers.contains(&("content-type".to_owned(), "text/plain".to_owned())));
    let (pieces, error) = read(stream).await;
    assert_eq!((pieces.concat(), error), (b"......".to_vec(), None));
    assert!(pieces.len() > 1, "they came as one");
    assert!(start.elapsed() >= head + Duration::from_millis(100), "the head came with the body");
}

/// The limit of a hop applies only to responses that are read whole.
#[tokio::test]
async fn a_stream_may_take_longer_than_a_hop() {
    let source = Source::start().await;
    source.reply(dripping(20, 15));
    let client = GuardedClient::new(ClientLimits { read: SHORT, ..limits(&[]) }).unwrap();
    let (pieces, error) = read(client.stream(&request(&source.url(), true)).await.unwrap()).await;
    assert_eq!((pieces.concat().len(), error), (15, None));
}

#[tokio::test]
async fn time_is_over_in_the_middle() {
    let source = Source::start().await;
    source.reply(dripping(20, 10_000));
    let asked = HttpRequest { time_max: SHORT, ..request(&source.url(), true) };
    let start = Instant::now();
    let (pieces, error) = read(client(&[]).stream(&asked).await.unwrap()).await;
    assert!(!pieces.is_empty());
    assert_eq!(error, Some(FetchError::Timeout { host: "127.0.0.1".to_owned() }));
    assert!(start.elapsed() < PATIENCE);
}

#[tokio::test]
async fn time_is_over_before_the_head() {
    let source = Source::start().await;
    for (behavior, time_max) in [
        (Behavior::Hang, SHORT),
        (Behavior::redirect("/again", 302).delayed(SHORT.mul_f32(0.6)), SHORT),
        (Behavior::text("text/plain", "here"), Duration::ZERO),
    ] {
        source.reply(behavior);
        let asked = HttpRequest { time_max, ..request(&source.url(), true) };
        let error = client(&[]).stream(&asked).await.err();
        assert_eq!(error, Some(FetchError::Timeout { host: "127.0.0.1".to_owned() }));
    }
}

#[tokio::test]
async fn a_body_is_counted_over_its_pieces() {
    let source = Source::start().await;
    let too_large = FetchError::TooLarge { host: "127.0.0.1".to_owned(), bytes_max: BODY_BYTES_MAX };
    for behavior in [Behavior::Huge { bytes: BODY_BYTES_MAX }, Behavior::GzipBomb { bytes: BODY_BYTES_MAX }] {
        source.reply(behavior);
        let (pieces, error) = read(client(&[]).stream(&request(&source.url(), true)).await.unwrap()).await;
        assert_eq!((pieces.concat().len() as u64, error), (BODY_BYTES_MAX, None));
    }
    for behavior in [
        Behavior::Huge { bytes: BODY_BYTES_MAX + 1 },
        Behavior::Huge { bytes: ENDLESS },
        Behavior::GzipBomb { bytes: ENDLESS },
    ] {
        source.reply(behavior);
        let (pieces, error) = read(client(&[]).stream(&request(&source.url(), true)).await.unwrap()).await;
        assert!(pieces.concat().len() as u64 <= BODY_BYTES_MAX);
        assert_eq!(error, Some(too_large.clone()));
    }
    // A body with a too large declared length is not read.
    source.reply(Behavior::text("text/plain", vec![b'x'; BODY_BYTES_MAX as usize + 1]));
    assert_eq!(client(&[]).stream(&request(&source.url(), true)).await.err(), Some(too_large));
}

#[tokio::test]
async fn a_body_that_breaks_off_is_broken() {
    let source = Source::start().await;
    source.reply(Behavior::HalfAnswer);
    let (_, error) = read(client(&[]).stream(&request(&source.url(), true)).await.unwrap()).await;
    assert!(matches!(error, Some(FetchError::Broken { .. })), "{error:?}");
}

#[tokio::test]
async fn a_stream_is_redirected_and_guarded_like_any_answer() {
    let (home, other) = (Source::start().await, Source::start().await);
    home.reply_at("/start", Behavior::redirect(other.url().as_str(), 302));
    other.reply(dripping(1, 3));
    let mut asked = request(&home.url_at("/start"), true);
    asked.secret_headers = vec![("Authorization".to_owned(), Secret::new("Bearer s3cret"))];
    let refused = client(&[]).stream(&asked).await.err();
    assert_eq!(refused, Some(FetchError::Refused { place: other.address().to_string() }));
    assert_eq!(other.connections(), 0);

    let stream = client(&[&other.address().to_string()]).stream(&asked).await.unwrap();
    assert_eq!(read(stream).await.0.concat(), b"...");
    assert_eq!(home.requests()[0].header("authorization"), Some("Bearer s3cret"));
    assert_eq!(other.requests()[0].header("authorization"), None);
    home.reply(Behavior::redirect("/again", 302));
    let error = client(&[]).stream(&request(&home.url(), true)).await.err();
    assert!(matches!(error, Some(FetchError::Redirects { .. })), "{error:?}");
}

#[tokio::test]
async fn a_dropped_stream_ends_the_exchange() {
    let server = ModelServer::start(RequestPost).await;
    server.says(&TEXT.repeat(1000));
    server.behaves(Manner::Slow(Duration::from_secs(60)));
    let mut asked = request(&server.at("/ask").parse().unwrap(), true);
    asked.method = domain::ports::HttpMethod::Post;
    asked.headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    asked.secret_headers = vec![("X-Own-Key".to_owned(), Secret::new(KEY))];
    asked.body = Some(Bytes::from_static(br#"{"messages": [{"role": "user", "content": "hello"}]}"#));
    let client = client(&[]);
    let stream = client.stream(&asked).await.unwrap();
    assert_eq!((stream.status, server.open()), (200, 1));
    drop(stream);
    let start = Instant::now();
    while server.open() > 0 {
        assert!(start.elapsed() < PATIENCE, "the service still writes");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
