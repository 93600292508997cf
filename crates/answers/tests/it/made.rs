//! Answers that are made: their row, their events, their prompt, their pages.

use crate::fixture::{Fixture, PATIENCE, wish};
use crate::models::{Manner, Pages};
use answers::{AnswerEvent, Stage};
use domain::ai_provider::{AiProviderSpec, EXTRACTIVE_MODEL};
use domain::answer::{AUTHOR, AnswerWish, SourceMode, StoredAnswer};
use domain::contracts::{Clock, SystemClock};
use domain::prompt_record::{PromptParts, PromptSpec};
use domain::settings::Settings;
use futures_util::StreamExt;
use std::time::Duration;

async fn answer(fixture: &Fixture, wish: &AnswerWish) -> StoredAnswer {
    fixture.process().answer(&fixture.search, wish, PATIENCE).await.unwrap()
}

#[tokio::test]
async fn the_row_has_its_sources_and_is_served_again() {
    let fixture = Fixture::open().await;
    let process = fixture.process();
    let first = process.answer(&fixture.search, &wish(""), PATIENCE).await.unwrap();
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
    let second = process.answer(&fixture.search, &wish(" "), PATIENCE).await.unwrap();
    assert_eq!(second, first);
    assert_eq!(fixture.model.calls(), 1, "an equal wish costs nothing");
    let some = AnswerWish { items: vec![ids[1]], ..wish("") };
    let third = process.answer(&fixture.search, &some, PATIENCE).await.unwrap();
    assert_eq!(third.row.rag_query_items, [ids[1].to_string()]);
    let all = process.answer(&fixture.search, &wish(""), PATIENCE).await.unwrap();
    assert_eq!(all.row.rag_query_items.len(), 2, "who names no results means all of them");
    assert_eq!(fixture.model.calls(), 3);
    process.answer(&fixture.search, &wish("short"), PATIENCE).await.unwrap();
    assert_eq!(fixture.model.calls(), 4, "other instructions are another answer");
    let kept = fixture.store.answer(fixture.search.id).await.unwrap().unwrap();
    assert_eq!(kept.wish, wish("short"), "one answer is kept");
}

