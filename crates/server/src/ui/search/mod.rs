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
//! | `kept`, `versions` | how the copy behind a result from the semantic cache stands, and its other versions |
//! | `sources`, `picker` | how each source ended; which ones are asked |

mod details;
mod facets;
mod kept;
mod list;
mod page;
mod picker;
mod query;
mod result;
mod sources;
mod start;
mod stream;
mod versions;
mod why;

use crate::AppState;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route("/", get(page::search_page))
        .route("/search/", post(stream::start_search))
        .route("/search/{id}/stream/", get(stream::follow_search))
        .route("/search/{id}/list/", get(list::read_list))
}

#[cfg(test)]
mod tests {
    use super::result::{Showing, folded};
    use crate::ui::assets::Assets;
    use crate::ui::pages::Pages;
    use crate::ui::pages::tests::frame;
    use crate::ui::words::LANGUAGES;
    use domain::corpus::{
        Badge, CacheMark, ClusterMark, ClusterMember, DecidedBy, Liveness, MemberRole, SignalState, Topic,
    };
    use domain::ids::{ProviderId, ResultId, RunId, SignalId};
    use domain::instant::Instant;
    use domain::result::{Duplicate, ResultItem};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const BAD: &str = "<script>alert(1)</script>\"'&{{ 7*7 }}";

    fn object(value: Value) -> serde_json::Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    /// Versions 7 and 8, of which 7 counts.
    fn cluster(own: SignalId, text: &str) -> ClusterMark {
        let member = |id| ClusterMember {
            signal_id: SignalId(id),
            title: format!("{text} <em>{text}</em>"),
            url: "javascript:alert(1)".to_owned(),
            version_label: text.to_owned(),
            date: text.to_owned(),
        };
        let is_winner = own == SignalId(7);
        ClusterMark {
            key: SignalId(7),
            size: 2,
            role: Some(if is_winner { MemberRole::Winner } else { MemberRole::Alternate }),
            winner_signal_id: Some(SignalId(7)),
            decided_by: Some(DecidedBy::Election),
            members: vec![member(7), member(8)],
        }
    }

    /// A result whose source lies wherever it can.
    fn hostile() -> ResultItem {
        let copy = Duplicate {
            searchprovider: BAD.to_owned(),
            title: format!("<em>{BAD}</em>"),
            url: "javascript:alert(1)".to_owned(),
            body: BAD.to_owned(),
            date_published: BAD.to_owned(),
            signal_id: None,
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
            cache: Some(Box::new(CacheMark {
                cluster: Some(cluster(SignalId(7), BAD)),
                run_id: Some(RunId(5)),
                signal_id: SignalId(7),
                state: SignalState::Pinned,
                badge: Badge::AutoSelected,
                last_verified: Some(Instant::default()),
                liveness: Liveness::Gone,
                stale: true,
                shared_externally: true,
                matter_tags: vec![BAD.to_owned()],
            })),
            payload: object(json!({
                BAD: [BAD], "source_provider": BAD, "dataset": [[BAD, "n"], [BAD, 1]], "chart": {"kind": BAD, "fields": [BAD]},
            })),
            explain: Some(object(json!({
                "confidence": {"embedding": 0.4, BAD: 0.2}, "hits": {"title": {BAD: [0]}},
                "NOT": {"body": BAD}, "personal": [{"source": BAD, "wish": BAD, "factor": 2.0}], "score": {"total": 1},
            }))),
            ..ResultItem::default()
        }
    }

