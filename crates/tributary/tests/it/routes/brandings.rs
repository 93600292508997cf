//! `/svc/brandings/`, and pages with a branding.

use crate::app_harness::AppHarness;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::settings::Settings;
use serde_json::{Value, json};

/// A PNG of one transparent pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

fn picture() -> String {
    format!("data:image/png;base64,{PIXEL}")
}

async fn sign_in_page(app: &AppHarness) -> String {
    app.anonymous().get("/login/").await.body.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_saved_last_is_what_people_see() {
    let app = AppHarness::start().await;
    assert!(sign_in_page(&app).await.contains("<span>Tributary</span>"));
    assert_eq!(app.anonymous().get("/branding/logo/light").await.status, 404);
    assert_eq!(app.anonymous().get("/branding/colours.css").await.body, "");

    let spec =
        json!({"name": "Spring", "product": "Delta <b>", "accent": "#7C2D12", "logo_light": picture()});
    let first = app.admin.post("/svc/brandings/", &spec).await;
    assert_eq!((first.status.as_u16(), &first.body["active"]), (201, &json!(true)), "{first:?}");
    assert_eq!((&first.body["has_logo_light"], &first.body["has_logo_dark"]), (&json!(true), &json!(false)));
    let page = sign_in_page(&app).await;
    assert!(page.contains("- Delta &lt;b&gt;</title>") && !page.contains("<b>"), "{page}");
    assert!(page.contains("src=\"/branding/logo/light/?v="), "{page}");
    assert!(page.contains("href=\"/branding/colours.css?v="), "{page}");
    let logo = app.anonymous().get("/branding/logo/light/").await;
    assert_eq!((logo.status.as_u16(), logo.header("content-type")), (200, "image/png"));
    assert_eq!(app.anonymous().get("/branding/logo/dark/").await.status, 404);
    assert_eq!(app.anonymous().get("/branding/logo/other/").await.status, 404);
    let css = app.anonymous().get("/branding/colours.css").await;
    assert!(css.body.as_str().unwrap().contains("--accent:#7c2d12"), "{css:?}");
    assert_eq!(css.header("content-type"), "text/css; charset=utf-8");

    let second = app.admin.post("/svc/brandings/", &json!({"name": "Summer", "product": "Estuary"})).await;
    assert!(sign_in_page(&app).await.contains("<span>Estuary</span>"));
    let listed = app.admin.get("/svc/brandings/").await.body;
    let rows: Vec<(&Value, &Value, &Value)> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["name"], &row["active"], &row["logo_light"]))
        .collect();
    assert_eq!(
        rows,
        [(&json!("Spring"), &json!(false), &json!("")), (&json!("Summer"), &json!(true), &json!(""))]
    );
    let path = format!("/svc/brandings/{}/", first.body["id"]);
    assert_eq!(app.admin.get(&path).await.body["logo_light"], picture());
    let again = app.admin.post(&format!("{path}activate/"), &json!({})).await;
    assert_eq!((again.status.as_u16(), &again.body["active"]), (200, &json!(true)));
    assert!(sign_in_page(&app).await.contains("/branding/logo/light/"));
    let put =
        app.admin.put(&format!("/svc/brandings/{}/", second.body["id"]), &json!({"name": "Summer"})).await;
    assert_eq!((put.status.as_u16(), &put.body["active"]), (200, &json!(true)));
    assert_eq!(app.admin.delete(&format!("/svc/brandings/{}/", second.body["id"])).await.status, 204);
    assert!(sign_in_page(&app).await.contains("<span>Tributary</span>"), "as it came");

    let noted = app.admin.get("/svc/audit/?kind=branding").await.body;
    let actions: Vec<&str> =
        noted.as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["deleted", "replaced", "replaced", "created", "created"]);
    assert!(!noted.to_string().contains(PIXEL), "the log keeps no pictures");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_harm_or_not_be_readable_is_refused() {
    let app = AppHarness::start().await;
    let large = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(vec![0; 500_001]));
    for (given, field) in [
        (json!({"name": ""}), "name"),
        (json!({"name": "x", "accent": "#ffff00"}), "accent"),
        (json!({"name": "x", "accent": "red;} body{display:none"}), "accent"),
        (json!({"name": "x", "product": "p".repeat(101)}), "product"),
        (json!({"name": "x", "logo_light": "data:image/svg+xml;base64,PHN2Zz4="}), "logo_light"),
        (json!({"name": "x", "logo_dark": "data:image/png;base64,PHN2Zz4="}), "logo_dark"),
        (json!({"name": "x", "logo_dark": large}), "logo_dark"),
    ] {
        let refused = app.admin.post("/svc/brandings/", &given).await;
        assert_eq!(refused.status, 400, "{field}");
        let fields: Vec<&String> = refused.body["errors"].as_object().unwrap().keys().collect();
        assert_eq!(fields, [field]);
    }
    for number in 0..domain::branding::BRANDINGS_MAX {
        let made = app.admin.post("/svc/brandings/", &json!({"name": format!("number {number}")})).await;
        assert_eq!(made.status, 201);
    }
    let taken = app.admin.put("/svc/brandings/1/", &json!({"name": "number 1"})).await;
    assert_eq!(taken.status, 409);
    let many = app.admin.post("/svc/brandings/", &json!({"name": "one more"})).await;
    assert_eq!((many.status.as_u16(), many.code()), (409, "conflict"));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_can_add_the_service_as_a_search_engine() {
    let app =
        AppHarness::with(|settings| Settings { public_url: "https://find.example/".to_owned(), ..settings })
            .await;
    app.admin.post("/svc/brandings/", &json!({"name": "Spring", "product": "Delta <b> & Co"})).await;
    let page = sign_in_page(&app).await;
    assert!(page.contains("<link rel=\"search\" type=\"application/opensearchdescription+xml\""), "{page}");
    assert!(page.contains("href=\"/branding/opensearch.xml\""), "{page}");
    let answer = app.anonymous().get("/branding/opensearch.xml").await;
    assert_eq!(answer.header("content-type"), "application/opensearchdescription+xml");
    assert_eq!(answer.header("vary"), "accept-language, cookie");
    let text = answer.body.as_str().unwrap().replace("&#x2f;", "/");
    for part in [
        "<ShortName>Delta &lt;b&gt; &amp; Co</ShortName>",
        "<Description>Search Delta &lt;b&gt; &amp; Co</Description>",
        "template=\"https://find.example/?q={searchTerms}\"",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    app.stop().await;
}
