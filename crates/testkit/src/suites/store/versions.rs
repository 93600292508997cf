//! Versions: every edit counts, and an edit of an older version is rejected.

use super::fixture::{at, finished_search, item, new_search, person};
use domain::ai_provider::AiProviderSpec;
use domain::authenticator::{AuthenticatorSpec, ProvenIdentity};
use domain::branding::BrandingSpec;
use domain::chat::{ChatSpec, MessageContent, Speaker};
use domain::ids::{ChatId, GroupId, PipelineId, ProviderId, UserId};
use domain::pipeline::PipelineSpec;
use domain::ports::{EditableRecord, RecordEdits, Store, StoreError};
use domain::preferences::Preferences;
use domain::prompt::PromptSpec;
use domain::provider::ProviderSpec;
use domain::query_transform::TransformSpec;
use domain::user::{GroupSpec, UserSpec};
use futures_util::future::join_all;
use std::time::Duration;

/// Concurrent edits of one record.
const AT_ONCE: usize = 8;

/// One record of every kind, each with its first version.
async fn one_of_each(store: &dyn Store) -> Vec<EditableRecord> {
    let owner = person(store, "owner").await.id;
    let admin = UserSpec { username: "admin".to_owned(), is_admin: true, ..UserSpec::default() };
    store.create_user(admin, "hash".to_owned(), at(0)).await.expect("an administrator");
    store.ensure_pipeline("pipeline", &["A"], at(0)).await.expect("a pipeline");
    store.ensure_schedule("schedule", Duration::from_secs(60), at(0)).await.expect("a schedule");
    let pipeline = store.pipeline_by_name("pipeline").await.expect("a pipeline").id;
    let provider =
        store.create_providers(vec![provider("one")], owner, at(0)).await.expect("a provider")[0].id;
    let group = store.create_group(group_named("one"), at(0)).await.expect("a group").id;
    let transform = store.create_transform(transform("one"), owner, at(0)).await.expect("a transform").id;
    let ai = store.create_ai_provider(ai_provider("one"), Some(owner), at(0)).await.expect("one").id;
    let authenticator = store.create_authenticator(authenticator("one"), at(0)).await.expect("one").id;
    let prompt = store.create_prompt(prompt("one"), Some(owner), at(0)).await.expect("a prompt").id;
    let branding = store.create_branding(branding("one"), at(0)).await.expect("a branding").id;
    let chat = store.create_chat(chat("one"), owner, at(0)).await.expect("a chat").id;
    vec![
        EditableRecord::AiProvider(ai),
        EditableRecord::Authenticator(authenticator),
        EditableRecord::Branding(branding),
        EditableRecord::Chat(chat),
        EditableRecord::Group(group),
        EditableRecord::Pipeline(pipeline),
        EditableRecord::Preferences(owner),
        EditableRecord::Prompt(prompt),
        EditableRecord::Provider(provider),
        EditableRecord::Schedule("schedule".to_owned()),
        EditableRecord::Transform(transform),
        EditableRecord::User(owner),
    ]
}

fn provider(name: &str) -> ProviderSpec {
    ProviderSpec { name: name.to_owned(), credentials: "key=1".to_owned(), ..ProviderSpec::default() }
}

fn group_named(name: &str) -> GroupSpec {
    GroupSpec { name: name.to_owned() }
}

fn transform(name: &str) -> TransformSpec {
    TransformSpec { name: name.to_owned(), ..TransformSpec::default() }
}

fn ai_provider(name: &str) -> AiProviderSpec {
    AiProviderSpec { name: name.to_owned(), ..AiProviderSpec::default() }
}

fn authenticator(idp: &str) -> AuthenticatorSpec {
    AuthenticatorSpec { idp: idp.to_owned(), ..AuthenticatorSpec::default() }
}

fn prompt(name: &str) -> PromptSpec {
    PromptSpec { name: name.to_owned(), ..PromptSpec::default() }
}

