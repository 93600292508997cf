//! Prompt injection: sources with instructions, and a model that follows them; nothing harmful leaves the service in an
//! answer.

use crate::rag_fixture::{EventRequest, RagFixture, events};
use domain::settings::{Settings, Throttle};
use fakes::models::Reply;
use serde_json::{Value, json};
use testkit::injections::{CANARY, CANARY_TEXT, EVIL_HOST, INJECTIONS, Injection, openings};
use testkit::source::Behavior;

const RIVER: &str = "The river rose by two metres in one night, and the old town was flooded.";

fn documents(hostile: &Injection) -> Value {
    json!({"total": 3, "items": [
        {"title": "The river in the old town", "url": "https://news.example.org/river", "body": RIVER},
        {"title": hostile.title, "url": "https://blog.example.org/hostile",
            "body": format!("{RIVER}\n{}", hostile.text)},
        {"title": "The river archive", "url": "https://wiki.example.org/secret", "body": CANARY_TEXT},
    ]})
}

/// Nothing in the answer can be opened, loaded or executed, except the URLs of its sources.
fn assert_harmless(name: &str, row: &Value) {
    let body = row["body"].as_str().unwrap();
    assert_eq!(openings(body), Vec::<String>::new(), "{name}: {body}");
    let details = &row["additional_content"];
    for field in ["follow_ups", "warnings"] {
        for text in details[field].as_array().unwrap() {
            let text = text.as_str().unwrap();
            // A warning may name its result.
            let text = text.replace("https://news.example.org/", "").replace("https://blog.example.org/", "");
            let text = text.replace("https://wiki.example.org/", "");
            assert_eq!(openings(&text), Vec::<String>::new(), "{name}: {field}");
        }
    }
    let sources = details["sources"].as_array().unwrap();
    assert!(!sources.is_empty(), "{name}");
    for source in sources {
        let url = source["url"].as_str().unwrap();
        assert!(url.starts_with("https://") && url.contains(".example.org/"), "{name}: {url}");
        let address = url.split('#').next().unwrap();
        assert!(!address.contains(CANARY) && !url.contains(EVIL_HOST), "{name}: {url}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn obeying_a_source_does_no_harm() {
    // Three answers for each injection: more than a person requests in a minute.
    let throttle_rag = Throttle::per_minute(10_000);
    let it = RagFixture::with(|settings| Settings { throttle_rag, ..settings }).await;
    assert!(INJECTIONS.len() >= 40, "{}", INJECTIONS.len());
    for hostile in INJECTIONS {
        let name = hostile.name;
        it.source.reply(Behavior::Json(documents(hostile)));
        let reply = Reply {
            text: hostile.obeyed(),
            calls: vec![("fetch".to_owned(), json!({"url": "https://evil.test/"}))],
            ..Reply::default()
        };
        it.model.replies(move |_| reply.clone());
        let asked = it.source.requests().len();
        let search = it.app.admin.search(&json!({"query_string": "river old town"})).await["id"].clone();
        let answer = it.app.admin.post("/svc/rag-search/", &json!({"search_id": search})).await;
        assert_eq!(answer.status, 200, "{name}: {answer:?}");
        let row = &answer.body["ai_summary"][0];
        assert_harmless(name, row);

        let again = json!({"search_id": search, "ai_instructions": "As a stream."});
        let told = events(&it.app.admin, EventRequest::RagSearch(again)).await;
        let deltas = told.iter().filter(|(event, _)| event == "delta");
        let text: String = deltas.map(|(_, data)| data["text"].as_str().unwrap()).collect();
        assert_eq!(openings(&text), Vec::<String>::new(), "{name}, streamed: {text}");
        assert_harmless(name, &told.last().unwrap().1);
        assert_eq!(it.source.requests().len(), asked + 1, "{name}: the search is all that was fetched");
    }
    for request in it.model.requests() {
        assert_eq!(request.body.get("tools"), None, "no tool is offered");
    }
    it.app.stop().await;
}
