//! The audit log: every change by an author has its entry, and the entries form one chain.

use super::fixture::{at, person};
use domain::audit::{Action, AuditEntry, AuditEvent, AuditFilter, Author, COMMAND_LINE, Kind};
use domain::ids::UserId;
use domain::pipeline::PipelineSpec;
use domain::ports::{Store, StoreError};
use domain::provider::ProviderSpec;
use domain::query_transform::TransformSpec;
use domain::user::{GroupSpec, Principal, TokenSpec, UserSpec};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

fn anna() -> Author {
    let anna = Principal { user: UserId(7), username: "anna".to_owned(), is_admin: true, groups: Vec::new() };
    Author::person(&anna, "192.0.2.1".to_owned(), "request-1".to_owned(), at(3))
}

fn reset(number: i64) -> AuditEvent {
    AuditEvent::of(Action::Reset, Kind::SearchProvider, Some(number), &format!("source {number}"))
}

async fn entries(store: &dyn Store, filter: AuditFilter) -> Vec<AuditEntry> {
    store.audit_entries(&filter, 0, 1000).await.expect("entries").items
}

/// The last entry.
async fn last(store: &dyn Store) -> AuditEntry {
    entries(store, AuditFilter::default()).await.swap_remove(0)
}

pub async fn entries_are_appended_and_verified(store: &dyn Store) {
    let empty = store.verify_audit().await.unwrap();
    assert!(empty.ok && empty.entries == 0, "{empty:?}");
    for number in 1..=3 {
        let entry = store.note(&anna(), reset(number)).await.unwrap();
        assert_eq!(entry.id, number);
        assert_eq!(last(store).await, entry);
    }
    let entry = last(store).await;
    assert_eq!((entry.actor_id, entry.actor.as_str(), entry.time), (Some(UserId(7)), "anna", at(3)));
    assert_eq!((entry.client_address.as_str(), entry.request_id.as_str()), ("192.0.2.1", "request-1"));
    assert_eq!((entry.action.as_str(), entry.kind.as_str()), ("reset", "searchprovider"));
    assert_eq!((entry.record_id, entry.record_name.as_str()), (Some(3), "source 3"));
    assert!(entry.changes.is_empty() && entry.hash.len() == 64, "{entry:?}");
    let odd = AuditEvent::of(Action::Restored, Kind::Database, None, "NUL \0 and \"quotes\" ä");
    store.note(&Author::command_line(at(4)), odd).await.unwrap();
    let entry = last(store).await;
    assert_eq!((entry.actor.as_str(), entry.actor_id, entry.record_id), (COMMAND_LINE, None, None));
    let report = store.verify_audit().await.unwrap();
    assert!(report.ok && report.entries == 4 && report.hash == entry.hash, "{report:?}");
}

