//! The search page: search box, mixed results as they arrive, and the status of each source.
//!
//! | Module | Contents |
//! |---|---|
//! | `query` | parameters of URLs and forms |
//! | `search_form` | parses the search form; starts or reruns a search |
//! | `shared_link` | addresses of lists that other users can open |
//! | `page` | the whole page; works with links and forms alone |
//! | `answer` | the summary card above the list |
//! | `better_order` | the list in the order of the second reader, and the offer of it |
//! | `list`, `fragments` | the result list, as a whole and as fragments for an open page |
//! | `facets`, `years`, `chips` | the filters, the histogram of years, and the filters in use |
//! | `pages`, `no_results` | links to the pages of the list, and to other searches if it is empty |
//! | `advice` | another spelling and the language of a query that found little |
//! | `stream` | the fragments as server-sent events |
//! | `result`, `explain`, `details` | one result, the explanation of its rank, its other fields |
//! | `time_text` | dates and times of sources in the format of a language |
//! | `cache_badge`, `versions` | status of a cached copy, and the other versions of the document |
//! | `sources`, `picker` | status of each source; selection of sources |

mod advice;
mod answer;
mod better_order;
mod cache_badge;
mod chart;
mod chips;
mod copy;
mod details;
mod explain;
mod facets;
mod fragments;
mod list;
mod no_results;
mod page;
mod pages;
mod picker;
mod query;
mod result;
mod result_text;
mod search_form;
mod shared_link;
mod sources;
mod stream;
mod time_text;
mod versions;
mod view_context;
mod years;

pub use sources::{color, format_seconds, initials};

use crate::state::AppState;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

pub fn router() -> Router<Arc<AppState>> {
    Router::new()
        .route("/", get(page::search_page))
        .route("/search/", post(stream::start_search))
        .route("/search/{id}/stream/", get(stream::follow_search))
        .route("/search/{id}/list/", get(fragments::read_list))
        .route("/search/{id}/answer/", get(answer::answer_fragment))
        .route("/search/{id}/better/", get(better_order::offer_order))
}

#[cfg(test)]
mod tests {
    use super::result::folded;
    use super::view_context::ViewContext;
    use crate::ui::assets::Assets;
    use crate::ui::i18n::Language;
    use crate::ui::templates::Templates;
    use crate::ui::templates::tests::context;
    use domain::corpus::{
        Badge, CacheStatus, ClusterMark, ClusterMember, DecidedBy, Liveness, MemberRole, SignalState, Topic,
    };
    use domain::explain::Explain;
    use domain::ids::{ProviderId, ResultId, RunId, SignalId};
    use domain::instant::Instant;
    use domain::result::{Duplicate, ResultItem};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use std::sync::{Arc, LazyLock};

    static ENGLISH: LazyLock<Language> = LazyLock::new(Language::default);
    const BAD: &str = "<script>alert(1)</script>\"'&{{ 7*7 }}";

    fn object(value: Value) -> serde_json::Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    /// Versions 7 and 8; 7 is the winner.
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

