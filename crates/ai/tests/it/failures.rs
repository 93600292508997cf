//! Every kind of failure with every API.

use crate::fixture::{AMPLE, Fixture, model_request, models, prompt};
use crate::rows::ROWS;
use domain::ports::{GenerativeModels, ModelError, ModelErrorKind, Prompt, ToolDefinition, Turn};
use fakes::models::{Manner, Refusal, TEXT};
use serde_json::json;
use std::time::{Duration, Instant};

/// Much longer than the time limit, shorter than the service would take.
const PATIENCE: Duration = Duration::from_secs(50);
const SHORT: Duration = Duration::from_millis(400);
/// Enough for the first words even on a busy machine, and far too short for the whole reply.
const SLOW_TIME: Duration = Duration::from_millis(1500);

fn check(row: &str, error: &ModelError, key: &str) {
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!text.contains(key), "{row} shows its key: {text}");
        assert!(!text.contains("What stands by the river"), "{row} shows its prompt: {text}");
        assert!(text.contains("'P1'"), "{row} does not name the provider: {text}");
    }
}

#[tokio::test]
async fn error_statuses_are_distinguished() {
    let long = "This model's maximum context length is 8192 tokens.";
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        for (status, message, kind) in [
            (400, "a field is wrong", ModelErrorKind::ConfigInvalid),
            (400, long, ModelErrorKind::TooLong),
            (401, "wrong", ModelErrorKind::Denied),
            (403, "not for you", ModelErrorKind::Denied),
            (404, "no such model", ModelErrorKind::ConfigInvalid),
            (413, "too large", ModelErrorKind::TooLong),
            (429, "quota", ModelErrorKind::RateLimited),
            (500, "oh", ModelErrorKind::Unavailable),
            (503, "busy", ModelErrorKind::Unavailable),
            (529, "overloaded", ModelErrorKind::Unavailable),
        ] {
            let asked = format!("{message} What stands by the river? {}", row.key);
            for message in [message, asked.as_str()] {
                fixture.server.behaves(Manner::Refuses(Refusal::new(status, message)));
                let error = fixture.collect_reply(&prompt(AMPLE)).await.error.expect("a refusal");
                assert_eq!(error.kind, kind, "{} {status}: {error}", row.name);
                assert!(error.message.contains(&status.to_string()), "{}: {error}", row.name);
                check(row.name, &error, row.key);
            }
        }
    }
}

#[tokio::test]
async fn the_error_message_of_the_service_is_passed_on() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        fixture.server.behaves(Manner::Refuses(Refusal::new(404, "there is no model of this kind")));
        let error = fixture.collect_reply(&prompt(AMPLE)).await.error.expect("a refusal");
        assert!(error.message.contains("there is no model of this kind"), "{}: {error}", row.name);
    }
}

#[tokio::test]
async fn a_rate_limit_reports_the_wait_time() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        for wait in [Some(7), None] {
            fixture.server.behaves(Manner::Throttles(wait));
            let error = fixture.collect_reply(&prompt(AMPLE)).await.error.expect("a refusal");
            assert_eq!(error.kind, ModelErrorKind::RateLimited, "{}: {error}", row.name);
            assert_eq!(error.retry_after, wait.map(Duration::from_secs), "{}", row.name);
        }
    }
}

#[tokio::test]
async fn a_wrong_key_is_denied_and_not_shown() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        let wrong = "wrong-canary-5512";
        let mut provider = fixture.provider.clone();
        let spec = serde_json::to_string(&provider.spec).unwrap().replace(row.key, wrong);
        provider.spec = serde_json::from_str(&spec).unwrap();
        let error =
            models(vec![provider]).complete(&model_request(), &prompt(AMPLE)).await.err().expect("a refusal");
        assert_eq!(error.kind, ModelErrorKind::Denied, "{}: {error}", row.name);
        check(row.name, &error, wrong);
    }
}

#[tokio::test]
async fn what_is_no_answer_cannot_be_read() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        for manner in [Manner::Garbage, Manner::EndsEarly(0), Manner::BreaksOff(0)] {
            fixture.server.behaves(manner.clone());
            let error = fixture.collect_reply(&prompt(AMPLE)).await.error.expect("no answer");
            assert_eq!(error.kind, ModelErrorKind::Unreadable, "{} {manner:?}: {error}", row.name);
            check(row.name, &error, row.key);
        }
    }
}

/// The text so far is kept, and the stream ends with an error.
#[tokio::test]
async fn an_answer_that_stops_in_the_middle_is_no_answer() {
    for row in ROWS.iter().filter(|row| row.streams) {
        let fixture = Fixture::of(row).await;
        for manner in [Manner::BreaksOff(8), Manner::EndsEarly(8), Manner::Stumbles(8)] {
            fixture.server.behaves(manner.clone());
            let reply = fixture.collect_reply(&prompt(AMPLE)).await;
            let error = reply.error.unwrap_or_else(|| panic!("{} {manner:?} went well", row.name));
            let expected: &[ModelErrorKind] = match manner {
                Manner::Stumbles(_) => &[ModelErrorKind::Unavailable, ModelErrorKind::Unreadable],
                _ => &[ModelErrorKind::Unreadable],
            };
            assert!(expected.contains(&error.kind), "{} {manner:?}: {error:?}", row.name);
            assert!(!reply.text.is_empty() && TEXT.starts_with(&reply.text), "{}: {}", row.name, reply.text);
            assert!(reply.text.len() < TEXT.len() && reply.usage.is_none(), "{}", row.name);
            check(row.name, &error, row.key);
        }
    }
}

