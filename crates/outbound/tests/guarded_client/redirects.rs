//! Every hop is checked, and secrets are only sent to the origin.

use crate::{REDIRECTS_MAX, Scripted, client, fetch_trusted, named, request};
use bytes::Bytes;
use domain::ports::{ByteOrigin, Fetch, FetchError, HttpMethod};
use domain::secret::Secret;
use testkit::source::{Behavior, Source};

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused() {
    let (home, inside) = (Source::start().await, Source::start().await);
    inside.reply(Behavior::text("text/plain", "inside"));
    let port = inside.address().port();
    let places = [
        (inside.url().to_string(), format!("127.0.0.1:{port}")),
        (format!("http://2130706433:{port}/"), format!("127.0.0.1:{port}")),
        (format!("//[::ffff:127.0.0.1]:{port}/"), format!("[::ffff:7f00:1]:{port}")),
        (format!("http://localhost:{port}/"), format!("localhost:{port}")),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), "169.254.169.254:80".to_owned()),
        ("http://metadata.google.internal/".to_owned(), "metadata.google.internal:80".to_owned()),
    ];
    for (to, place) in places {
        home.reply(Behavior::redirect(to.clone(), 302));
        let refusal = fetch_trusted(&client(&[]), &home.url()).await.unwrap_err();
        assert_eq!(refusal, FetchError::Refused { place }, "{to}");
    }
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_redirect_to_another_scheme_is_refused() {
    let home = Source::start().await;
    for to in ["file:///etc/hostname", "http://user@example.com/"] {
        home.reply(Behavior::redirect(to, 302));
        let refusal = fetch_trusted(&client(&[]), &home.url()).await.unwrap_err();
        assert!(matches!(refusal, FetchError::Broken { .. }), "{refusal:?}");
    }
}

#[tokio::test]
async fn redirects_are_counted() {
    let source = Source::start().await;
    let mut turns = vec![Behavior::redirect("/again", 302); REDIRECTS_MAX];
    turns.push(Behavior::text("text/plain", "arrived"));
    source.reply(Behavior::Sequence(turns));
    let answer = fetch_trusted(&client(&[]), &source.url()).await.unwrap();
    assert_eq!((&answer.body[..], source.requests().len()), (&b"arrived"[..], REDIRECTS_MAX + 1));

    source.reply(Behavior::redirect("/again", 302));
    let error = fetch_trusted(&client(&[]), &source.url()).await.unwrap_err();
    assert_eq!(error, FetchError::Redirects { host: "127.0.0.1".to_owned(), max: REDIRECTS_MAX });
    assert_eq!(source.requests().len(), 2 * (REDIRECTS_MAX + 1));
}

#[tokio::test]
async fn a_redirect_without_a_place_is_an_answer() {
    let source = Source::start().await;
    for code in [302, 304] {
        source.reply(Behavior::status(code));
        assert_eq!(fetch_trusted(&client(&[]), &source.url()).await.unwrap().status, code);
    }
}

#[tokio::test]
async fn the_status_decides_over_method_and_body() {
    let cases = [
        (301, "GET", "", None),
        (302, "GET", "", None),
        (303, "GET", "", None),
        (307, "POST", "words", Some("text/plain")),
        (308, "POST", "words", Some("text/plain")),
    ];
    for (code, method, body, content_type) in cases {
        let source = Source::start().await;
        source.reply_at("/start", Behavior::redirect("/end", code));
        source.reply_at("/end", Behavior::status(204));
        let mut request = request(&source.url_at("/start"), true);
        request.method = HttpMethod::Post;
        request.headers = vec![("Content-Type".to_owned(), "text/plain".to_owned())];
        request.body = Some(Bytes::from_static(b"words"));
        assert_eq!(client(&[]).fetch(&request).await.unwrap().status, 204);
        let last = source.requests().pop().unwrap();
        assert_eq!((last.method.as_str(), &last.body[..]), (method, body.as_bytes()), "{code}");
        assert_eq!(last.header("content-type"), content_type, "{code}");
    }
}

#[tokio::test]
async fn secret_headers_go_to_the_origin_alone() {
    let (home, other) = (Source::start().await, Source::start().await);
    home.reply_at("/start", Behavior::redirect("/next", 302));
    home.reply_at("/next", Behavior::redirect(other.url().as_str(), 302));
    other.reply(Behavior::redirect(home.url_at("/back").as_str(), 302));
    home.reply_at("/back", Behavior::text("text/plain", "arrived"));
    let mut request = request(&home.url_at("/start"), true);
    request.headers = vec![("Accept".to_owned(), "text/plain".to_owned())];
    request.secret_headers = vec![("Authorization".to_owned(), Secret::new("Bearer s3cret"))];
    let client = client(&[&other.address().to_string()]);
    assert_eq!(&client.fetch(&request).await.unwrap().body[..], b"arrived");

    let sent: Vec<(String, Option<String>)> = home
        .requests()
        .into_iter()
        .map(|seen| (seen.path.clone(), seen.header("authorization").map(str::to_owned)))
        .collect();
    let secret = Some("Bearer s3cret".to_owned());
    let expected = [("/start", secret.clone()), ("/next", secret), ("/back", None)];
    assert_eq!(sent, expected.map(|(path, header)| (path.to_owned(), header)));
    assert_eq!(other.requests()[0].header("authorization"), None);
    assert_eq!(other.requests()[0].header("accept"), Some("text/plain"));
}

