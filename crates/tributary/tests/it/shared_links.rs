//! Addresses of lists, opened by other users.

use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness, Client, items};
use crate::browser::Browser;
use crate::pages::finished_page;
use serde_json::json;
use testkit::source::{Behavior, Source};

fn text(page: &Answer) -> String {
    page.body.as_str().unwrap().replace("&#x2f;", "/")
}

async fn searches(client: &Client) -> usize {
    client.get("/svc/search/").await.body.as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_of_a_list_offers_its_search_to_others() {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(items("deep river", 3)));
    lakes.reply(Behavior::Json(items("deep lake", 2)));
    let first = app.provider("Rivers", &rivers).await;
    app.provider("Lakes", &lakes).await;
    let ann = app.user("ann", &[]).await;
    let id = ann.search(&json!({"query_string": "secret words"})).await["id"].clone();
    let mut owner = Browser::signed_in(&app.base, "ann", "password of ann").await;
    let mut other = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;

    // The owner opens the list, whatever query the address names.
    let page = owner.get(&format!("/?search_id={id}&q=other+words")).await;
    assert_eq!(page.status, 200);
    assert!(text(&page).contains("data-shared=\"q=secret+words\""), "{}", text(&page));
    assert!(!text(&page).contains("other words"), "{}", text(&page));
    assert_eq!(searches(&ann).await, 1);

    // The id alone says nothing about the search of another user.
    for path in [format!("/?search_id={id}"), "/?search_id=999".to_owned()] {
        let page = other.get(&path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(!text(&page).contains("secret"), "{path}");
    }
    let link =
        format!("&q=other+%3Cb%3E&sources=Rivers,Lakes&providers={first}&sort=DateMixer&page=2&rag=true");
    for id in [id.to_string(), "999".to_owned()] {
        let page = other.get(&format!("/?search_id={id}{link}")).await;
        let html = text(&page);
        assert_eq!(page.status, 200);
        assert!(html.contains("Run this search?") && html.contains("<bdi>other &lt;b&gt;</bdi>"), "{html}");
        let filter = first.to_string();
        for (name, value) in
            [("run", "true"), ("sources", "Rivers,Lakes"), ("providers", &filter), ("sort", "DateMixer")]
        {
            assert!(html.contains(&format!("name=\"{name}\" value=\"{value}\"")), "{name}: {html}");
        }
        for left_out in ["secret", "name=\"search_id\"", "name=\"page\"", "name=\"rag\""] {
            assert!(!html.contains(left_out), "{left_out}: {html}");
        }
    }
    assert_eq!((searches(&app.admin).await, rivers.requests().len()), (0, 1), "nothing was searched");

    // The form runs the search in both sources, and shows its list with the filter.
    let run = format!("/?run=true&q=deep&sources=Rivers,Lakes&providers={first}&sort=DateMixer");
    let moved = other.get(&run).await;
    assert_eq!(moved.status, 303);
    let location = moved.header("location").to_owned();
    assert!(location.contains(&format!("&providers={first}&q=deep&sources=Rivers%2CLakes")), "{location}");
    assert!(location.ends_with("&sort=DateMixer"), "{location}");
    let html = text(&finished_page(&mut other, &location).await);
    assert!(html.contains("deep-river.example") && !html.contains("deep-lake.example"), "{html}");
    assert_eq!((searches(&app.admin).await, lakes.requests().len()), (1, 2));
    let refused = other.get("/?run=true&q=deep&date=soon").await;
    assert_eq!((refused.status.as_u16(), searches(&app.admin).await), (400, 1));
    app.stop().await;
}
