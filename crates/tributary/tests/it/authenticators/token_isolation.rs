//! Nobody searches with another person's token: not concurrently, not when tokens expire, and not when they are
//! refreshed.

use super::{authenticator, connect, files, search, search_for};
use crate::app_harness::AppHarness;
use fakes::identity_provider::{FakeIdp, TokenBehavior};
use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;

/// Searches of two people, and how many of them run at the same time.
const SEARCHES: usize = 100;
const AT_ONCE: usize = 10;
/// How long a token lives.
const TOKEN_LIFETIME: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_searches_of_two_people_while_tokens_end() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    authenticator(&app, &idp, json!({})).await;
    files(&app, &idp).await;
    idp.state().token_lifetime = TOKEN_LIFETIME;
    let (ann, bob) = (app.user("ann", &[]).await, app.user("bob", &[]).await);
    let carl = app.user("carl", &[]).await;
    assert_eq!(connect(&ann, "ann").await.status, 303);
    assert_eq!(connect(&bob, "bob").await.status, 303);
    let people = [("ann", &ann), ("bob", &bob)];
    // Every token expires between the two halves, however fast the machine is.
    for half in [0..SEARCHES / 2, SEARCHES / 2..SEARCHES] {
        let searches = futures_util::stream::iter(half).map(|number| async move {
            let (name, client) = people[number % 2];
            let (status, titles, mixed) = search_for(client, number).await;
            assert_eq!(
                (status.as_str(), titles),
                ("ok", vec![format!("river of {name}")]),
                "{number}: {mixed}"
            );
        });
        searches.buffer_unordered(AT_ONCE).collect::<Vec<()>>().await;
        tokio::time::sleep(TOKEN_LIFETIME).await;
    }
    assert_eq!(search(&carl).await.0, "not_connected");
    assert_eq!(search(&app.admin).await.0, "not_connected", "an administrator has no token of others either");
    let (refreshes, reused) = idp.renewals();
    assert!(refreshes >= 2, "tokens ended on the way: {refreshes}");
    assert_eq!(reused, 0, "no refresh token was used twice");
    assert_eq!(idp.state().received_authorization.len(), SEARCHES);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_searches_renew_once() {
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    authenticator(&app, &idp, json!({})).await;
    files(&app, &idp).await;
    idp.state().token_lifetime = Duration::ZERO;
    let ann = app.user("ann", &[]).await;
    assert_eq!(connect(&ann, "ann").await.status, 303);
    idp.state().token_lifetime = Duration::from_secs(3600);
    idp.state().behavior = TokenBehavior::Slow(Duration::from_millis(300));
    let all = join_all((0..20).map(|number| search_for(&ann, number))).await;
    for (status, titles, mixed) in all {
        assert_eq!((status.as_str(), titles.concat().as_str()), ("ok", "river of ann"), "{mixed}");
    }
    assert_eq!(idp.renewals(), (1, 0));
    app.stop().await;
}

/// Two processes on one database: the second waits for the refresh of the first.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_renew_once() {
    use domain::ports::{AuthenticatorStore, SourceTokens, UserStore};
    let (app, idp) = (AppHarness::start().await, FakeIdp::start().await);
    authenticator(&app, &idp, json!({})).await;
    files(&app, &idp).await;
    idp.state().token_lifetime = Duration::ZERO;
    let ann = app.user("ann", &[]).await;
    assert_eq!(connect(&ann, "ann").await.status, 303);
    idp.state().token_lifetime = Duration::from_secs(3600);
    idp.state().behavior = TokenBehavior::Slow(Duration::from_millis(500));
    let wired = app.service.app();
    assert_eq!(wired.store.authenticators().await.unwrap().len(), 1);
    let user = wired.store.user_by_name("ann").await.unwrap().id;
    let process = || {
        let context = tributary::app::context(
            &wired.settings,
            wired.clock.clone(),
            tributary::app::FileReaders::Threads,
        )
        .unwrap();
        outbound::Authenticators::new(wired.store.clone(), context.fetch, wired.clock.clone(), String::new())
    };
    let processes: Vec<outbound::Authenticators> = (0..4).map(|_| process()).collect();
    let asked = processes.iter().flat_map(|one| (0..5).map(move |_| one.access_token(user, "hub")));
    let tokens = join_all(asked).await;
    let first = tokens[0].clone().unwrap();
    assert!(tokens.into_iter().all(|token| token.unwrap() == first));
    assert_eq!(idp.renewals(), (1, 0));
    app.stop().await;
}
