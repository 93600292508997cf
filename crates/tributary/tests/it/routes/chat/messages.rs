//! Messages of a chat and their answers.

use super::{chat, chat_fixture, chat_fixture_without_model, events, search_then_answer, send_message};
use crate::app_harness::AppHarness;
use crate::rag_fixture::RagFixture;
use fakes::models::{Manner, Reply};
use serde_json::json;

const TEXT: &str = "The mill stands by the river [1]. Its wheel is made of oak [2]. It is haunted [7]. \
    [Click](https://evil.example/?leak=1)";

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_with_citations_and_the_search_behind_it() {
    let scenario = chat_fixture().await;
    scenario.model.replies(search_then_answer(TEXT));
    let ann = scenario.app.user("ann", &[]).await;
    let path = chat(&ann, json!({})).await;
    let answer = send_message(&ann, &path, "Where is the river mill?").await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let body = &answer.body;
    assert_eq!(body["role"], "assistant");
    let content = body["content"].as_str().unwrap();
    assert!(content.contains("[1]") && content.contains("[2]"), "{content}");
    assert!(!content.contains("[7]") && !content.contains("evil.example"), "{content}");
    assert_eq!(body["ai_model"], "gpt-4o");
    assert!(body["rating"].is_null() && body["took"].is_number(), "{body}");
    let cited: Vec<i64> =
        body["citations"].as_array().unwrap().iter().map(|one| one["n"].as_i64().unwrap()).collect();
    assert_eq!(cited, [1, 2]);
    let used = &body["tool_calls"][0];
    assert_eq!((&used["name"], &used["args"]), (&json!("search"), &json!({"query": "river mill"})));

    let search = ann.get(&format!("/svc/search/{}/", used["search_id"])).await;
    assert_eq!(search.status, 200, "it is a search of hers: {search:?}");
    assert_eq!((&search.body["retention"], &search.body["tags"]), (&json!(2), &json!(["chat"])));
    let result = ann.get(&format!("/svc/results/{}/", body["citations"][0]["swirl_id"])).await;
    assert_eq!(result.status, 200, "{result:?}");
    assert_eq!(scenario.app.admin.get(&format!("/svc/search/{}/", used["search_id"])).await.status, 404);

    let whole = ann.get(&path).await.body;
    assert_eq!(whole["title"], "Where is the river mill?");
    let roles: Vec<&str> =
        whole["messages"].as_array().unwrap().iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant"]);
    assert_eq!(whole["messages"][1], *body);

    let asked = &scenario.model.requests()[0].body;
    let names: Vec<&str> = asked["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["list_sources", "search", "read_document"]);
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_while_it_is_made() {
    let scenario = chat_fixture().await;
    scenario
        .model
        .replies(search_then_answer("The mill stands by the river [1]. Its wheel is made of oak [2]."));
    let admin = &scenario.app.admin;
    let path = chat(admin, json!({})).await;
    let told = events(admin, &path, &json!({"content": "Where is the river mill?"})).await;
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["status", "tool", "tool", "status", "delta", "delta", "citations", "done"]);
    assert_eq!(told[0].1, json!({"stage": "asking", "round": 1, "of": 5}));
    assert_eq!(told[1].1, json!({"name": "search", "args": {"query": "river mill"}}));
    assert!(told[2].1["search_id"].is_i64() && told[2].1["took"].is_number(), "{:?}", told[2]);
    let done = &told[7].1;
    let deltas: String = told.iter().filter_map(|(_, data)| data["text"].as_str()).collect();
    assert_eq!(done["content"], deltas);
    assert_eq!(told[6].1["citations"], done["citations"]);
    assert_eq!(admin.get(&path).await.body["messages"][1], *done);

    scenario.model.behaves(Manner::Throttles(None));
    let told = events(admin, &path, &json!({"content": "And the wheel?"})).await;
    let (name, data) = told.last().unwrap();
    assert_eq!((name.as_str(), &data["code"]), ("error", &json!("ai_provider_error")), "{told:?}");
    assert!(!data["message"].as_str().unwrap().is_empty());
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_provider_the_message_is_kept() {
    let app = AppHarness::start().await;
    let path = chat(&app.admin, json!({})).await;
    let refused = send_message(&app.admin, &path, "Anybody?").await;
    assert_eq!((refused.status.as_u16(), refused.code()), (503, "no_ai_provider"), "{refused:?}");
    assert!(refused.body["detail"].as_str().unwrap().contains("/svc/aiproviders/"), "{refused:?}");
    let kept = app.admin.get(&path).await.body;
    assert_eq!(kept["messages"].as_array().unwrap().len(), 1);

    let picker = json!({"name": "Picker", "model": "local/extractive", "tags": ["chat"], "active": true});
    assert_eq!(app.admin.post("/svc/aiproviders/", &picker).await.status, 201);
    let answer = app.admin.post(&format!("{path}messages/"), &json!({})).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    assert_eq!(answer.body["ai_model"], "local/extractive");
    let again = app.admin.post(&format!("{path}messages/"), &json!({})).await;
    assert_eq!((again.status.as_u16(), again.code()), (400, "invalid"), "{again:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_a_question_keeps_its_subject() {
    let scenario = chat_fixture_without_model().await;
    let path = chat(&scenario.app.admin, json!({})).await;
    let first = "What is the wheel of the river mill made of?";
    for (message, query, content) in [
        (first, first, "is made of oak"),
        ("And what was lost in a flood?", "wheel river mill made lost flood", "was lost in a flood"),
        ("And when was it painted?", "wheel river mill made painted", "do not contain an answer"),
    ] {
        let body = send_message(&scenario.app.admin, &path, message).await.body;
        assert_eq!(body["tool_calls"][0]["args"], json!({"query": query}), "{body}");
        assert!(body["content"].as_str().unwrap().contains(content), "{message}: {body}");
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn models_that_fail_lose_no_message() {
    let scenario = chat_fixture().await;
    let path = chat(&scenario.app.admin, json!({})).await;
    let mut kept = 0;
    for manner in [Manner::Garbage, Manner::BreaksOff(2), Manner::Stumbles(1), Manner::Throttles(Some(1))] {
        scenario.model.behaves(manner.clone());
        let answer = send_message(&scenario.app.admin, &path, "Where is the mill?").await;
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (502, "ai_provider_error"),
            "{manner:?} {answer:?}"
        );
        kept += 1;
        let messages = scenario.app.admin.get(&path).await.body["messages"].as_array().unwrap().len();
        assert_eq!(messages, kept, "{manner:?}");
    }
    scenario.model.behaves(Manner::Fine);
    scenario.model.says("Here I am.");
    let answer = send_message(&scenario.app.admin, &path, "").await;
    assert_eq!(answer.body["content"], "Here I am.", "{answer:?}");
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_ends_the_work() {
    let scenario = chat_fixture().await;
    scenario.model.behaves(Manner::Hangs);
    let path = chat(&scenario.app.admin, json!({})).await;
    let leaves = tokio::time::timeout(
        std::time::Duration::from_millis(500),
        send_message(&scenario.app.admin, &path, "Hm?"),
    );
    assert!(leaves.await.is_err());
    scenario.model.behaves(Manner::Fine);
    scenario.model.says("Yes?");
    let mut answer = send_message(&scenario.app.admin, &path, "").await;
    for _ in 0..100 {
        if answer.status != 409 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        answer = send_message(&scenario.app.admin, &path, "").await;
    }
    assert_eq!((answer.status.as_u16(), &answer.body["content"]), (201, &json!("Yes?")), "{answer:?}");
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_without_tools_is_asked_without_them() {
    let scenario = RagFixture::start().await;
    let config = json!({"api_base": scenario.model.at("/v1"), "tools": false});
    let role = json!({"tags": ["chat"], "config": config});
    RagFixture::ai_provider(&scenario.app, "Plain", &scenario.model, role).await;
    scenario.model.replies(|request| match request.body.get("tools") {
        None => Reply::text("The mill stands by the river [1]."),
        Some(_) => Reply::text("tools!"),
    });
    let path = chat(&scenario.app.admin, json!({})).await;
    let answer = send_message(&scenario.app.admin, &path, "river mill").await;
    assert_eq!(answer.body["content"], "The mill stands by the river [1].", "{answer:?}");
    assert_eq!(answer.body["citations"].as_array().unwrap().len(), 1);
    assert_eq!(scenario.source.requests().len(), 1);
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_attached() {
    let scenario = chat_fixture().await;
    let search = scenario.search().await;
    let results = scenario.app.admin.get(&format!("/svc/results/?search_id={search}")).await;
    let document = json!({"search_id": search, "swirl_id": results.body["results"][0]["swirl_id"]});
    scenario.model.says("It has ground corn for two hundred years [1].");
    let path = chat(&scenario.app.admin, json!({})).await;
    let said = json!({"content": "How old is it?", "attach": [document]});
    let answer = scenario.app.admin.post(&format!("{path}messages/"), &said).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    assert_eq!(answer.body["citations"][0]["swirl_id"], document["swirl_id"]);
    let whole = scenario.app.admin.get(&path).await.body;
    assert_eq!(whole["messages"][0]["attach"], json!([document]));

    let ann = scenario.app.user("ann", &[]).await;
    let hers = chat(&ann, json!({})).await;
    let refused = ann.post(&format!("{hers}messages/"), &said).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code()),
        (400, "invalid"),
        "another's document: {refused:?}"
    );
    assert!(refused.body["errors"]["attach"].is_array(), "{refused:?}");
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_in_the_sources_own_language_arrives_as_it_was_written() {
    let scenario = chat_fixture().await;
    let query = "title:\"mill race\" NOT oak";
    scenario.model.replies(move |request| {
        match request.body["messages"].as_array().unwrap().last().unwrap()["role"].as_str() {
            Some("tool") => Reply::text("There is one [1]."),
            _ => Reply::call("search", json!({"query": query, "sources": ["Mills"], "native": true})),
        }
    });
    let path = chat(&scenario.app.admin, json!({})).await;
    let answer = send_message(&scenario.app.admin, &path, "Is there a mill race?").await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let asked = scenario.source.requests();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].query, [("q".to_owned(), query.to_owned())]);
    scenario.app.stop().await;
}
