//! Records that the tests of the suite share.

use crate::builders::{self, notice};
use chrono::DateTime;
use domain::ids::{ProviderId, SearchId, UserId};
use domain::instant::Instant;
use domain::ports::{FinishedRun, Store};
use domain::result::{ResultItem, ResultSet};
use domain::search::{Search, SearchSpec};
use domain::search_run::RunFindings;
use domain::status::{ProviderStatus, SearchStatus};
use domain::user::{User, UserSpec};

/// A fixed time plus some seconds, with microseconds that must survive.
pub(crate) fn at(seconds: i64) -> Instant {
    DateTime::from_timestamp(1_700_000_000 + seconds, 123_456_000).expect("a time in range")
}

pub async fn person(store: &dyn Store, username: &str) -> User {
    let spec = UserSpec { username: username.to_owned(), ..UserSpec::default() };
    store.create_user(spec, format!("hash of {username}"), at(0)).await.expect("a user")
}

/// The stored password hash of a user.
pub async fn password_hash(store: &dyn Store, username: &str) -> Option<String> {
    let both = store.user_with_password_hash(username).await.expect("an answer");
    both.map(|(_, hash)| hash)
}

pub async fn new_search(store: &dyn Store, owner: UserId, query: &str, seconds: i64) -> Search {
    let notices = vec![notice("created")];
    let spec = SearchSpec::of_query(query);
    store.create_search(spec, owner, notices, at(seconds), None).await.expect("a search")
}

/// The search as it is stored now.
pub(crate) async fn stored(store: &dyn Store, id: SearchId) -> Search {
    store.search(id).await.expect("a search")
}

/// Replaces the stored spec.
pub(crate) async fn change(store: &dyn Store, id: SearchId, spec: SearchSpec, seconds: i64) -> Search {
    let seen = stored(store, id).await;
    store.change_search(&seen, spec, at(seconds)).await.expect("changed").expect("written by nobody else")
}

/// Starts a new run of the stored search with this spec.
pub(crate) async fn restart(store: &dyn Store, id: SearchId, spec: SearchSpec, seconds: i64) -> Search {
    let (seen, notices) = (stored(store, id).await, vec![notice("again")]);
    let again = store.restart_search(&seen, spec, notices, at(seconds), None).await;
    again.expect("restarted").expect("written by nobody else")
}

pub(crate) fn item(title: &str) -> ResultItem {
    builders::item(title).score(1.5).build()
}

pub fn set(search: SearchId, provider: i64, titles: &[&str]) -> ResultSet {
    ResultSet {
        search,
        provider: ProviderId(provider),
        provider_name: format!("provider {provider}"),
        status: ProviderStatus::Ok,
        error: None,
        found: 100,
        retrieved: titles.len() as u64,
        query_string_to_provider: "query".to_owned(),
        query_to_provider: "https://source.example/?q=query".to_owned(),
        query_processors: vec!["AdaptiveQueryProcessor".to_owned()],
        result_processors: vec!["MappingResultProcessor".to_owned()],
        notices: vec![notice(&format!("from provider {provider}"))],
        time_s: 0.3,
        items: titles.iter().map(|title| item(title)).collect(),
        date_created: at(5),
        date_updated: at(5),
    }
}

pub fn finished(search: &Search, sets: Vec<ResultSet>) -> FinishedRun {
    FinishedRun {
        search: search.id,
        run: search.run,
        status: SearchStatus::FullResultsReady,
        query_string_processed: "query processed".to_owned(),
        notices: vec![notice("finished")],
        time_s: 1.2,
        found: Some(RunFindings::of(&sets)),
        sets,
        now: at(6),
    }
}

/// A search of a new user, finished with these sets of titles for providers 1, 2, 3…
pub(crate) async fn finished_search(store: &dyn Store, titles: &[&[&str]]) -> (Search, Vec<ResultSet>) {
    let owner = person(store, "owner").await;
    let search = new_search(store, owner.id, "query", 0).await;
    let sets = titles.iter().zip(1..).map(|(titles, provider)| set(search.id, provider, titles)).collect();
    let sets = store.finish_run(finished(&search, sets)).await.expect("saved").expect("not obsolete").sets;
    (search, sets)
}
