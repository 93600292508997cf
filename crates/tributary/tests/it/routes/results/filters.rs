//! `GET /svc/results/?search_id=…`: filters and facet counts.

use crate::app_harness::{AppHarness, Client};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

fn item(number: usize, title: &str, author: &str, date: &str) -> Value {
    json!({
        "title": format!("{title} {number}"),
        "body": format!("A text about {title}, the {number}th of its kind."),
        "url": format!("https://rivers.example/{title}/{number}").replace(' ', "-"),
        "date": date,
        "author": author,
    })
}

/// A service with two sources whose results differ in author, date and relevance.
async fn finished_search() -> (AppHarness, [Source; 2], [i64; 2], i64) {
    let app = AppHarness::start().await;
    let (rivers, lakes) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(json!({"items": [
        item(1, "deep river", "Ann Lee; Bob Ray", "2099-01-01"),
        item(2, "deep river", "ann lee", "2001-01-01"),
        item(3, "deep river", "", ""),
    ]})));
    lakes.reply(Behavior::Json(json!({"items": [
        item(1, "quiet lake", "Bob Ray", "2001-01-01"),
        item(2, "something else", "Ann Lee", "2001-01-01"),
    ]})));
    let ids = [app.provider("Rivers", &rivers).await, app.provider("Lakes", &lakes).await];
    let spec = json!({"query_string": "deep river", "results_requested": 2});
    let id = app.admin.search(&spec).await["id"].as_i64().unwrap();
    (app, [rivers, lakes], ids, id)
}

async fn mixed(client: &Client, id: i64, more: &str) -> Value {
    let answer = client.get(&format!("/svc/results/?search_id={id}{more}")).await;
    assert_eq!(answer.status, 200, "{more}: {answer:?}");
    answer.body
}

