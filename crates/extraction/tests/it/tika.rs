//! Tika as an option: it is used only for formats that the built-in readers cannot read.

use crate::samples::{docx, file};
use domain::ports::{ExtractError, ExtractText, FileToRead};
use extraction::{Extraction, Limits, WithTika};
use fakes::tika::Tika;
use outbound::{ClientLimits, GuardedClient};
use std::sync::Arc;
use std::time::Duration;
use testkit::source::{Behavior, Source};

fn client() -> Arc<GuardedClient> {
    let limits = ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(5),
        body_bytes_max: 1_000_000,
        redirects_max: 2,
        allow: Vec::new(),
    };
    Arc::new(GuardedClient::new(limits).expect("a client"))
}

fn with_tika(address: &str, limits: Limits) -> WithTika {
    let own = Arc::new(Extraction::start(limits.clone()).expect("threads"));
    WithTika::new(own, client(), address, limits).expect("an address")
}

#[tokio::test]
async fn only_what_is_not_known_goes_there() {
    let tika = Tika::start().await;
    let reader = with_tika(&tika.listener.url, Limits::default());
    assert!(reader.extract(file("a.docx", docx())).await.is_ok());
    assert!(reader.extract(file("a.txt", "words")).await.is_ok());
    assert_eq!(tika.seen(), []);

    let old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0Rivers rose in spring\0\0".to_vec();
    let found = reader.extract(file("old.doc", old.clone())).await.expect("a text");
    assert_eq!((found.text.as_str(), found.is_cut), ("Rivers rose in spring", false));
    let told = FileToRead {
        media_type: Some("application/rtf".to_owned()),
        ..file("ü.rtf", "{\\rtf1 Snow melts}")
    };
    assert_eq!(reader.extract(told).await.expect("a text").text, "rtf1 Snow melts");
    let named = Some("attachment; filename=\"old.doc\"".to_owned());
    assert_eq!(tika.seen(), [(None, named), (Some("application/rtf".to_owned()), None)]);

    let table = [
        ("a.png", b"\x89PNG\0".to_vec(), Ok(String::new())),
        ("a.bin", b"\0\x01\x02".to_vec(), Err(ExtractError::Unsupported("a.bin".to_owned()))),
        (
            "a.doc",
            [&old[..], b"encrypted"].concat(),
            Err(ExtractError::Damaged("its reader failed, or it is protected".to_owned())),
        ),
    ];
    for (name, bytes, expected) in table {
        let found = reader.extract(file(name, bytes)).await.map(|read| read.text);
        match (&found, &expected) {
            // The description of a format does not matter here.
            (Err(ExtractError::Unsupported(_)), Err(ExtractError::Unsupported(_))) => {}
            _ => assert_eq!(found, expected, "{name}"),
        }
    }
    let short = with_tika(&tika.listener.url, Limits { output_chars: 6, ..Limits::default() });
    let found = short.extract(file("old.doc", old)).await.expect("a text");
    assert_eq!((found.text.as_str(), found.is_cut), ("Rivers", true));
}

#[tokio::test]
async fn a_server_that_does_not_work_is_told() {
    let source = Source::start().await;
    let reader = with_tika(source.url().as_str(), Limits::default());
    let old = || file("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec());
    let table = [
        (Behavior::status(500), "it answered with the status 500"),
        (Behavior::CloseAtOnce, "no connection|broke off"),
        (Behavior::redirect("http://127.0.0.1:1/", 307), "not allowed"),
    ];
    for (behavior, expected) in table {
        source.reply(behavior);
        let error = reader.extract(old()).await.expect_err("no text");
        let text = error.to_string();
        assert!(matches!(error, ExtractError::Service(_)), "{text}");
        assert!(expected.split('|').any(|part| text.contains(part)), "{text}");
    }
    source.reply(Behavior::Huge { bytes: 2_000_000 });
    assert_eq!(reader.extract(old()).await, Err(ExtractError::TooLarge(1_000_000)));
    assert_eq!(source.requests().first().map(|request| request.path.clone()).as_deref(), Some("/tika"));
}

#[test]
fn names_and_addresses() {
    let own = Arc::new(Extraction::start(Limits::default()).expect("threads"));
    let reader = |address: &str| WithTika::new(own.clone(), client(), address, Limits::default());
    for address in ["", "tika", "ftp://a.example/", "http://a.example/?x=1", "http://a.example/#x"] {
        assert!(reader(address).is_err(), "{address}");
    }
    let reader = reader("http://a.example/prefix/").expect("an address");
    for (name, expected) in
        [("a.DOC", true), ("a.docx", true), ("a.rtf", true), ("a.exe", false), ("doc", false)]
    {
        assert_eq!(reader.knows(name), expected, "{name}");
    }
}
