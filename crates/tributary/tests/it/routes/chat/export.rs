//! Export of a chat.

use super::{chat, chat_fixture, search_then_answer, send_message};
use domain::ports::FileToRead;
use reqwest::Method;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn as_pdf_markdown_and_html() {
    let scenario = chat_fixture().await;
    scenario.model.replies(search_then_answer("Elle coûte 7 €, the mill stands by the river [1]."));
    let admin = &scenario.app.admin;
    let path = chat(admin, json!({"title": "Mühlen"})).await;
    let answer = send_message(admin, &path, "Où est le moulin?").await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let title = answer.body["citations"][0]["title"].as_str().unwrap();

    let file = admin.request(Method::GET, &format!("{path}export/")).send().await.unwrap();
    assert_eq!(file.status(), 200);
    assert_eq!(file.headers()["content-type"], "application/pdf");
    assert!(
        file.headers()["content-disposition"].to_str().unwrap().starts_with("attachment; filename=\"chat-")
    );
    let bytes = file.bytes().await.unwrap();
    let file = FileToRead { media_type: None, name: "chat.pdf".to_owned(), bytes };
    let read = extraction::read(&file, &extraction::Limits::default()).unwrap();
    for expected in ["Mühlen", "Où est le moulin?", "Elle coûte 7 €", title] {
        assert!(read.text.contains(expected), "{expected}: {}", read.text);
    }

    let text = admin.get(&format!("{path}export/?format=md")).await;
    assert_eq!((text.status.as_u16(), text.header("content-type")), (200, "text/markdown; charset=utf-8"));
    let text = text.body.as_str().unwrap();
    assert!(text.starts_with("# Mühlen\n") && text.contains("- \\[1\\] ["), "{text}");
    let page = admin.get(&format!("{path}export/?format=html")).await;
    assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.header("content-disposition").ends_with(".html\""), "it is a file, not a page of ours");
    assert!(page.body.as_str().unwrap().contains("<title>Mühlen</title>"), "{page:?}");
    let wrong = admin.get(&format!("{path}export/?format=docx")).await;
    assert_eq!((wrong.status.as_u16(), wrong.code()), (400, "invalid"), "{wrong:?}");
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn characters_that_the_pdf_cannot_show() {
    let scenario = chat_fixture().await;
    scenario.model.says("नदी के किनारे.");
    let admin = &scenario.app.admin;
    let path = chat(admin, json!({})).await;
    assert_eq!(send_message(admin, &path, "Dam?").await.status, 201);
    let refused = admin.get(&format!("{path}export/?format=pdf")).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (422, "impossible"), "{refused:?}");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("‘न’") && detail.contains("format=html"), "{refused:?}");
    for format in ["md", "html"] {
        let text = admin.get(&format!("{path}export/?format={format}")).await;
        assert!(text.body.as_str().unwrap().contains("नदी के किनारे."), "{format}");
    }
    scenario.app.stop().await;
}