fn total(mixed: &Value) -> u64 {
    mixed["info"]["results"]["retrieved_total"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_filter_narrows_the_list() {
    let (app, _sources, [rivers, lakes], id) = finished_search().await;
    let cases = [
        (String::new(), 5),
        (format!("&providers={rivers}"), 3),
        (format!("&providers={rivers},{lakes}"), 5),
        (format!("&not_providers={rivers}"), 2),
        (format!("&provider={rivers}&providers={lakes}"), 2),
        ("&author=ANN%20LEE".to_owned(), 3),
        ("&author=Ann".to_owned(), 0),
        ("&author=Nobody;%20ann%20lee;Ann".to_owned(), 3),
        ("&date=week".to_owned(), 1),
        ("&date=older".to_owned(), 3),
        ("&date=undated".to_owned(), 1),
        ("&date=2001-01-01..2001-01-01".to_owned(), 3),
        ("&date=2002-01-01..".to_owned(), 1),
        ("&new=true".to_owned(), 0),
        (format!("&providers={rivers}&author=ann%20lee&date=older"), 1),
        ("&providers=999".to_owned(), 0),
        ("&providers=&author=&date=".to_owned(), 5),
    ];
    for (more, expected) in cases {
        let mixed = mixed(&app.admin, id, &more).await;
        assert_eq!(total(&mixed), expected, "{more}");
        assert_eq!(mixed["info"]["completeness"]["asked"], 2, "all sources are still listed: {more}");
        let found = |name: &str| mixed["info"][name]["found"].as_u64().unwrap();
        let found_total = match more.as_str() {
            "&providers=999" => 0,
            more if more.starts_with("&providers=") && more.contains(',') => found("Rivers") + found("Lakes"),
            more if more.starts_with(&format!("&providers={rivers}")) => found("Rivers"),
            more if more.starts_with("&not_providers=") => found("Lakes"),
            more if more.starts_with("&provider=") => found("Lakes"),
            _ => found("Rivers") + found("Lakes"),
        };
        assert_eq!(mixed["info"]["results"]["found_total"], found_total, "{more}");
        assert!(mixed["info"].get("facets").is_none(), "nobody asked for them: {more}");
    }
    for (more, field) in [
        ("&providers=rivers", "providers"),
        ("&not_providers=1;2", "not_providers"),
        ("&date=tomorrow", "date"),
        ("&starred=perhaps", "starred"),
        ("&author=a&author=b", "author"),
    ] {
        let refused = app.admin.get(&format!("/svc/results/?search_id={id}{more}")).await;
        assert_eq!(refused.status, 400, "{more}");
        assert!(refused.body["detail"].as_str().unwrap().contains(field), "{more}: {}", refused.body);
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stars_are_the_same_in_every_mixer() {
    let (app, _sources, _, id) = finished_search().await;
    let starred = async |mixer: &str| {
        let mut urls = Vec::new();
        for page in 1..=3 {
            let mixed = mixed(&app.admin, id, &format!("&result_mixer={mixer}&page={page}")).await;
            for item in mixed["results"].as_array().unwrap() {
                let confidence = item["swirl_confidence_score"].as_f64().unwrap();
                assert_eq!(item.get("starred"), (confidence >= 0.7).then_some(&json!(true)), "{item}");
                if item.get("starred").is_some() {
                    urls.push(item["url"].as_str().unwrap().to_owned());
                }
            }
        }
        urls.sort();
        urls
    };
    let by_confidence = starred("RelevancyConfidenceMixer").await;
    assert!(!by_confidence.is_empty() && by_confidence.len() < 5, "{by_confidence:?}");
    for mixer in ["RelevancyMixer", "RoundRobinMixer", "Stack2Mixer"] {
        assert_eq!(starred(mixer).await, by_confidence, "{mixer}");
    }
    let only = mixed(&app.admin, id, "&starred=true&facets=true").await;
    assert_eq!(total(&only), by_confidence.len() as u64);
    assert_eq!(only["info"]["facets"]["starred"], by_confidence.len());
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn facets_leave_out_their_own_filter_and_pages_keep_all() {
    let (app, _sources, [rivers, lakes], id) = finished_search().await;
    let all = mixed(&app.admin, id, "&facets=true").await;
    let facets = &all["info"]["facets"];
    let sources = json!([
        {"provider_id": rivers, "name": "Rivers", "count": 3},
        {"provider_id": lakes, "name": "Lakes", "count": 2},
    ]);
    assert_eq!(facets["sources"], sources);
    let authors = facets["authors"].as_array().unwrap();
    assert_eq!((authors.len(), &authors[0]["count"], &authors[1]["count"]), (2, &json!(3), &json!(2)));
    let dates = json!([
        {"key": "week", "count": 1}, {"key": "month", "count": 1}, {"key": "year", "count": 1},
        {"key": "older", "count": 3}, {"key": "undated", "count": 1},
    ]);
    assert_eq!((&facets["dates"], &facets["new"]), (&dates, &json!(0)));

    let narrowed =
        mixed(&app.admin, id, &format!("&facets=true&providers={rivers}&not_providers=77&explain=False"))
            .await;
    assert_eq!(narrowed["info"]["facets"]["sources"], sources, "its own filter is left out");
    assert_eq!(narrowed["info"]["facets"]["dates"][3]["count"], 1, "other filters count");
    let results = &narrowed["info"]["results"];
    assert_eq!((&results["retrieved"], &results["retrieved_total"]), (&json!(2), &json!(3)));
    let next = results["next_page"].as_str().unwrap();
    let expected = format!(
        "{}/svc/results/?search_id={id}&explain=False&providers={rivers}&not_providers=77&facets=true&page=2",
        app.base
    );
    assert_eq!(next, expected);
    let second = app.admin.get(&next.replace(&app.base, "")).await.body;
    assert_eq!((second["results"].as_array().unwrap().len(), total(&second)), (1, 3));
    assert_eq!(second["results"][0]["swirl_rank"], 3);
    assert!(second["results"][0].get("explain").is_none());
    assert_eq!(second["info"]["facets"], narrowed["info"]["facets"]);

    let undated = mixed(&app.admin, id, "&facets=true&result_mixer=DateMixer").await;
    assert_eq!(undated["info"]["facets"]["dates"][4]["count"], 0, "the mixer shows only dated results");
    app.stop().await;
}
