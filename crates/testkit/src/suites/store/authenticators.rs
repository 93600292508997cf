//! Authenticators, users' connections, pending OAuth flows, and identities.

use super::fixture::{at, password_hash, person};
use domain::authenticator::{
    AuthenticatorSpec, Connection, FlowPurpose, PendingFlow, ProvenIdentity, Tokens,
};
use domain::ids::{AuthenticatorId, UserId};
use domain::ports::{Store, StoreError};
use domain::secret::Secret;
use domain::user::{GroupSpec, UserSpec};
use futures_util::future::join_all;
use serde_json::json;

/// Most pending sign-in flows.
const SIGN_INS_MAX: usize = 2000;
/// More flows than one user may have.
const MANY_FLOWS: usize = 30;

fn spec(idp: &str) -> AuthenticatorSpec {
    AuthenticatorSpec {
        idp: idp.to_owned(),
        name: format!("The {idp}"),
        client_id: "client".to_owned(),
        client_secret: "canary".to_owned(),
        exchange_code_params: json!({"resource": "x"}).as_object().cloned().unwrap_or_default(),
        ..AuthenticatorSpec::default()
    }
}

async fn authenticator(store: &dyn Store, idp: &str) -> AuthenticatorId {
    store.create_authenticator(spec(idp), at(0)).await.expect("an authenticator").id
}

fn tokens(access: &str) -> Tokens {
    Tokens {
        access: Secret::new(access),
        refresh: Secret::new(format!("refresh of {access}")),
        expires: Some(at(60)),
        scopes: "mail files".to_owned(),
    }
}

async fn connect(store: &dyn Store, user: UserId, with: AuthenticatorId, access: &str) -> Connection {
    store.connect(user, with, tokens(access), "ann@x.example".to_owned(), at(1)).await.expect("connected")
}

async fn access(store: &dyn Store, user: UserId, with: AuthenticatorId) -> Option<String> {
    let found = store.connection(user, with).await.expect("an answer");
    found.map(|one| one.tokens.access.expose().to_owned())
}

fn flow(state: &str, with: AuthenticatorId, purpose: FlowPurpose, expires: i64) -> PendingFlow {
    PendingFlow {
        state_hash: state.to_owned(),
        authenticator: with,
        purpose,
        browser_hash: "browser".to_owned(),
        verifier: Secret::new("verifier"),
        nonce: "nonce".to_owned(),
        redirect_uri: "https://find.example/svc/callback/a".to_owned(),
        next: "/?q=1".to_owned(),
        expires: at(expires),
    }
}

fn identity(subject: &str, username: &str, groups: Option<&[&str]>) -> ProvenIdentity {
    ProvenIdentity {
        issuer: "https://hub.example".to_owned(),
        subject: subject.to_owned(),
        username: username.to_owned(),
        email: "a@x.example".to_owned(),
        groups: groups.map(|names| names.iter().map(|&name| name.to_owned()).collect()),
    }
}