fn branding(name: &str) -> BrandingSpec {
    BrandingSpec { name: name.to_owned(), ..BrandingSpec::default() }
}

fn chat(title: &str) -> ChatSpec {
    ChatSpec { title: title.to_owned(), ..ChatSpec::default() }
}

/// An edit that gives the record another name, or another value if it has none.
async fn edit(store: &dyn RecordEdits, record: &EditableRecord, number: usize) -> Result<(), StoreError> {
    let (name, now) = (format!("edit {number}"), at(1));
    match record {
        EditableRecord::AiProvider(id) => {
            store.replace_ai_provider(*id, ai_provider(&name), now).await.map(drop)
        }
        EditableRecord::Authenticator(id) => {
            store.replace_authenticator(*id, authenticator(&name), now).await.map(drop)
        }
        EditableRecord::Branding(id) => store.replace_branding(*id, branding(&name), now).await.map(drop),
        EditableRecord::Chat(id) => store.change_chat(*id, chat(&name), now).await.map(drop),
        EditableRecord::Group(id) => store.replace_group(*id, group_named(&name)).await.map(drop),
        EditableRecord::Pipeline(id) => {
            store.replace_pipeline(*id, PipelineSpec { processors: vec![name] }, now).await.map(drop)
        }
        EditableRecord::Preferences(user) => store.save_preferences(*user, Preferences::default(), now).await,
        EditableRecord::Prompt(id) => store.replace_prompt(*id, prompt(&name), now).await.map(drop),
        EditableRecord::Provider(id) => store.replace_provider(*id, provider(&name), now).await.map(drop),
        EditableRecord::Schedule(schedule) => {
            let every = Duration::from_secs(number as u64 + 1);
            store.change_schedule(schedule, every, true, now).await.map(drop)
        }
        EditableRecord::Transform(id) => store.replace_transform(*id, transform(&name), now).await.map(drop),
        EditableRecord::User(id) => {
            let spec = UserSpec { username: name, ..UserSpec::default() };
            store.replace_user(*id, spec, None, now).await.map(drop)
        }
    }
}

/// `None` for records that cannot be deleted.
async fn delete(store: &dyn RecordEdits, record: &EditableRecord) -> Option<Result<(), StoreError>> {
    Some(match record {
        EditableRecord::AiProvider(id) => store.delete_ai_provider(*id).await,
        EditableRecord::Authenticator(id) => store.delete_authenticator(*id).await,
        EditableRecord::Branding(id) => store.delete_branding(*id).await,
        EditableRecord::Chat(id) => store.delete_chat(*id).await,
        EditableRecord::Group(id) => store.delete_group(*id).await,
        EditableRecord::Prompt(id) => store.delete_prompt(*id).await,
        EditableRecord::Provider(id) => store.delete_provider(*id).await,
        EditableRecord::Transform(id) => store.delete_transform(*id).await,
        EditableRecord::User(id) => store.delete_user(*id).await,
        EditableRecord::Pipeline(_) | EditableRecord::Preferences(_) | EditableRecord::Schedule(_) => {
            return None;
        }
    })
}

async fn version(store: &dyn Store, record: &EditableRecord) -> i64 {
    store.version(record).await.expect("a version")
}

pub async fn grow_by_one_with_every_edit(store: &dyn Store) {
    for record in one_of_each(store).await {
        let first = version(store, &record).await;
        let expected = i64::from(!matches!(record, EditableRecord::Preferences(_)));
        assert_eq!(first, expected, "{record:?}");
        for number in 1..4 {
            edit(store, &record, number).await.unwrap();
            assert_eq!(version(store, &record).await, first + number as i64, "{record:?}");
        }
    }
}

