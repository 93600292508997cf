//! Users, groups, tokens and sessions.

use super::fixture::{at, finished, new_search, password_hash, person, set};
use chrono::TimeDelta;
use domain::ids::{GroupId, TokenId, UserId};
use domain::owner_scope::OwnerScope;
use domain::ports::{NewSession, Session, Store, StoreError};
use domain::provider::ProviderSpec;
use domain::query_transform::TransformSpec;
use domain::user::{CURATORS, GroupSpec, TokenSpec, UserSpec};
use futures_util::future::{join, join_all};

fn named(username: &str, groups: &[&str]) -> UserSpec {
    UserSpec {
        username: username.to_owned(),
        email: format!("{username}@example.org"),
        groups: groups.iter().map(|&name| name.to_owned()).collect(),
        ..UserSpec::default()
    }
}

async fn group(store: &dyn Store, name: &str) -> GroupId {
    store.create_group(GroupSpec { name: name.to_owned() }, at(0)).await.expect("a group").id
}

async fn administrator(store: &dyn Store, username: &str) -> UserId {
    let spec = UserSpec { is_admin: true, ..named(username, &[]) };
    store.create_user(spec, "hash".to_owned(), at(0)).await.expect("an administrator").id
}

pub async fn users_are_created_and_read(store: &dyn Store) {
    group(store, "writers").await;
    group(store, "Editors").await;
    let spec = UserSpec { is_admin: true, ..named("ann", &["writers", "Editors", "writers"]) };
    let ann = store.create_user(spec, "secret hash".to_owned(), at(1)).await.unwrap();
    assert_eq!(ann.groups, ["Editors", "writers"]);
    assert_eq!((ann.username.as_str(), ann.email.as_str()), ("ann", "ann@example.org"));
    assert!(ann.is_admin);
    assert_eq!((ann.date_created, ann.date_updated), (at(1), at(1)));
    assert_eq!(store.user(ann.id).await.unwrap(), ann);
    assert_eq!(store.user_by_name("ann").await.unwrap(), ann);
    let both = store.user_with_password_hash("ann").await.unwrap();
    assert_eq!(both, Some((ann.clone(), "secret hash".to_owned())));
    for unknown in ["", "ANN", "bob", "ann\0", "' OR 1=1 --"] {
        assert_eq!(store.user_by_name(unknown).await, Err(StoreError::NotFound), "{unknown:?}");
        assert_eq!(store.user_with_password_hash(unknown).await.unwrap(), None, "{unknown:?}");
    }
    assert_eq!(store.user(UserId(999)).await, Err(StoreError::NotFound));
}

pub async fn users_are_replaced(store: &dyn Store) {
    for name in ["a", "b"] {
        group(store, name).await;
    }
    administrator(store, "another").await;
    let ann = store.create_user(named("ann", &["a"]), "old".to_owned(), at(1)).await.unwrap();
    let spec = UserSpec { is_admin: true, ..named("anna", &["b"]) };
    let anna = store.replace_user(ann.id, spec, None, at(2)).await.unwrap();
    assert_eq!((anna.groups.concat(), anna.is_admin, anna.date_updated), ("b".to_owned(), true, at(2)));
    assert_eq!(anna.date_created, at(1));
    assert_eq!(store.user(ann.id).await.unwrap(), anna);
    assert_eq!(password_hash(store, "anna").await.as_deref(), Some("old"));
    store.replace_user(ann.id, named("anna", &[]), Some("new".to_owned()), at(3)).await.unwrap();
    assert_eq!(password_hash(store, "anna").await.as_deref(), Some("new"));
    assert_eq!(store.user(ann.id).await.unwrap().groups, [""; 0]);
    let unknown = store.replace_user(UserId(999), named("x", &[]), None, at(3)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}

pub async fn user_names_are_unique(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await, person(store, "bob").await);
    let again = store.create_user(named("ann", &[]), "hash".to_owned(), at(1)).await;
    assert_eq!(again, Err(StoreError::Taken("username")));
    let similar = store.create_user(named("Ann", &[]), "hash".to_owned(), at(1)).await;
    assert_eq!(similar, Err(StoreError::Taken("username")));
    for name in ["ann", "ANN"] {
        let stolen = store.replace_user(bob.id, named(name, &[]), None, at(1)).await;
        assert_eq!(stolen, Err(StoreError::Taken("username")), "{name}");
    }
    assert_eq!(store.user(bob.id).await.unwrap(), bob);
    for name in ["ann", "Ann"] {
        store.replace_user(ann.id, named(name, &[]), None, at(1)).await.unwrap();
    }
}

