//! AI summaries with a search (`qs=…&rag=true`, `q=…&rag=true`), and the requests of a search page (`/svc/sapi/…`).

use crate::app_harness::Answer;
use crate::rag_fixture::{EventRequest, RagFixture, events};
use domain::settings::{Settings, Throttle};
use fakes::models::{Manner, Refusal, TEXT};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;

async fn ask(it: &RagFixture, more: &str) -> Answer {
    it.app.admin.get(&format!("/svc/search/?qs=river+mill{more}")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn results_and_summary_in_one_answer() {
    let it = RagFixture::start().await;
    for (more, is_on) in [
        ("&rag=true", true),
        ("&rag=1", true),
        ("&rag=yes", true),
        ("&rag=ON", true),
        ("&rag", true),
        ("&rag=perhaps", true),
        ("&do_rag=true", true),
        ("", false),
        ("&rag=false", false),
        ("&rag=0", false),
        ("&rag=no", false),
        ("&rag=Off", false),
    ] {
        let answer = ask(&it, more).await;
        assert_eq!(answer.status, 200, "{more}: {answer:?}");
        assert_eq!(answer.body["ai_summary"].as_array().unwrap().len(), usize::from(is_on), "{more}");
        let expected = if is_on { json!({"status": "ok"}) } else { json!(null) };
        assert_eq!(answer.body["info"]["ai"], expected, "{more}");
        let first = &answer.body["results"][0];
        assert_eq!(first["swirl_rank"], u32::from(!is_on), "{more}");
        assert_eq!(answer.body["info"]["results"]["retrieved"], 2, "{more}");
    }
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_never_lost() {
    let it = RagFixture::start().await;
    let cases = [
        (Manner::Refuses(Refusal::new(401, "no")), "ai_provider_error"),
        (Manner::Refuses(Refusal::new(500, "no")), "ai_provider_error"),
        (Manner::Throttles(None), "ai_provider_error"),
        (Manner::BreaksOff(2), "ai_provider_error"),
        (Manner::Garbage, "ai_provider_error"),
        (Manner::Hangs, "rag_timeout"),
        (Manner::Slow(Duration::from_secs(3)), "rag_timeout"),
    ];
    for (manner, code) in cases {
        it.model.behaves(manner.clone());
        // An error is returned when it comes; only a model that does not respond runs into the timeout of a second.
        let time = if code == "rag_timeout" { 1 } else { 60 };
        let answer = ask(&it, &format!("&rag=true&rag_timeout={time}")).await;
        assert_lost_nothing(&answer, code);
    }
    it.model.says("");
    it.model.behaves(Manner::Fine);
    assert_lost_nothing(&ask(&it, "&rag=true").await, "ai_provider_error");
    let path = format!("/svc/aiproviders/{}/", it.ai_provider);
    assert_eq!(it.app.admin.patch(&path, &json!({"active": false})).await.status, 200);
    assert_lost_nothing(&ask(&it, "&rag=true").await, "no_ai_provider");
    it.app.stop().await;
}

#[track_caller]
fn assert_lost_nothing(answer: &Answer, code: &str) {
    assert_eq!(answer.status, 200, "{code}: {answer:?}");
    assert_eq!(answer.body["results"].as_array().unwrap().len(), 2, "{code}");
    assert_eq!(answer.body["ai_summary"], json!([]), "{code}");
    let ai = &answer.body["info"]["ai"];
    assert_eq!((&ai["status"], &ai["code"]), (&json!("error"), &json!(code)), "{ai}");
    let lines = answer.body["messages"].to_string();
    assert!(lines.contains("No AI summary: "), "{lines}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_times_are_refused_and_start_nothing() {
    let it = RagFixture::start().await;
    for (more, expected) in [
        ("&rag=true&rag_timeout=soon", 400),
        ("&rag=true&rag_timeout=0", 400),
        ("&rag=true&rag_timeout=181", 400),
        ("&rag_timeout=1.5", 400),
        ("&rag=true&rag_timeout=180", 200),
    ] {
        let answer = ask(&it, more).await;
        assert_eq!(answer.status, expected, "{more}: {answer:?}");
        if expected == 400 {
            assert!(answer.body["errors"].get("rag_timeout").is_some(), "{more}: {answer:?}");
        }
    }
    assert_eq!(it.app.admin.get("/svc/search/").await.body.as_array().unwrap().len(), 1);
    for header in ["Sec-Purpose", "Purpose"] {
        let request = it.app.admin.request(Method::GET, "/svc/search/?qs=river&rag=true");
        let answer = Answer::of(request.header(header, "prefetch")).await;
        assert_eq!(answer.status, 204);
    }
    assert_eq!(it.app.admin.get("/svc/search/").await.body.as_array().unwrap().len(), 1);
    assert_eq!(it.model.requests().len(), 1);
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_leads_to_results_with_the_summary() {
    let it = RagFixture::start().await;
    let answer = it.app.admin.get("/svc/search/?q=river+mill&rag=true&ai_instructions=In+one+word.").await;
    assert_eq!(answer.status, 302);
    let page = it.app.admin.get(answer.header("location")).await.body;
    assert_eq!(page["ai_summary"][0]["body"], TEXT);
    assert!(it.model.requests()[0].body.to_string().contains("In one word."));
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_and_its_answer_as_they_happen() {
    let it = RagFixture::start().await;
    let told = events(&it.app.admin, EventRequest::Get("/svc/search/?qs=river+mill&rag=true")).await;
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names[0], *names.last().unwrap()), ("results", "done"), "{names:?}");
    assert_eq!(told[0].1["results"].as_array().unwrap().len(), 2);
    assert_eq!(told.last().unwrap().1["body"], TEXT);
    it.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_search_page_asks() {
    let it =
        RagFixture::with(|settings| Settings { throttle_rag: Throttle::per_minute(4), ..settings }).await;
    let id = it.search().await;
    let path = format!("/svc/sapi/detail-search-rag/?search_id={id}");
    let head = Answer::of(it.app.admin.request(Method::HEAD, &path)).await;
    assert_eq!((head.status.as_u16(), it.model.requests().len()), (204, 0));
    let answer = it.app.admin.get(&format!("{path}&rag_items=1,2&ai_instructions=Short.")).await;
    assert_eq!((answer.status.as_u16(), &answer.body["message"]), (200, &json!(TEXT)), "{answer:?}");
    assert_eq!(answer.body["additional_content"]["ai_model"], "gpt-4o");
    assert_eq!(answer.body["additional_content"]["sources"].as_array().unwrap().len(), 2);
    let nothing = it.app.admin.get(&format!("{path}&rag_items=99999")).await;
    assert_eq!(
        (&nothing.body["message"], &nothing.body["code"]),
        (&json!(""), &json!("no_relevant_results"))
    );
    it.model.behaves(Manner::Hangs);
    let late = it.app.admin.get(&format!("{path}&rag_timeout=1&ai_instructions=Long.")).await;
    assert_eq!((late.status.as_u16(), late.code()), (504, "rag_timeout"));
    for wrong in ["&rag_items=a", "&rag_timeout=0"] {
        assert_eq!(it.app.admin.get(&format!("{path}{wrong}")).await.status, 400, "{wrong}");
    }
    let otto = it.app.user("otto", &[]).await;
    assert_eq!(otto.get(&path).await.status, 404, "a search of somebody else");
    assert_eq!(it.app.admin.get("/svc/sapi/detail-search-rag/").await.status, 400);
    it.app.admin.get(&format!("{path}&rag_items=99998")).await;
    assert_eq!(it.app.admin.get(&path).await.status, 429);

    let exists = otto.get("/svc/sapi/is_chat_ai_provider_exists").await.body;
    assert_eq!(exists, json!({"is_chat_ai_provider_exists": false, "is_rag_ai_provider_exists": true}));
    let models = otto.get("/svc/sapi/ai_providers/?tag=RAG").await.body;
    assert_eq!((&models[0]["id"], &models[0]["model"]), (&json!(it.ai_provider), &json!("gpt-4o")));
    assert!(!models.to_string().contains("api_key"), "{models}");
    assert_eq!(otto.get("/svc/sapi/ai_providers/?tag=chat").await.body, json!([]));
    assert_eq!(otto.get("/svc/sapi/ai_providers/?tag=poet").await.status, 400);
    it.app.stop().await;
}