pub async fn refuse_an_edit_of_an_older_one(store: &dyn Store) {
    for record in one_of_each(store).await {
        let seen = version(store, &record).await;
        edit(store, &record, 1).await.unwrap();
        for wrong in [seen, seen + 2] {
            let refused = edit(&*store.if_version(wrong), &record, 2).await;
            assert_eq!(refused, Err(StoreError::Stale), "{record:?}");
            if let Some(refused) = delete(&*store.if_version(wrong), &record).await {
                assert_eq!(refused, Err(StoreError::Stale), "{record:?}");
            }
        }
        assert_eq!(version(store, &record).await, seen + 1, "{record:?}: what was refused left nothing");
        edit(&*store.if_version(seen + 1), &record, 3).await.unwrap();
        assert_eq!(version(store, &record).await, seen + 2, "{record:?}");
    }
    // The owner is deleted last, because private records are deleted with it.
    for record in one_of_each_again(store).await {
        let seen = version(store, &record).await;
        if let Some(deleted) = delete(&*store.if_version(seen), &record).await {
            assert_eq!(deleted, Ok(()), "{record:?}");
            assert_eq!(store.version(&record).await, Err(StoreError::NotFound), "{record:?}");
        }
    }
}

/// The records that `one_of_each` made, read from the lists.
async fn one_of_each_again(store: &dyn Store) -> Vec<EditableRecord> {
    let mut records: Vec<EditableRecord> = Vec::new();
    records.extend(store.ai_providers().await.unwrap().iter().map(|one| EditableRecord::AiProvider(one.id)));
    let authenticators = store.authenticators().await.unwrap();
    records.extend(authenticators.iter().map(|one| EditableRecord::Authenticator(one.id)));
    records.extend(store.brandings().await.unwrap().iter().map(|one| EditableRecord::Branding(one.id)));
    records.extend(store.prompts().await.unwrap().iter().map(|one| EditableRecord::Prompt(one.id)));
    records.extend(store.providers().await.unwrap().iter().map(|one| EditableRecord::Provider(one.id)));
    records.extend(store.transforms().await.unwrap().iter().map(|one| EditableRecord::Transform(one.id)));
    records.extend(store.groups(0, 1).await.unwrap().items.iter().map(|one| EditableRecord::Group(one.id)));
    let users = store.users(0, 10).await.unwrap().items;
    for user in users.iter().filter(|user| !user.is_admin) {
        let chats = store.chats(user.id, 0, 10).await.unwrap().items;
        records.extend(chats.iter().map(|chat| EditableRecord::Chat(chat.id)));
        records.push(EditableRecord::User(user.id));
    }
    records
}

pub async fn let_one_of_many_edits_through(store: &dyn Store) {
    for record in one_of_each(store).await {
        let seen = store.if_version(version(store, &record).await);
        let edits = join_all((0..AT_ONCE).map(|number| edit(&*seen, &record, number))).await;
        let made = edits.iter().filter(|edit| edit.is_ok()).count();
        let refused = edits.iter().filter(|edit| **edit == Err(StoreError::Stale)).count();
        assert_eq!((made, refused), (1, AT_ONCE - 1), "{record:?}: {edits:?}");
    }
}