    fn showing(ids: &BTreeMap<String, ProviderId>, now: Instant) -> Showing<'_> {
        Showing { language: LANGUAGES[0], ids, now, topic: Topic { query: BAD, tags: &[] } }
    }

    fn list() -> Value {
        let ids = BTreeMap::new();
        let mut result = showing(&ids, Instant::default()).result(hostile());
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

    #[test]
    fn a_copy_says_how_far_it_can_be_believed() {
        let pages = Pages::new(Arc::new(Assets::new("")));
        let now: Instant = "2026-11-15T12:00:00Z".parse().expect("a time");
        let ids = BTreeMap::new();
        let shown = |badge, liveness, minutes: Option<i64>| {
            let item = ResultItem {
                swirl_id: ResultId(3),
                url: "https://a.example/".to_owned(),
                cache: minutes.map(|minutes| {
                    Box::new(CacheMark {
                        cluster: None,
                        run_id: None,
                        signal_id: SignalId(7),
                        state: SignalState::Indexed,
                        badge,
                        last_verified: (minutes >= 0).then(|| now - chrono::TimeDelta::minutes(minutes)),
                        liveness,
                        stale: minutes > 60,
                        shared_externally: false,
                        matter_tags: Vec::new(),
                    })
                }),
                ..ResultItem::default()
            };
            let result = showing(&ids, now).result(item);
            pages.text("search/result.html", &frame(""), json!({"result": result})).expect("a result")
        };
        let table = [
            (Badge::Cached, Liveness::Alive, 0, ">Cached<", "fresh alive\"", "just now"),
            (Badge::Pinned, Liveness::Alive, 1, ">Pinned<", "fresh alive\"", "one minute ago"),
            (Badge::AutoSelected, Liveness::Unknown, 150, ">Auto-selected<", "stale", "2 hours ago"),
            (Badge::Alternate, Liveness::Alive, 3 * 1440, ">Alternate<", "stale", "3 days ago"),
            (Badge::Cached, Liveness::Gone, 5, ">gone<", "fresh gone", "No longer at its source"),
            (Badge::Cached, Liveness::Unknown, -1, ">Cached<", "fresh unknown", "Not checked"),
        ];
        for (badge, liveness, minutes, word, look, sentence) in table {
            let html = shown(badge, liveness, Some(minutes));
            for part in [word, look, sentence, "data-signal=\"7\"", "data-check", "data-forget"] {
                assert!(html.contains(part), "{part} is not in {html}");
            }
            assert!(!html.contains("data-keep"), "{html}");
        }
        let live = shown(Badge::Cached, Liveness::Alive, None);
        assert!(live.contains("data-keep") && !live.contains("data-signal"), "{live}");
    }

    #[test]
    fn versions_are_folded_under_the_one_that_counts() {
        let ids = BTreeMap::new();
        let of = |id: i64, badge| {
            let mut item = ResultItem { swirl_id: ResultId(id), ..hostile() };
            if let Some(mark) = item.cache.as_deref_mut() {
                mark.signal_id = SignalId(id);
                mark.badge = badge;
                mark.cluster = Some(cluster(SignalId(id), "x"));
            }
            item
        };
        let alone = ResultItem { swirl_id: ResultId(1), ..ResultItem::default() };
        let (winner, other) = (of(7, Badge::AutoSelected), of(8, Badge::Alternate));
        let table = [
            (vec![winner.clone(), other.clone(), alone.clone()], vec![7, 1], true),
            (vec![alone.clone(), winner.clone(), alone.clone(), other.clone()], vec![1, 7, 1], true),
            (vec![other.clone(), winner.clone()], vec![8, 7], false),
            (vec![other, alone], vec![8, 1], false),
            (vec![of(7, Badge::Cached), of(8, Badge::Cached)], vec![7, 8], false),
        ];
        let pages = Pages::new(Arc::new(Assets::new("")));
        for (items, expected, is_folded) in table {
            let showing = showing(&ids, Instant::default());
            let shown = folded(items.into_iter().map(|item| showing.result(item)).collect());
            let left: Vec<i64> = shown.iter().map(|result| result.id.0).collect();
            assert_eq!(left, expected);
            let html: String = shown
                .iter()
                .map(|result| pages.text("search/result.html", &frame(""), json!({"result": result})))
                .map(|html| html.expect("a result"))
                .collect();
            assert_eq!(html.contains("class=\"version\" data-id=\"8\""), is_folded, "{html}");
        }
    }
}