#[tokio::test]
async fn another_name_of_the_same_place_is_another_origin() {
    let source = Source::start().await;
    source.reply_at("/start", Behavior::redirect(named(&source.url_at("/end"), "allowed.test"), 302));
    source.reply_at("/end", Behavior::status(204));
    let mut request = request(&source.url_at("/start"), true);
    request.secret_headers = vec![("X-Key".to_owned(), Secret::new("s3cret"))];
    let lookup = Scripted::new(&[&["127.0.0.1"]]);
    assert_eq!(lookup.client(&["allowed.test"]).fetch(&request).await.unwrap().status, 204);
    let keys: Vec<Option<String>> =
        source.requests().iter().map(|seen| seen.header("x-key").map(str::to_owned)).collect();
    assert_eq!(keys, [Some("s3cret".to_owned()), None]);
}

/// A lookalike host name gets no credentials, whatever its address.
#[tokio::test]
async fn look_alikes_get_no_credentials() {
    let source = Source::start().await;
    let port = source.address().port();
    for place in [
        "http://evilsharepoint.com:{port}/end",
        "http://sharepoint.com.evil.test:{port}/end",
        "http://a.sharepoint.com.evil.test:{port}/end",
        "http://sharepoint.com@evil.test:{port}/end",
        "http://sharepoint.com%2eevil.test:{port}/end",
        "http://sharepoint.com.:{port}/end",
        "http://a.sharepoint.com:{port}/end",
        "http://sharepoint.co:{port}/end",
        "http://xn--sharepont-37a.com:{port}/end",
        "//evilsharepoint.com:{port}/end",
    ] {
        let place = place.replace("{port}", &port.to_string());
        for code in [301, 302, 303, 307, 308] {
            source.reply_at("/start", Behavior::redirect(place.clone(), code));
            source.reply_at("/end", Behavior::status(204));
            let mut request = request(&named(&source.url_at("/start"), "sharepoint.com"), true);
            request.headers = vec![("Cookie".to_owned(), "canary".to_owned())];
            request.secret_headers = vec![("Authorization".to_owned(), Secret::new("Bearer canary"))];
            let lookup = Scripted::new(&[&["127.0.0.1"], &["127.0.0.1"]]);
            let before = source.requests().len();
            // All these addresses may be reached; the test is about what is sent.
            let _a_place_that_is_refused_gets_nothing = lookup.client(&["127.0.0.0/8"]).fetch(&request).await;
            let seen = &source.requests()[before..];
            assert_eq!(seen[0].header("authorization"), Some("Bearer canary"), "{place}");
            for later in &seen[1..] {
                let sent = format!("{later:?}");
                assert!(!sent.contains("canary"), "{place} by {code}: {sent}");
            }
        }
    }
    let reached = source.requests().iter().filter(|seen| seen.path == "/end").count();
    assert!(reached >= 20, "most of them were reached: {reached}");
}

#[tokio::test]
async fn an_answer_tells_whether_it_came_from_its_own_origin() {
    let (home, other) = (Source::start().await, Source::start().await);
    home.reply_at("/here", Behavior::text("text/plain", "here"));
    home.reply_at("/within", Behavior::redirect("/here", 302));
    home.reply_at("/away", Behavior::redirect(other.url_at("/there").to_string(), 302));
    home.reply_at("/and-back", Behavior::redirect(other.url_at("/back").to_string(), 302));
    other.reply_at("/there", Behavior::text("text/plain", "there"));
    other.reply_at("/back", Behavior::redirect(home.url_at("/here").to_string(), 302));
    let allow = [home.address().to_string(), other.address().to_string()];
    let client = client(&allow.each_ref().map(String::as_str));
    let table = [
        ("/here", ByteOrigin::Own),
        ("/within", ByteOrigin::Own),
        ("/away", ByteOrigin::Other),
        ("/and-back", ByteOrigin::Other),
    ];
    for (path, expected) in table {
        let (answer, origin) = client.fetch_with_origin(&request(&home.url_at(path), true)).await.unwrap();
        assert_eq!((answer.status, origin), (200, expected), "{path}");
    }
}
