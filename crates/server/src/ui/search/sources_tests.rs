//! Tests of the lines of sources.

use super::*;
use crate::ui::assets::Assets;
use crate::ui::templates::Templates;
use crate::ui::templates::tests::context;
use domain::ids::UserId;
use domain::mixed::SourceNotAsked;
use domain::provider::ProviderSpec;
use serde_json::json;
use std::sync::Arc;

#[test]
fn times_and_colors() {
    for (seconds, text) in [(0.0, "<0.1"), (0.1, "0.1"), (12.34, "12.3")] {
        assert_eq!(format_seconds(seconds), text);
    }
    for (id, expected) in [(0, 0), (7, 7), (8, 0), (1_000_001, 1), (-1, 7)] {
        assert_eq!(color(ProviderId(id)), expected, "{id}");
    }
}

#[test]
fn initials_of_names() {
    for (name, expected) in [
        ("Library - Riverbend", "LR"),
        ("tickets", "T"),
        ("Department 17 - x", "D17"),
        ("Department 1805", "D18"),
        ("états généraux", "ÉG"),
        ("(42)", "42"),
        ("–", ""),
    ] {
        assert_eq!(initials(name), expected, "{name}");
    }
}

#[test]
fn a_pause_is_shown_in_minutes_from_two_on() {
    let templates = Templates::new(Arc::new(Assets::new("")));
    let shown = |status: &str, wants_rest: bool, rests_s: Option<u64>| {
        let source = json!({"id": 1, "name": "Weir", "status": status, "seconds": "0.1", "code": "unavailable",
            "rests_s": rests_s, "wants_rest": wants_rest});
        templates.render("search/source.html", &context(""), json!({ "source": source })).expect("a source")
    };
    for (status, wants_rest, rests_s, text) in [
        ("suspended", true, Some(300), "rate limited, 5 minutes left"),
        ("suspended", true, Some(271), "rate limited, 5 minutes left"),
        ("suspended", true, Some(120), "rate limited, 2 minutes left"),
        ("suspended", true, Some(119), "rate limited, 119 s left"),
        ("suspended", true, None, "rate limited"),
        ("suspended", false, Some(240), "failed, paused for 4 minutes"),
        ("error", false, Some(240), "failed, paused for 4 minutes"),
        ("error", false, Some(40), "failed, paused for 40 s"),
        ("error", false, None, "unavailable"),
    ] {
        let html = shown(status, wants_rest, rests_s);
        assert!(html.contains(&format!(">{text}<")), "{text}: {html}");
    }
}

#[test]
fn sources_that_were_asked_later_or_not_at_all_say_so() {
    let provider = |name: &str| {
        let spec = ProviderSpec { name: name.to_owned(), ..ProviderSpec::default() };
        SearchProvider::unsaved(spec, UserId(1), Default::default())
    };
    let mut lines = ["A", "B", "C"].map(|name| SourceView::asking(&provider(name)));
    let not_asked = |source: &str, code: &str| SourceNotAsked {
        source: source.to_owned(),
        code: code.to_owned(),
        reason: String::new(),
    };
    let order = SourceOrder {
        similar_searches: 12,
        asked_later: vec!["B".to_owned()],
        reason: String::new(),
        not_asked: vec![not_asked("C", SourceNotAsked::NO_TIME)],
    };
    add_order(&mut lines, &order);
    assert_eq!(lines.each_ref().map(|line| line.asked_later), [false, true, false]);
    assert_eq!(lines.each_ref().map(|line| line.not_asked.as_deref()), [None, None, Some("no_time")]);

    let templates = Templates::new(Arc::new(Assets::new("")));
    let shown = |source: serde_json::Value| {
        templates.render("search/source.html", &context(""), json!({ "source": source })).expect("a source")
    };
    let source =
        json!({"id": 1, "name": "Weir", "status": "ok", "seconds": "0.1", "retrieved": 3, "found": 3});
    let with = |field: &str, value: serde_json::Value| {
        let mut source = source.clone();
        source[field] = value;
        source["status"] = json!(if field == "not_asked" { "suspended" } else { "ok" });
        shown(source)
    };
    assert!(!shown(source.clone()).contains("asked"));
    assert!(with("asked_later", json!(true)).contains(">asked later<"));
    assert!(with("not_asked", json!("no_time")).contains(">not asked: no time left<"));
    assert!(with("not_asked", json!("suspended")).contains(">not asked: rate limited<"));
}

#[test]
fn closed_sources_are_left_out_unless_there_are_no_others() {
    let provider = |id: i64| {
        let mut provider = SearchProvider::unsaved(ProviderSpec::default(), UserId(1), Default::default());
        provider.id = ProviderId(id);
        provider
    };
    let left = |closed: &[i64]| {
        let mut lines = [1, 2].map(|id| SourceView::asking(&provider(id))).to_vec();
        leave_out(&mut lines, &closed.iter().copied().map(ProviderId).collect::<Vec<_>>());
        lines.iter().map(|line| line.id.0).collect::<Vec<_>>()
    };
    assert_eq!((left(&[]), left(&[2]), left(&[1, 2])), (vec![1, 2], vec![1], vec![1, 2]));
}

#[test]
fn a_long_list_begins_with_failed_sources_and_most_results() {
    let line = |(id, status, retrieved): (i64, Option<ProviderStatus>, u64)| SourceView {
        id: ProviderId(id),
        name: String::new(),
        initials: String::new(),
        color: 0,
        status,
        found: retrieved,
        retrieved,
        seconds: String::new(),
        code: String::new(),
        fault: String::new(),
        rests_s: None,
        wants_rest: false,
        asked_later: false,
        not_asked: None,
        choice: None,
    };
    let ids = |mut lines: Vec<SourceView>| {
        sort_finished(&mut lines);
        lines.iter().map(|line| line.id.0).collect::<Vec<_>>()
    };
    let few = vec![line((1, Some(ProviderStatus::Ok), 1)), line((2, Some(ProviderStatus::Error), 0))];
    assert_eq!(ids(few), [1, 2]);
    let mut many: Vec<SourceView> =
        (1..=8).map(|id| line((id, Some(ProviderStatus::Ok), id as u64 % 3))).collect();
    many.push(line((9, Some(ProviderStatus::Timeout), 0)));
    assert_eq!(ids(many.clone()), [9, 2, 5, 8, 1, 4, 7, 3, 6]);
    many[0].status = None;
    assert_eq!(ids(many), [1, 2, 3, 4, 5, 6, 7, 8, 9], "one is still running");
}
