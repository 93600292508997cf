//! Tests of the summary card.

use super::super::assets::Assets;
use super::super::templates::Templates;
use super::super::templates::tests::context;
use super::*;
use chrono::DateTime;
use domain::ids::{ProviderId, RunNumber};
use domain::result::ResultItem;
use domain::summary::{
    Disagreement, GroundedSentence, SourceMode, StatedValue, StoredSummary, SummaryDetails, SummaryRequest,
    SummarySource,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::display::web_link;

fn source(n: u32, is_cited: bool, text: &str) -> SummarySource {
    SummarySource {
        n,
        swirl_id: ResultId(i64::from(n) * 10),
        title: text.to_owned(),
        url: "https://a.example/x".to_owned(),
        searchprovider: text.to_owned(),
        cited: is_cited,
        mode: SourceMode::Page,
        quote: text.to_owned(),
        page: None,
        signal_id: None,
    }
}

fn stored(text: &str) -> StoredSummary {
    let sentence = |support| GroundedSentence { text: format!("{support} {text}"), cites: vec![1], support };
    let details = SummaryDetails {
        sources: vec![source(1, false, text), source(2, true, text)],
        ai_model: text.to_owned(),
        requested_model: text.to_owned(),
        fallback_engaged: true,
        generation_time: 1.24,
        follow_ups: vec![text.to_owned()],
        warnings: vec![text.to_owned()],
        grounded: Some(2.0 / 3.0),
        sentences: vec![sentence(0.9), sentence(0.1), sentence(0.5)],
        ..SummaryDetails::default()
    };
    let row = ResultItem {
        body: format!("It rose [2]. {text}\n\n- **{text}** [1] [7]\n"),
        additional_content: Some(Box::new(details)),
        ..ResultItem::default()
    };
    let request = SummaryRequest { instructions: text.to_owned(), ..SummaryRequest::default() };
    let date_created = DateTime::UNIX_EPOCH;
    StoredSummary { search: SearchId(7), run: RunNumber::FIRST, request, row, prompt: None, date_created }
}

fn view_of(stored: StoredSummary) -> AnswerView {
    AnswerView::of(stored, &BTreeMap::from([("plain".to_owned(), ProviderId(3))]))
}

fn rendered(answer: Option<AnswerView>) -> String {
    let filtered = vec![ResultId(11), ResultId(12)];
    let card = AnswerCard {
        search_id: SearchId(7),
        is_final: true,
        can_ask: true,
        prompts: vec!["brief".to_owned()],
        instructions_max: 2000,
        time_max: 60,
        basis: answer.is_some().then_some(AnswerBasis { used: 55, all: 55, filtered }),
        answer,
        rating: -1,
    };
    let templates = Templates::new(Arc::new(Assets::new("")));
    templates.render("answer_card.html", &context(""), json!({"card": card})).expect("a card")
}

#[test]
fn sources_are_numbered_in_the_order_of_reading() {
    let shown = view_of(stored("plain"));
    assert_eq!(
        shown.sources.iter().map(|source| (source.n, source.id.0)).collect::<Vec<_>>(),
        [(1, 20), (2, 10)]
    );
    assert_eq!(shown.text, "It rose [1]. plain\n\n- **plain** [2] [7]\n");
    let first = &shown.sources[0];
    assert_eq!((first.place.as_str(), first.initials.as_str(), first.color), ("a.example", "P", 3));
    assert_eq!((shown.seconds.as_str(), shown.instead_of.as_deref()), ("1.2", Some("plain")));
}

#[test]
fn support_is_counted() {
    let mut answer = stored("plain");
    let shown = view_of(answer.clone());
    assert_eq!((shown.sentences, shown.supported, shown.is_weak), (3, 2, false));
    assert_eq!(shown.unsupported, ["0.1 plain"]);
    assert!(rendered(Some(shown)).contains("Answer from 2 sources"));
    answer.row.additional_content.as_mut().expect("details").grounded = Some(1.0 / 3.0);
    let weak = view_of(answer);
    assert!(weak.is_weak);
    let text = rendered(Some(weak));
    assert!(text.contains("Not enough in the sources") && text.contains("folded weak"), "{text}");
}

#[test]
fn the_card_says_what_the_answer_was_made_from() {
    let text = rendered(Some(view_of(stored("plain"))));
    assert!(text.contains("Based on all 55 results") && text.contains("Answer from these 2"), "{text}");
    assert!(text.contains("data-ask-filtered=\"11,12\"") && text.contains("class=\"face c3\""), "{text}");
    assert!(!rendered(None).contains("Based on"));
}

#[test]
fn a_passage_of_a_pdf_has_its_page() {
    let mut answer = stored("plain");
    assert!(!rendered(Some(view_of(answer.clone()))).contains("· page"));
    let mut cited = source(2, true, "plain");
    (cited.page, cited.url) = (Some(4), "https://a.example/x#page=4".to_owned());
    answer.row.additional_content.as_mut().expect("details").sources[1] = cited;
    let text = rendered(Some(view_of(answer)));
    assert!(text.contains("a.example · page 4<"), "{text}");
    assert!(text.contains("a.example&#x2f;x#page=4\""), "the link leads to the page: {text}");
}

/// Two sources that disagree; the second one is not cited.
fn disagreement(text: &str) -> Disagreement {
    let value = |n, newer: bool| StatedValue {
        value: format!("{n}0 days {text}"),
        n,
        quote: text.to_owned(),
        date: newer.then(|| "2025-08-01".to_owned()),
        newer,
    };
    Disagreement { values: vec![value(2, false), value(3, true)] }
}

#[test]
fn sources_that_disagree_are_beside_each_other() {
    assert!(!rendered(Some(view_of(stored("plain")))).contains("Your sources disagree"));
    let mut answer = stored("plain");
    let details = answer.row.additional_content.as_mut().expect("details");
    details.sources.push(source(3, false, "other"));
    details.disagreements = vec![disagreement("plain")];
    let shown = view_of(answer);
    assert_eq!((shown.cited, shown.sources.len()), (2, 3), "the source that is not cited is added");
    let sides = &shown.disagreements[0].sides;
    assert_eq!((sides[0].n, sides[1].n), (Some(1), Some(3)), "numbered as in the text");
    let text = rendered(Some(shown));
    for expected in [
        "Answer from 2 sources",
        "<p class=\"lead\" id=\"source-disagreements\">Your sources disagree</p>",
        "<b dir=\"auto\">20 days plain</b><a class=\"cite\" href=\"#source-1\" data-cite=\"1\"",
        "<b dir=\"auto\">30 days plain</b><a class=\"cite\" href=\"#source-3\" data-cite=\"3\"",
        "other · <time datetime=\"2025-08-01\">2025-08-01</time></span> <span class=\"badge\">newer</span>",
        "id=\"source-3-passage\"",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert_eq!(text.matches(">newer<").count(), 1);
}

#[test]
fn hostile_texts_are_inert_in_the_card() {
    for bad in ["<script>x</script>", "\"><img src=x onerror=y>", "[a](javascript:x)", "' onmouseover='x"] {
        let mut answer = stored(bad);
        answer.row.additional_content.as_mut().expect("details").disagreements = vec![disagreement(bad)];
        let text = rendered(Some(view_of(answer)));
        for tag in ["<script", "<img", "href=\"javascript", " onmouseover='x'"] {
            assert!(!text.contains(tag), "{tag} of {bad}: {text}");
        }
        assert!(text.contains("data-rate=\"-1\" aria-pressed=\"true\""), "{text}");
        assert!(text.contains("data-cite=\"2\"") && text.contains("data-cite=\"1\""), "{text}");
        assert!(!text.contains("data-cite=\"7\"") && text.contains("[7]"), "only known sources are links");
    }
    assert!(!rendered(None).contains("data-cite"));
}

#[test]
fn tables_and_nested_lists_are_shown() {
    let table = "| Year | | Level |\n|---|:-:|--:|\n| **2023** [2] | <b>x</b> | [a](javascript:x) [7] |\n";
    let text = rendered(Some(view_of(stored(&format!("\n\n{table}\n3. a\n   - b\n\n     c\n4. d")))));
    for expected in [
        "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table\"><table><thead><tr>\
         <th scope=\"col\">Year</th><td class=\"center\"></td><th scope=\"col\" class=\"end\">Level</th></tr></thead>",
        "<tbody><tr><td><strong>2023</strong><a class=\"cite\" href=\"#source-1\"",
        "<td class=\"center\">&lt;b&gt;x&lt;&#x2f;b&gt;</td><td class=\"end\">[a](javascript:x) [7]</td></tr></tbody>\
         </table></div>",
        "<ol start=\"3\"><li>a<ul><li>b<p>c</p></li></ul></li><li>d",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let unfinished = rendered(Some(view_of(stored("\n\n| a | b |\n|---|---|\n| 1"))));
    assert!(unfinished.contains("<td>1"), "{unfinished}");
}

#[test]
fn only_web_addresses_lead_on() {
    for (url, leads) in [
        ("https://a.example/b", true),
        ("http://a.example", true),
        ("javascript:x", false),
        ("file:///x", false),
        ("", false),
    ] {
        assert_eq!(web_link(url).is_some(), leads, "{url}");
    }
}
