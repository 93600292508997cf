//! Failures report host and reason; successful requests reuse connections.

use crate::{Scripted, client, fetch_trusted, fetch_untrusted, named};
use domain::ports::{FetchError, chain};
use serde_json::json;
use std::error::Error;
use std::io;
use std::net::TcpListener;
use testkit::source::{Behavior, Source};
use url::Url;

#[tokio::test]
async fn an_answer_that_breaks_off_is_broken() {
    let source = Source::start().await;
    let damaged = Behavior::Status {
        code: 200,
        headers: vec![("content-encoding".to_owned(), "gzip".to_owned())],
        body: "this is not packed".into(),
    };
    for behavior in [Behavior::CloseAtOnce, Behavior::HalfAnswer, damaged] {
        source.reply(behavior.clone());
        let error = fetch_trusted(&client(&[]), &source.url_at("/?key=s3cret")).await.unwrap_err();
        assert!(
            matches!(&error, FetchError::Broken { host, .. } if host == "127.0.0.1"),
            "{behavior:?} {error:?}"
        );
        assert!(error.source().is_some(), "{behavior:?}");
        assert!(!chain(&error).contains("s3cret") && !format!("{error:?}").contains("s3cret"));
    }
}

#[tokio::test]
async fn a_closed_port_is_no_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = Url::parse(&format!("http://{}/?key=s3cret", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let error = fetch_trusted(&client(&[]), &url).await.unwrap_err();
    assert!(
        matches!(&error, FetchError::Connect { host, reason, .. }
            if host == "127.0.0.1" && reason == "connection refused"),
        "{error:?}"
    );
    let mut cause = error.source();
    let refused = loop {
        let Some(link) = cause else { panic!("{error:?}") };
        match link.downcast_ref::<io::Error>() {
            Some(refused) => break refused.kind(),
            None => cause = link.source(),
        }
    };
    assert_eq!(refused, io::ErrorKind::ConnectionRefused);
    let line = chain(&error);
    assert!(line.starts_with("no connection to 127.0.0.1: connection refused: "), "{line}");
    assert!(!line.contains("s3cret") && !format!("{error:?}").contains("s3cret"), "{line}");
}

#[tokio::test]
async fn a_name_without_address_is_unknown() {
    let url = Url::parse("http://nowhere.test/?key=s3cret").unwrap();
    let empty: &[&str] = &[];
    for lookup in [Scripted::new(&[]), Scripted::new(&[empty])] {
        let error = fetch_untrusted(&lookup.client(&[]), &url).await.unwrap_err();
        assert_eq!(error, FetchError::UnknownHost { host: "nowhere.test".to_owned() });
    }
}

#[tokio::test]
async fn a_plain_source_gives_no_secure_connection() {
    let source = Source::start().await;
    source.reply(Behavior::status(200));
    let mut url = source.url();
    url.set_scheme("https").unwrap();
    let error = fetch_trusted(&client(&[]), &url).await.unwrap_err();
    assert!(matches!(&error, FetchError::Tls { host, .. } if host == "127.0.0.1"), "{error:?}");
    assert!(source.requests().is_empty());
}

#[tokio::test]
async fn answers_come_whole_over_one_connection() {
    let source = Source::start().await;
    source.reply(Behavior::Json(json!({"total": 1})));
    let client = client(&[]);
    for _ in 0..3 {
        let answer = fetch_trusted(&client, &source.url_at("/search?q=a+b")).await.unwrap();
        assert_eq!((answer.status, &answer.body[..]), (200, &b"{\"total\":1}"[..]));
        assert_eq!(answer.header("Content-Type"), Some("application/json"));
    }
    assert_eq!(source.connections(), 1);
    let seen = source.requests().remove(0);
    assert_eq!(seen.header("user-agent"), Some(format!("Tributary/{}", domain::VERSION).as_str()));
    assert_eq!((seen.header("cookie"), seen.header("referer")), (None, None));
    assert_eq!(seen.query_value("q"), Some("a b"));
}

#[tokio::test]
async fn cookies_are_not_kept() {
    let source = Source::start().await;
    source.reply(Behavior::Status {
        code: 200,
        headers: vec![("set-cookie".to_owned(), "a=b; Path=/".to_owned())],
        body: "".into(),
    });
    let lookup = Scripted::new(&[&["127.0.0.1"]]);
    let client = lookup.client(&["allowed.test"]);
    for _ in 0..2 {
        fetch_untrusted(&client, &named(&source.url(), "allowed.test")).await.unwrap();
    }
    assert_eq!(source.requests()[1].header("cookie"), None);
}
