//! Successful replies: texts, tool calls, usage, vectors.

use crate::fixture::{AMPLE, CollectedReply, Fixture, model_request, models, prompt};
use crate::rows::ROWS;
use ai::apis::{ApiCall, api_of};
use bytes::Bytes;
use domain::ai_provider::EXTRACTIVE_MODEL;
use domain::ports::{EmbeddingInput, GenerativeModels, HttpResponse, ModelErrorKind, ToolDefinition, Turn};
use fakes::models::{KEY, ModelRequest, Reply, TEXT, TOKENS_IN, TOKENS_OUT, Wanted};
use fakes::vector_documents;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_text_arrives_whole() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        let completion =
            fixture.complete(&prompt(AMPLE)).await.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        assert_eq!((completion.provider.id.0, completion.fallback_engaged), (1, false), "{}", row.name);
        assert_eq!(completion.requested_model, row.model);
        let reply = CollectedReply::of(completion).await;
        assert_eq!((reply.error, reply.text.as_str()), (None, TEXT), "{}", row.name);
        assert_eq!(reply.usage, Some((TOKENS_IN, TOKENS_OUT)), "{}", row.name);
        assert_eq!(reply.texts > 1, row.streams, "{}: {} texts", row.name, reply.texts);
        let sent = fixture.server.requests().pop().unwrap();
        let sent = format!("{:?} {:?}", sent.headers, sent.raw);
        for words in ["Answer from the sources alone.", "What stands by the river?", row.key] {
            assert!(sent.contains(words), "{}: {words}", row.name);
        }
    }
}

/// A text with a fabricated citation is passed on unchanged; checking it is not the task of this crate.
#[tokio::test]
async fn a_model_may_say_anything() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        for text in [
            "A lie [99].",
            "\"quotes\" \\ {braces} data: [DONE]\n\nevent: error\n",
            "größer 水車 \u{1f3e1}\u{0}",
        ] {
            fixture.server.says(text);
            let reply = fixture.collect_reply(&prompt(AMPLE)).await;
            assert_eq!((reply.error, reply.text.as_str()), (None, text), "{}", row.name);
        }
    }
}

#[tokio::test]
async fn tools_are_called_and_answered() {
    for row in ROWS.iter().filter(|row| row.calls_tools) {
        let fixture = Fixture::of(row).await;
        fixture.server.replies(|request| {
            let asked = request.body.to_string();
            if asked.contains("three mills were found") {
                return Reply::text("There are three [1].");
            }
            assert!(asked.contains("looks for words") && asked.contains("search_mills"), "{asked}");
            let mut reply = Reply::call("search_mills", json!({"query": "größe \"1\"", "limit": 3}));
            reply.calls.push(("list_all".to_owned(), json!({})));
            reply
        });
        let mut asked = prompt(AMPLE);
        let tool = |name: &str| ToolDefinition {
            name: name.to_owned(),
            description: "looks for words".to_owned(),
            parameters: json!({"type": "object", "properties": {"query": {"type": "string"}}}),
        };
        asked.tools = vec![tool("search_mills"), tool("list_all")];
        let reply = fixture.collect_reply(&asked).await;
        assert_eq!((reply.error, reply.text.as_str()), (None, ""), "{}", row.name);
        let called: Vec<_> =
            reply.calls.iter().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
        let expected =
            [("search_mills", json!({"query": "größe \"1\"", "limit": 3})), ("list_all", json!({}))];
        assert_eq!(called, expected, "{}", row.name);
        assert_ne!(reply.calls[0].id, reply.calls[1].id, "{}", row.name);

        asked.turns.push(Turn::Assistant { text: String::new(), calls: reply.calls.clone() });
        asked.turns.extend(reply.calls.iter().map(|call| Turn::Tool {
            call_id: call.id.clone(),
            name: call.name.clone(),
            text: "three mills were found".to_owned(),
        }));
        let reply = fixture.collect_reply(&asked).await;
        assert_eq!((reply.error, reply.text.as_str()), (None, "There are three [1]."), "{}", row.name);
    }
}

