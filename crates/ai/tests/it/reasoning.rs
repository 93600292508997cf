//! Models that reason before they reply: their reasoning is never the reply, and leaves tokens for it.

use crate::fixture::{AMPLE, Fixture, models, prompt};
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

/// Thoughts count towards the token limit of a reply, which is 100 here at least, and models since version 3 repeat
/// themselves with another temperature than their default.
#[tokio::test]
async fn gemini_has_tokens_for_its_thoughts_and_its_reply() {
    for (name, model, reasoning_tokens, budget) in [
        ("gemini", "gemini/gemini-1.5-flash", None, None),
        ("gemini", "gemini/gemini-2.5-flash", None, Some(8_000)),
        ("gemini", "gemini/gemini-2.5-flash", Some(0), Some(0)),
        ("gemini", "gemini/gemini-2.5-flash", Some(100_000), Some(24_576)),
        ("gemini", "gemini-2.5-pro", None, Some(8_000)),
        ("gemini", "gemini-2.5-pro", Some(0), Some(128)),
        ("gemini", "gemini/gemini-2.5-flash-lite", None, None),
        ("gemini", "gemini/gemini-3-flash-preview", None, None),
        ("gemini", "gemini/gemini-flash-latest", None, Some(8_000)),
        ("gemini", "gemini-pro-latest", Some(0), Some(512)),
        ("gemini at Vertex AI", "vertex_ai/gemini-2.5-pro", None, Some(8_000)),
        ("gemini at Vertex AI", "vertex_ai/gemini-3.1-pro-preview", None, None),
    ] {
        let mut fixture = Fixture::of(&Row { model, ..*row(name) }).await;
        if let Some(tokens) = reasoning_tokens {
            fixture.provider.spec.config.insert("reasoning_tokens".to_owned(), tokens.into());
            fixture.models = models(vec![fixture.provider.clone()]);
        }
        for answer_tokens_max in [100, 500] {
            let mut prompt = prompt(AMPLE);
            prompt.answer_tokens_max = answer_tokens_max;
            let reply = fixture.collect_reply(&prompt).await;
            assert_eq!((reply.error, reply.text.as_str()), (None, TEXT), "{model} {reasoning_tokens:?}");
            let sent = fixture.server.requests().pop().unwrap().body["generationConfig"].clone();
            assert_eq!(sent["thinkingConfig"]["thinkingBudget"].as_u64(), budget, "{model}: {sent}");
            let others = reasoning_tokens.unwrap_or(if model.contains("1.5") { 0 } else { 8_000 });
            let most = u64::from(answer_tokens_max) + budget.unwrap_or(others);
            assert_eq!(sent["maxOutputTokens"].as_u64(), Some(most), "{model}: {sent}");
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
    for (model, reasoning_tokens, field, limits) in [
        ("openai/Qwen/Qwen3-8B", None, "max_tokens", [8500, 500]),
        ("openai/Qwen/Qwen3-8B", Some(4000), "max_tokens", [4500, 500]),
        ("openai/own", Some(16_000), "max_tokens", [16_500, 500]),
        ("openai/gpt-5-mini", None, "max_completion_tokens", [8500, 500]),
    ] {
        let mut fixture = Fixture::of(&Row { model, ..*row("openai") }).await;
        if let Some(tokens) = reasoning_tokens {
            fixture.provider.spec.config.insert("reasoning_tokens".to_owned(), tokens.into());
            fixture.models = models(vec![fixture.provider.clone()]);
        }
        let message = "'max_tokens' or 'max_completion_tokens' is too large: 8500. This model's maximum context length is \
                       8192 tokens and your request has 700 input tokens (8500 > 8192 - 700).";
        fixture.server.behaves_once(Manner::Refuses(Refusal::new(400, message)));
        let reply = fixture.collect_reply(&prompt(AMPLE)).await;
        assert_eq!((reply.error, reply.text.as_str()), (None, TEXT), "{model}");
        let sent: Vec<_> =
            fixture.server.requests().iter().map(|request| request.body[field].as_u64()).collect();
        assert_eq!(sent, limits.map(Some), "{model} {reasoning_tokens:?}");
    }
}

#[tokio::test]
async fn a_request_is_changed_a_few_times_at_most() {
    let fixture = Fixture::of(row("openai")).await;
    for message in ["'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "it is too large"]
    {
        fixture.server.behaves_once(Manner::Refuses(Refusal::new(400, message)));
    }
    assert_eq!(fixture.collect_reply(&prompt(AMPLE)).await.text, TEXT);
    let limits: Vec<_> = fixture
        .server
        .requests()
        .iter()
        .map(|request| {
            let limit = |field: &str| request.body[field].as_u64();
            (limit("max_tokens"), limit("max_completion_tokens"))
        })
        .collect();
    assert_eq!(limits, [(Some(500), None), (None, Some(8500)), (None, Some(500))]);
    let messages = [
        "no temperature",
        "'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
        "it is too large",
    ];
    for message in messages {
        fixture.server.behaves_once(Manner::Refuses(Refusal::new(400, message)));
    }
    let error = fixture.collect_reply(&prompt(AMPLE)).await.error.expect("a refusal");
    assert!(error.message.contains("it is too large"), "{error}");
    assert_eq!(fixture.server.requests().len(), 6);
}

/// The template of some models contains the opening tag; 8,000 tokens of reasoning are about 32 KB.
#[tokio::test]
async fn long_reasoning_without_an_opening_tag_is_not_the_reply() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        for between in ["\n</think>\n\n", "</think> "] {
            let reasoning = format!("{REASONING}\n").repeat(800);
            let text = format!("{}{between}{TEXT}", reasoning.trim_end());
            fixture.server.replies(move |_| Reply { is_cut: true, ..Reply::text(&text) });
            let completion = fixture.complete(&prompt(AMPLE)).await.unwrap();
            let text = completion.into_text(16 * 1024).await;
            assert_eq!(text, Ok(format!("{TEXT} …")), "{}", row.name);
        }
    }
}
