//! Models that reason before they reply: their reasoning is never the reply, and leaves tokens for it.

use crate::fixture::{AMPLE, Fixture, prompt};
use crate::rows::{ROWS, Row};
use domain::ports::ModelErrorKind;
use fakes::models::{Manner, Refusal, Reply, TEXT};

const REASONING: &str = "They want to know what stands there. It is the mill.";

fn row(name: &str) -> &'static Row {
    ROWS.iter().find(|row| row.name == name).unwrap()
}

#[tokio::test]
async fn reasoning_in_a_field_of_its_own_is_not_the_reply() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        fixture.server.replies(|_| Reply { reasoning: REASONING.to_owned(), ..Reply::text(TEXT) });
        let reply = fixture.collect_reply(&prompt(AMPLE)).await;
        assert_eq!((reply.error, reply.text.as_str()), (None, TEXT), "{}", row.name);
    }
}

#[tokio::test]
async fn reasoning_within_the_text_is_not_the_reply() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        for text in [
            format!("<think>\n{REASONING}\n</think>\n\n{TEXT}"),
            format!("\n<thinking>{REASONING}</thinking> {TEXT}"),
            format!("<think>\n\n</think>\n\n{TEXT}"),
            // The template of some models contains the opening tag.
            format!("{REASONING}\n</think>\n\n{TEXT}"),
        ] {
            fixture.server.says(&text);
            let reply = fixture.collect_reply(&prompt(AMPLE)).await;
            assert_eq!((reply.error, reply.text.as_str()), (None, TEXT), "{}: {text}", row.name);
        }
        let quoted = "Write `<think>` before and\n</think>\nafter it.";
        fixture.server.says(quoted);
        assert_eq!(fixture.collect_reply(&prompt(AMPLE)).await.text, quoted, "{}", row.name);
        fixture.server.says(&format!("<think>{REASONING}"));
        let error = fixture.collect_reply(&prompt(AMPLE)).await.error.expect("no reply");
        assert_eq!(error.kind, ModelErrorKind::Unreadable, "{}: {error}", row.name);
    }
}

/// Thoughts count towards the token limit of a reply, which is 500 here and 200 for the rewriting of a query.
#[tokio::test]
async fn gemini_has_tokens_for_its_thoughts_and_its_reply() {
    for (name, model) in [
        ("gemini", "gemini/gemini-1.5-flash"),
        ("gemini", "gemini/gemini-2.5-flash"),
        ("gemini", "gemini-2.5-pro"),
        ("gemini", "gemini/gemini-2.5-flash-lite"),
        ("gemini", "gemini/gemini-3-flash-preview"),
        ("gemini", "gemini/gemini-flash-latest"),
        ("gemini at Vertex AI", "vertex_ai/gemini-2.5-pro"),
        ("gemini at Vertex AI", "vertex_ai/gemini-3.1-pro-preview"),
    ] {
        let fixture = Fixture::of(&Row { model, ..*row(name) }).await;
        for answer_tokens_max in [200, 500] {
            let mut prompt = prompt(AMPLE);
            prompt.answer_tokens_max = answer_tokens_max;
            let reply = fixture.collect_reply(&prompt).await;
            assert_eq!((reply.error, reply.text.as_str()), (None, TEXT), "{model}");
        }
    }
}

#[tokio::test]
async fn a_reply_that_ends_at_its_token_limit_is_marked() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        fixture.server.replies(|_| Reply { is_cut: true, ..Reply::text(TEXT) });
        let reply = fixture.collect_reply(&prompt(AMPLE)).await;
        assert_eq!((reply.error, reply.text.as_str(), reply.is_cut), (None, TEXT, true), "{}", row.name);
        assert!(reply.usage.is_some(), "{}", row.name);
        fixture.server.says(TEXT);
        assert!(!fixture.collect_reply(&prompt(AMPLE)).await.is_cut, "{}", row.name);
    }
}

#[tokio::test]
async fn reasoning_without_a_reply_is_an_error_that_names_the_limit() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        fixture.server.replies(|_| Reply {
            reasoning: REASONING.to_owned(),
            is_cut: true,
            ..Reply::default()
        });
        let error = fixture.collect_reply(&prompt(AMPLE)).await.error.expect("no reply");
        assert_eq!(error.kind, ModelErrorKind::Unreadable, "{}: {error}", row.name);
        assert!(error.message.contains("config.reasoning_tokens"), "{}: {error}", row.name);
    }
}

/// A server with a small context window rejects the tokens for reasoning.
#[tokio::test]
async fn a_request_without_tokens_for_reasoning_is_repeated_without_it() {
    let model = "openai/Qwen/Qwen3-8B";
    let fixture = Fixture::of(&Row { model, ..*row("openai") }).await;
    let message = "'max_tokens' or 'max_completion_tokens' is too large: 8500. This model's maximum context length is \
                   8192 tokens and your request has 700 input tokens (8500 > 8192 - 700).";
    fixture.server.behaves_once(Manner::Refuses(Refusal::new(400, message)));
    let reply = fixture.collect_reply(&prompt(AMPLE)).await;
    assert_eq!((reply.error, reply.text.as_str()), (None, TEXT));
    let sent = |request: &fakes::models::ModelRequest| request.body["max_tokens"].as_u64();
    let limits: Vec<_> = fixture.server.requests().iter().map(sent).collect();
    assert_eq!(limits, [Some(8500), Some(500)]);
}