pub async fn users_need_known_groups(store: &dyn Store) {
    group(store, "known").await;
    for name in ["unknown", "kno\0wn"] {
        let refused = store.create_user(named("ann", &["known", name]), "hash".to_owned(), at(1)).await;
        assert_eq!(refused, Err(StoreError::UnknownReference(format!("group '{name}'"))));
    }
    assert_eq!(store.user_by_name("ann").await, Err(StoreError::NotFound));
    let bob = store.create_user(named("bob", &["known"]), "hash".to_owned(), at(1)).await.unwrap();
    let refused = store.replace_user(bob.id, named("robert", &["other"]), None, at(2)).await;
    assert_eq!(refused, Err(StoreError::UnknownReference("group 'other'".to_owned())));
    assert_eq!(store.user(bob.id).await.unwrap(), bob);
}

pub async fn users_are_listed(store: &dyn Store) {
    for name in ["g", "h"] {
        group(store, name).await;
    }
    for name in ["c", "a", "b"] {
        store.create_user(named(name, &["h", "g"]), "hash".to_owned(), at(1)).await.unwrap();
    }
    let page = store.users(1, 5).await.unwrap();
    assert_eq!(page.total, 3);
    let names: Vec<(String, String)> =
        page.items.into_iter().map(|user| (user.username, user.groups.concat())).collect();
    assert_eq!(names, [("a".to_owned(), "gh".to_owned()), ("b".to_owned(), "gh".to_owned())]);
    assert_eq!(store.users(0, 1).await.unwrap().items[0].username, "c");
}

pub async fn groups_are_kept(store: &dyn Store) {
    let (a, b) = (group(store, "a").await, group(store, "b").await);
    let ann = store.create_user(named("ann", &["a", "b"]), "hash".to_owned(), at(1)).await.unwrap();
    let taken = Err(StoreError::Taken("name"));
    let spec = |name: &str| GroupSpec { name: name.to_owned() };
    for name in ["a", "A"] {
        assert_eq!(store.create_group(spec(name), at(1)).await, taken, "{name}");
        assert_eq!(store.replace_group(b, spec(name)).await, taken, "{name}");
    }
    let renamed = store.replace_group(a, spec("c")).await.unwrap();
    assert_eq!((renamed.name.as_str(), renamed.date_created), ("c", at(0)));
    assert_eq!(store.group(a).await.unwrap(), renamed);
    assert_eq!(store.user(ann.id).await.unwrap().groups, ["b", "c"]);
    let page = store.groups(0, 2).await.unwrap();
    assert_eq!((page.items[0].name.as_str(), &page.items[1], page.total), (CURATORS, &renamed, 3));
    store.delete_group(b).await.unwrap();
    assert_eq!(store.delete_group(b).await, Err(StoreError::NotFound));
    assert_eq!(store.group(b).await, Err(StoreError::NotFound));
    assert_eq!(store.replace_group(b, spec("x")).await, Err(StoreError::NotFound));
    assert_eq!(store.user(ann.id).await.unwrap().groups, ["c"]);
}

pub async fn a_deleted_user_takes_everything_along(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    let search = new_search(store, ann, "query", 0).await;
    let kept = new_search(store, bob, "query", 0).await;
    let saved =
        store.finish_run(finished(&search, vec![set(search.id, 1, &["a"])])).await.unwrap().unwrap().sets;
    let token = store
        .create_token(ann, TokenSpec::default(), "hash".to_owned(), "pre".to_owned(), at(1))
        .await
        .unwrap();
    store.create_session(session(ann, "key", 100)).await.unwrap();
    let private = ProviderSpec { name: "private".to_owned(), shared: false, ..ProviderSpec::default() };
    store.create_providers(vec![private], ann, at(1)).await.unwrap();

    store.delete_user(ann).await.unwrap();
    assert_eq!(store.delete_user(ann).await, Err(StoreError::NotFound));
    assert_eq!(store.user(ann).await, Err(StoreError::NotFound));
    assert_eq!(store.search(search.id).await, Err(StoreError::NotFound));
    assert_eq!(store.result(saved[0].items[0].swirl_id).await, Err(StoreError::NotFound));
    assert_eq!(store.token(token.id).await, Err(StoreError::NotFound));
    assert_eq!(store.session("key", at(2)).await.unwrap(), None);
    assert_eq!(store.providers().await.unwrap(), []);
    assert_eq!(store.search(kept.id).await.unwrap(), kept);
}

fn transform(name: &str, shared: bool) -> TransformSpec {
    TransformSpec { name: name.to_owned(), shared, ..TransformSpec::default() }
}

