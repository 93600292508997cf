//! Nobody searches with another person's token: not at once, not when tokens end, not when they are renewed.

use super::hub::{Hub, Mood};
use super::{authenticator, connect, files, search, search_for};
use crate::app_harness::AppHarness;
use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;

/// Searches of two people, and how many of them run at once.
const SEARCHES: usize = 100;
const AT_ONCE: usize = 10;
/// How long a token lives.
const LIFE: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_searches_of_two_people_while_tokens_end() {
    let (app, hub) = (AppHarness::start().await, Hub::start().await);
    authenticator(&app, &hub, json!({})).await;
    files(&app, &hub).await;
    hub.book().life = LIFE;
    let (ann, bob) = (app.user("ann", &[]).await, app.user("bob", &[]).await);
    let carl = app.user("carl", &[]).await;
    assert_eq!(connect(&ann, &hub, "ann").await.status, 303);
    assert_eq!(connect(&bob, &hub, "bob").await.status, 303);
    let people = [("ann", &ann), ("bob", &bob)];
    // However fast the machine is: between the halves every token ends.
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
        tokio::time::sleep(LIFE).await;
    }
    assert_eq!(search(&carl).await.0, "not_connected");
    assert_eq!(search(&app.admin).await.0, "not_connected", "an administrator has no token of others either");
    let (refreshes, reused) = hub.renewals();
    assert!(refreshes >= 2, "tokens ended on the way: {refreshes}");
    assert_eq!(reused, 0, "no refresh token was used twice");
    assert_eq!(hub.book().asked_with.len(), SEARCHES);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_searches_renew_once() {
    let (app, hub) = (AppHarness::start().await, Hub::start().await);
    authenticator(&app, &hub, json!({})).await;
    files(&app, &hub).await;
    hub.book().life = Duration::ZERO;
    let ann = app.user("ann", &[]).await;
    assert_eq!(connect(&ann, &hub, "ann").await.status, 303);
    hub.book().life = Duration::from_secs(3600);
    hub.book().mood = Mood::Slow(Duration::from_millis(300));
    let all = join_all((0..20).map(|number| search_for(&ann, number))).await;
    for (status, titles, mixed) in all {
        assert_eq!((status.as_str(), titles.concat().as_str()), ("ok", "river of ann"), "{mixed}");
    }
    assert_eq!(hub.renewals(), (1, 0));
    app.stop().await;
}

/// Two processes on one database: the second waits for what the first renews.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_renew_once() {
    use domain::contracts::{AuthenticatorStore, SourceTokens, UserStore};
    let (app, hub) = (AppHarness::start().await, Hub::start().await);
    authenticator(&app, &hub, json!({})).await;
    files(&app, &hub).await;
    hub.book().life = Duration::ZERO;
    let ann = app.user("ann", &[]).await;
    assert_eq!(connect(&ann, &hub, "ann").await.status, 303);
    hub.book().life = Duration::from_secs(3600);
    hub.book().mood = Mood::Slow(Duration::from_millis(500));
    let wired = app.service.wired();
    assert_eq!(wired.store.authenticators().await.unwrap().len(), 1);
    let user = wired.store.user_by_name("ann").await.unwrap().id;
    let process = || {
        let context = tributary::wiring::context(&wired.settings, wired.clock.clone()).unwrap();
        outbound::Authenticators::new(wired.store.clone(), context.fetch, wired.clock.clone(), String::new())
    };
    let processes: Vec<outbound::Authenticators> = (0..4).map(|_| process()).collect();
    let asked = processes.iter().flat_map(|one| (0..5).map(move |_| one.access_token(user, "hub")));
    let tokens = join_all(asked).await;
    let first = tokens[0].clone().unwrap();
    assert!(tokens.into_iter().all(|token| token.unwrap() == first));
    assert_eq!(hub.renewals(), (1, 0));
    app.stop().await;
}
