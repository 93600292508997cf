//! Activity statistics of the last days.

use super::fixture::{at, finished, new_search, person, set};
use crate::builders::notice;
use domain::activity::FutileQuery;
use domain::chat::{ChatSpec, MessageContent, Rating, Speaker};
use domain::ids::SearchId;
use domain::ports::{FinishedRun, Store, StoreError};
use domain::result::{ProviderError, ResultSet};
use domain::status::{ProviderStatus, SearchStatus};

const DAY_S: i64 = 86_400;

/// A search at this time that ended with these sets.
async fn ended(
    store: &dyn Store,
    seconds: i64,
    time_s: f64,
    sets: impl Fn(SearchId) -> Vec<ResultSet>,
) -> SearchId {
    let owner = match store.user_by_name("ann").await {
        Ok(user) => user,
        Err(_) => person(store, "ann").await,
    };
    let search = new_search(store, owner.id, "a \"query\"", seconds).await;
    let run = FinishedRun { time_s, ..finished(&search, sets(search.id)) };
    store.finish_run(run).await.expect("saved").expect("not obsolete");
    search.id
}

fn set_as(
    search: SearchId,
    provider: i64,
    status: ProviderStatus,
    time_s: f64,
    titles: &[&str],
) -> ResultSet {
    ResultSet { status, time_s, ..set(search, provider, titles) }
}

pub async fn days_are_counted(store: &dyn Store) {
    for number in 1..=20 {
        ended(store, number, number as f64, |id| vec![set(id, 1, &["x"])]).await;
    }
    ended(store, DAY_S, 0.5, |id| vec![set(id, 1, &[])]).await;
    let owner = store.user_by_name("ann").await.unwrap().id;
    new_search(store, owner, "still running", DAY_S + 1).await;
    let otto = person(store, "otto").await.id;
    new_search(store, otto, "somebody else", DAY_S + 2).await;
    let days = store.search_days(at(0)).await.unwrap();
    let told: Vec<_> =
        days.iter().map(|day| (day.day.as_str(), day.searches, day.futile, day.full, day.p95)).collect();
    assert_eq!(told, [("2023-11-14", 20, 0, 20, Some(19.0)), ("2023-11-15", 3, 1, 1, Some(0.5))]);
    assert_eq!(store.search_days(at(DAY_S)).await.unwrap().len(), 1);
    assert_eq!(store.search_days(at(DAY_S * 2)).await.unwrap(), []);
    let own = store.own_days(owner, at(5)).await.unwrap();
    assert_eq!(own, [("2023-11-14".to_owned(), 16), ("2023-11-15".to_owned(), 2)]);
    assert_eq!(store.search_count(None).await.unwrap(), 23);
    assert_eq!(store.search_count(Some(at(DAY_S))).await.unwrap(), 3);
    let query = FutileQuery { query: "a \"query\"".to_owned(), searches: 1, day: "2023-11-15".to_owned() };
    assert_eq!(store.futile_queries(at(0), 10).await.unwrap(), [query]);
}

pub async fn futile_searches_are_bounded(store: &dyn Store) {
    for number in 0..5 {
        ended(store, number, 1.0, |_| Vec::new()).await;
    }
    let owner = store.user_by_name("ann").await.unwrap().id;
    let failed = new_search(store, owner, "failed", 9).await;
    let run = FinishedRun { status: SearchStatus::ErrNoSearchproviders, ..finished(&failed, Vec::new()) };
    store.finish_run(run).await.unwrap();
    let list = store.futile_queries(at(0), 3).await.unwrap();
    let told: Vec<_> = list.iter().map(|one| (one.query.as_str(), one.searches)).collect();
    assert_eq!(told, [("failed", 1), ("a \"query\"", 2)], "the newest three searches");
    assert_eq!(store.futile_queries(at(10), 3).await.unwrap(), []);
}

