//! The search page: a box, the mixed list as it grows, and a line for each source that says how it ended.
//!
//! | Module | What lives there |
//! |---|---|
//! | `query` | what a URL or a form says: a new search, or which list of a search |
//! | `start` | a search is begun, or run again |
//! | `page` | the whole page; all of it works by links and forms |
//! | `list`, `facets` | the list and what stands around it, and the pieces of it for a page that is open |
//! | `stream` | the pieces as the sources answer |
//! | `result`, `why`, `details` | one result, why it is here, what else its source said |
//! | `sources`, `picker` | how each source ended; which ones are asked |

mod details;
mod facets;
mod list;
mod page;
mod picker;
mod query;
mod result;
mod sources;
mod start;
mod stream;
mod why;

use crate::House;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

pub fn router() -> Router<Arc<House>> {
    Router::new()
        .route("/", get(page::search_page))
        .route("/search/", post(stream::start_search))
        .route("/search/{id}/stream/", get(stream::follow_search))
        .route("/search/{id}/list/", get(list::read_list))
}

#[cfg(test)]
mod tests {
    use super::result::Showing;
    use crate::ui::assets::Assets;
    use crate::ui::pages::Pages;
    use crate::ui::pages::tests::frame;
    use crate::ui::words::LANGUAGES;
    use domain::result::{Duplicate, ResultItem};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const BAD: &str = "<script>alert(1)</script>\"'&{{ 7*7 }}";

    fn object(value: Value) -> serde_json::Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    /// A result whose source lies wherever it can.
    fn hostile() -> ResultItem {
        let copy = Duplicate {
            searchprovider: BAD.to_owned(),
            title: format!("<em>{BAD}</em>"),
            url: "javascript:alert(1)".to_owned(),
            body: BAD.to_owned(),
            date_published: BAD.to_owned(),
        };
        ResultItem {
            searchprovider: BAD.to_owned(),
            title: format!("{BAD} <em>{BAD}</em>"),
            url: format!("https://x.example/{BAD}"),
            body: BAD.to_owned(),
            date_published: BAD.to_owned(),
            author: BAD.to_owned(),
            date_retrieved: BAD.to_owned(),
            new: Some(1),
            starred: true,
            duplicates: vec![copy],
            payload: object(json!({
                BAD: [BAD], "dataset": [[BAD, "n"], [BAD, 1]], "chart": {"kind": BAD, "fields": [BAD]},
            })),
            explain: Some(object(json!({
                "confidence": {"embedding": 0.4, BAD: 0.2}, "hits": {"title": {BAD: [0]}},
                "NOT": {"body": BAD}, "personal": [{"source": BAD, "wish": BAD, "factor": 2.0}], "score": {"total": 1},
            }))),
            ..ResultItem::default()
        }
    }

    fn list() -> Value {
        let ids = BTreeMap::new();
        let mut result = Showing { language: LANGUAGES[0], ids: &ids }.result(hostile());
        result.opens_group = true;
        let facet = json!({"name": BAD, "count": 3, "href": BAD, "is_on": true, "without": BAD,
            "is_without": true, "colour": 1});
        let source = |status: Value| {
            json!({"id": 1, "name": BAD, "colour": 1, "status": status, "found": 1, "retrieved": 1,
                "seconds": "0.1", "fault": BAD, "rests_s": null})
        };
        json!({
            "search_id": 1, "is_running": false, "total": 1, "found": 2, "seconds": "0.1", "notes": [BAD], "undated": 1, "unwanted": 2,
            "results": [result], "rail": [source(json!("error")), source(json!("timeout")), source(Value::Null)],
            "asking": 0, "missing": [BAD], "sort": BAD, "page": 2, "previous": BAD, "next": BAD, "clear": BAD,
            "orders": [{"name": BAD, "summary": BAD, "href": BAD, "is_on": true, "is_first": true},
                {"name": BAD, "summary": BAD, "href": BAD, "is_on": true, "is_first": false}],
            "facets": {"all": facet, "sources": [facet], "dates": [facet], "authors": vec![&facet; 9],
                "starred": facet, "new": facet},
            "pages": [{"number": 1, "href": BAD, "is_current": false}, {"number": 0, "href": "", "is_current": false}],
            "exports": [["csv", BAD]],
        })
    }

    #[test]
    fn hostile_texts_stay_texts_in_every_piece() {
        let pages = Pages::new(Arc::new(Assets::new("")));
        let list = list();
        let picker = json!({"groups": [{"tag": BAD, "sources": [{"id": 1, "name": BAD, "colour": 0, "tags": [BAD],
            "is_chosen": true, "is_default": true}]}], "tags": [{"name": BAD, "count": 1, "is_chosen": true}],
            "chosen": 1, "count": 2, "left_out": 1});
        let recent = json!([{"id": 1, "query": BAD, "time": BAD, "day": BAD}]);
        let of_list = json!({"list": list});
        let pieces = [
            ("search/result.html", json!({"result": list["results"][0]})),
            ("search/source.html", json!({"source": list["rail"][0]})),
            ("search/head.html", of_list.clone()),
            ("search/facets.html", of_list.clone()),
            ("search/pages.html", of_list.clone()),
            ("search/note.html", of_list.clone()),
            ("search.html", json!({"query": BAD, "error": BAD, "picker": picker, "list": list})),
            ("search.html", json!({"query": BAD, "error": BAD, "picker": picker, "recent": recent})),
        ];
        for (name, values) in pieces {
            let html = pages.text(name, &frame(BAD), values).expect(name);
            assert!(html.contains("&lt;script&gt;") && !html.contains("alert(1)</script"), "{name}: {html}");
            assert_eq!(
                html.matches("<script").count(),
                html.matches("<script type=\"module\" src=").count(),
                "{name}"
            );
            assert!(!html.contains("49") && !html.contains("\"'&{"), "{name}: {html}");
            assert!(!html.contains("href=\"javascript"), "{name}: {html}");
            assert!(!html.contains(" style="), "{name}");
        }
    }
}