    /// A result with hostile text in every field.
    fn hostile() -> ResultItem {
        let copy = Duplicate {
            swirl_id: ResultId(8),
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
            cache: Some(Box::new(CacheStatus {
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
            explain: Some(Box::new(Explain::from(object(json!({
                "confidence": {"embedding": 0.4, BAD: 0.2},
                "hits": {"title": {BAD: [0]}, "body": {BAD: [1]}, "author": {}}, "NOT": {"body": BAD},
                "personal": [{"source": BAD, "wish": "raise", "factor": 2.0}],
                "score": {"title": 1.0, "body": 0.0, "author": 0.0, "total": 1.0},
            }))))),
            ..ResultItem::default()
        }
    }

    fn view_context(ids: &BTreeMap<String, ProviderId>, now: Instant) -> ViewContext<'_> {
        ViewContext { language: &ENGLISH, ids, now, topic: Topic { query: BAD, tags: &[] } }
    }

    fn list() -> Value {
        let ids = BTreeMap::new();
        let mut result = view_context(&ids, Instant::default()).result(hostile());
        result.opens_group = true;
        let facet = json!({"name": BAD, "count": 3, "href": BAD, "is_on": true});
        let choice = json!({"count": 3, "is_on": true, "is_without": true, "without": BAD});
        let source = |status: Value| {
            json!({"id": 1, "name": BAD, "initials": "B", "color": 1, "status": status, "found": 1, "retrieved": 1,
                "seconds": "0.1", "code": BAD, "fault": BAD, "rests_s": null, "choice": choice})
        };
        json!({
            "search_id": 1, "is_running": false, "total": 1, "found": 2, "seconds": "0.1", "notes": [BAD], "undated": 1, "unwanted": 2,
            "results": [result], "rail": [source(json!("error")), source(json!("timeout")), source(Value::Null)],
            "asking": 0, "missing": 1, "sort": BAD, "page": 2, "previous": BAD, "next": BAD, "clear": BAD, "usual_order": BAD,
            "orders": [{"name": BAD, "summary": BAD, "href": BAD, "is_on": true},
                {"name": BAD, "summary": BAD, "href": BAD, "is_on": true}],
            "facets": {"dates": [facet], "authors": vec![&facet; 9], "starred": facet, "new": facet,
                "years": [{"name": BAD, "count": 1, "height": 100, "href": BAD, "is_on": false}],
                "hidden": [["sort", BAD]]},
            "chips": [{"kind": "author", "name": BAD, "href": BAD}],
            "pages": [{"number": 1, "href": BAD, "is_current": false}, {"number": 0, "href": "", "is_current": false}],
            "exports": [["csv", BAD]],
        })
    }

    #[test]
    fn hostile_text_is_escaped_in_every_fragment() {
        let templates = Templates::new(Arc::new(Assets::new("")));
        let list = list();
        let picker = json!({"groups": [{"tag": BAD, "sources": [{"id": 1, "name": BAD, "initials": "B", "color": 0, "tags": [BAD],
            "is_chosen": true, "is_default": true}]}], "tags": [{"name": BAD, "count": 1, "is_chosen": true}],
            "chosen": 1, "count": 2, "left_out": 1});
        let recent = json!([{"id": 1, "query": BAD, "time": BAD, "day": BAD}]);
        let of_list = json!({"list": list});
        let suggestion = json!({"words": BAD, "href": BAD});
        let mut empty = list.clone();
        empty["no_results"] = json!({"query": BAD, "without": [suggestion], "fewer": suggestion, "everywhere": BAD,
            "is_subscribed": false});
        let advice =
            json!({"spelling": {"query": BAD, "href": BAD}, "language": {"query": BAD, "results": BAD}});
        empty["advice"] = advice.clone();
        let mut short = list.clone();
        short["advice"] = advice;
        let pieces = [
            ("search/result.html", json!({"result": list["results"][0]})),
            ("search/source.html", json!({"source": list["rail"][0]})),
            ("search/head.html", of_list.clone()),
            ("search/facets.html", of_list.clone()),
            ("search/pages.html", of_list.clone()),
            ("search/sources.html", json!({"sources": list["rail"]})),
            ("search/head.html", json!({"list": empty})),
            ("search/head.html", json!({"list": short})),
            ("search.html", json!({"query": BAD, "error": BAD, "picker": picker, "list": list})),
            ("search.html", json!({"query": BAD, "error": BAD, "picker": picker, "recent": recent})),
        ];
        for (name, values) in pieces {
            let html = templates.render(name, &context(BAD), values).expect(name);
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
    fn a_cached_copy_shows_when_it_was_checked() {
        let templates = Templates::new(Arc::new(Assets::new("")));
        let now: Instant = "2026-11-15T12:00:00Z".parse().expect("a time");
        let ids = BTreeMap::new();
        let shown = |badge, liveness, minutes: Option<i64>| {
            let item = ResultItem {
                swirl_id: ResultId(3),
                url: "https://a.example/".to_owned(),
                cache: minutes.map(|minutes| {
                    Box::new(CacheStatus {
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
            let result = view_context(&ids, now).result(item);
            templates.render("search/result.html", &context(""), json!({"result": result})).expect("a result")
        };
        let table = [
            (Badge::Cached, Liveness::Alive, 0, ">Cached<", "fresh alive\"", "just now"),
            (Badge::Pinned, Liveness::Alive, 1, ">Pinned<", "fresh alive\"", "1 minute ago"),
            (Badge::AutoSelected, Liveness::Unknown, 150, ">Auto-selected<", "stale", "2 hours ago"),
            (Badge::Alternate, Liveness::Alive, 3 * 1440, ">Alternate<", "stale", "3 days ago"),
            (Badge::Cached, Liveness::Gone, 5, ">gone<", "fresh gone", "No longer at the source"),
            (Badge::Cached, Liveness::Unknown, -1, ">Cached<", "fresh unknown", "Not checked"),
        ];
        for (badge, liveness, minutes, word, look, sentence) in table {
            let html = shown(badge, liveness, Some(minutes));
            for part in [word, look, sentence, "data-signal=\"7\"", "data-check", "data-remove-copy"] {
                assert!(html.contains(part), "{part} is not in {html}");
            }
            assert!(!html.contains("data-save-copy"), "{html}");
        }
        let live = shown(Badge::Cached, Liveness::Alive, None);
        assert!(live.contains("data-save-copy") && !live.contains("data-signal"), "{live}");
    }

    #[test]
    fn versions_are_folded_under_the_winner() {
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
        let templates = Templates::new(Arc::new(Assets::new("")));
        for (items, expected, is_folded) in table {
            let view_context = view_context(&ids, Instant::default());
            let shown = folded(items.into_iter().map(|item| view_context.result(item)).collect());
            let left: Vec<i64> = shown.iter().map(|result| result.id.0).collect();
            assert_eq!(left, expected);
            let html: String = shown
                .iter()
                .map(|result| templates.render("search/result.html", &context(""), json!({"result": result})))
                .map(|html| html.expect("a result"))
                .collect();
            assert_eq!(html.contains("class=\"version\" data-id=\"8\""), is_folded, "{html}");
        }
    }
}
