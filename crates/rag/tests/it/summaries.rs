//! Generated summaries: item, events, prompt and pages.

use crate::fixture::{Fixture, PATIENCE, request};
use crate::models::{Manner, Pages};
use domain::ai_provider::{AiProviderSpec, EXTRACTIVE_MODEL};
use domain::ports::{Clock, PromptStore, SummaryStore, SystemClock};
use domain::prompt::{PromptParts, PromptSpec};
use domain::settings::Settings;
use domain::summary::{AUTHOR, SourceMode, StoredSummary, SummaryRequest};
use futures_util::StreamExt;
use rag::{Stage, SummaryEvent};
use std::sync::Arc;
use std::time::Duration;

async fn answer(fixture: &Fixture, request: &SummaryRequest) -> StoredSummary {
    fixture.process().answer(&fixture.search, request, PATIENCE).await.unwrap()
}

#[tokio::test]
async fn the_row_has_its_sources_and_is_served_again() {
    let fixture = Fixture::open().await;
    let process = fixture.process();
    let first = process.answer(&fixture.search, &request(""), PATIENCE).await.unwrap();
    let row = &first.row;
    assert_eq!((row.author.as_str(), row.title.as_str()), (AUTHOR, "river level"));
    assert_eq!(row.body, "The river rises in spring [1]. It falls in autumn [2].");
    assert!(row.swirl_id.0 > 0);
    let details = row.additional_content.as_deref().unwrap();
    let ids: Vec<String> = fixture.ids().await.iter().map(i64::to_string).collect();
    assert_eq!(row.rag_query_items, ids);
    let cited: Vec<(u32, bool, SourceMode)> =
        details.sources.iter().map(|source| (source.n, source.cited, source.mode)).collect();
    assert_eq!(cited, [(1, true, SourceMode::Snippet), (2, true, SourceMode::Snippet)]);
    assert_eq!((details.ai_model.as_str(), details.ai_provider.as_str()), ("gpt-5", "Fixture"));
    assert!(details.tokens_in > 0 && details.tokens_out > 0 && !details.extractive);
    assert_eq!(first.prompt, None, "it is kept only where the settings say so");

    let ids = fixture.ids().await;
    let second = process.answer(&fixture.search, &request(" "), PATIENCE).await.unwrap();
    assert_eq!(second, first);
    assert_eq!(fixture.model.calls(), 1, "an equal request costs nothing");
    let some = SummaryRequest { items: vec![ids[1]], ..request("") };
    let third = process.answer(&fixture.search, &some, PATIENCE).await.unwrap();
    assert_eq!(third.row.rag_query_items, [ids[1].to_string()]);
    let all = process.answer(&fixture.search, &request(""), PATIENCE).await.unwrap();
    assert_eq!(all.row.rag_query_items.len(), 2, "who names no results means all of them");
    assert_eq!(fixture.model.calls(), 3);
    process.answer(&fixture.search, &request("short"), PATIENCE).await.unwrap();
    assert_eq!(fixture.model.calls(), 4, "other instructions are another answer");
    let kept = fixture.store.summary(fixture.search.id).await.unwrap().unwrap();
    assert_eq!(kept.request, request("short"), "one answer is kept");
}

#[tokio::test]
async fn the_second_reader_orders_the_sources() {
    let mut fixture = Fixture::open().await;
    let ids = fixture.ids().await;
    fixture.second_reader = Some(Arc::new(|text: &str| {
        Some(if text.contains("Spring") { vec![0.0, 1.0] } else { vec![1.0, 0.0] })
    }));
    let read = answer(&fixture, &request("")).await;
    assert_eq!(read.row.rag_query_items, [ids[1], ids[0]].map(|id| id.to_string()));
    // A model that makes no vectors changes nothing.
    fixture.second_reader = Some(Arc::new(|_: &str| None));
    let fixture = fixture.again(&[("Winter", WINTER, 0.9), ("Summer", SUMMER, 0.8)]).await;
    let ids = fixture.ids().await;
    let plain = answer(&fixture, &request("")).await;
    assert_eq!(plain.row.rag_query_items, [ids[0], ids[1]].map(|id| id.to_string()));
}

const WINTER: &str = "The river level is low in winter as long as there is ice on the hills.";
const SUMMER: &str = "The river level is high in summer after each of the storms in the hills.";

