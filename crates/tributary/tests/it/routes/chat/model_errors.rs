//! What a person who chats learns of a model that fails, and what an administrator learns.

use super::{chat, chat_fixture, send_message};
use crate::app_harness::Answer;
use fakes::models::{Manner, Refusal};
use reqwest::Method;
use serde_json::json;

const INTERNALS: [&str; 6] = ["gpu-07", "8000", "/opt/models", "10.1.2.3", "localhost", "req_4f0c1d2e"];

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_refuses_tools_gets_a_hint() {
    let scenario = chat_fixture().await;
    let otto = scenario.app.user("otto", &[]).await;
    let path = chat(&otto, json!({})).await;
    for manner in [
        Manner::Refuses(Refusal::new(400, "registry.ollama.ai/library/gemma:2b does not support tools")),
        Manner::Refuses(Refusal::new(400, "")),
        Manner::FailsWithin("\"auto\" tool choice requires --enable-auto-tool-choice".to_owned()),
    ] {
        scenario.model.behaves(manner.clone());
        let answer = send_message(&otto, &path, "Where is the mill?").await;
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (502, "ai_provider_error"),
            "{manner:?} {answer:?}"
        );
        let shown = answer.body.to_string();
        assert!(shown.contains("an administrator can set config.tools to false"), "{manner:?} {shown}");
        assert!(!shown.contains("registry.ollama.ai"), "{shown}");
    }
    // With the setting, the model is asked without tools.
    let providers = scenario.app.admin.get("/svc/aiproviders/?role=chat").await.body;
    let talker =
        providers.as_array().unwrap().iter().find(|one| one["name"] == "Talker").unwrap()["id"].clone();
    let without_tools = json!({"config": {"tools": false}});
    let patched = scenario.app.admin.patch(&format!("/svc/aiproviders/{talker}/"), &without_tools).await;
    assert_eq!(patched.status, 200, "{patched:?}");
    scenario.model.behaves(Manner::Fine);
    scenario.model.says("By the river.");
    let answer = send_message(&otto, &path, "Where is the mill?").await;
    assert!(answer.status.is_success(), "{answer:?}");
    assert!(scenario.model.requests().pop().unwrap().body.get("tools").is_none());
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_learn_nothing_of_the_network_of_a_model() {
    let said = "HTTPConnectionPool(host='gpu-07.lab.internal', port=8000): Max retries exceeded, \
                path=/opt/models/x addr=10.1.2.3 localhost req_4f0c1d2e";
    let scenario = chat_fixture().await;
    let otto = scenario.app.user("otto", &[]).await;
    let path = chat(&otto, json!({})).await;
    let manners = [Manner::Refuses(Refusal::new(500, said)), Manner::FailsWithin(said.to_owned())];
    for manner in &manners {
        scenario.model.behaves(manner.clone());
        let answer = send_message(&otto, &path, "Where is the mill?").await;
        let shown = answer.body.to_string();
        assert!(shown.contains("Max retries exceeded"), "{shown}");
        assert!(!INTERNALS.iter().any(|internal| shown.contains(internal)), "{shown}");
        let chat = otto.get(&path).await.body.to_string();
        assert!(!INTERNALS.iter().any(|internal| chat.contains(internal)), "{chat}");
        // The connection test is for administrators, and has all of it.
        let test = format!("/svc/aiproviders/{}/test/", scenario.ai_provider);
        let test = Answer::of(scenario.app.admin.request(Method::POST, &test)).await;
        assert!(test.body["error"].as_str().is_some_and(|error| error.contains(said)), "{test:?}");
    }
    // What the model repeats of a question is shown to nobody.
    scenario.model.behaves(Manner::FailsWithin("cannot answer: Where is the mill of the river?".to_owned()));
    let answer = send_message(&otto, &path, "Where is the mill of the river?").await;
    assert!(answer.status == 502 && !answer.body.to_string().contains("river"), "{answer:?}");
    scenario.app.stop().await;
}
