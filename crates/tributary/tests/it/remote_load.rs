//! `tributary load-providers --url`: loads providers into a running service, as an administrator.

use crate::app_harness::{ADMIN_PASSWORD, AppHarness};
use crate::program::{Running, program, text};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use testkit::certificate::TestCertificate;
use testkit::source::{Behavior, Source};

const PASSWORD: (&str, &str) = ("TRIBUTARY_PASSWORD", ADMIN_PASSWORD);

/// Runs `load-providers FILE --url BASE` in `folder`; `sources.json` has these records.
fn load(folder: &Path, base: &str, records: &Value, more: &[&str], variables: &[(&str, &str)]) -> Output {
    std::fs::write(folder.join("sources.json"), records.to_string()).unwrap();
    let mut arguments = vec!["load-providers", "sources.json", "--url", base];
    arguments.extend(more);
    tokio::task::block_in_place(|| {
        program(folder, &arguments).envs(variables.iter().copied()).output().unwrap()
    })
}

fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

fn record(name: &str) -> Value {
    json!({"name": name, "url": "https://a.example/", "credentials": "key=planted-1"})
}

async fn names(app: &AppHarness) -> Vec<String> {
    let list = app.admin.get("/svc/searchproviders/").await.body;
    let names = list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned());
    names.filter(|name| name.starts_with("New ")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn records_are_added_kept_replaced_and_rejected_one_by_one() {
    let app = AppHarness::start().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("password.txt"), format!("{ADMIN_PASSWORD}\n")).unwrap();
    let by_file = &["--password-file", "password.txt"][..];
    let unknown = json!({"name": "New B", "url": "https://b.example/", "connector": "RequestGet"});
    let half_bad = json!([record("New A"), unknown, record("New C")]);

    let first = load(folder.path(), &app.base, &half_bad, by_file, &[]);
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    assert_eq!(text(&first.stdout).trim(), "2 added, 0 replaced, 0 already present, 1 failed");
    let report = text(&first.stderr);
    for line in ["added New A", "sources.json, record 2 (New B): connector: ", "'RequestsGet'", "added New C"]
    {
        assert!(report.contains(line), "{line}: {report}");
    }
    assert_eq!(names(&app).await, ["New A", "New C"]);

    let again = load(folder.path(), &app.base, &json!([record("New A"), record("New D")]), by_file, &[]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert_eq!(text(&again.stdout).trim(), "1 added, 0 replaced, 1 already present, 0 failed");

    let mut changed = record("new a");
    changed["description"] = "changed".into();
    changed["credentials"] = "key=••••".into();
    let replaced = load(folder.path(), &app.base, &changed, &[by_file, &["--replace"]].concat(), &[]);
    assert_eq!(replaced.status.code(), Some(0), "{replaced:?}");
    assert_eq!(text(&replaced.stdout).trim(), "0 added, 1 replaced, 0 already present, 0 failed");
    let list = app.admin.get("/svc/searchproviders/?text=New%20A").await.body;
    assert_eq!((&list[0]["description"], &list[0]["credentials"]), (&json!("changed"), &json!("key=••••")));
    for output in [first, again, replaced] {
        assert!(!said(&output).contains("planted") && !said(&output).contains(ADMIN_PASSWORD));
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_come_from_options_or_the_environment() {
    let app = AppHarness::start().await;
    let made = app.admin.post("/svc/tokens/", &json!({"label": "loader"})).await;
    let token = made.body["token"].as_str().unwrap().to_owned();
    app.user("anna", &[]).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wrong.txt"), "wrong").unwrap();
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], Option<&'a str>);
    let table: [Case<'_>; 8] = [
        (&[], &[PASSWORD], None),
        (&["--token", &token], &[], None),
        (&[], &[("TRIBUTARY_TOKEN", &token), ("TRIBUTARY_PASSWORD", "wrong")], None),
        (&[], &[], Some("no password; use --password-file, TRIBUTARY_PASSWORD or TRIBUTARY_TOKEN")),
        (&[], &[("TRIBUTARY_PASSWORD", "wrong")], Some("refused the user name, the password or the token")),
        (&["--password-file", "wrong.txt"], &[PASSWORD], Some("refused the user name")),
        (
            &["--user", "anna"],
            &[("TRIBUTARY_PASSWORD", "password of anna")],
            Some("'anna' is not an administrator"),
        ),
        (&["--token", "trb_wrong"], &[PASSWORD], Some("refused the user name")),
    ];
    for (place, (more, variables, refused)) in table.into_iter().enumerate() {
        let records = json!([record(&format!("New {place}"))]);
        let output = load(folder.path(), &app.base, &records, more, variables);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(refused.is_some().into()), "{place}: {said}");
        assert!(said.contains(refused.unwrap_or("1 added")), "{place}: {said}");
        for secret in [ADMIN_PASSWORD, &token, "password of anna", "planted"] {
            assert!(!said.contains(secret), "{place}: {said}");
        }
    }
    assert_eq!(names(&app).await, ["New 0", "New 1", "New 2"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_if_a_record_is_invalid() {
    let service = Source::start().await;
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("broken.json"), "{").unwrap();
    let bad = json!([record("A"), {"name": "B", "active": "yes"}, record("A"), "text"]);
    for (more, count) in [(&[][..], 3), (&["broken.json"], 4), (&["none.json"], 4)] {
        let output = load(here, service.url().as_str(), &bad, more, &[PASSWORD]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(
            text(&output.stdout).contains(&format!("0 added, 0 replaced, 0 already present, {count} failed"))
        );
        let report = text(&output.stderr);
        for line in ["record 2: active: ", "record 3 (A): ", "record 4: body: ", "Nothing was sent."] {
            assert!(report.contains(line), "{line}: {report}");
        }
    }
    for url in ["ftp://127.0.0.1/", "http://admin:hunter2@127.0.0.1/", "http://127.0.0.1/?a=b"] {
        let output = load(here, url, &record("A"), &[], &[PASSWORD]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(said(&output).contains("--url") && !said(&output).contains("hunter2"), "{output:?}");
    }
    for arguments in [&["--token", "t"][..], &["--password-file", "p"], &["--ca-file", "c"]] {
        let mut without_url = vec!["load-providers", "sources.json"];
        without_url.extend(arguments);
        let output = program(here, &without_url).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
    assert_eq!(service.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_not_the_service_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let load = |base: &str| load(folder.path(), base, &json!([record("A"), record("B")]), &[], &[PASSWORD]);
    let unreachable = load("http://127.0.0.1:1");
    assert_eq!(unreachable.status.code(), Some(1), "{unreachable:?}");
    assert!(said(&unreachable).contains("no connection to 127.0.0.1"), "{unreachable:?}");

    let other = Source::start().await;
    let base = other.url_at("/").to_string();
    for (behavior, why) in [
        (Behavior::text("text/html", "<html>"), "does not answer like this service"),
        (Behavior::redirect("http://127.0.0.1:1/", 302), "redirected more than 0 times"),
        (Behavior::status(429), "returned 429"),
    ] {
        other.reply_at("/svc/users/me/", behavior);
        let output = load(&base);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(said(&output).contains(why), "{why}: {output:?}");
    }
    other.reply_at("/svc/users/me/", Behavior::Json(json!({"username": "admin", "is_admin": true})));
    let list = json!({"count": 0, "next": null, "previous": null, "results": []});
    other.reply_at("/svc/searchproviders/", Behavior::Json(list));
    // The same path answers the POST, with a status that no creation has.
    let stopped = load(&base);
    assert_eq!(stopped.status.code(), Some(1), "{stopped:?}");
    let why = "sources.json, record 1: stopped with 2 of 2 records not sent: ";
    assert!(said(&stopped).contains(why) && said(&stopped).contains("returned 200"), "{stopped:?}");
    assert!(text(&stopped.stdout).starts_with("0 added"), "{stopped:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    TestCertificate::new("own").write(folder.path());
    let mut command = program(folder.path(), &["serve", "--port", "0"]);
    command.envs([("SVC_TLS_CERT_FILE", "cert.pem"), ("SVC_TLS_KEY_FILE", "key.pem")]);
    command.env("SVC_ADMIN_PASSWORD", ADMIN_PASSWORD);
    let running = tokio::task::block_in_place(|| Running::start(command));
    let records = json!([record("New A")]);
    let trusted = load(folder.path(), &running.base, &records, &["--ca-file", "cert.pem"], &[PASSWORD]);
    assert_eq!(trusted.status.code(), Some(0), "{trusted:?}");
    assert!(text(&trusted.stdout).starts_with("1 added"), "{trusted:?}");
    let unknown = load(folder.path(), &running.base, &records, &[], &[PASSWORD]);
    assert_eq!(unknown.status.code(), Some(1), "{unknown:?}");
    assert!(said(&unknown).contains("no secure connection"), "{unknown:?}");
    assert_eq!(running.terminate(), Some(0));
}
