//! Alerts of subscribed searches by mail.

use crate::app_harness::{ADMIN_PASSWORD, AppHarness, Client, eventually, items};
use crate::browser::Browser;
use domain::secret::Secret;
use domain::settings::{Seconds, Settings};
use fakes::smtp::{PASSWORD, Reply, SmtpServer, Step, USER};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::source::{Behavior, Source};

/// The service with mail, and what else `change` sets.
async fn app(server: &SmtpServer, change: impl FnOnce(Settings) -> Settings) -> AppHarness {
    AppHarness::with(|settings| {
        change(Settings {
            subscribe_every: Seconds::new(1),
            alert_mail_url: format!("smtp://{}", server.address),
            alert_mail_from: "Find <find@a.example>".to_owned(),
            public_url: "https://find.example/".to_owned(),
            ..settings
        })
    })
    .await
}

/// A source that finds two more rivers with each update, until there are three.
async fn rivers() -> Source {
    let source = Source::start().await;
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(items("river", 1)),
        Behavior::Json(items("river", 3)),
    ]));
    source
}

async fn subscribe(client: &Client, query: &str) -> Value {
    let search = client.search(&json!({"query_string": query, "tags": ["alert"]})).await;
    let path = format!("/svc/search/{}/", search["id"]);
    assert_eq!(client.patch(&path, &json!({"subscribe": true})).await.status, 200);
    search["id"].clone()
}

async fn set_address(client: &Client, address: &str) {
    assert_eq!(client.patch("/svc/users/me/", &json!({"email": address})).await.status, 200);
}

