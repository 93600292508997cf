//! The search page during and after a search: its event stream, links and forms.

use crate::app_harness::{ADMIN_PASSWORD, Answer, AppHarness, items};
use crate::browser::{Browser, csrf_of};
use crate::pages::finished_page;
use domain::settings::{Settings, Throttle};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::source::{Behavior, Source};

const EVENTS: &str = "text/event-stream";
const SLOW: Duration = Duration::from_secs(2);

/// A fast source, a slow one and a failing one.
async fn rivers(app: &AppHarness) -> [Source; 3] {
    let sources = [Source::start().await, Source::start().await, Source::start().await];
    sources[0].reply(Behavior::Json(items("deep river", 12)));
    sources[1].reply(Behavior::Json(items("river bank", 4)).delayed(SLOW));
    sources[2].reply(Behavior::status(500));
    app.provider_with("Quick", &sources[0], json!({"results_per_query": 20, "tags": ["fast"]})).await;
    app.provider_with("Slow", &sources[1], json!({"tags": ["late"]})).await;
    app.provider_with("Broken", &sources[2], json!({})).await;
    sources
}

/// The search of the address of a list.
fn search_of(location: &str) -> &str {
    location.strip_prefix("/?search_id=").unwrap().split('&').next().unwrap()
}

/// Submits the search form as the page's script does.
async fn post(browser: &mut Browser, form: &str, accept: &str) -> Answer {
    let csrf = csrf_of(&browser.get("/").await);
    let request =
        browser.request(Method::POST, "/search/").header("X-CSRF-Token", csrf).header("Accept", accept);
    let request = request.header("Content-Type", "application/x-www-form-urlencoded");
    browser.send(request.body(form.to_owned())).await
}

fn events(stream: &Answer) -> Vec<(String, Value)> {
    assert_eq!((stream.status.as_u16(), stream.header("content-type")), (200, EVENTS), "{stream:?}");
    let blocks = stream.body.as_str().unwrap().split("\n\n");
    let read = |block: &str| {
        let line = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        Some((line("event:")?.to_owned(), serde_json::from_str(line("data:")?).unwrap()))
    };
    blocks.filter_map(read).collect()
}

fn of<'a>(events: &'a [(String, Value)], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|(own, _)| own == name).map(|(_, data)| data).collect()
}