pub async fn what_is_shared_outlives_its_owner(store: &dyn Store) {
    let ann = administrator(store, "ann").await;
    let heir = administrator(store, "heir").await;
    administrator(store, "later").await;
    let specs = [("shared", true), ("private", false)].map(|(name, shared)| ProviderSpec {
        name: name.to_owned(),
        shared,
        credentials: "key=1".to_owned(),
        ..ProviderSpec::default()
    });
    store.create_providers(specs.to_vec(), ann, at(1)).await.unwrap();
    for (name, shared) in [("shared", true), ("private", false)] {
        store.create_transform(transform(name, shared), ann, at(1)).await.unwrap();
    }
    store.delete_user(ann).await.unwrap();
    let left = store.providers().await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].spec.name.as_str(), left[0].owner), ("shared", heir));
    assert_eq!(left[0].credentials.expose(), "key=1");
    let left = store.transforms().await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].spec.name.as_str(), left[0].owner), ("shared", heir));
}

/// An installation that never had an administrator has no successor either.
pub async fn what_is_shared_needs_an_administrator(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    person(store, "bob").await;
    let shared = ProviderSpec { name: "shared".to_owned(), ..ProviderSpec::default() };
    store.create_providers(vec![shared], ann, at(1)).await.unwrap();
    store.create_transform(transform("shared", true), ann, at(1)).await.unwrap();
    store.delete_user(ann).await.unwrap();
    assert_eq!(store.providers().await.unwrap(), []);
    assert_eq!(store.transforms().await.unwrap(), []);
}

pub async fn the_last_administrator_stays(store: &dyn Store) {
    let ann = administrator(store, "ann").await;
    let bob = person(store, "bob").await.id;
    let before = store.user(ann).await.unwrap();
    assert_eq!(store.delete_user(ann).await, Err(StoreError::LastAdministrator));
    let demoted = store.replace_user(ann, named("anna", &[]), Some("new".to_owned()), at(2)).await;
    assert_eq!(demoted, Err(StoreError::LastAdministrator));
    assert_eq!(store.user(ann).await.unwrap(), before, "nothing was changed");
    assert_eq!(password_hash(store, "ann").await.as_deref(), Some("hash"));

    // An administrator may change; others may be deleted; with a second one the first may leave.
    let admin = |name: &str| UserSpec { is_admin: true, ..named(name, &[]) };
    store.replace_user(ann, admin("anna"), None, at(3)).await.unwrap();
    store.replace_user(bob, admin("bob"), None, at(3)).await.unwrap();
    store.replace_user(ann, named("anna", &[]), None, at(4)).await.unwrap();
    assert_eq!(store.delete_user(bob).await, Err(StoreError::LastAdministrator));
    store.replace_user(ann, admin("anna"), None, at(5)).await.unwrap();
    store.delete_user(bob).await.unwrap();
    assert_eq!(store.delete_user(bob).await, Err(StoreError::NotFound));
    assert_eq!(store.delete_user(ann).await, Err(StoreError::LastAdministrator));
}

/// Concurrent demotions rely on each other, and one administrator must remain.
pub async fn administrators_do_not_all_leave_at_once(store: &dyn Store) {
    let mut ids = Vec::new();
    for number in 0..8 {
        ids.push(administrator(store, &format!("admin{number}")).await);
    }
    let deletions = join_all(ids[..4].iter().map(|&id| store.delete_user(id)));
    let demotions = join_all((4..8).map(async |number: usize| {
        let spec = named(&format!("admin{number}"), &[]);
        store.replace_user(ids[number], spec, None, at(2)).await.map(|_| ())
    }));
    let (deleted, demoted) = join(deletions, demotions).await;
    let refused: Vec<_> = deleted.into_iter().chain(demoted).filter_map(Result::err).collect();
    assert_eq!(refused, [StoreError::LastAdministrator]);
    let left = store.users(0, 10).await.unwrap().items;
    assert_eq!(left.iter().filter(|user| user.is_admin).count(), 1);
}

pub async fn tokens_open_until_they_expire(store: &dyn Store) {
    group(store, "g").await;
    let ann = store.create_user(named("ann", &["g"]), "hash".to_owned(), at(0)).await.unwrap();
    let spec = TokenSpec { label: "laptop".to_owned(), expires: Some(at(100)) };
    let token = store.create_token(ann.id, spec, "h1".to_owned(), "pre".to_owned(), at(1)).await.unwrap();
    assert_eq!((token.user.as_str(), token.label.as_str(), token.prefix.as_str()), ("ann", "laptop", "pre"));
    assert_eq!((token.expires, token.last_used, token.date_created), (Some(at(100)), None, at(1)));
    assert_eq!(store.token(token.id).await.unwrap(), (ann.id, token));
    let microsecond = TimeDelta::microseconds(1);
    assert_eq!(store.user_by_token("h1", at(100) - microsecond).await.unwrap(), Some(ann.clone()));
    assert_eq!(store.user_by_token("h1", at(100)).await.unwrap(), None);
    assert_eq!(store.user_by_token("h2", at(1)).await.unwrap(), None);
    let endless = TokenSpec::default();
    store.create_token(ann.id, endless, "h3".to_owned(), "pre".to_owned(), at(1)).await.unwrap();
    assert_eq!(store.user_by_token("h3", at(9_999_999)).await.unwrap(), Some(ann.clone()));
    let twice = store.create_token(ann.id, TokenSpec::default(), "h3".to_owned(), String::new(), at(1)).await;
    assert_eq!(twice, Err(StoreError::Taken("token")));
    let lost =
        store.create_token(UserId(999), TokenSpec::default(), "h4".to_owned(), String::new(), at(1)).await;
    assert!(matches!(lost, Err(StoreError::UnknownReference(_))), "{lost:?}");
}