/// The fakes of embedding services check their requests, too.
#[test]
fn vectors_come_in_the_order_of_the_texts() {
    let texts = ["the mill".to_owned(), "the river".to_owned(), "a wheel".to_owned()];
    let mut made = 0;
    for row in ROWS {
        let provider = row.provider(1, "http://127.0.0.1:9");
        let (kind, model) = api_of(&provider).unwrap();
        let call = ApiCall {
            provider: &provider,
            model,
            authorization: None,
            now: Default::default(),
            time_max: AMPLE,
        };
        let Ok(request) = kind.api.embedding_request(&call, EmbeddingInput::Passage, &texts) else {
            continue;
        };
        let vendor = (row.vendor)();
        let wanted = vendor.understand(&ModelRequest::of(&request));
        assert_eq!(wanted, Ok(Wanted::Vectors { texts: texts.to_vec() }), "{}", row.name);
        let vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector_documents::embed(text)).collect();
        let body = Bytes::from(vendor.vectors(&vectors).to_string());
        let answer = HttpResponse { status: 200, headers: Vec::new(), body };
        assert_eq!(kind.api.parse_vectors(&answer), Ok(vectors), "{}", row.name);
        made += 1;
    }
    assert!(made >= 4, "{made} of the services make vectors");
}

#[tokio::test]
async fn a_long_answer_has_an_end() {
    for row in ROWS {
        let fixture = Fixture::of(row).await;
        let word = format!("{} ", "mill".repeat(1000));
        fixture.server.says(&word.repeat(ai::ANSWER_CHARS_MAX / word.len() + 2));
        let reply = fixture.collect_reply(&prompt(AMPLE)).await;
        let error = reply.error.expect("the answer is too long");
        assert_eq!(error.kind, ModelErrorKind::Unreadable, "{}: {error}", row.name);
        assert!(error.message.contains(&ai::ANSWER_CHARS_MAX.to_string()), "{error}");
        assert!(reply.text.len() <= ai::ANSWER_CHARS_MAX, "{}", row.name);
        fixture.server.says(&"x".repeat(ai::ANSWER_CHARS_MAX));
        assert_eq!(
            fixture.collect_reply(&prompt(AMPLE)).await.text.len(),
            ai::ANSWER_CHARS_MAX,
            "{}",
            row.name
        );
    }
}

#[tokio::test]
async fn dropping_the_chunks_cancels_the_request() {
    for row in ROWS.iter().filter(|row| row.streams) {
        let fixture = Fixture::of(row).await;
        fixture.server.behaves(fakes::models::Manner::Slow(Duration::from_millis(20)));
        fixture.server.says(&TEXT.repeat(1000));
        let completion =
            fixture.complete(&prompt(AMPLE)).await.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        assert_eq!(fixture.server.open(), 1, "{}", row.name);
        drop(completion);
        let start = std::time::Instant::now();
        while fixture.server.open() > 0 {
            assert!(start.elapsed() < Duration::from_secs(30), "{} still writes", row.name);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn the_extractive_one_is_chosen_and_never_asked() {
    let fixture = Fixture::of(&ROWS[0]).await;
    let mut provider = fixture.provider.clone();
    provider.spec.model = EXTRACTIVE_MODEL.to_owned();
    provider.spec.defaults = vec!["rag".to_owned()];
    provider.spec.config.insert("family".to_owned(), json!("x"));
    let mut other = fixture.provider.clone();
    other.id.0 = 2;
    other.spec.config.insert("family".to_owned(), json!("x"));
    let models = models(vec![provider.clone(), other]);
    assert_eq!(models.select(&model_request()).await, Ok(provider));
    let error = models.complete(&model_request(), &prompt(AMPLE)).await.err().unwrap();
    assert_eq!(error.kind, ModelErrorKind::ConfigInvalid, "{error}");
    assert!(fixture.server.requests().is_empty());
}

#[tokio::test]
async fn records_that_are_wrong_are_named() {
    for (model, config, says) in [
        ("azure/x", json!({}), "config.api_base is needed"),
        ("gpt-5", json!({"api_base": "ftp://h/"}), "not an http or https URL"),
        ("gpt-5", json!({"api_base": "no address"}), "not an http or https URL"),
        ("gpt-5", json!({"custom_llm": "open-ai"}), "Did you mean 'openai'?"),
        ("x", json!({"api_base": "http://127.0.0.1:9/", "requestpost": {"body": 7}}), "requestpost.body"),
        (
            "x",
            json!({"api_base": "http://127.0.0.1:9/", "requestpost": {}, "engine": "e"}),
            "exclude each other",
        ),
        (
            "x",
            json!({"api_base": "http://127.0.0.1:9/", "requestpost": {"headers": {"a": 1}}}),
            "the header a",
        ),
    ] {
        let mut provider = ROWS[0].provider(1, "");
        provider.spec.model = model.to_owned();
        provider.spec.config = config.as_object().unwrap().clone();
        let error = models(vec![provider]).complete(&model_request(), &prompt(AMPLE)).await.err().unwrap();
        assert_eq!(error.kind, ModelErrorKind::ConfigInvalid, "{error}");
        assert!(error.message.contains(says) && error.message.contains("'P1'"), "{error}");
        assert!(!error.message.contains(KEY));
    }
}