fn keys(html: &str) -> Vec<&str> {
    html.split("data-key=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The labels of all sort orders, and of the one in use.
fn sort_orders(head: &str) -> (Vec<&str>, Vec<&str>) {
    fn label(link: &str) -> &str {
        link.split_once('>').unwrap().1.split('<').next().unwrap()
    }
    let menu = head.split("class=\"menu orders\"").nth(1).unwrap().split("</details>").next().unwrap();
    let links = menu.split("<a ").skip(1);
    let in_use = links.clone().filter(|link| link.contains("aria-current")).map(label).collect();
    (links.map(label).collect(), in_use)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_request_starts_a_search_and_streams_it() {
    let app = AppHarness::start().await;
    let _sources = rivers(&app).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let told = events(&post(&mut browser, "q=deep+river", EVENTS).await);
    assert_eq!((told[0].0.as_str(), told.last().unwrap().0.as_str()), ("search", "done"));
    let begun = &told[0].1;
    let facets = begun["facets"].as_str().unwrap();
    assert_eq!(
        (facets.matches("class=\"src asking\"").count(), facets.matches("searching…").count()),
        (3, 3),
        "{facets}"
    );
    assert_eq!(of(&told, "source").len(), 3, "each source ends once");
    let lines: String = of(&told, "source").iter().map(|line| line["html"].as_str().unwrap()).collect();
    assert!(lines.contains("12 of 12") && lines.contains("src error"), "{lines}");

    let lists = of(&told, "list");
    assert!(lists.len() >= 2, "the quick one does not wait for the slow one");
    assert_eq!(lists.iter().filter(|list| list["isFinal"] == true).count(), 1);
    let early = lists.iter().find(|list| !list["ids"].as_array().unwrap().is_empty()).unwrap();
    assert!(early["isFinal"] == false && early["head"].as_str().unwrap().contains("so far"), "{early}");
    let last = lists.last().unwrap();
    assert_eq!((last["isFinal"].clone(), last["ids"].as_array().unwrap().len()), (json!(true), 10));
    assert!(last["facets"].as_str().unwrap().contains("These results are incomplete."), "{last}");
    let mut sent = std::collections::BTreeSet::new();
    for piece in lists.iter().flat_map(|list| list["results"].as_array().unwrap()) {
        let (id, html) = (piece["id"].as_str().unwrap(), piece["html"].as_str().unwrap());
        assert_eq!(keys(html), [id]);
        assert!(sent.insert((id.to_owned(), html.to_owned())), "nothing is sent twice");
    }

    let page = browser.get(begun["url"].as_str().unwrap()).await;
    let ids: Vec<&str> = last["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(
        keys(page.body.as_str().unwrap()),
        ids,
        "the page of before has the same results in the same order"
    );
    let again = browser.request(Method::GET, &format!("/search/{}/stream/", begun["id"]));
    let late = events(&browser.send(again).await);
    assert_eq!(of(&late, "list").last().unwrap()["ids"], last["ids"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_script_the_page_does_not_wait_and_loads_again() {
    let app = AppHarness::start().await;
    let sources = rivers(&app).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let moved = browser.get("/?q=river").await;
    assert_eq!(moved.status, 303, "{moved:?}");
    let location = moved.header("location").to_owned();
    let running = browser.get(&location).await;
    // A source that is still being queried proves that the page did not wait for it.
    let html = running.body.as_str().unwrap();
    assert!(html.contains("<noscript><meta http-equiv=\"refresh\" content=\"1\"></noscript>"), "{html}");
    assert!(html.contains("src asking") && html.contains("so far"), "{html}");
    let page = finished_page(&mut browser, &location).await;
    let html = page.body.as_str().unwrap();
    assert!(html.contains("16 results") && html.contains("one source did not respond"), "{html}");
    assert_eq!(sources[0].requests().len(), 1, "loading again does not search again");

    let head = browser.request(Method::HEAD, "/?q=river");
    let prefetch = browser.request(Method::GET, "/?q=river").header("Sec-Purpose", "prefetch");
    for request in [head, prefetch] {
        assert_eq!(browser.send(request).await.status, 204);
    }
    assert_eq!(sources[0].requests().len(), 1, "who guesses starts nothing");
    let id = search_of(&location);
    let again = browser.get(&format!("/?rerun={id}")).await;
    assert_eq!((again.status.as_u16(), again.header("location")), (303, location.as_str()));
    finished_page(&mut browser, &location).await;
    assert_eq!(sources[0].requests().len(), 2, "who tries again asks again");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_filters_and_pages_by_links() {
    let app = AppHarness::start().await;
    let _sources = rivers(&app).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let moved = browser.get("/?q=river").await;
    let location = moved.header("location").to_owned();
    finished_page(&mut browser, &location).await;
    let id = search_of(&location);
    let listed = async |browser: &mut Browser, query: &str| {
        let page = browser.get(&format!("{location}&{query}")).await;
        let list = browser.get(&format!("/search/{id}/list/?{query}")).await;
        assert_eq!((page.status.as_u16(), list.status.as_u16()), (200, 200), "{query}: {list:?}");
        let html = page.body.as_str().unwrap();
        let ids: Vec<&str> =
            list.body["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        assert_eq!(keys(html), ids, "{query}: the pieces and the page say the same");
        assert_eq!(list.body["results"].as_array().unwrap().len(), ids.len());
        (ids.len(), format!("{}{}", list.body["head"], list.body["facets"]))
    };
    let table = [
        ("page=1", 10, "16 results"),
        ("page=2", 6, "16 results"),
        ("page=9", 0, "No results on this page"),
        ("providers=2", 4, "4 results"),
        ("not_providers=2", 10, "12 results"),
        ("date=older", 10, "16 results"),
        ("date=undated", 0, "No results match these filters"),
        ("author=a.+writer&page=2", 6, "16 results"),
        ("author=nobody", 0, "No results match"),
        ("author=nobody&author=A.+Writer&author=x", 10, "16 results"),
        ("author=nobody;A.+Writer&page=2", 6, "16 results"),
        ("providers=1&providers=2&page=2", 6, "16 results"),
        ("providers=1&not_providers=1&not_providers=2", 10, "12 results"),
        ("date=2024-01-01..2024-12-31", 10, "16 results"),
        ("sort=DateMixer", 10, "16 results"),
        ("sort=NoMixer", 10, "16 results"),
        ("new=true", 0, "No results match"),
    ];
    for (query, count, sentence) in table {
        let (found, pieces) = listed(&mut browser, query).await;
        assert_eq!(found, count, "{query}");
        assert!(pieces.contains(sentence), "{query}: {pieces}");
    }
    for (query, expected) in [
        ("", "Best match"),
        ("sort=StackNMixer", "Top picks"),
        ("sort=NoMixer", "Relevancy"),
        ("sort=Stack2Mixer", "Two per source"),
    ] {
        let list = browser.get(&format!("/search/{id}/list/?{query}")).await.body;
        let (offered, in_use) = sort_orders(list["head"].as_str().unwrap());
        assert_eq!(offered[..4], ["Best match", "Relevancy", "Newest first", "Top picks"], "{query}");
        assert_eq!(in_use, [expected], "{query}");
        let mut results = list["results"].as_array().unwrap().iter();
        let has_groups = results.any(|result| result["html"].as_str().unwrap().contains("class=\"group\""));
        assert_eq!(has_groups, expected == "Top picks", "{query}");
    }
    for query in ["page=x", "providers=a", "date=soon"] {
        assert_eq!(browser.get(&format!("/search/{id}/list/?{query}")).await.status, 400, "{query}");
        assert_eq!(browser.get(&format!("{location}&{query}")).await.status, 400, "{query}");
    }
    let other = app.user("otto", &[]).await;
    for path in [format!("/search/{id}/list/"), format!("/search/{id}/stream/")] {
        assert_eq!(other.get(&path).await.status, 404, "{path}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_filters_are_checked_and_each_can_be_removed() {
    let app = AppHarness::start().await;
    let _sources = rivers(&app).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let moved = browser.get("/?q=river").await;
    let location = moved.header("location").to_owned();
    finished_page(&mut browser, &location).await;
    let filters = "sort=DateMixer&providers=1&providers=2&author=A.+Writer&author=B&not_providers=3";
    let page = browser.get(&format!("{location}&{filters}")).await;
    let html = page.body.as_str().unwrap().replace("&#x2f;", "/").replace("&amp;", "&");
    for checked in [
        "name=\"providers\" value=\"1\" checked",
        "value=\"2\" checked",
        "name=\"author\" value=\"A. Writer\" checked",
    ] {
        assert!(html.contains(checked), "{checked}: {html}");
    }
    for hidden in ["name=\"sort\" value=\"DateMixer\"", "name=\"not_providers\" value=\"3\""] {
        assert!(html.contains(&format!("<input type=\"hidden\" {hidden}>")), "{hidden}: {html}");
    }
    let chips: Vec<&str> = html
        .split("class=\"chip\" href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().split_once("&sort=DateMixer").unwrap().1)
        .collect();
    let expected = [
        "&providers=2&not_providers=3&author=A.+Writer%3BB",
        "&providers=1&not_providers=3&author=A.+Writer%3BB",
        "&providers=1%2C2&author=A.+Writer%3BB",
        "&providers=1%2C2&not_providers=3&author=B",
        "&providers=1%2C2&not_providers=3&author=A.+Writer",
    ];
    assert_eq!(chips, expected);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_list_says_what_failed_and_offers_other_searches() {
    let app = AppHarness::start().await;
    let sources = [Source::start().await, Source::start().await];
    sources[0].reply(Behavior::Json(items("river", 0)));
    sources[1].reply(Behavior::status(500));
    app.provider_with("Empty", &sources[0], json!({})).await;
    app.provider_with("Broken", &sources[1], json!({})).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let moved = browser.get("/?q=river+level&sources=1,2").await;
    let page = finished_page(&mut browser, moved.header("location")).await;
    let html = page.body.as_str().unwrap().replace("&#x2f;", "/").replace("&amp;", "&");
    for part in [
        "No results for “river level”",
        "2 sources were searched. One did not respond:",
        "Broken failed:",
        "href=\"/?q=level\">Without “river”",
        "href=\"/?q=river\">Without “level”",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    for part in ["<h2>Date</h2>", "menu orders", "Search all sources</a>"] {
        assert!(!html.contains(part), "{part}: {html}");
    }
    let moved = browser.get("/?q=level&sources=1").await;
    let page = finished_page(&mut browser, moved.header("location")).await;
    assert!(page.body.as_str().unwrap().contains("Search all sources</a>"), "one of two was searched");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_spelling_is_offered_if_little_was_found() {
    let app = AppHarness::start().await;
    let (source, empty) = (Source::start().await, Source::start().await);
    empty.reply(Behavior::Json(items("lake", 0)));
    app.provider_with("Rivers", &source, json!({})).await;
    app.provider_with("Lakes", &empty, json!({})).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    for (query, count, expected) in [
        ("flod+warnig&sources=1", 0, Some("\"/?q=flood+warning&sources=1\" dir=\"auto\">flood warning</a>")),
        ("flod+warnig", 3, Some("\"/?q=flood+warning\" dir=\"auto\">flood warning</a>")),
        ("flod+warnig", 10, None),
        ("flood+warning", 0, None),
    ] {
        source.reply(Behavior::Json(items("river", count)));
        let moved = browser.get(&format!("/?q={query}")).await;
        let page = finished_page(&mut browser, moved.header("location")).await;
        let html = page.body.as_str().unwrap().replace("&#x2f;", "/").replace("&amp;", "&");
        match expected {
            Some(link) => assert!(html.contains("Did you mean:") && html.contains(link), "{query}: {html}"),
            None => assert!(!html.contains("Did you mean:"), "{query}: {html}"),
        }
    }
    source.reply(Behavior::Json(items("river", 0)));
    let moved = browser.get("/?q=Hochwasser+Warnung").await;
    let page = finished_page(&mut browser, moved.header("location")).await;
    assert!(page.body.as_str().unwrap().contains("Your query seems to be in German."), "{page:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_are_chosen_by_the_form() {
    let app = AppHarness::start().await;
    let sources = rivers(&app).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let start = browser.get("/").await;
    let html = start.body.as_str().unwrap();
    assert!(
        html.contains("#fast") && html.contains("3 sources") && html.contains("name=\"sources\" value=\"2\"")
    );
    let table: [(&str, Value); 5] = [
        ("q=a&sources=1&sources=2&sources=3", json!([])),
        ("q=a&sources=1&sources=2&sources=3&tags=fast", json!(["fast"])),
        ("q=a&sources=2", json!([2])),
        ("q=a&sources=1,3", json!([1, 3])),
        ("q=a&providers=Quick", json!(["Quick"])),
    ];
    for (query, expected) in table {
        let moved = browser.get(&format!("/?{query}")).await;
        assert_eq!(moved.status, 303, "{query}: {moved:?}");
        let id = search_of(moved.header("location"));
        let search = app.admin.ready(id.parse().unwrap()).await;
        assert_eq!(search["searchprovider_list"], expected, "{query}");
    }
    assert_eq!(sources[0].requests().len(), 4, "the quick one was left out once");
    let page = browser.get("/").await;
    assert!(page.body.as_str().unwrap().contains("Recent searches"));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused() {
    let app =
        AppHarness::with(|settings| Settings { throttle_search: Throttle::per_minute(2), ..settings }).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &source).await;
    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    for form in ["", "q=", "q=+", "rerun=x"] {
        assert_eq!(post(&mut browser, form, EVENTS).await.status, 400, "{form}");
    }
    assert_eq!(post(&mut browser, "rerun=999", EVENTS).await.status, 404);
    let unknown = post(&mut browser, "q=river&sort=NoMixer", EVENTS).await;
    assert_eq!((unknown.status.as_u16(), unknown.code()), (400, "invalid"), "{unknown:?}");
    let request = browser.request(Method::POST, "/search/").header("Accept", EVENTS);
    let request = request.header("Content-Type", "application/x-www-form-urlencoded").body("q=river");
    assert_eq!(browser.send(request).await.code(), "csrf_failed");
    assert_eq!(source.requests().len(), 0);

    let moved = post(&mut browser, "q=river", "text/html").await;
    assert_eq!(moved.status, 303, "who wants no events is led to the page");
    finished_page(&mut browser, moved.header("location")).await;
    let throttled = post(&mut browser, "q=river", EVENTS).await;
    assert_eq!((throttled.status.as_u16(), throttled.code()), (429, "throttled"), "{throttled:?}");
    assert!(!throttled.header("retry-after").is_empty());
    app.stop().await;
}