/// A service that has accepted a request may still report an error, in a response with status 200.
#[tokio::test]
async fn an_error_within_an_answer_is_shown_like_any_other() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        let reports = (row.vendor)().stumble("").is_some();
        for (said, shown) in [
            ("the engine is dead", Some("the engine is dead")),
            ("dead: host='gpu-07.lab.internal' path=/opt/models/x addr=10.1.2.3", Some("dead: …")),
            ("cannot answer What stands by the river?", None),
        ] {
            fixture.server.behaves(Manner::FailsWithin(said.to_owned()));
            let mut asked = prompt(AMPLE);
            asked.turns = vec![Turn::User("What stands\nby the river?".to_owned())];
            let error = fixture.collect_reply(&asked).await.error.expect("an error");
            check(row.name, &error, row.key);
            let is_shown = shown.is_some_and(|shown| error.message.ends_with(shown));
            assert_eq!(is_shown, shown.is_some() && reports, "{}: {error}", row.name);
            assert!(!error.message.contains("gpu-07") && !error.message.contains("river"), "{error}");
        }
    }
}

/// Whether the service says so before or within its answer, or says nothing.
#[tokio::test]
async fn a_model_that_refuses_tools_gets_a_hint() {
    let said = "registry.ollama.ai/library/gemma:2b does not support tools";
    let tool = ToolDefinition {
        name: "f".to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
    };
    for row in ROWS.iter().filter(|row| row.calls_tools) {
        let fixture = Fixture::of(row).await;
        let reports = (row.vendor)().stumble("").is_some();
        let asked = Prompt { tools: vec![tool.clone()], ..prompt(AMPLE) };
        for (manner, has_hint) in [
            (Manner::Refuses(Refusal::new(400, said)), true),
            (Manner::Refuses(Refusal::new(400, "")), true),
            (Manner::Refuses(Refusal::new(429, said)), false),
            (Manner::FailsWithin(said.to_owned()), reports),
        ] {
            fixture.server.behaves(manner.clone());
            let error = fixture.collect_reply(&asked).await.error.expect("an error");
            let is_hinted = error.message.contains("config.tools to false");
            assert_eq!(is_hinted, has_hint, "{} {manner:?}: {error}", row.name);
            let error = fixture.collect_reply(&prompt(AMPLE)).await.error.expect("an error");
            assert!(!error.message.contains("config.tools"), "{}: {error}", row.name);
        }
    }
}

#[tokio::test]
async fn slow_tokens_end_with_the_time() {
    for row in ROWS.iter().filter(|row| row.streams) {
        let fixture = Fixture::of(row).await;
        fixture.server.says(&TEXT.repeat(20));
        fixture.server.behaves(Manner::Slow(Duration::from_millis(25)));
        // A busy machine may need all the time for the first word, but not every time.
        let mut attempts = 0;
        let (start, reply) = loop {
            let start = Instant::now();
            let reply = fixture.collect_reply(&prompt(SLOW_TIME)).await;
            attempts += 1;
            if !reply.text.is_empty() || attempts == 5 {
                break (start, reply);
            }
        };
        let error = reply.error.unwrap_or_else(|| panic!("{} had the time", row.name));
        assert_eq!(error.kind, ModelErrorKind::Timeout, "{}: {error}", row.name);
        assert!(!reply.text.is_empty(), "{} wrote nothing", row.name);
        assert!(start.elapsed() >= SLOW_TIME && start.elapsed() < PATIENCE, "{:?}", start.elapsed());
        check(row.name, &error, row.key);
    }
}

#[tokio::test]
async fn silence_ends_with_the_time() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        for (manner, time_max) in [
            (Manner::Hangs, SHORT),
            (Manner::Slow(Duration::from_secs(60)), SHORT),
            (Manner::Fine, Duration::ZERO),
        ] {
            fixture.server.behaves(manner);
            let start = Instant::now();
            let error = fixture.collect_reply(&prompt(time_max)).await.error.expect("no time");
            assert_eq!(error.kind, ModelErrorKind::Timeout, "{}: {error}", row.name);
            assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
            check(row.name, &error, row.key);
        }
    }
}

#[tokio::test]
async fn an_unreachable_service_is_unavailable() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        let crate::fixture::Fixture { server, models, .. } = fixture;
        drop(server);
        let error = models.complete(&model_request(), &prompt(AMPLE)).await.err().expect("nobody is there");
        assert_eq!(error.kind, ModelErrorKind::Unavailable, "{}: {error}", row.name);
        check(row.name, &error, row.key);
    }
}
