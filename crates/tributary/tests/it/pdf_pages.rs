//! A summary over a PDF file cites its page.

use crate::rag_fixture::RagFixture;
use bytes::Bytes;
use domain::settings::Settings;
use serde_json::json;
use testkit::source::Behavior;

const PAGES: [&str; 3] = [
    "A report about the river mill, its wheel and its weir in all the years since 1850.",
    "The wheel of the river mill broke in the great flood of 1926 and was never repaired.",
    "The weir of the river mill was opened on the first of May for all the boats.",
];

/// A PDF file with one line on each page.
fn pdf() -> Bytes {
    let kids: Vec<String> = (0..PAGES.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Count {} /Kids [{}] >>", PAGES.len(), kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (page, line) in PAGES.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> \
             /Contents {} 0 R >>",
            5 + 2 * page
        ));
        let content = format!("BT /F1 12 Tf 50 700 Td ({line}) Tj ET");
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), String::new());
    for (number, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let (size, start) = (objects.len() + 1, file.len());
    file.push_str(&format!("xref\n0 {size}\n0000000000 65535 f \n{table}"));
    file.push_str(&format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"));
    file.into()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_cites_the_page_of_a_pdf() {
    let scenario =
        RagFixture::with(|settings| Settings { always_fall_back_to_summary: false, ..settings }).await;
    let url = scenario.source.url_at("/mill.pdf");
    scenario
        .source
        .reply_at("/mill.pdf", Behavior::Text { content_type: "application/pdf".into(), body: pdf() });
    let fragment = format!("{url}?part=1#annex");
    let items = json!([
        {"title": "The river mill", "url": url, "date": "2024-03-05",
            "body": "The mill stands by the river and has ground corn for two hundred years."},
        {"title": "The annex of the mill at the river", "url": fragment, "date": "2023-01-02",
            "body": "The wheel of the river mill is made of oak, larger than the first wheel that was lost in a flood."},
    ]);
    scenario.source.reply(Behavior::Json(json!({"total": 2, "items": items})));
    let providers = scenario.app.admin.get("/svc/searchproviders/").await;
    let mills =
        providers.body.as_array().unwrap().iter().find(|one| one["name"] == "Mills").unwrap()["id"].clone();
    let change = json!({"page_fetch_config_json": {"cache": "true"}});
    assert_eq!(
        scenario.app.admin.patch(&format!("/svc/searchproviders/{mills}/"), &change).await.status,
        200
    );
    scenario.model.says(
        "The wheel of the river mill broke in the great flood of 1926 [1]. The weir of the river mill was opened on \
         the first of May [2].",
    );
    let search = scenario.search().await;
    let made = scenario.rag_search(&json!({"search_id": search})).await;
    assert_eq!(made.status, 200, "{made:?}");
    let summary = scenario.app.admin.get(&format!("/svc/results/?search_id={search}")).await;
    let sources = summary.body["ai_summary"][0]["additional_content"]["sources"].clone();
    assert_eq!(sources.as_array().map(Vec::len), Some(2), "{summary:?}");
    for source in sources.as_array().unwrap() {
        let is_annex = source["title"].as_str().unwrap().contains("annex");
        let expected = if source["n"] == 1 { 2 } else { 3 };
        assert_eq!((&source["mode"], &source["page"]), (&json!("page"), &json!(expected)), "{source}");
        let link = if is_annex { fragment.clone() } else { format!("{url}#page={expected}") };
        assert_eq!(source["url"], link, "a fragment of the address stays: {source}");
    }
    let card = scenario.app.admin.get(&format!("/search/{search}/answer/")).await;
    let html = card.body.as_str().unwrap();
    assert!(html.contains("#page=") && html.contains("· page 2<") && html.contains("· page 3<"), "{html}");
    scenario.app.stop().await;
}