/// A record also changes when another one does: then an edit of the older version would undo that.
pub async fn grow_when_others_change_the_record(store: &dyn Store) {
    let admin = UserSpec { username: "admin".to_owned(), is_admin: true, ..UserSpec::default() };
    store.create_user(admin, "hash".to_owned(), at(0)).await.unwrap();
    let group = store.create_group(group_named("one"), at(0)).await.unwrap().id;
    let member = UserSpec { username: "m".to_owned(), groups: vec!["one".to_owned()], ..UserSpec::default() };
    let member = store.create_user(member, "hash".to_owned(), at(0)).await.unwrap().id;
    let source = ProviderSpec { groups: vec!["one".to_owned()], shared: true, ..provider("source") };
    let source = store.create_providers(vec![source], member, at(0)).await.unwrap()[0].id;
    let (of_member, of_source) = (EditableRecord::User(member), EditableRecord::Provider(source));

    store.replace_group(group, group_named("two")).await.unwrap();
    assert_eq!((version(store, &of_member).await, version(store, &of_source).await), (2, 2));
    store.delete_group(group).await.unwrap();
    assert_eq!((version(store, &of_member).await, version(store, &of_source).await), (3, 3));

    let (first, second) = (branding("first"), branding("second"));
    let first = EditableRecord::Branding(store.create_branding(first, at(0)).await.unwrap().id);
    store.create_branding(second, at(0)).await.unwrap();
    assert_eq!(version(store, &first).await, 2, "it is no longer the one in use");

    let talk = store.create_chat(chat("talk"), member, at(0)).await.unwrap().id;
    let said = MessageContent { content: "hello".to_owned(), ..MessageContent::default() };
    store.add_message(talk, Speaker::User, said, at(1)).await.unwrap();
    assert_eq!(version(store, &EditableRecord::Chat(talk)).await, 2);

    store.create_group(group_named("staff"), at(0)).await.unwrap();
    let identity = |groups: &[&str]| ProvenIdentity {
        issuer: "https://id.example".to_owned(),
        subject: "7".to_owned(),
        username: "visitor".to_owned(),
        email: String::new(),
        groups: Some(groups.iter().map(|&name| name.to_owned()).collect()),
    };
    let visitor = store.user_of_identity(&identity(&[]), "hash", at(1)).await.unwrap().id;
    store.user_of_identity(&identity(&["staff"]), "hash", at(2)).await.unwrap();
    assert_eq!(version(store, &EditableRecord::User(visitor)).await, 2);

    store.delete_user(member).await.unwrap();
    assert_eq!(version(store, &of_source).await, 4, "it has another owner");
}

pub async fn of_results_stand_for_their_content(store: &dyn Store) {
    let (_, sets) = finished_search(store, &[&["a", "b"]]).await;
    let (first, second) = (sets[0].items[0].swirl_id, sets[0].items[1].swirl_id);
    let (a, b) = (store.result(first).await.unwrap(), store.result(second).await.unwrap());
    assert_ne!(a.version, b.version);
    let changed = store.if_version(a.version).replace_result(first, item("new"), at(1)).await.unwrap();
    assert_ne!(changed.version, a.version);
    assert_eq!(store.result(first).await.unwrap().version, changed.version);
    assert_eq!(store.result(second).await.unwrap().version, b.version, "others have not changed");
    let seen = store.if_version(a.version);
    assert_eq!(seen.replace_result(first, item("x"), at(2)).await, Err(StoreError::Stale));
    assert_eq!(seen.delete_result(first).await, Err(StoreError::Stale));
    assert_eq!(store.result(first).await.unwrap(), changed);
    store.if_version(changed.version).delete_result(first).await.unwrap();
}

pub async fn of_searches_guard_deletion(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let changed = store.change_search(&search, search.spec.clone(), at(1)).await.unwrap().expect("changed");
    let refused = store.if_version(search.version()).delete_search(search.id).await;
    assert_eq!(refused, Err(StoreError::Stale));
    store.if_version(changed.version()).delete_search(search.id).await.unwrap();
    assert_eq!(store.search(search.id).await, Err(StoreError::NotFound));
}

pub async fn of_unknown_records_are_not_found(store: &dyn Store) {
    for record in [
        EditableRecord::Chat(ChatId(999)),
        EditableRecord::Group(GroupId(999)),
        EditableRecord::Pipeline(PipelineId(999)),
        EditableRecord::Provider(ProviderId(999)),
        EditableRecord::Schedule("none".to_owned()),
        EditableRecord::Schedule("none\0".to_owned()),
        EditableRecord::User(UserId(999)),
    ] {
        assert_eq!(store.version(&record).await, Err(StoreError::NotFound), "{record:?}");
        assert_eq!(edit(&*store.if_version(1), &record, 1).await, Err(StoreError::NotFound), "{record:?}");
    }
}
