//! `GET /svc/results/?search_id=…`: every key of the response.

use crate::app_harness::AppHarness;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// The response with the times removed from its messages. Two sources end in any order, so the messages between the
/// first and the last are sorted.
fn timeless(mut mixed: Value) -> Value {
    let lines = mixed["messages"].as_array_mut().unwrap();
    for line in lines.iter_mut() {
        if let Some((_, rest)) = line.as_str().unwrap().split_once("] ") {
            *line = json!(format!("[time] {rest}"));
        }
    }
    let last = lines.len() - 1;
    lines[1..last].sort_by_key(Value::to_string);
    mixed
}

/// The snapshot contains every key of the response, so that an added or lost one is noticed.
#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "the snapshot contains the whole response")]
async fn the_mixed_answer_is_complete() {
    let app = AppHarness::start().await;
    let (good, bad) = (Source::start().await, Source::start().await);
    good.reply(Behavior::Json(json!({"total": 9, "items": [{
        "title": "River levels", "body": "The river rises.", "url": "https://river.example/1",
        "date": "2024-03-05", "author": "A. Writer", "gauge": 7,
    }]})));
    bad.reply(Behavior::status(500));
    app.provider("Rivers", &good).await;
    app.provider("Broken", &bad).await;
    let spec =
        json!({"query_string": "river", "tags": ["water"], "searchprovider_list": ["Rivers", "Broken"]});
    let search = app.admin.search(&spec).await;
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    let text = mixed.to_string().replace(&app.base, "http://service");
    let text = text.replace(good.url().as_str(), "http://good/").replace(bad.url().as_str(), "http://bad/");
    let mixed: Value = serde_json::from_str(&text).unwrap();
    insta::assert_json_snapshot!(timeless(mixed), {
        ".info.*.search_time" => "[seconds]",
        ".info.results.federation_time" => "[seconds]",
        ".results[].date_retrieved" => "[time]",
        ".results[].swirl_score" => "[score]",
        ".results[].swirl_confidence_score" => "[score]",
        ".results[].explain.title" => "[scores]",
        ".results[].explain.body" => "[scores]",
        ".results[].explain.score" => "[scores]",
        ".results[].explain.evidence" => "[scores]",
        ".results[].explain.confidence" => "[scores]",
    }, @r#"
    {
      "messages": [
        "Tributary 0.2.0",
        "[time] CosineRelevancyPostResultProcessor updated 1 results",
        "[time] CosineRelevancyResultProcessor updated 1 results from: Rivers",
        "[time] Error: Broken: the source failed (HTTP 500 Internal Server Error)",
        "[time] MappingResultProcessor updated 1 results from: Rivers",
        "[time] Retrieved 1 of 9 results from: Rivers",
        "[time] Results ordered by: RelevancyConfidenceMixer"
      ],
      "info": {
        "Broken": {
          "found": 0,
          "retrieved": 0,
          "filter_url": "http://service/svc/results/?search_id=1&provider=2",
          "query_string_to_provider": "river",
          "query_to_provider": "http://bad/?q=river",
          "query_processors": [
            "AdaptiveQueryProcessor"
          ],
          "result_processors": [
            "MappingResultProcessor",
            "DateFinderResultProcessor",
            "CosineRelevancyResultProcessor"
          ],
          "search_time": "[seconds]",
          "status": "error",
          "error": {
            "code": "unavailable",
            "message": "the source failed (HTTP 500 Internal Server Error)"
          }
        },
        "Rivers": {
          "found": 9,
          "retrieved": 1,
          "filter_url": "http://service/svc/results/?search_id=1&provider=1",
          "query_string_to_provider": "river",
          "query_to_provider": "http://good/?q=river",
          "query_processors": [
            "AdaptiveQueryProcessor"
          ],
          "result_processors": [
            "MappingResultProcessor",
            "DateFinderResultProcessor",
            "CosineRelevancyResultProcessor"
          ],
          "search_time": "[seconds]",
          "status": "ok"
        },
        "search": {
          "id": 1,
          "query_string": "river",
          "query_string_processed": "river",
          "searchprovider_list": [
            "Rivers",
            "Broken"
          ],
          "tags": [
            "water"
          ],
          "rerun_url": "http://service/svc/search/?rerun=1"
        },
        "results": {
          "found_total": 9,
          "retrieved_total": 1,
          "retrieved": 1,
          "federation_time": "[seconds]",
          "result_blocks": [
            "ai_summary"
          ]
        },
        "completeness": {
          "asked": 2,
          "answered": 1,
          "partial": 0,
          "failed": 1,
          "timed_out": 0,
          "suspended": 0
        }
      },
      "results": [
        {
          "swirl_rank": 1,
          "swirl_score": "[score]",
          "swirl_confidence_score": "[score]",
          "searchprovider": "Rivers",
          "searchprovider_rank": 1,
          "title": "<em>River</em> levels",
          "url": "https://river.example/1",
          "body": "The <em>river</em> rises.",
          "date_published": "2024-03-05 00:00:00",
          "date_published_display": "",
          "date_retrieved": "[time]",
          "author": "A. Writer",
          "title_hit_highlights": [],
          "body_hit_highlights": [],
          "swirl_id": 1,
          "starred": true,
          "payload": {
            "gauge": 7
          },
          "explain": {
            "stems": "river",
            "title": "[scores]",
            "body": "[scores]",
            "hits": {
              "title": {
                "river": [
                  0
                ]
              },
              "body": {
                "river": [
                  1
                ]
              },
              "author": {}
            },
            "score": "[scores]",
            "evidence": "[scores]",
            "confidence": "[scores]"
          }
        }
      ],
      "ai_summary": []
    }
    "#);
    app.stop().await;
}