pub async fn are_created_read_and_replaced(store: &dyn Store) {
    assert_eq!(store.authenticators().await.unwrap(), []);
    let first = store.create_authenticator(spec("a"), at(1)).await.unwrap();
    assert_eq!((first.spec.clone(), first.date_created, first.date_updated), (spec("a"), at(1), at(1)));
    let second = store.create_authenticator(spec("b"), at(2)).await.unwrap();
    assert_eq!(store.authenticator(first.id).await.unwrap(), first);
    assert_eq!(store.authenticators().await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(store.create_authenticator(spec("a"), at(3)).await, Err(StoreError::Taken("idp")));
    assert_eq!(store.replace_authenticator(second.id, spec("a"), at(3)).await, Err(StoreError::Taken("idp")));
    let changed = AuthenticatorSpec { active: false, client_secret: "new".to_owned(), ..spec("c") };
    let replaced = store.replace_authenticator(first.id, changed.clone(), at(4)).await.unwrap();
    assert_eq!(
        (replaced.spec.clone(), replaced.date_created, replaced.date_updated),
        (changed, at(1), at(4))
    );
    assert_eq!(store.authenticator(first.id).await.unwrap(), replaced);
    store.delete_authenticator(first.id).await.unwrap();
    let unknown = AuthenticatorId(999);
    assert_eq!(store.delete_authenticator(first.id).await, Err(StoreError::NotFound));
    assert_eq!(store.authenticator(unknown).await, Err(StoreError::NotFound));
    assert_eq!(store.replace_authenticator(unknown, spec("d"), at(5)).await, Err(StoreError::NotFound));
    assert_eq!(store.authenticators().await.unwrap(), [second]);
}

pub async fn connections_belong_to_one_person(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    let (a, b) = (authenticator(store, "a").await, authenticator(store, "b").await);
    let made = connect(store, ann, a, "token of ann").await;
    assert_eq!((made.tokens.clone(), made.account.as_str()), (tokens("token of ann"), "ann@x.example"));
    assert_eq!((made.version, made.date_created, made.date_updated), (1, at(1), at(1)));
    assert_eq!(store.connection(ann, a).await.unwrap(), Some(made.clone()));
    for (user, with) in [(bob, a), (ann, b), (bob, b), (UserId(999), a)] {
        assert_eq!(store.connection(user, with).await.unwrap(), None);
        assert_eq!(store.disconnect(user, with).await.unwrap(), None);
    }
    connect(store, bob, a, "token of bob").await;
    let again = connect(store, ann, a, "newer token of ann").await;
    assert_ne!(again.id, made.id, "connected anew is another connection");
    assert_eq!(access(store, ann, a).await.as_deref(), Some("newer token of ann"));
    assert_eq!(access(store, bob, a).await.as_deref(), Some("token of bob"));
    assert_eq!(store.disconnect(ann, a).await.unwrap(), Some(again));
    assert_eq!(store.disconnect(ann, a).await.unwrap(), None);
    assert_eq!(access(store, ann, a).await, None);
    assert_eq!(access(store, bob, a).await.as_deref(), Some("token of bob"));
    let nobody = store.connect(UserId(999), a, tokens("x"), String::new(), at(1)).await;
    assert!(matches!(nobody, Err(StoreError::UnknownReference(_))), "{nobody:?}");
}

pub async fn connections_go_with_their_person_and_authenticator(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    let (a, b) = (authenticator(store, "a").await, authenticator(store, "b").await);
    for (user, with) in [(ann, a), (ann, b), (bob, a), (bob, b)] {
        connect(store, user, with, "token").await;
    }
    store.begin_flow(flow("s", b, FlowPurpose::Connect(bob), 60), at(0)).await.unwrap();
    store.delete_user(ann).await.unwrap();
    assert_eq!((access(store, ann, a).await, access(store, ann, b).await), (None, None));
    store.delete_authenticator(b).await.unwrap();
    assert_eq!(access(store, bob, b).await, None);
    assert_eq!(store.take_flow("s", at(1)).await.unwrap(), None);
    assert_eq!(access(store, bob, a).await.as_deref(), Some("token"));
}

pub async fn renewals_are_begun_by_one(store: &dyn Store) {
    let (ann, a) = (person(store, "ann").await.id, authenticator(store, "a").await);
    let seen = connect(store, ann, a, "old").await;
    let begin = || store.begin_renewal(&seen, at(120), at(100));
    let begun = join_all((0..20).map(|_| begin())).await;
    assert_eq!(begun.into_iter().filter(|one| one.as_ref().is_ok_and(|mine| *mine)).count(), 1);
    assert!(!store.begin_renewal(&seen, at(139), at(119)).await.unwrap(), "it is held");
    store.release_renewal(&seen).await.unwrap();
    assert!(store.begin_renewal(&seen, at(120), at(100)).await.unwrap(), "it was released");
    assert!(store.begin_renewal(&seen, at(140), at(120)).await.unwrap(), "who held it has died");
    assert!(store.begin_renewal(&seen, at(-980), at(-1000)).await.unwrap(), "the clock was put back");
    let renewed = store.finish_renewal(&seen, tokens("new"), at(121)).await.unwrap().unwrap();
    assert_eq!((renewed.version, renewed.tokens.clone(), renewed.date_updated), (2, tokens("new"), at(121)));
    assert_eq!((renewed.account.clone(), renewed.date_created), (seen.account.clone(), seen.date_created));
    assert_eq!(store.connection(ann, a).await.unwrap(), Some(renewed.clone()));
    assert!(!store.begin_renewal(&seen, at(300), at(200)).await.unwrap(), "what was seen is over");
    assert!(store.begin_renewal(&renewed, at(300), at(200)).await.unwrap(), "renewed, it is free again");
}

pub async fn renewals_end_in_the_connection_they_began_with(store: &dyn Store) {
    let (ann, a) = (person(store, "ann").await.id, authenticator(store, "a").await);
    let seen = connect(store, ann, a, "old").await;
    assert!(store.begin_renewal(&seen, at(120), at(100)).await.unwrap());
    let anew = connect(store, ann, a, "anew").await;
    assert_eq!(store.finish_renewal(&seen, tokens("late"), at(101)).await.unwrap(), None);
    store.end_connection(&seen).await.unwrap();
    store.release_renewal(&seen).await.unwrap();
    assert_eq!(access(store, ann, a).await.as_deref(), Some("anew"));
    store.end_connection(&anew).await.unwrap();
    assert_eq!(access(store, ann, a).await, None);
    assert_eq!(store.finish_renewal(&anew, tokens("late"), at(102)).await.unwrap(), None);
    assert_eq!(access(store, ann, a).await, None);
}

pub async fn flows_come_back_once(store: &dyn Store) {
    let (ann, a) = (person(store, "ann").await.id, authenticator(store, "a").await);
    let (connecting, signing) =
        (flow("s1", a, FlowPurpose::Connect(ann), 60), flow("s2", a, FlowPurpose::SignIn, 60));
    for one in [&connecting, &signing] {
        store.begin_flow(one.clone(), at(0)).await.unwrap();
    }
    assert_eq!(store.take_flow("s3", at(1)).await.unwrap(), None);
    let taken = join_all((0..20).map(|_| store.take_flow("s1", at(1)))).await;
    let taken: Vec<PendingFlow> = taken.into_iter().filter_map(|one| one.unwrap()).collect();
    assert_eq!(taken, [connecting]);
    assert_eq!(store.take_flow("s2", at(59)).await.unwrap(), Some(signing.clone()));
    store.begin_flow(signing, at(0)).await.unwrap();
    assert_eq!(store.take_flow("s2", at(60)).await.unwrap(), None, "it has expired");
    assert_eq!(store.take_flow("s2", at(1)).await.unwrap(), None, "and is gone");
}

pub async fn flows_are_bounded(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    let a = authenticator(store, "a").await;
    store.begin_flow(flow("bobs", a, FlowPurpose::Connect(bob), 600), at(0)).await.unwrap();
    store.begin_flow(flow("nobodys", a, FlowPurpose::SignIn, 600), at(0)).await.unwrap();
    for number in 0..MANY_FLOWS {
        let one = flow(&format!("s{number}"), a, FlowPurpose::Connect(ann), 600);
        store.begin_flow(one, at(number as i64)).await.unwrap();
    }
    let mut left = Vec::new();
    for number in 0..MANY_FLOWS {
        if store.take_flow(&format!("s{number}"), at(60)).await.unwrap().is_some() {
            left.push(number);
        }
    }
    assert_eq!(left, (10..MANY_FLOWS).collect::<Vec<_>>(), "the newest twenty");
    assert!(store.take_flow("bobs", at(60)).await.unwrap().is_some(), "others are left alone");
    assert!(store.take_flow("nobodys", at(60)).await.unwrap().is_some());
}

/// Anybody can begin to sign in: the newest flows are kept, and no user who connects is evicted.
pub async fn sign_ins_are_bounded(store: &dyn Store) {
    let (ann, a) = (person(store, "ann").await.id, authenticator(store, "a").await);
    store.begin_flow(flow("anns", a, FlowPurpose::Connect(ann), 100_000), at(0)).await.unwrap();
    let many = SIGN_INS_MAX + 5;
    for number in 0..many {
        let one = flow(&format!("s{number}"), a, FlowPurpose::SignIn, 100_000);
        store.begin_flow(one, at(number as i64)).await.unwrap();
    }
    let now = at(many as i64);
    for (number, is_there) in [(0, false), (4, false), (5, true), (many - 1, true)] {
        let taken = store.take_flow(&format!("s{number}"), now).await.unwrap();
        assert_eq!(taken.is_some(), is_there, "{number}");
    }
    assert!(store.take_flow("anns", now).await.unwrap().is_some());
}

pub async fn identities_lead_to_one_user(store: &dyn Store) {
    let first = store.user_of_identity(&identity("1", "ann", None), "hash", at(1)).await.unwrap();
    assert_eq!(
        (first.username.as_str(), first.email.as_str(), first.is_admin),
        ("ann", "a@x.example", false)
    );
    assert_eq!(store.user(first.id).await.unwrap(), first);
    assert_eq!(password_hash(store, "ann").await.as_deref(), Some("hash"));
    let again = store.user_of_identity(&identity("1", "other name", None), "hash", at(2)).await.unwrap();
    assert_eq!(again, first, "nothing of a user changes");
    let other = ProvenIdentity { issuer: "https://other.example".to_owned(), ..identity("1", "ann", None) };
    let other = store.user_of_identity(&other, "hash", at(3)).await.unwrap();
    assert_ne!(other.id, first.id, "another issuer is another person");
    let (two, three) = (identity("2", "carl", None), identity("2", "carl", None));
    let both = join_all([&two, &three].map(|one| store.user_of_identity(one, "hash", at(4)))).await;
    let ids: Vec<UserId> = both.into_iter().map(|user| user.unwrap().id).collect();
    assert_eq!(ids[0], ids[1], "signing in twice at once makes one user");
    store.delete_user(first.id).await.unwrap();
    let anew = store.user_of_identity(&identity("1", "ann", None), "hash", at(5)).await.unwrap();
    assert_ne!(anew.id, first.id);
}

pub async fn identities_never_lead_to_a_user_who_was_there(store: &dyn Store) {
    let root = UserSpec { username: "root".to_owned(), is_admin: true, ..UserSpec::default() };
    let root = store.create_user(root, "hash of root".to_owned(), at(0)).await.unwrap();
    for (subject, expected) in [("1", "root-2"), ("2", "root-3")] {
        let user = store.user_of_identity(&identity(subject, "root", None), "none", at(1)).await.unwrap();
        assert_eq!((user.username.as_str(), user.is_admin), (expected, false));
        assert_ne!(user.id, root.id);
    }
    assert_eq!(store.user(root.id).await.unwrap(), root);
    assert_eq!(password_hash(store, "root").await.as_deref(), Some("hash of root"));
    let long = "n".repeat(150);
    person(store, &long[..145]).await;
    let user = store.user_of_identity(&identity("3", &long, None), "none", at(1)).await.unwrap();
    assert_eq!(user.username, format!("{}-2", &long[..145]));
}

pub async fn groups_follow_the_identity(store: &dyn Store) {
    for name in ["staff", "branch", "local"] {
        store.create_group(GroupSpec { name: name.to_owned() }, at(0)).await.unwrap();
    }
    let sign_in = async |groups: Option<&[&str]>, seconds: i64| {
        let user = store.user_of_identity(&identity("1", "ann", groups), "hash", at(seconds)).await.unwrap();
        assert_eq!(store.user(user.id).await.unwrap(), user);
        user
    };
    assert_eq!(sign_in(Some(&["staff", "unknown", "branch"]), 1).await.groups, ["branch", "staff"]);
    let same = sign_in(Some(&["branch", "staff"]), 2).await;
    assert_eq!((same.groups.len(), same.date_updated), (2, at(1)), "nothing was written");
    assert_eq!(sign_in(None, 3).await.groups, ["branch", "staff"], "not spoken of, they stay");
    let fewer = sign_in(Some(&["branch"]), 4).await;
    assert_eq!((fewer.groups.concat(), fewer.date_updated), ("branch".to_owned(), at(4)));
    let promoted = UserSpec {
        username: "ann".to_owned(),
        is_admin: true,
        groups: vec!["branch".to_owned(), "local".to_owned()],
        ..UserSpec::default()
    };
    store.replace_user(fewer.id, promoted, None, at(5)).await.unwrap();
    let none = sign_in(Some(&[]), 6).await;
    assert_eq!((none.groups.len(), none.is_admin), (0, true), "the groups are the token's, the rest is not");
}