pub async fn tokens_note_their_use(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let token =
        store.create_token(ann, TokenSpec::default(), "h".to_owned(), "p".to_owned(), at(0)).await.unwrap();
    // At most once a minute.
    for (used, noted) in [(10, 10), (69, 10), (70, 70), (75, 70)] {
        store.user_by_token("h", at(used)).await.unwrap().expect("the owner");
        assert_eq!(store.token(token.id).await.unwrap().1.last_used, Some(at(noted)), "used at {used}");
    }
}

pub async fn tokens_are_listed_and_revoked(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    for (user, label, seconds) in [(ann, "a", 30), (bob, "b", 20), (ann, "c", 10)] {
        let spec = TokenSpec { label: label.to_owned(), expires: None };
        let hash = format!("hash {label}");
        store.create_token(user, spec, hash, String::new(), at(seconds)).await.unwrap();
    }
    let list = async |user, offset, limit| {
        let page = store.tokens(user, offset, limit).await.unwrap();
        (page.items.into_iter().map(|token| token.label).collect::<String>(), page.total)
    };
    assert_eq!(list(OwnerScope::Everyone, 0, 10).await, ("abc".to_owned(), 3));
    assert_eq!(list(OwnerScope::Everyone, 1, 1).await, ("b".to_owned(), 3));
    assert_eq!(list(OwnerScope::Only(ann), 0, 10).await, ("ac".to_owned(), 2));
    let id = store.tokens(OwnerScope::Only(ann), 0, 1).await.unwrap().items[0].id;
    store.delete_token(id).await.unwrap();
    assert_eq!(store.delete_token(id).await, Err(StoreError::NotFound));
    assert_eq!(store.token(TokenId(999)).await, Err(StoreError::NotFound));
    assert_eq!(store.user_by_token("hash a", at(40)).await.unwrap(), None);
    assert_eq!(list(OwnerScope::Only(ann), 0, 10).await, ("c".to_owned(), 1));
}

fn session(user: UserId, key: &str, expires: i64) -> NewSession {
    NewSession {
        key_hash: key.to_owned(),
        user,
        csrf: format!("csrf of {key}"),
        expires: at(expires),
        now: at(1),
    }
}

pub async fn sessions_end(store: &dyn Store) {
    group(store, "g").await;
    let ann = store.create_user(named("ann", &["g"]), "hash".to_owned(), at(0)).await.unwrap();
    store.create_session(session(ann.id, "one", 100)).await.unwrap();
    let expected = Some(Session { user: ann.clone(), csrf: "csrf of one".to_owned() });
    assert_eq!(store.session("one", at(99)).await.unwrap(), expected);
    assert_eq!(store.session("one", at(100)).await.unwrap(), None);
    assert_eq!(store.session("two", at(1)).await.unwrap(), None);

    store.create_session(session(ann.id, "two", 100)).await.unwrap();
    store.delete_session("two").await.unwrap();
    store.delete_session("two").await.unwrap();
    assert_eq!(store.session("two", at(1)).await.unwrap(), None);
    assert_eq!(store.session("one", at(1)).await.unwrap(), expected);

    // A later session removes the expired ones: the first is gone even for a clock that went back.
    store.create_session(NewSession { now: at(200), ..session(ann.id, "three", 300) }).await.unwrap();
    assert_eq!(store.session("one", at(1)).await.unwrap(), None);
    assert!(store.session("three", at(201)).await.unwrap().is_some());
}

pub async fn a_new_password_ends_sessions(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    store.create_session(session(ann, "one", 100)).await.unwrap();
    store.create_session(session(bob, "two", 100)).await.unwrap();
    store.replace_user(ann, named("ann", &[]), None, at(2)).await.unwrap();
    assert!(store.session("one", at(3)).await.unwrap().is_some());
    store.replace_user(ann, named("ann", &[]), Some("new".to_owned()), at(2)).await.unwrap();
    assert_eq!(store.session("one", at(3)).await.unwrap(), None);
    assert!(store.session("two", at(3)).await.unwrap().is_some());
}