/// Waits for two more updates, so that an alert that is sent again would have been.
async fn more_updates(source: &Source) {
    let asked = source.requests().len();
    eventually("more updates", async || source.requests().len() >= asked + 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_results_are_sent_to_the_owner_of_the_search() {
    let (source, server) = (rivers().await, SmtpServer::with_sign_in().await);
    let url = format!("smtp://{}@{}", USER.replace('@', "%40"), server.address);
    let app = app(&server, |settings| Settings {
        alert_mail_url: url,
        alert_mail_password: Secret::new(PASSWORD),
        ..settings
    })
    .await;
    app.provider("Rivers", &source).await;
    let ann = app.user("ann", &[]).await;
    set_address(&ann, "ann@b.example").await;
    // The first attempts fail for now.
    server.reply_at(Step::Recipient, [Reply::Line("450 4.2.0 Greylisted"), Reply::HangUp]);
    let id = subscribe(&ann, "river bank").await;

    eventually("a mail", async || !server.mails().is_empty()).await;
    more_updates(&source).await;
    let mails = server.mails();
    assert_eq!((mails.len(), server.connections()), (1, 3));
    let mail = &mails[0];
    assert_eq!(mail.recipients, ["ann@b.example"]);
    assert_eq!((mail.sender.as_str(), mail.user.as_deref()), ("find@a.example", Some(USER)));
    assert_eq!(mail.subject(), "2 new results: river bank");
    assert_eq!(mail.header("Message-ID").unwrap(), format!("<alert-{id}-2@a.example>"));
    let text = mail.text();
    assert!(text.contains(&format!("https://find.example/?search_id={id}&new=true\n")), "{text}");
    assert!(text.contains("\n1. ") && text.contains("   Rivers\n   http"), "{text}");
    assert!(text.contains("in the account \"ann\""), "{text}");
    let shown = app.admin.get("/svc/settings/").await.body.to_string();
    assert!(shown.contains("SVC_ALERT_MAIL_PASSWORD") && !shown.contains(PASSWORD), "{shown}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_mail_is_not_sent_again() {
    for (step, reply) in [
        (Step::Sender, "553 5.7.1 Sender address rejected"),
        (Step::Recipient, "550 5.1.1 No such user"),
        (Step::Message, "554 5.7.1 Spam"),
    ] {
        let (source, server) = (rivers().await, SmtpServer::start().await);
        let app = app(&server, |settings| settings).await;
        app.provider("Rivers", &source).await;
        set_address(&app.admin, "admin@b.example").await;
        server.reply_at(step, [Reply::Line(reply)]);
        subscribe(&app.admin, "river").await;
        eventually("an attempt", async || server.connections() > 0).await;
        more_updates(&source).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!((server.connections(), server.mails().len()), (1, 0), "{step:?}");
        app.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_way_of_an_alert_is_tried_for_itself() {
    let (source, server, receiver) = (rivers().await, SmtpServer::start().await, Source::start().await);
    receiver.reply(Behavior::Sequence(vec![
        Behavior::status(503),
        Behavior::status(503),
        Behavior::Json(json!({})),
    ]));
    let url = receiver.url();
    let app = app(&server, |settings| Settings {
        alert_webhook_url: Secret::new(url.as_str()),
        alert_webhook_secret: Secret::new("key"),
        ..settings
    })
    .await;
    app.provider("Rivers", &source).await;
    set_address(&app.admin, "admin@b.example").await;
    subscribe(&app.admin, "river").await;
    eventually("both", async || receiver.requests().len() >= 3 && !server.mails().is_empty()).await;
    more_updates(&source).await;
    assert_eq!((receiver.requests().len(), server.connections()), (3, 1), "the mail is sent once");

    // The other way round, with a new result.
    source.reply(Behavior::Json(items("river", 4)));
    server.reply_at(Step::Greeting, [Reply::Line("421 4.3.2 Later"), Reply::HangUp]);
    eventually("both again", async || receiver.requests().len() >= 4 && server.mails().len() >= 2).await;
    more_updates(&source).await;
    assert_eq!((receiver.requests().len(), server.connections()), (4, 4), "the request is sent once");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_sources_write_neither_headers_nor_lines() {
    let (source, server) = (Source::start().await, SmtpServer::start().await);
    let item = |title: &str, url: &str| json!({"title": title, "body": "river", "url": url, "date": ""});
    let hostile = "River\r\nBcc: eve@c.example\r\n.\r\n\u{202e}level\u{2028}<b>x</b>\u{85}";
    source.reply(Behavior::Sequence(vec![
        Behavior::Json(items("river", 1)),
        Behavior::Json(json!({"total": 2, "items": [
            item(hostile, "https://a.example/1"),
            item("River script", "javascript:alert(1)"),
            item("River bank", "https://bank.example@evil.example/"),
        ]})),
    ]));
    let app = app(&server, |settings| settings).await;
    app.provider("Rivers", &source).await;
    set_address(&app.admin, "admin@b.example").await;
    subscribe(&app.admin, "river\u{202e} Bcc: eve@c.example").await;
    eventually("a mail", async || !server.mails().is_empty()).await;
    let mail = &server.mails()[0];
    assert_eq!(mail.recipients, ["admin@b.example"]);
    assert_eq!(mail.header("Bcc"), None);
    assert!(mail.subject().contains("new results: river Bcc: eve@c.example"), "{}", mail.subject());
    let text = mail.text();
    assert!(text.lines().any(|line| line.contains("River Bcc: eve@c.example . level x")), "{text}");
    for part in ["javascript", "evil.example", "\u{202e}", "<b>"] {
        assert!(!text.contains(part), "{part:?} in {text}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_without_an_address_gets_no_mail_and_is_told() {
    let (source, server) = (rivers().await, SmtpServer::start().await);
    // Sessions of a service behind https have other cookies.
    let app = app(&server, |settings| Settings { public_url: String::new(), ..settings }).await;
    app.provider("Rivers", &source).await;
    let id = subscribe(&app.admin, "river").await;
    let path = format!("/svc/search/{id}/");
    let updated = async || app.admin.get(&path).await.body["status"] == "FULL_UPDATE_READY";
    eventually("an update", updated).await;
    more_updates(&source).await;
    assert_eq!(server.connections(), 0);
    let page = format!("/?search_id={id}");
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let before = browser.get(&page).await.body.to_string();
    assert!(before.contains(" data-alerts ") && before.contains(" data-needs-mail-address "), "{before}");
    set_address(&app.admin, "admin@b.example").await;
    let after = browser.get(&page).await.body.to_string();
    assert!(after.contains(" data-alerts ") && !after.contains("data-needs-mail-address"), "{after}");
    app.stop().await;
}

#[tokio::test]
async fn a_sender_that_is_no_address_is_named_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        data_dir: folder.path().display().to_string(),
        alert_mail_url: "smtp://localhost".to_owned(),
        alert_mail_from: "Find".to_owned(),
        ..Settings::default()
    };
    let error =
        tributary::app::App::build(settings, tributary::app::FileReaders::Threads).await.err().unwrap();
    assert!(format!("{error:#}").contains("SVC_ALERT_MAIL_FROM must be a mail address"), "{error:#}");
}

#[test]
fn the_document_has_the_limits_of_alerts_by_mail() {
    let text = include_str!("../../../../docs/search.md");
    assert!(text.contains(&format!("more than {} seconds", outbound::MAIL_TIME_MAX.as_secs())));
}
