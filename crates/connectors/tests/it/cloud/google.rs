//! Google Workspace connectors.

use super::{kind, refused, spec, subject, subject_of, tells_refusals, title};
use crate::fixture::{Script, answer, provider, query};
use domain::ports::{ConnectorErrorKind, RequestDescription};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::Sort;
use domain::secret::Secret;
use fakes::google::Google;
use serde_json::{Value, json};
use testkit::suites::connector::Literal;

#[tokio::test]
async fn drive_keeps_the_contract() {
    let google = Google::start().await;
    let mut subject = subject("GoogleDrive", &google.listener.url, Literal::Words(title));
    subject.date = None;
    subject.check().await;
    tells_refusals(&subject, &google.state).await;
    let page = subject.ask("river", Sort::Date, 100).await.expect("no order is asked for");
    assert!(page.items.len() > 30 && page.items.iter().all(|item| item["title"] != "river folder"));
}

#[tokio::test]
async fn gmail_keeps_the_contract() {
    let google = Google::start().await;
    let subject = subject("Gmail", &google.listener.url, Literal::Words(title));
    subject.check().await;
    tells_refusals(&subject, &google.state).await;
    subject.ask("river", Sort::Relevancy, 40).await.expect("an answer");
    let most = google.state.lock().most_open;
    assert!((2..=8).contains(&most), "{most} at once");
}

#[tokio::test]
async fn calendar_keeps_the_contract() {
    let google = Google::start().await;
    let subject =
        subject("GoogleCalendar", &google.listener.url, Literal::Seen(Box::new(google.state.seen())));
    subject.check().await;
    tells_refusals(&subject, &google.state).await;
}

/// The clock of these tests is at March 5, 2024.
#[tokio::test]
async fn a_calendar_has_a_window_and_the_nearest_first() {
    let google = Google::start().await;
    let subject = subject("GoogleCalendar", &google.listener.url, Literal::Found(title));
    let page = subject.ask("river", Sort::Relevancy, 25).await.expect("an answer");
    let days: Vec<i64> = page.items.iter().map(|item| days_away(&item["date_published"])).collect();
    assert!(days.is_sorted(), "{days:?}");
    for (back, found) in [(0, false), (60, true)] {
        let config = json!({"swirl": {"google_calendar": {"calendar_lookback_days": back, "calendar_lookahead_days": 0}}});
        let spec = ProviderSpec {
            config: serde_json::from_value(config).expect("an object"),
            ..subject.spec.clone()
        };
        let page = subject_of(&subject, spec).ask("river", Sort::Date, 100).await.expect("an answer");
        assert_eq!(!page.items.is_empty(), found, "{back} days back");
        assert!(page.items.len() < 35, "{back} days back");
    }
}

fn days_away(date: &Value) -> i64 {
    let time = |text: &str| text.parse::<domain::instant::Instant>().expect("a time");
    (time(date.as_str().expect("a date")) - time("2024-03-05T10:00:00Z")).num_hours().abs()
}

#[test]
fn days_are_checked() {
    for days in [json!("many"), json!(-1), json!(3651), json!(1.5)] {
        let config = json!({"swirl": {"google_calendar": {"calendar_lookback_days": days}}});
        let spec = ProviderSpec {
            config: serde_json::from_value(config).expect("an object"),
            ..spec("GoogleCalendar")
        };
        let errors = spec.check();
        assert!(errors.to_string().contains("calendar_lookback_days"), "{errors}");
    }
}

/// Google answers 403 to rate limiting.
#[tokio::test]
async fn a_quota_is_no_missing_permission() {
    let google = Google::start().await;
    for connector in ["GoogleDrive", "Gmail", "GoogleCalendar"] {
        let subject = subject(connector, &google.listener.url, Literal::Found(title));
        google.state.refuse(403, None);
        assert_eq!(refused(&subject).await.kind, ConnectorErrorKind::RateLimited, "{connector}");
    }
}

