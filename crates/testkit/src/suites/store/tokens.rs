//! Tokens of a user: their limit, and revocation together.

use super::fixture::{at, person};
use domain::ids::UserId;
use domain::owner_scope::OwnerScope;
use domain::ports::{Store, StoreError};
use domain::user::{ApiToken, LOGIN_LABEL, TOKENS_PER_USER_MAX, TokenSpec, UserSpec};
use futures_util::future::join_all;

async fn token(
    store: &dyn Store,
    user: UserId,
    label: &str,
    number: u64,
    expires: Option<i64>,
) -> Result<ApiToken, StoreError> {
    let spec = TokenSpec { label: label.to_owned(), expires: expires.map(at) };
    let seconds = i64::try_from(number).expect("a small number");
    store.create_token(user, spec, format!("{user} {number}"), String::new(), at(seconds)).await
}

async fn labels(store: &dyn Store, user: UserId) -> Vec<String> {
    let page = store.tokens(OwnerScope::Only(user), 0, 1000).await.unwrap();
    page.items.into_iter().map(|token| token.label).collect()
}

pub async fn of_sign_ins_end_with_a_new_password(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    for (user, label, number) in
        [(ann, LOGIN_LABEL, 1), (ann, "export", 2), (ann, LOGIN_LABEL, 3), (bob, LOGIN_LABEL, 4)]
    {
        token(store, user, label, number, Some(900)).await.unwrap();
    }
    let spec = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
    store.replace_user(ann, spec.clone(), None, at(5)).await.unwrap();
    assert_eq!(labels(store, ann).await.len(), 3, "the password is the same");
    store.replace_user(ann, spec, Some("new".to_owned()), at(6)).await.unwrap();
    assert_eq!(labels(store, ann).await, ["export"]);
    assert_eq!(labels(store, bob).await, [LOGIN_LABEL]);
    assert_eq!(store.user_by_token(&format!("{ann} 1"), at(7)).await.unwrap(), None);
}

pub async fn are_revoked_all_at_once(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    for (user, label, number) in [(ann, LOGIN_LABEL, 1), (ann, "export", 2), (ann, "", 3), (bob, "", 4)] {
        token(store, user, label, number, None).await.unwrap();
    }
    assert_eq!(store.delete_tokens(ann).await.unwrap(), 3);
    assert_eq!(store.delete_tokens(ann).await.unwrap(), 0);
    assert_eq!((labels(store, ann).await.len(), labels(store, bob).await.len()), (0, 1));
}

pub async fn are_bounded(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    token(store, ann, LOGIN_LABEL, 0, Some(1000)).await.unwrap();
    token(store, ann, "brief", 1, Some(500)).await.unwrap();
    for number in 2..TOKENS_PER_USER_MAX {
        token(store, ann, "export", number, None).await.unwrap();
    }
    let full = Err(StoreError::TooManyTokens(TOKENS_PER_USER_MAX));
    assert_eq!(token(store, ann, "export", 200, None).await, full);
    token(store, bob, "export", 200, None).await.expect("others have tokens of their own");
    // One expired, so there is space for one more.
    token(store, ann, "export", 501, None).await.unwrap();
    assert_eq!(token(store, ann, "export", 502, None).await, full);
    // A sign-in replaces an earlier one.
    token(store, ann, LOGIN_LABEL, 503, Some(2000)).await.unwrap();
    assert_eq!(store.user_by_token(&format!("{ann} 0"), at(504)).await.unwrap(), None);
    assert!(store.user_by_token(&format!("{ann} 503"), at(504)).await.unwrap().is_some());
    assert_eq!(labels(store, ann).await.len() as u64, TOKENS_PER_USER_MAX);
}

pub async fn are_bounded_for_many_at_once(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    for number in 0..TOKENS_PER_USER_MAX - 2 {
        token(store, ann, "export", number, None).await.unwrap();
    }
    let made = join_all((200..208).map(|number| token(store, ann, "export", number, None))).await;
    assert_eq!(made.iter().filter(|token| token.is_ok()).count(), 2);
    assert_eq!(labels(store, ann).await.len() as u64, TOKENS_PER_USER_MAX);
}
