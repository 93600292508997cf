//! Private addresses are only reached if trusted or allowed.

use crate::{Scripted, client, fetch_trusted, fetch_untrusted, named, request};
use domain::ports::{Fetch, FetchError, Origin};
use testkit::source::{Behavior, Source};
use url::Url;

async fn source() -> Source {
    let source = Source::start().await;
    source.reply(Behavior::text("text/plain", "inside"));
    source
}

#[tokio::test]
async fn loopback_needs_someone_who_vouches() {
    let source = source().await;
    let client = client(&[]);
    let url = source.url_at("/?key=s3cret");
    let refusal = FetchError::Refused { place: source.address().to_string() };
    assert_eq!(fetch_untrusted(&client, &url).await.unwrap_err(), refusal);
    assert_eq!(&fetch_trusted(&client, &url).await.unwrap().body[..], b"inside");
    // The connection of the trusted request is not reused for others.
    assert_eq!(fetch_untrusted(&client, &url).await.unwrap_err(), refusal);
    assert_eq!(source.requests().len(), 1);
}

#[tokio::test]
async fn a_trusted_origin_opens_no_other_port() {
    let (home, other) = (source().await, source().await);
    let mut request = request(&other.url(), true);
    request.origin = Origin::trusted(&home.url()).unwrap();
    let refusal = client(&[]).fetch(&request).await.unwrap_err();
    assert_eq!(refusal, FetchError::Refused { place: other.address().to_string() });
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn an_allowed_port_opens_no_other_port_of_the_host() {
    let (home, other) = (source().await, source().await);
    let lookup = Scripted::new(&[&["127.0.0.1"], &["127.0.0.1"]]);
    let client = lookup.client(&[&format!("allowed.test:{}", home.address().port())]);
    assert_eq!(fetch_untrusted(&client, &named(&home.url(), "allowed.test")).await.unwrap().status, 200);
    let refusal = fetch_untrusted(&client, &named(&other.url(), "allowed.test")).await.unwrap_err();
    assert_eq!(refusal, FetchError::Refused { place: format!("allowed.test:{}", other.address().port()) });
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn an_allowed_host_opens_every_port() {
    let source = source().await;
    let lookup = Scripted::new(&[&["127.0.0.1"]]);
    let url = named(&source.url(), "allowed.test");
    assert_eq!(fetch_untrusted(&lookup.client(&["allowed.test"]), &url).await.unwrap().status, 200);
    assert_eq!(fetch_untrusted(&client(&["127.0.0.1"]), &source.url()).await.unwrap().status, 200);
}

#[tokio::test]
async fn an_allowed_network_counts_by_address() {
    let source = source().await;
    let url = named(&source.url(), "allowed.test");
    let lookup = Scripted::new(&[&["127.0.0.1"], &["127.0.0.1"]]);
    assert_eq!(fetch_untrusted(&lookup.client(&["127.0.0.0/8"]), &url).await.unwrap().status, 200);
    assert_eq!(fetch_untrusted(&client(&["127.0.0.0/8"]), &source.url()).await.unwrap().status, 200);
    let refusal = fetch_untrusted(&lookup.client(&["10.0.0.0/8"]), &url).await.unwrap_err();
    assert!(matches!(refusal, FetchError::Refused { .. }), "{refusal:?}");
    assert_eq!(source.requests().len(), 2);
}

#[tokio::test]
async fn a_name_is_judged_by_its_addresses() {
    let source = source().await;
    let url = named(&source.url(), "public.test");
    let inside: &[&[&str]] =
        &[&["127.0.0.1"], &["::ffff:127.0.0.1"], &["10.0.0.1", "169.254.169.254"], &["64:ff9b::7f00:1"]];
    for answer in inside {
        let refusal = fetch_untrusted(&Scripted::new(&[answer]).client(&[]), &url).await.unwrap_err();
        assert_eq!(
            refusal,
            FetchError::Refused { place: format!("public.test:{}", source.address().port()) },
            "{answer:?}"
        );
    }
    assert!(source.requests().is_empty());
    // `localhost` goes through the system resolver.
    let refusal = fetch_untrusted(&client(&[]), &named(&source.url(), "localhost")).await.unwrap_err();
    assert!(matches!(refusal, FetchError::Refused { .. }), "{refusal:?}");
}

/// 127.0.0.1 acts as a public address here: its network is allowed, that of 127.0.0.2 is not.
#[tokio::test]
async fn a_second_answer_of_the_resolver_changes_nothing() {
    let source = source().await;
    source.reply(Behavior::Status {
        code: 200,
        headers: vec![("connection".to_owned(), "close".to_owned())],
        body: "outside".into(),
    });
    let url = named(&source.url(), "rebinding.test");
    let lookup = Scripted::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let client = lookup.client(&["127.0.0.1/32"]);
    assert_eq!(fetch_untrusted(&client, &url).await.unwrap().status, 200);
    assert_eq!(lookup.left(), 1, "one request looks a name up once");
    let refusal = fetch_untrusted(&client, &url).await.unwrap_err();
    assert!(matches!(refusal, FetchError::Refused { .. }), "{refusal:?}");
    assert_eq!(lookup.left(), 0);
}

#[tokio::test]
async fn only_the_allowed_addresses_of_a_name_are_tried() {
    let source = source().await;
    let url = named(&source.url(), "mixed.test");
    let lookup = Scripted::new(&[&["127.0.0.2", "127.0.0.1"]]);
    let answer = fetch_untrusted(&lookup.client(&["127.0.0.1/32"]), &url).await.unwrap();
    assert_eq!((answer.status, source.requests().len()), (200, 1));
}

#[tokio::test]
async fn other_schemes_and_user_names_are_refused() {
    let source = source().await;
    let port = source.address().port();
    for url in [format!("http://user:word@127.0.0.1:{port}/"), format!("ftp://127.0.0.1:{port}/")] {
        let refusal = fetch_trusted(&client(&["127.0.0.1"]), &Url::parse(&url).unwrap()).await.unwrap_err();
        assert!(matches!(refusal, FetchError::Invalid { .. }), "{refusal:?}");
        assert!(!refusal.to_string().contains("word@"));
    }
    let mut file = request(&source.url(), true);
    file.url = Url::parse("file:///etc/hostname").unwrap();
    assert!(matches!(client(&[]).fetch(&file).await, Err(FetchError::Invalid { .. })));
    assert_eq!(source.connections(), 0);
}