pub async fn providers_are_compared(store: &dyn Store) {
    for number in 1..=10 {
        ended(store, number, 1.0, |id| {
            let odd = ResultSet {
                provider_name: "\"status\":\"error\"".to_owned(),
                notices: vec![notice("NUL \0")],
                ..set_as(id, 1, ProviderStatus::Ok, number as f64, &["x", "y"])
            };
            let second = match number {
                1 => ProviderStatus::Timeout,
                2 | 3 => ProviderStatus::Error,
                4 => ProviderStatus::Suspended,
                5 => ProviderStatus::NotConnected,
                6 => ProviderStatus::Partial,
                _ => ProviderStatus::NoResults,
            };
            let fault = ProviderError { code: "unavailable".to_owned(), message: String::new() };
            let error = (!second.has_delivered()).then_some(fault);
            vec![odd, ResultSet { error, ..set_as(id, 2, second, 0.25, &[]) }]
        })
        .await;
    }
    let figures = store.provider_figures(at(0)).await.unwrap();
    let told: Vec<_> = figures
        .iter()
        .map(|one| {
            (one.provider.0, one.asked, one.ok, one.failed, one.timed_out, one.p50, one.p95, one.retrieved)
        })
        .collect();
    assert_eq!(
        told,
        [(1, 10, 10, 0, 0, Some(5.0), Some(10.0), 20), (2, 8, 4, 3, 1, Some(0.25), Some(0.25), 0)]
    );
    assert_eq!(store.provider_figures(at(11)).await.unwrap(), []);
}

pub async fn answers_are_rated(store: &dyn Store) {
    let search = ended(store, 1, 1.0, |id| vec![set(id, 1, &["x"])]).await;
    let rating = |rating, reason: &str| Rating {
        rating,
        reasons: vec![reason.to_owned()],
        comment: "ä \0".to_owned(),
    };
    store.rate_answer(search, "model a", rating(1, "helpful"), at(5)).await.unwrap();
    store.rate_answer(search, "model b", rating(-1, "wrong"), at(6)).await.unwrap();
    let unknown = store.rate_answer(SearchId(999), "m", rating(1, "x"), at(6)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    let own = store.answer_rating(search, at(6)).await.unwrap();
    assert_eq!(own.map(|own| (own.rating, own.reasons)), Some((-1, vec!["wrong".to_owned()])));
    assert_eq!(store.answer_rating(search, at(7)).await, Ok(None), "it was about an answer of before");
    assert_eq!(store.answer_rating(SearchId(999), at(0)).await, Ok(None));
    let ann = store.user_by_name("ann").await.unwrap().id;
    let chat = store.create_chat(ChatSpec::default(), ann, at(1)).await.unwrap().id;
    let said = |text: &str| MessageContent {
        content: text.to_owned(),
        ai_model: "model c".to_owned(),
        ..MessageContent::default()
    };
    store.add_message(chat, Speaker::User, said("why?"), at(7)).await.unwrap();
    let answer = store.add_message(chat, Speaker::Assistant, said("so"), at(8)).await.unwrap();
    store.add_message(chat, Speaker::Assistant, said("not rated"), at(9)).await.unwrap();
    store.rate_message(chat, answer.id, rating(1, "helpful")).await.unwrap();
    let rated = store.rated_answers(at(0), 10).await.unwrap();
    let told: Vec<_> = rated.iter().map(|one| (one.kind, one.rating, one.model.as_str(), one.date)).collect();
    assert_eq!(told, [("chat", 1, "model c", at(8)), ("summary", -1, "model b", at(6))]);
    assert_eq!(rated[1].reasons, ["wrong"]);
    assert_eq!(store.rated_answers(at(0), 1).await.unwrap().len(), 1);
    assert_eq!(store.rated_answers(at(7), 10).await.unwrap().len(), 1);
    store.delete_search(search).await.unwrap();
    assert_eq!(store.rated_answers(at(0), 10).await.unwrap().len(), 1, "a rating goes with its search");
}