pub async fn entries_are_filtered_and_paged(store: &dyn Store) {
    for number in 1..=5 {
        store.note(&Author { time: at(number), ..anna() }, reset(number)).await.unwrap();
    }
    let user = AuditEvent::of(Action::Deleted, Kind::User, Some(2), "otto");
    store.note(&Author::command_line(at(6)), user).await.unwrap();
    let page = store.audit_entries(&AuditFilter::default(), 1, 2).await.unwrap();
    assert_eq!(page.total, 6);
    assert_eq!(page.items.iter().map(|entry| entry.id).collect::<Vec<_>>(), [5, 4], "newest first");
    let text = |text: &str| Some(text.to_owned());
    let filter = AuditFilter::default;
    let cases = [
        (AuditFilter { kind: text("user"), ..filter() }, vec![6]),
        (AuditFilter { action: text("reset"), ..filter() }, vec![5, 4, 3, 2, 1]),
        (AuditFilter { actor: text(COMMAND_LINE), ..filter() }, vec![6]),
        (AuditFilter { actor: text("7"), ..filter() }, vec![5, 4, 3, 2, 1]),
        (AuditFilter { record: text("2"), ..filter() }, vec![6, 2]),
        (AuditFilter { record: text("source 4"), ..filter() }, vec![4]),
        (AuditFilter { record: text("2"), kind: text("user"), ..filter() }, vec![6]),
        (AuditFilter { since: Some(at(3)), until: Some(at(5)), ..filter() }, vec![4, 3]),
        (AuditFilter { kind: text("' OR 1 = 1 --\0"), ..filter() }, vec![]),
    ];
    for (filter, expected) in cases {
        let found: Vec<i64> = entries(store, filter.clone()).await.iter().map(|entry| entry.id).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

/// Each kind of change, with author, object, old and new value; never a secret.
pub async fn changes_are_noted_with_what_they_changed(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let by = store.on_behalf_of(anna());
    let spec = |name: &str, credentials: &str| ProviderSpec {
        name: name.to_owned(),
        credentials: credentials.to_owned(),
        http_request_headers: [("X-Odd".to_owned(), "hush-header".to_owned())].into(),
        ..ProviderSpec::default()
    };
    let made = by.create_providers(vec![spec("One", "key=hush-1"), spec("Two", "")], owner, at(0)).await;
    let id = made.unwrap()[0].id;
    let both = entries(store, AuditFilter::default()).await;
    let names: Vec<&str> = both.iter().map(|entry| entry.record_name.as_str()).collect();
    assert_eq!(names, ["Two", "One"], "each of a list");
    assert_eq!(both[1].changes["credentials"], json!({"from": null, "to": "key=••••"}));
    let edit = ProviderSpec { active: false, ..spec("New", "key=hush-2") };
    by.replace_provider(id, edit.clone(), at(1)).await.unwrap();
    let entry = last(store).await;
    assert_eq!(
        (entry.action.as_str(), entry.record_id, entry.record_name.as_str()),
        ("changed", Some(id.0), "One")
    );
    let expected = json!({
        "name": {"from": "One", "to": "New"},
        "active": {"from": true, "to": false},
        "credentials": {"from": "key=••••", "to": "key=••••"},
    });
    assert_eq!(Value::Object(entry.changes), expected);
    let kept = ProviderSpec { credentials: String::new(), ..edit };
    by.replace_provider(id, kept, at(1)).await.unwrap();
    assert_eq!(last(store).await.id, 3, "what changed nothing is not noted");
    by.delete_provider(id).await.unwrap();
    assert_eq!(last(store).await.changes["active"], json!({"from": false, "to": null}));

    let user = UserSpec { username: "otto".to_owned(), ..UserSpec::default() };
    let otto = by.create_user(user.clone(), "hush-hash".to_owned(), at(0)).await.unwrap();
    let admin = UserSpec { is_admin: true, ..user };
    store
        .on_behalf_of(anna().with_edit_action(Action::Replaced))
        .replace_user(otto.id, admin, Some("hush-other".to_owned()), at(0))
        .await
        .unwrap();
    let entry = last(store).await;
    assert_eq!((entry.action.as_str(), entry.kind.as_str()), ("replaced", "user"));
    let expected = json!({
        "is_admin": {"from": false, "to": true},
        "password": {"from": "••••", "to": "••••"},
    });
    assert_eq!(Value::Object(entry.changes), expected);
    let label = TokenSpec { label: "laptop".to_owned(), expires: None };
    let token =
        by.create_token(otto.id, label, "hush-token".to_owned(), "trb_ab".to_owned(), at(0)).await.unwrap();
    assert_eq!(last(store).await.changes["user"]["to"], "otto");
    by.delete_token(token.id).await.unwrap();
    assert_eq!(
        (last(store).await.action.as_str(), last(store).await.record_id),
        ("deleted", Some(token.id.0))
    );
    person(store, "another").await;
    let all = entries(store, AuditFilter::default()).await;
    assert!(all.iter().all(|entry| entry.actor == "anna"), "without an author nothing is noted");
    assert!(!format!("{all:?}").contains("hush"), "{all:?}");
    assert!(store.verify_audit().await.unwrap().ok);
}

pub async fn groups_rules_pipelines_and_schedules_are_noted(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let by = store.on_behalf_of(anna());
    let group = by.create_group(GroupSpec { name: "a".to_owned() }, at(0)).await.unwrap();
    by.replace_group(group.id, GroupSpec { name: "b".to_owned() }).await.unwrap();
    assert_eq!(last(store).await.changes["name"], json!({"from": "a", "to": "b"}));
    by.delete_group(group.id).await.unwrap();
    let rules = TransformSpec {
        name: "phones".to_owned(),
        config_content: "a,b".to_owned(),
        ..TransformSpec::default()
    };
    let made = by.create_transform(rules.clone(), owner, at(0)).await.unwrap();
    let other = TransformSpec { config_content: "a,c".to_owned(), ..rules };
    by.replace_transform(made.id, other, at(0)).await.unwrap();
    assert_eq!(last(store).await.changes["config_content"], json!({"from": "a,b", "to": "a,c"}));
    by.delete_transform(made.id).await.unwrap();
    store.ensure_pipeline("p", &["One"], at(0)).await.unwrap();
    let pipeline = store.pipeline_by_name("p").await.unwrap();
    let spec = PipelineSpec { processors: vec!["Two".to_owned()] };
    by.replace_pipeline(pipeline.id, spec, at(0)).await.unwrap();
    assert_eq!(last(store).await.changes["processors"], json!({"from": ["One"], "to": ["Two"]}));
    store.ensure_schedule("s", Duration::from_secs(60), at(0)).await.unwrap();
    by.change_schedule("s", Duration::from_secs(90), true, at(0)).await.unwrap();
    let entry = last(store).await;
    assert_eq!((entry.record_id, entry.record_name.as_str()), (None, "s"));
    assert_eq!(Value::Object(entry.changes), json!({"every_seconds": {"from": 60, "to": 90}}));
    let said: Vec<String> = entries(store, AuditFilter::default())
        .await
        .iter()
        .rev()
        .map(|entry| format!("{} {}", entry.kind, entry.action))
        .collect();
    let words = ["created", "changed", "deleted"];
    let mut expected: Vec<String> = ["group", "querytransform"]
        .iter()
        .flat_map(|kind| words.map(|word| format!("{kind} {word}")))
        .collect();
    expected.extend(["pipeline changed".to_owned(), "schedule changed".to_owned()]);
    assert_eq!(said, expected);
    assert!(store.verify_audit().await.unwrap().ok);
}

/// A rejected change leaves no entry, and a failed batch leaves none at all.
pub async fn a_refused_change_is_not_noted(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let by = store.on_behalf_of(anna());
    let spec = |name: &str| ProviderSpec { name: name.to_owned(), ..ProviderSpec::default() };
    let refused = by.create_providers(vec![spec("a"), spec("b"), spec("a")], owner, at(0)).await;
    assert_eq!(refused, Err(StoreError::Taken("name")));
    assert_eq!(by.delete_group(domain::ids::GroupId(99)).await, Err(StoreError::NotFound));
    assert_eq!(by.delete_token(domain::ids::TokenId(99)).await, Err(StoreError::NotFound));
    assert!(entries(store, AuditFilter::default()).await.is_empty());
    let report = store.verify_audit().await.unwrap();
    assert!(report.ok && report.entries == 0, "{report:?}");
}

/// Concurrent writers produce one chain without a gap, and each entry has the state that its change found.
pub async fn writers_at_once_leave_one_chain(store: &dyn Store) {
    let group = store.create_group(GroupSpec { name: "0".to_owned() }, at(0)).await.unwrap().id;
    let (first, second) = (store.on_behalf_of(anna()), store.on_behalf_of(Author::command_line(at(9))));
    let renames = (1..=20).map(|number| {
        let by = if number % 2 == 0 { &first } else { &second };
        by.replace_group(group, GroupSpec { name: number.to_string() })
    });
    let author = anna();
    let notes = (1..=20).map(|number| store.note(&author, reset(number)));
    let (renamed, noted) = futures_util::future::join(join_all(renames), join_all(notes)).await;
    assert!(renamed.iter().all(Result::is_ok) && noted.iter().all(Result::is_ok), "{renamed:?} {noted:?}");
    let report = store.verify_audit().await.unwrap();
    assert!(report.ok && report.entries == 40, "{report:?}");
    let filter = AuditFilter { kind: Some("group".to_owned()), ..AuditFilter::default() };
    let mut name = json!("0");
    for entry in entries(store, filter).await.into_iter().rev() {
        assert_eq!(entry.changes["name"]["from"], name, "entry {}", entry.id);
        name = entry.changes["name"]["to"].clone();
    }
    assert_eq!(json!(store.group(group).await.unwrap().name), name);
}