#[tokio::test]
async fn another_one_is_made_in_place_of_the_stored_one() {
    let fixture = Fixture::open().await;
    let first = answer(&fixture, &wish("")).await;
    let another = AnswerWish { instead_of: Some(first.row.swirl_id), ..wish("") };
    let second = answer(&fixture, &another).await;
    assert_eq!(fixture.model.calls(), 2);
    assert_ne!(second.row.swirl_id, first.row.swirl_id);
    assert_eq!(second.wish, wish(""), "what it replaced is no part of what is kept");
    assert_eq!(
        fixture.store.answer(fixture.search.id).await.unwrap(),
        Some(second.clone()),
        "one answer is kept"
    );
    assert_eq!(answer(&fixture, &another).await, second, "who refuses the first gets the second");
    assert_eq!(answer(&fixture, &wish("")).await, second);
    assert_eq!(fixture.model.calls(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_one_that_fails_leaves_the_stored_one() {
    let fixture = Fixture::open().await;
    let first = answer(&fixture, &wish("")).await;
    let another = AnswerWish { instead_of: Some(first.row.swirl_id), ..wish("") };
    fixture.model.behaves(Manner::StopsAfter("The river rises in spring [1]. "));
    let ended = fixture.process().answer(&fixture.search, &another, Duration::from_millis(300)).await;
    assert!(ended.is_err(), "{ended:?}");
    assert_eq!(answer(&fixture, &wish("")).await, first);
}

#[tokio::test]
async fn numbers_are_ids_or_ranks_and_unknown_ones_are_named() {
    // After a rerun no id is so small that it could be a rank.
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
        // The mixer of this service turns the list round.
        (vec![1], ids[1], false),
    ] {
        let made = answer(&fixture, &AnswerWish { items: items.clone(), ..wish("") }).await;
        assert_eq!(made.row.rag_query_items, [used.to_string()], "{items:?}");
        let warnings = &made.row.additional_content.as_deref().unwrap().warnings;
        let named = warnings.iter().any(|line| line.contains(&unknown.to_string()));
        assert_eq!(named, is_named, "{items:?}: {warnings:?}");
    }
}

#[tokio::test]
async fn everything_is_told_while_it_is_made() {
    let fixture = Fixture::open().await;
    let process = fixture.process();
    let events: Vec<AnswerEvent> = process.follow(&fixture.search, &wish(""), PATIENCE).collect().await;
    let mut stages = Vec::new();
    let (mut sources, mut text, mut deltas) = (0, String::new(), 0);
    for event in &events {
        match event {
            AnswerEvent::Stage { stage, .. } => stages.push(*stage),
            AnswerEvent::Source(source) => {
                sources += 1;
                assert!(!source.cited);
            }
            AnswerEvent::Delta(more) => {
                deltas += 1;
                text.push_str(more);
            }
            AnswerEvent::Citations(sources) => assert!(sources.iter().all(|source| source.cited)),
            AnswerEvent::Done(answer) => assert_eq!(answer.row.body, text),
            AnswerEvent::Failed { fault, message } => panic!("{fault:?} {message}"),
        }
    }
    stages.dedup();
    assert_eq!(stages, [Stage::Choosing, Stage::Reading, Stage::Writing, Stage::Checking]);
    assert_eq!(sources, 2);
    assert!(deltas >= 2, "it comes in sentences: {deltas}");
    assert!(matches!(events.last(), Some(AnswerEvent::Done(_))));

    let again: Vec<AnswerEvent> = process.follow(&fixture.search, &wish(""), PATIENCE).collect().await;
    assert!(matches!(again.last(), Some(AnswerEvent::Done(_))));
    assert_eq!(fixture.model.calls(), 1, "a stored answer is told without a model");
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
    let named = |prompt: &str| AnswerWish { prompt: prompt.to_owned(), ..wish("") };
    answer(&fixture, &wish("")).await;
    assert!(fixture.model.heard().contains("Answer like a pirate: river level"), "{}", fixture.model.heard());
    answer(&fixture, &named("short")).await;
    assert!(fixture.model.heard().contains("Answer in one word: river level"), "{}", fixture.model.heard());
    let made = answer(&fixture, &named("nobody")).await;
    let warnings = made.row.additional_content.unwrap().warnings;
    assert!(warnings.iter().any(|line| line.contains("'nobody'")), "{warnings:?}");
    let overrides = [("search-rag".to_owned(), parts("As this model likes it:"))].into();
    *fixture.model.overrides.lock().unwrap() =
        AiProviderSpec { prompt_overrides: overrides, ..AiProviderSpec::default() };
    answer(&fixture, &wish("with overrides")).await;
    assert!(
        fixture.model.heard().contains("As this model likes it: river level"),
        "{}",
        fixture.model.heard()
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
    let made = fixture.process().answer(&fixture.search, &wish(""), time_max).await.unwrap();
    let modes: Vec<SourceMode> =
        made.row.additional_content.unwrap().sources.iter().map(|source| source.mode).collect();
    assert_eq!(modes, [SourceMode::Page, SourceMode::Snippet]);
    assert!(fixture.model.heard().contains("the snow of the whole valley"), "{}", fixture.model.heard());
    let read = fixture.pages.read.lock().unwrap().clone();
    assert!(
        read.iter()
            .all(|(_, time_max, user)| *time_max <= Duration::from_secs(1) && *user == fixture.search.owner)
    );

    let strict = Settings { always_fall_back_to_summary: false, ..Settings::default() };
    let fixture = Fixture::with("river level", strict, pages()).await;
    let made = fixture.process().answer(&fixture.search, &wish(""), time_max).await.unwrap();
    let details = made.row.additional_content.unwrap();
    assert_eq!(details.sources.len(), 1);
    assert!(details.warnings.iter().any(|line| line.contains("'Autumn'")), "{:?}", details.warnings);
}

#[tokio::test]
async fn without_a_model_sentences_are_picked_from_the_sources() {
    let fixture = Fixture::open().await;
    *fixture.model.model.lock().unwrap() = EXTRACTIVE_MODEL;
    let made = answer(&fixture, &wish("")).await;
    let details = made.row.additional_content.as_deref().unwrap();
    assert!(details.extractive);
    assert_eq!(fixture.model.calls(), 0);
    assert!(made.row.body.contains("The river level rises in spring"), "{}", made.row.body);
}

#[tokio::test]
async fn tools_that_nobody_offered_are_not_called() {
    let fixture = Fixture::open().await;
    fixture.model.behaves(Manner::CallsATool);
    let made = answer(&fixture, &wish("")).await;
    assert_eq!(made.row.body, "The river rises in spring [1].");
    assert!(fixture.model.prompts.lock().unwrap().iter().all(|prompt| prompt.tools.is_empty()));
}

#[tokio::test]
async fn the_prompt_is_kept_where_the_settings_say_so() {
    let settings = Settings { rag_store_prompt: true, ..Settings::default() };
    let fixture = Fixture::with("river level", settings, Pages::default()).await;
    let made = answer(&fixture, &wish("")).await;
    assert!(made.prompt.unwrap().contains("The river level falls in autumn"));
}
