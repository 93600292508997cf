//! `POST /svc/rag-search/` and `DELETE /svc/rag-search/<search_id>/`: the summary of an existing search.

use crate::app_harness::{Answer, items};
use crate::rag_fixture::{EventRequest, RagFixture, events};
use domain::settings::{Seconds, Settings, Throttle};
use domain::summary::AUTHOR;
use fakes::models::{KEY, Manner, Refusal, TEXT, TOKENS_IN, TOKENS_OUT};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::Behavior;

/// The results are returned without a summary, and `info.ai` says why.
#[track_caller]
fn assert_no_summary(answer: &Answer, code: &str) {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body["ai_summary"], json!([]));
    assert_eq!(answer.body["info"]["ai"]["status"], "error");
    assert_eq!(answer.body["info"]["ai"]["code"], code, "{}", answer.body["info"]["ai"]);
    let message = answer.body["info"]["ai"]["message"].as_str().unwrap();
    let lines = answer.body["messages"].as_array().unwrap();
    assert!(lines.iter().any(|line| line.as_str().unwrap().contains(message)), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_summary_stands_in_its_block_and_first_in_the_list() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    let before = it.app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
    assert_eq!(before["ai_summary"], json!([]));
    assert_eq!(before["info"].get("ai"), None);
    let answer = it.rag_search(&json!({"search_id": id})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let row = &answer.body["ai_summary"][0];
    assert_eq!(row["body"], TEXT);
    assert_eq!((&row["author"], &row["title"]), (&json!(AUTHOR), &json!("river mill")));
    assert_eq!((&row["swirl_rank"], &row["searchprovider"]), (&json!(1), &json!("Company model-gpt-4o")));
    assert_eq!(row.get("result_block"), None);
    let details = &row["additional_content"];
    assert_eq!(
        (details["tokens_in"].as_u64(), details["tokens_out"].as_u64()),
        (Some(TOKENS_IN), Some(TOKENS_OUT))
    );
    let sources = details["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 2);
    let request = it.model.requests()[0].body.to_string();
    assert!(
        request.contains("The river mill") && !request.contains("em>"),
        "marks of hits are not for models: {request}"
    );
    for (place, source) in sources.iter().enumerate() {
        assert_eq!((source["n"].as_u64(), &source["cited"]), (Some(place as u64 + 1), &json!(true)));
        assert_eq!(source["mode"], "snippet");
        assert!(source["url"].as_str().unwrap().starts_with("https://mills.example/"));
        let used = row["rag_query_items"].as_array().unwrap();
        assert!(used.contains(&json!(source["swirl_id"].to_string())), "{used:?}");
    }
    assert_eq!(answer.body["info"]["ai"], json!({"status": "ok"}));
    let first = &answer.body["results"][0];
    assert_eq!((&first["swirl_rank"], &first["body"]), (&json!(0), &json!(TEXT)));
    assert_eq!(answer.body["results"][1]["swirl_rank"], 1);
    for count in ["found_total", "retrieved_total", "retrieved"] {
        assert_eq!(answer.body["info"]["results"][count], before["info"]["results"][count], "{count}");
    }
    assert_eq!(answer.body["info"]["results"]["result_blocks"], json!(["ai_summary"]));

    let page = it.app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
    assert_eq!(page["ai_summary"][0]["body"], TEXT);
    assert_eq!(
        page["results"][0]["swirl_rank"], 1,
        "without a request for it the summary is only in its block"
    );
    let saved = it.app.admin.get(&format!("/svc/results/{}/", row["swirl_id"])).await;
    assert_eq!(
        (saved.status.as_u16(), &saved.body["body"]),
        (200, &json!(TEXT)),
        "it is a result like others"
    );
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_equal_request_is_served_from_the_store_and_a_rerun_deletes_it() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    for (body, calls) in [
        (json!({"search_id": id}), 1),
        (json!({"search_id": id, "ai_instructions": "  "}), 1),
        (json!({"search_id": id, "ai_instructions": "Short."}), 2),
        (json!({"search_id": id, "ai_instructions": "Short.", "ai_provider": it.ai_provider}), 3),
        (json!({"search_id": id, "result_list": [1]}), 4),
        // Without a list all results are used, not those of the previous summary.
        (json!({"search_id": id}), 5),
        (json!({"search_id": id, "result_list": []}), 5),
    ] {
        let answer = it.rag_search(&body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.body["ai_summary"].as_array().unwrap().len(), 1, "one row is kept");
        assert_eq!(it.model.requests().len(), calls, "{body}");
    }
    let rerun = it.app.admin.get(&format!("/svc/search/?rerun={id}")).await;
    assert_eq!(rerun.status, 302, "{rerun:?}");
    let page = it.app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
    assert_eq!(page["ai_summary"], json!([]));
    it.rag_search(&json!({"search_id": id})).await;
    assert_eq!(it.model.requests().len(), 6);
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_summary_takes_the_place_of_the_stored_one() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    let mut seen = Vec::new();
    for (body, calls) in [
        // Nothing is stored yet.
        (json!({"search_id": id, "renew": true}), 1),
        (json!({"search_id": id}), 1),
        (json!({"search_id": id, "renew": false}), 1),
        (json!({"search_id": id, "renew": true}), 2),
        (json!({"search_id": id}), 2),
    ] {
        let answer = it.rag_search(&body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.body["ai_summary"].as_array().unwrap().len(), 1, "one row is kept");
        assert_eq!(it.model.requests().len(), calls, "{body}");
        seen.push(answer.body["ai_summary"][0]["swirl_id"].clone());
    }
    assert!(seen[0] == seen[2] && seen[2] != seen[3] && seen[3] == seen[4], "{seen:?}");
    let told = events(&it.app.admin, EventRequest::RagSearch(json!({"search_id": id, "renew": true}))).await;
    assert_eq!(told.last().map(|(name, _)| name.as_str()), Some("done"), "{told:?}");
    assert_eq!(it.model.requests().len(), 3, "the same holds for a stream");
    let wrong = it.rag_search(&json!({"search_id": id, "renew": "maybe"})).await;
    assert_eq!(wrong.status, 400, "{wrong:?}");
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_select_results_by_id_or_rank() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    let page = it.app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
    let of_rank = |rank: usize| page["results"][rank - 1]["swirl_id"].as_i64().unwrap();
    let unknown = of_rank(1) + of_rank(2) + 1000;
    for (list, expected) in [
        (json!([of_rank(2), unknown]), vec![of_rank(2)]),
        (json!([of_rank(2), of_rank(1)]), vec![of_rank(1), of_rank(2)]),
    ] {
        let answer = it.rag_search(&json!({"search_id": id, "result_list": list})).await;
        let used = answer.body["ai_summary"][0]["rag_query_items"].as_array().unwrap();
        let mut used: Vec<i64> = used.iter().map(|one| one.as_str().unwrap().parse().unwrap()).collect();
        used.sort_unstable();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(used, expected, "{list}");
        let is_named = answer.body["messages"].to_string().contains(&unknown.to_string());
        assert_eq!(is_named, list.to_string().contains(&unknown.to_string()));
    }
    let none = it.rag_search(&json!({"search_id": id, "result_list": [unknown]})).await;
    assert_no_summary(&none, "no_relevant_results");
    assert!(none.body["info"]["ai"]["message"].as_str().unwrap().contains(&unknown.to_string()));
    assert_eq!(none.body["results"].as_array().unwrap().len(), 2, "the results are there");
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_the_model() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    let refuses = |status| Manner::Refuses(Refusal::new(status, format!("no, and your key is {KEY}")));
    for manner in [
        refuses(401),
        refuses(400),
        refuses(500),
        Manner::Throttles(Some(1)),
        Manner::BreaksOff(3),
        Manner::Garbage,
    ] {
        it.model.behaves(manner.clone());
        let answer = it.rag_search(&json!({"search_id": id})).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (502, "ai_provider_error"),
            "{manner:?}: {answer:?}"
        );
        assert!(!answer.body.to_string().contains(KEY), "{manner:?}: {answer:?}");
        let page = it.app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
        assert_eq!((&page["ai_summary"], page["results"].as_array().unwrap().len()), (&json!([]), 2));
        let told = events(&it.app.admin, EventRequest::RagSearch(json!({"search_id": id}))).await;
        let (name, last) = told.last().unwrap();
        assert_eq!((name.as_str(), &last["code"]), ("error", &json!("ai_provider_error")), "{manner:?}");
        assert!(!last.to_string().contains(KEY), "{manner:?}: {last}");
    }
    it.model.behaves(Manner::Fine);
    assert_eq!(it.rag_search(&json!({"search_id": id})).await.status, 200);
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_provider_nothing_relevant_no_text_and_not_ready() {
    let it = RagFixture::with(|settings| Settings { rag_score_inclusion_threshold: 0.999, ..settings }).await;
    let id = it.search().await;
    let nothing = it.rag_search(&json!({"search_id": id})).await;
    assert_no_summary(&nothing, "no_relevant_results");
    assert!(nothing.body["info"]["ai"]["message"].as_str().unwrap().contains("0.999"), "{nothing:?}");

    it.source.reply(Behavior::Json(json!({"total": 0, "items": []})));
    let empty = it.app.admin.search(&json!({"query_string": "river mill"})).await["id"].clone();
    assert_no_summary(&it.rag_search(&json!({"search_id": empty})).await, "no_relevant_results");

    it.source.reply(Behavior::Json(json!({"total": 1, "items": [{"title": "River mill", "body": ""}]})));
    let bare = it.app.admin.search(&json!({"query_string": "river mill"})).await["id"].clone();
    let first = it.app.admin.get(&format!("/svc/results/?search_id={bare}")).await.body["results"][0].clone();
    let bare = it.rag_search(&json!({"search_id": bare, "result_list": [first["swirl_id"]]})).await;
    assert_no_summary(&bare, "no_source_text");
    assert_eq!(it.model.requests().len(), 0, "no model was asked");

    it.source.reply(Behavior::Json(items("river", 2)).delayed(Duration::from_secs(2)));
    let slow = it.app.admin.post("/svc/search/", &json!({"query_string": "river"})).await.body["id"].clone();
    let early = it.rag_search(&json!({"search_id": slow})).await;
    assert_eq!((early.status.as_u16(), early.code()), (503, "not_ready"));
    assert!(!early.header("retry-after").is_empty());

    let path = format!("/svc/aiproviders/{}/", it.ai_provider);
    assert_eq!(it.app.admin.patch(&path, &json!({"active": false})).await.status, 200);
    let none = it.rag_search(&json!({"search_id": id})).await;
    assert_eq!((none.status.as_u16(), none.code()), (503, "no_ai_provider"), "{none:?}");
    assert!(!none.header("retry-after").is_empty());
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_is_504_and_the_request_to_the_model_ends() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    for manner in [Manner::Hangs, Manner::Slow(Duration::from_secs(2))] {
        it.model.behaves(manner.clone());
        let begun = Instant::now();
        let answer = it.rag_search(&json!({"search_id": id, "rag_timeout": 1})).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (504, "rag_timeout"), "{manner:?}: {answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
        it.model_writes(0).await;
    }
    for (timeout, expected) in [(json!(0), 400), (json!(181), 400), (json!("soon"), 400), (json!(180), 200)] {
        it.model.behaves(Manner::Fine);
        let answer = it.rag_search(&json!({"search_id": id, "rag_timeout": timeout})).await;
        assert_eq!(answer.status, expected, "{timeout}: {answer:?}");
    }
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_tokens_are_streamed() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    it.model.behaves(Manner::Slow(Duration::from_millis(20)));
    let told = events(&it.app.admin, EventRequest::RagSearch(json!({"search_id": id}))).await;
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    let count = |name: &str| names.iter().filter(|one| **one == name).count();
    assert_eq!(
        (count("source"), count("citations"), count("done"), count("error")),
        (2, 1, 1, 0),
        "{names:?}"
    );
    assert!(count("delta") >= 2, "{names:?}");
    assert_eq!(names.last(), Some(&"done"));
    let stages: Vec<&Value> =
        told.iter().filter(|(name, _)| name == "status").map(|(_, data)| &data["stage"]).collect();
    assert!(stages.contains(&&json!("choosing")) && stages.contains(&&json!("writing")), "{stages:?}");
    let deltas = told.iter().filter(|(name, _)| name == "delta");
    let text: String = deltas.map(|(_, data)| data["text"].as_str().unwrap()).collect();
    assert_eq!(text, TEXT);
    let (_, row) = told.last().unwrap();
    assert_eq!((&row["body"], &row["author"]), (&json!(TEXT), &json!(AUTHOR)));
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_lies_about_its_citations() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    it.model.says(
        "The mill stands by the river [1]. Bananas are ripened in Antarctica by penguins [2]. \
         See [the archive](https://evil.example/steal?q=secret) and [9]. ![x](https://evil.example/pixel.png)",
    );
    let answer = it.rag_search(&json!({"search_id": id})).await;
    let row = &answer.body["ai_summary"][0];
    let body = row["body"].as_str().unwrap();
    assert!(!body.contains("[9]") && !body.contains("evil.example"), "{body}");
    let details = &row["additional_content"];
    let grounded = details["grounded"].as_f64().unwrap();
    assert!(grounded < 1.0, "{details}");
    let support = |words: &str| {
        let sentences = details["sentences"].as_array().unwrap();
        let sentence = sentences.iter().find(|one| one["text"].as_str().unwrap().contains(words)).unwrap();
        sentence["support"].as_f64().unwrap()
    };
    assert!(support("mill stands") > 0.35 && support("Bananas") < 0.35, "{details}");
    assert!(!details["warnings"].as_array().unwrap().is_empty());
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_ends_the_request_to_the_model() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    let path = format!("/svc/rag-search/{id}/");
    assert_eq!(it.app.admin.delete(&path).await.status, 204, "nothing is made; nothing happens");
    it.model.behaves(Manner::Hangs);
    let cancel = async {
        for _ in 0..500 {
            if it.model.requests().len() == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let begun = Instant::now();
        assert_eq!(it.app.admin.delete(&path).await.status, 204);
        begun
    };
    let body = json!({"search_id": id});
    let (answer, begun) = tokio::join!(it.rag_search(&body), cancel);
    assert_eq!((answer.status.as_u16(), answer.code()), (409, "cancelled"), "{answer:?}");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    it.model_writes(0).await;
    let otto = it.app.user("otto", &[]).await;
    assert_eq!(otto.delete(&path).await.status, 404);
    assert_eq!(otto.post("/svc/rag-search/", &body).await.status, 404);
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_requests_share_one_call_that_ends_with_its_clients() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    it.model.behaves(Manner::Slow(Duration::from_millis(20)));
    let body = json!({"search_id": id});
    let (first, second) = tokio::join!(it.rag_search(&body), it.rag_search(&body));
    assert_eq!(first.body["ai_summary"][0], second.body["ai_summary"][0]);
    assert_eq!(it.model.requests().len(), 1);

    it.model.behaves(Manner::Slow(Duration::from_secs(5)));
    let other = json!({"search_id": id, "ai_instructions": "Another one."});
    let left = tokio::time::timeout(Duration::from_secs(1), it.rag_search(&other)).await;
    assert!(left.is_err(), "the client goes away");
    it.model_writes(0).await;
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_of_the_family_is_the_fallback() {
    let it = RagFixture::start().await;
    let path = format!("/svc/aiproviders/{}/", it.ai_provider);
    let family = json!({"config": {"api_base": it.model.at("/v1"), "family": "mills"}});
    assert_eq!(it.app.admin.patch(&path, &family).await.status, 200);
    let spare = fakes::models::ModelServer::start(fakes::models::openai::OpenAi).await;
    let more = json!({"model": "gpt-4.1", "defaults": [], "config": {"api_base": spare.at("/v1"), "family": "mills"}});
    RagFixture::ai_provider(&it.app, "Spare model", &spare, more).await;
    it.model.behaves(Manner::Refuses(Refusal::new(503, "overloaded")));
    let id = it.search().await;
    let answer = it.rag_search(&json!({"search_id": id})).await;
    let row = &answer.body["ai_summary"][0];
    assert_eq!(row["searchprovider"], "Spare model-gpt-4.1", "{answer:?}");
    let details = &row["additional_content"];
    assert_eq!((&details["fallback_engaged"], &details["requested_model"]), (&json!(true), &json!("gpt-4o")));
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn throttled_and_checked() {
    let it = RagFixture::with(|settings| Settings {
        throttle_rag: Throttle::per_minute(2),
        rag_timeout: Seconds::new(20),
        ..settings
    })
    .await;
    let id = it.search().await;
    for (body, field) in [
        (json!({}), "search_id"),
        (json!({"search_id": "one"}), "search_id"),
        (json!({"search_id": id, "result_list": ["a"]}), "result_list[0]"),
        (json!({"search_id": id, "result_list": vec![1; 501]}), "result_list"),
        (json!({"search_id": id, "rag_timeout": -1}), "rag_timeout"),
    ] {
        let answer = it.rag_search(&body).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.contains(field), "{detail}");
    }
    for expected in [200, 200, 429] {
        assert_eq!(it.rag_search(&json!({"search_id": id})).await.status, expected);
    }
    it.app.stop().await;
}