#[tokio::test]
async fn words_are_never_operators() {
    let google = Google::start().await;
    for connector in ["GoogleDrive", "Gmail"] {
        let subject = subject(connector, &google.listener.url, Literal::Found(title));
        let table = [
            ("subject:x river", "subject:x river"),
            ("{river snow}", "{river snow}"),
            ("it's AROUND river", "it's AROUND river"),
            ("river or snow", "river or snow"),
            // Operators of the query are no words, and a source that cannot negate is asked without what is excluded.
            ("river OR snow", "river snow"),
            ("river -3", "river"),
            ("\"river bed\" (snow OR ice)", "river bed snow ice"),
        ];
        for (text, seen) in table {
            subject.ask(text, Sort::Relevancy, 5).await.expect(text);
            assert_eq!(google.state.seen()().as_deref(), Some(seen), "{connector}");
        }
        let spec = ProviderSpec { query_mappings: "NOT=true".into(), ..subject.spec.clone() };
        let all = subject.ask("river", Sort::Relevancy, 90).await.expect("an answer").items.len();
        let negating = subject_of(&subject, spec);
        for (text, count) in [
            ("river NOT 3", all - 1),
            ("river -3 -4", all - 2),
            ("river NOT (3 OR 4)", all - 2),
            ("\"river 3\" OR \"river 4\"", 2),
            ("\"3 river\"", 0),
        ] {
            let some = negating.ask(text, Sort::Relevancy, 90).await.expect("an answer");
            assert_eq!(some.items.len(), count, "{connector}: {text}");
        }
    }
}

fn connected(connector: &str) -> SearchProvider {
    SearchProvider { user_token: Some(Secret::new("a-token")), ..provider(spec(connector)) }
}

/// An endless calendar is read up to a limit, and so is mail.
#[tokio::test]
async fn reading_has_its_limits() {
    let events: Vec<Value> =
        (0..250).map(|n| json!({"summary": n.to_string(), "start": {"date": "2024-03-01"}})).collect();
    let page = json!({"items": events, "nextPageToken": "again"}).to_string();
    let script = Script::of((0..30).map(|_| answer("application/json", page.clone())));
    let calendar =
        (kind("GoogleCalendar").build)(&connected("GoogleCalendar"), &script.context()).expect("a connector");
    let built = calendar.prepare(&query("x")).expect("a question");
    let page = built.execute().await.expect("an answer").normalize().expect("a page");
    assert_eq!(
        (script.asked.lock().expect("a list").len(), page.found, page.items.len()),
        (10, Some(2500), 10)
    );

    let gmail = (kind("Gmail").build)(&connected("Gmail"), &script.context()).expect("a connector");
    let many = domain::ports::ProviderQuery { results_wanted: 1000, ..query("x") };
    let built = gmail.prepare(&many).expect("a question");
    assert!(matches!(built.description(), RequestDescription::Command { rows_max: 100, .. }), "{built:?}");
}

/// A message deleted after the search is left out; other failures are reported.
#[tokio::test]
async fn a_message_may_be_gone() {
    let list = json!({"messages": [{"id": "a"}, {"id": "b"}]}).to_string();
    let message = json!({"id": "b", "internalDate": "1709632800000"}).to_string();
    for (status, want) in [(404, Ok(1)), (429, Err(ConnectorErrorKind::RateLimited))] {
        let mut gone = answer("application/json", "{}");
        gone.status = status;
        let answers =
            [answer("application/json", list.clone()), gone, answer("application/json", message.clone())];
        let script = Script::of(answers);
        let gmail = (kind("Gmail").build)(&connected("Gmail"), &script.context()).expect("a connector");
        let built = gmail.prepare(&query("x")).expect("a question");
        let got = built.execute().await.and_then(|answer| answer.normalize());
        assert_eq!(got.map(|page| page.items.len()).map_err(|error| error.kind), want, "{status}");
    }
}