#[tokio::test]
async fn another_one_is_made_in_place_of_the_stored_one() {
    let fixture = Fixture::open().await;
    let first = answer(&fixture, &request("")).await;
    let another = SummaryRequest { instead_of: Some(first.row.swirl_id), ..request("") };
    let second = answer(&fixture, &another).await;
    assert_eq!(fixture.model.calls(), 2);
    assert_ne!(second.row.swirl_id, first.row.swirl_id);
    assert_eq!(second.request, request(""), "what it replaced is no part of what is kept");
    assert_eq!(
        fixture.store.summary(fixture.search.id).await.unwrap(),
        Some(second.clone()),
        "one answer is kept"
    );
    assert_eq!(answer(&fixture, &another).await, second, "who refuses the first gets the second");
    assert_eq!(answer(&fixture, &request("")).await, second);
    assert_eq!(fixture.model.calls(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_one_that_fails_leaves_the_stored_one() {
    let fixture = Fixture::open().await;
    let first = answer(&fixture, &request("")).await;
    let another = SummaryRequest { instead_of: Some(first.row.swirl_id), ..request("") };
    fixture.model.behaves(Manner::StopsAfter("The river rises in spring [1]. "));
    let ended = fixture.process().answer(&fixture.search, &another, Duration::from_millis(300)).await;
    assert!(ended.is_err(), "{ended:?}");
    assert_eq!(answer(&fixture, &request("")).await, first);
}

#[tokio::test]
async fn numbers_are_ids_or_ranks_and_unknown_ones_are_named() {
    // After a rerun, all ids are too large to be ranks.
    let items = [
        ("Spring", "The river level rises in spring after the snow has melted in the hills.", 0.9),
        ("Autumn", "The river level falls in autumn when there is little rain in the hills.", 0.8),
    ];
    let fixture = Fixture::open().await.again(&items).await;
    let ids = fixture.ids().await;
    assert!(!ids.contains(&1));
    let unknown = ids[1] + 100;
    for (items, used, is_named) in [
        (vec![ids[0], unknown], ids[0], true),
        // The mixer of this fixture reverses the list.
        (vec![1], ids[1], false),
    ] {
        let made = answer(&fixture, &SummaryRequest { items: items.clone(), ..request("") }).await;
        assert_eq!(made.row.rag_query_items, [used.to_string()], "{items:?}");
        let warnings = &made.row.additional_content.as_deref().unwrap().warnings;
        let named = warnings.iter().any(|line| line.contains(&unknown.to_string()));
        assert_eq!(named, is_named, "{items:?}: {warnings:?}");
    }
}

#[tokio::test]
async fn every_step_emits_events() {
    let fixture = Fixture::open().await;
    let process = fixture.process();
    let events: Vec<SummaryEvent> = process.follow(&fixture.search, &request(""), PATIENCE).collect().await;
    let mut stages = Vec::new();
    let (mut sources, mut text, mut deltas) = (0, String::new(), 0);
    for event in &events {
        match event {
            SummaryEvent::Stage { stage, .. } => stages.push(*stage),
            SummaryEvent::Source(source) => {
                sources += 1;
                assert!(!source.cited);
            }
            SummaryEvent::Delta(more) => {
                deltas += 1;
                text.push_str(more);
            }
            SummaryEvent::Citations(sources) => assert!(sources.iter().all(|source| source.cited)),
            SummaryEvent::Done(answer) => assert_eq!(answer.row.body, text),
            SummaryEvent::Failed { fault, message } => panic!("{fault:?} {message}"),
        }
    }
    stages.dedup();
    assert_eq!(stages, [Stage::Choosing, Stage::Reading, Stage::Writing, Stage::Checking]);
    assert_eq!(sources, 2);
    assert!(deltas >= 2, "it comes in sentences: {deltas}");
    assert!(matches!(events.last(), Some(SummaryEvent::Done(_))));

    let again: Vec<SummaryEvent> = process.follow(&fixture.search, &request(""), PATIENCE).collect().await;
    assert!(matches!(again.last(), Some(SummaryEvent::Done(_))));
    assert_eq!(fixture.model.calls(), 1, "a stored summary is replayed without a model");
}

#[tokio::test]
async fn the_prompt_is_chosen_by_request_by_query_or_is_the_standard_one() {
    let fixture = Fixture::with("prompt:pirate river level", Settings::default(), Pages::default()).await;
    let now = SystemClock.now();
    let parts = |text: &str| PromptParts { prompt: format!("{text} {{query}}"), ..PromptParts::default() };
    for (name, text) in [("pirate", "Answer like a pirate:"), ("short", "Answer in one word:")] {
        let spec = PromptSpec {
            name: name.to_owned(),
            parts: parts(text),
            tags: vec!["search-rag".to_owned()],
            shared: true,
            ..PromptSpec::default()
        };
        fixture.store.create_prompt(spec, None, now).await.unwrap();
    }
    let named = |prompt: &str| SummaryRequest { prompt: prompt.to_owned(), ..request("") };
    answer(&fixture, &request("")).await;
    assert!(
        fixture.model.last_prompt().contains("Answer like a pirate: river level"),
        "{}",
        fixture.model.last_prompt()
    );
    answer(&fixture, &named("short")).await;
    assert!(
        fixture.model.last_prompt().contains("Answer in one word: river level"),
        "{}",
        fixture.model.last_prompt()
    );
    let made = answer(&fixture, &named("nobody")).await;
    let warnings = made.row.additional_content.unwrap().warnings;
    assert!(warnings.iter().any(|line| line.contains("'nobody'")), "{warnings:?}");
    let overrides = [("search-rag".to_owned(), parts("As this model likes it:"))].into();
    *fixture.model.overrides.lock().unwrap() =
        AiProviderSpec { prompt_overrides: overrides, ..AiProviderSpec::default() };
    answer(&fixture, &request("with overrides")).await;
    assert!(
        fixture.model.last_prompt().contains("As this model likes it: river level"),
        "{}",
        fixture.model.last_prompt()
    );
}

#[tokio::test]
async fn pages_are_read_and_replaced_by_results_where_they_fail_or_are_late() {
    let text = "On this page the river level rises in spring because the snow of the whole valley melts within weeks.";
    let pages = || Pages {
        texts: [("https://rivers.example/spring", text)].into(),
        slow: vec!["https://rivers.example/autumn"],
        ..Pages::default()
    };
    let time_max = Duration::from_secs(2);
    let fixture = Fixture::with("river level", Settings::default(), pages()).await;
    let made = fixture.process().answer(&fixture.search, &request(""), time_max).await.unwrap();
    let modes: Vec<SourceMode> =
        made.row.additional_content.unwrap().sources.iter().map(|source| source.mode).collect();
    assert_eq!(modes, [SourceMode::Page, SourceMode::Snippet]);
    assert!(
        fixture.model.last_prompt().contains("the snow of the whole valley"),
        "{}",
        fixture.model.last_prompt()
    );
    let read = fixture.pages.read.lock().unwrap().clone();
    assert!(
        read.iter()
            .all(|(_, time_max, user)| *time_max <= Duration::from_secs(1) && *user == fixture.search.owner)
    );

    let strict = Settings { always_fall_back_to_summary: false, ..Settings::default() };
    let fixture = Fixture::with("river level", strict, pages()).await;
    let made = fixture.process().answer(&fixture.search, &request(""), time_max).await.unwrap();
    let details = made.row.additional_content.unwrap();
    assert_eq!(details.sources.len(), 1);
    assert!(details.warnings.iter().any(|line| line.contains("'Autumn'")), "{:?}", details.warnings);
}

#[tokio::test]
async fn without_a_model_sentences_are_picked_from_the_sources() {
    let fixture = Fixture::open().await;
    *fixture.model.model.lock().unwrap() = EXTRACTIVE_MODEL;
    let made = answer(&fixture, &request("")).await;
    let details = made.row.additional_content.as_deref().unwrap();
    assert!(details.extractive);
    assert_eq!(fixture.model.calls(), 0);
    assert!(made.row.body.contains("The river level rises in spring"), "{}", made.row.body);
}

#[tokio::test]
async fn tools_that_nobody_offered_are_not_called() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(Manner::CallsATool);
    let made = answer(&fixture, &request("")).await;
    assert_eq!(made.row.body, "The river rises in spring [1].");
    assert!(fixture.model.prompts.lock().unwrap().iter().all(|prompt| prompt.tools.is_empty()));
}

#[tokio::test]
async fn reasoning_before_the_answer_is_left_out_and_a_cut_answer_is_warned_of() {
    for (manner, is_cut) in [(Manner::Reasons, false), (Manner::IsCut, true)] {
        let fixture = Fixture::open().await;
        fixture.model.behaves(manner);
        let made = answer(&fixture, &request("")).await;
        assert_eq!(made.row.body, "The river rises in spring [1].");
        let warnings = made.row.additional_content.unwrap().warnings;
        assert_eq!(
            warnings.iter().any(|warning| warning.contains("limit of tokens")),
            is_cut,
            "{warnings:?}"
        );
    }
}

#[tokio::test]
async fn the_prompt_is_kept_where_the_settings_say_so() {
    let settings = Settings { rag_store_prompt: true, ..Settings::default() };
    let fixture = Fixture::with("river level", settings, Pages::default()).await;
    let made = answer(&fixture, &request("")).await;
    assert!(made.prompt.unwrap().contains("The river level falls in autumn"));
}

#[tokio::test]
async fn a_citation_of_a_pdf_names_the_page() {
    let pages = vec![
        "A report about the river, its level and its banks in all the years since 1850.",
        "The river level rises in spring <when> the snow of the hills has melted [1].",
        "The mill at the river was closed, because the level was too low for its wheel.",
    ];
    let pdfs = [("https://rivers.example/spring", pages)].into();
    let fixture = Fixture::with("river level", Settings::default(), Pages { pdfs, ..Pages::default() }).await;
    let chunks = vec!["The river level rises in spring when the snow has melted [1]."];
    *fixture.model.manner.lock().unwrap() = Manner::Says(chunks, Duration::ZERO);
    let stored = answer(&fixture, &request("")).await;
    let sources = &stored.row.additional_content.as_deref().unwrap().sources;
    let first = (sources[0].mode, sources[0].page, sources[0].url.as_str());
    assert_eq!(first, (SourceMode::Page, Some(2), "https://rivers.example/spring#page=2"));
    assert!(sources[0].quote.starts_with("The river level rises in spring"), "{}", sources[0].quote);
    assert_eq!((sources[1].page, sources[1].url.contains('#')), (None, false), "a result has no pages");
}
