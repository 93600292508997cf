//! Page fragments of the summary and of the Assistant.

use crate::app_harness::{Answer, AppHarness};
use crate::rag_fixture::RagFixture;
use reqwest::Method;
use serde_json::json;

const HOSTILE: &str = "**The mill** stands by the river [1]. <script>alert(1)</script> [Click](javascript:alert(1)) \
    ![x](https://evil.example/) It is haunted [9].";

fn text(piece: &Answer) -> &str {
    piece.body.as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_is_a_piece_of_the_page() {
    let scenario = RagFixture::start().await;
    scenario.model.says(HOSTILE);
    let search = scenario.search().await;
    let path = format!("/search/{search}/answer/");
    let asked = scenario.app.admin.get(&path).await;
    assert_eq!(asked.status, 200, "{asked:?}");
    assert!(text(&asked).contains("data-ask") && !text(&asked).contains("data-cite"), "{asked:?}");

    let made = scenario.rag_search(&json!({"search_id": search, "ai_instructions": "<i>in short</i>"})).await;
    assert_eq!(made.status, 200, "{made:?}");
    let piece = scenario.app.admin.get(&path).await;
    let html = text(&piece);
    assert!(piece.header("content-type").starts_with("text/html"), "{piece:?}");
    assert_eq!(piece.header("cache-control"), "no-store");
    assert!(html.contains("<strong>The mill</strong>") && html.contains("data-cite=\"1\""), "{html}");
    assert!(html.contains("gpt-4o") && html.contains("&lt;i&gt;in short"), "{html}");
    for hostile in ["<script", "<img", "href=\"javascript", "evil.example", "data-cite=\"9\"", " style="] {
        assert!(!html.contains(hostile), "{hostile}: {html}");
    }

    let ann = scenario.app.user("ann", &[]).await;
    assert_eq!(ann.get(&path).await.status, 404, "searches are private");
    assert_eq!(scenario.app.anonymous().get(&path).await.status, 401);
    let model = format!("/svc/aiproviders/{}/", scenario.ai_provider);
    let off = scenario.app.admin.patch(&model, &json!({"active": false})).await;
    assert_eq!(off.status, 200);
    let kept = scenario.app.admin.get(&path).await;
    assert!(text(&kept).contains("data-cite") && !text(&kept).contains("data-ask"), "what is there is shown");
    let other = scenario.search().await;
    assert_eq!(
        scenario.app.admin.get(&format!("/search/{other}/answer/")).await.status,
        204,
        "nobody answers"
    );
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_answer_is_part_of_the_page() {
    let scenario = RagFixture::start().await;
    let (admin, search) = (&scenario.app.admin, scenario.search().await);
    let path = format!("/?search_id={search}");
    assert!(text(&admin.get(&path).await).contains("Answer from these results"), "it can be requested");
    scenario.model.says("The wheel of the river mill is made of oak [2]. The mill stands by the river [1].");
    let made = scenario.rag_search(&json!({"search_id": search})).await;
    assert_eq!(made.status, 200, "{made:?}");
    let page = admin.get(&path).await;
    let html = text(&page);
    for expected in ["answer done folded", "Answer from 2 sources", "Based on all 2 results."] {
        assert!(html.contains(expected), "{expected}: {html}");
    }
    let place = |wanted: &str| html.find(wanted).unwrap_or_else(|| panic!("{wanted}: {html}"));
    assert!(place("data-cite=\"1\"") < place("data-cite=\"2\""), "numbered in the order of reading: {html}");
    assert!(!html.contains("data-ask-filtered") && !html.contains("\"elsewhere\""), "{html}");

    let open = admin.request(Method::GET, &path).header("Cookie", "answer=open").send().await.unwrap();
    assert!(!open.text().await.unwrap().contains("answer done folded"), "as this browser chose");
    assert!(text(&admin.get(&format!("{path}&page=2")).await).contains("class=\"elsewhere\""));
    let filtered = admin.get(&format!("/search/{search}/answer/?not_providers=999")).await;
    assert!(text(&filtered).contains("Answer from these 2"), "{filtered:?}");

    let results = admin.get(&format!("/svc/results/?search_id={search}")).await.body;
    let selected = json!({"search_id": search, "result_list": [results["results"][0]["swirl_id"]]});
    assert_eq!(scenario.rag_search(&selected).await.status, 200);
    assert!(text(&admin.get(&path).await).contains("Based on 1 of 2 results."));
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_start_page_has_own_searches_alone() {
    let scenario = RagFixture::start().await;
    let admin = &scenario.app.admin;
    for (query, tags) in
        [("River mill", json!([])), ("river mill", json!([])), ("wheel of oak", json!(["chat"]))]
    {
        admin.search(&json!({"query_string": query, "tags": tags})).await;
    }
    let page = admin.get("/").await;
    let html = text(&page);
    assert!(html.contains(">river mill<"), "the newest of equal searches: {html}");
    assert!(!html.contains("River mill") && !html.contains("wheel of oak"), "{html}");
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_assistant_shows_chats_and_says_what_is_missing() {
    let app = AppHarness::start().await;
    let (admin, ann) = (&app.admin, app.user("ann", &[]).await);
    let page = ann.get("/chat/").await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(text(&page).contains("No model is enabled") && text(&page).contains("Ask an administrator"));
    assert!(page.header("content-security-policy").contains("default-src 'none'"));

    let spec = json!({"name": "Picker", "model": "local/extractive", "active": true, "tags": ["chat"]});
    assert_eq!(admin.post("/svc/aiproviders/", &spec).await.status, 201);
    let chat = ann.post("/svc/chat/", &json!({"title": "<b>Dams</b>"})).await.body["id"].clone();
    let said = ann.post(&format!("/svc/chat/{chat}/messages/"), &json!({"content": "<script>river"})).await;
    assert_eq!(said.status, 201, "{said:?}");
    let page = ann.get(&format!("/chat/?chat={chat}")).await;
    let html = text(&page);
    assert_eq!(page.status, 200);
    assert!(html.contains("&lt;b&gt;Dams") && html.contains("&lt;script&gt;river"), "{html}");
    assert!(!html.contains("<script>") && !html.contains("No model is enabled"), "{html}");
    assert!(html.contains(&format!("/chat/{chat}/export/?format=pdf")), "{html}");

    let message = format!("/chat/{chat}/messages/{}/", said.body["id"]);
    assert!(text(&ann.get(&message).await).contains("class=\"message theirs\""));
    let rail = ann.get(&format!("/chat/rail/?chat={chat}")).await;
    assert!(text(&rail).contains("aria-current=\"page\""), "{rail:?}");
    assert_eq!(admin.get(&message).await.status, 404, "chats are private, also to administrators");
    let foreign = admin.get(&format!("/chat/?chat={chat}")).await;
    assert!(foreign.status == 404 && !text(&foreign).contains("Dams"), "{foreign:?}");
    for strange in ["/chat/?chat=x", "/chat/?chat=99", "/chat/?chat=%3Cscript%3E"] {
        let page = ann.get(strange).await;
        assert!(page.status == 404 && text(&page).contains("Chat not found."), "{strange}: {page:?}");
    }
    assert_eq!(ann.get("/chat/?attach=1:1,x,99:5").await.status, 200, "what is not hers is left out");
    app.stop().await;
}
