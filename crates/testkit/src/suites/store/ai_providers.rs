//! AI providers and prompts: stored completely, unique by name, seeded once, recorded in the audit log.

use super::fixture::{at, person};
use domain::ai_provider::AiProviderSpec;
use domain::audit::{AuditFilter, Author};
use domain::ids::{AiProviderId, PromptId};
use domain::ports::{Store, StoreError};
use domain::prompt::{PromptParts, PromptSpec};
use domain::user::UserSpec;
use futures_util::future::join_all;
use serde_json::json;

/// Processes that start together.
const PROCESSES: usize = 5;

fn spec(name: &str) -> AiProviderSpec {
    AiProviderSpec {
        name: name.to_owned(),
        api_key: "canary".to_owned(),
        model: "gpt-5".to_owned(),
        config: json!({"api_base": "https://x.example", "max_tokens": 500})
            .as_object()
            .cloned()
            .unwrap_or_default(),
        tags: vec!["rag".to_owned(), "chat".to_owned()],
        defaults: vec!["rag".to_owned()],
        prompt_overrides: [("search-rag".to_owned(), parts("Answer briefly. NUL \0"))].into(),
        ..AiProviderSpec::default()
    }
}

fn parts(prompt: &str) -> PromptParts {
    PromptParts { prompt: prompt.to_owned(), ..PromptParts::default() }
}

fn prompt(name: &str, text: &str) -> PromptSpec {
    PromptSpec {
        name: name.to_owned(),
        parts: PromptParts { prompt: text.to_owned(), note: "ä \0 \"".to_owned(), footer: "f".to_owned() },
        tags: vec!["search-rag".to_owned()],
        ..PromptSpec::default()
    }
}

pub async fn are_created_read_and_replaced(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    assert_eq!(store.ai_providers().await.unwrap(), []);
    let first = store.create_ai_provider(spec("a"), Some(ann), at(1)).await.unwrap();
    assert_eq!((&first.spec, first.owner), (&spec("a"), Some(ann)));
    assert_eq!((first.date_created, first.date_updated), (at(1), at(1)));
    let second = store.create_ai_provider(spec("b"), None, at(2)).await.unwrap();
    assert_eq!(store.ai_provider(first.id).await.unwrap(), first);
    assert_eq!(store.ai_providers().await.unwrap(), [first.clone(), second.clone()]);
    let taken = Err(StoreError::Taken("name"));
    assert_eq!(store.create_ai_provider(spec("a"), None, at(3)).await, taken);
    assert_eq!(store.replace_ai_provider(second.id, spec("a"), at(3)).await, taken);
    let changed = AiProviderSpec { active: false, api_key: "new".to_owned(), ..spec("c") };
    let replaced = store.replace_ai_provider(first.id, changed.clone(), at(4)).await.unwrap();
    assert_eq!((&replaced.spec, replaced.owner), (&changed, Some(ann)));
    assert_eq!((replaced.date_created, replaced.date_updated), (at(1), at(4)));
    assert_eq!(store.ai_provider(first.id).await.unwrap(), replaced);
    store.delete_ai_provider(first.id).await.unwrap();
    let unknown = AiProviderId(999);
    assert_eq!(store.delete_ai_provider(first.id).await, Err(StoreError::NotFound));
    assert_eq!(store.ai_provider(unknown).await, Err(StoreError::NotFound));
    assert_eq!(store.replace_ai_provider(unknown, spec("d"), at(5)).await, Err(StoreError::NotFound));
    assert_eq!(store.ai_providers().await.unwrap(), [second]);
}

pub async fn are_brought_once(store: &dyn Store) {
    let starts = (0..PROCESSES).map(|_| store.seed_ai_provider(spec("a"), at(1)));
    let brought: Vec<bool> = join_all(starts).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(brought.iter().filter(|&&is_first| is_first).count(), 1, "{brought:?}");
    let one = store.ai_providers().await.unwrap().remove(0);
    assert_eq!((one.owner, &one.spec), (None, &spec("a")));

    let changed = AiProviderSpec { active: false, ..spec("a") };
    store.replace_ai_provider(one.id, changed.clone(), at(2)).await.unwrap();
    assert!(!store.seed_ai_provider(spec("a"), at(3)).await.unwrap());
    assert_eq!(store.ai_provider(one.id).await.unwrap().spec, changed, "what was changed stays changed");
    store.delete_ai_provider(one.id).await.unwrap();
    assert!(!store.seed_ai_provider(spec("a"), at(4)).await.unwrap());
    assert_eq!(store.ai_providers().await.unwrap(), [], "what was deleted stays deleted");

    store.create_ai_provider(spec("b"), None, at(5)).await.unwrap();
    assert!(!store.seed_ai_provider(AiProviderSpec { active: false, ..spec("b") }, at(6)).await.unwrap());
    let names: Vec<bool> = store.ai_providers().await.unwrap().iter().map(|one| one.spec.active).collect();
    assert_eq!(names, [true], "one of that name is left alone");
}

pub async fn prompts_are_created_read_and_replaced(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let first = store.create_prompt(prompt("a", "one"), Some(ann), at(1)).await.unwrap();
    assert_eq!((&first.spec, first.owner), (&prompt("a", "one"), Some(ann)));
    let second = store.create_prompt(prompt("b", "two"), Some(ann), at(2)).await.unwrap();
    assert_eq!(store.prompt(first.id).await.unwrap(), first);
    assert_eq!(store.prompts().await.unwrap(), [first.clone(), second.clone()]);
    let taken = Err(StoreError::Taken("name"));
    assert_eq!(store.create_prompt(prompt("a", "x"), None, at(3)).await, taken);
    assert_eq!(store.replace_prompt(second.id, prompt("a", "x"), at(3)).await, taken);
    let replaced = store.replace_prompt(first.id, prompt("c", "three"), at(4)).await.unwrap();
    assert_eq!((&replaced.spec, replaced.owner), (&prompt("c", "three"), Some(ann)));
    assert_eq!((replaced.date_created, replaced.date_updated), (at(1), at(4)));
    store.delete_prompt(first.id).await.unwrap();
    assert_eq!(store.delete_prompt(first.id).await, Err(StoreError::NotFound));
    assert_eq!(store.prompt(PromptId(999)).await, Err(StoreError::NotFound));
    assert_eq!(store.prompts().await.unwrap(), [second]);
}

pub async fn standard_prompts_are_restored(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let starts = (0..PROCESSES).map(|_| store.restore_prompt(prompt("standard", "one"), at(1)));
    join_all(starts).await.into_iter().for_each(Result::unwrap);
    let one = store.prompts().await.unwrap().remove(0);
    assert_eq!((one.owner, &one.spec, one.date_updated), (None, &prompt("standard", "one"), at(1)));
    store.restore_prompt(prompt("standard", "one"), at(2)).await.unwrap();
    assert_eq!(store.prompts().await.unwrap(), std::slice::from_ref(&one), "as it came, it is not touched");
    store.restore_prompt(prompt("standard", "two"), at(3)).await.unwrap();
    let newer = store.prompts().await.unwrap().remove(0);
    assert_eq!((newer.id, &newer.spec, newer.date_updated), (one.id, &prompt("standard", "two"), at(3)));
    store.delete_prompt(one.id).await.unwrap();
    store.restore_prompt(prompt("standard", "two"), at(4)).await.unwrap();
    assert_eq!(store.prompts().await.unwrap().len(), 1, "it comes back");
    let own = store.create_prompt(prompt("own", "mine"), Some(ann), at(5)).await.unwrap();
    store.restore_prompt(prompt("own", "standard"), at(6)).await.unwrap();
    assert_eq!(store.prompt(own.id).await.unwrap(), own, "a person's prompt is left alone");
}

pub async fn shared_ones_outlive_their_owner(store: &dyn Store) {
    let admin = |name: &str| UserSpec { username: name.to_owned(), is_admin: true, ..UserSpec::default() };
    let ann = store.create_user(admin("ann"), "hash".to_owned(), at(0)).await.unwrap().id;
    let heir = store.create_user(admin("heir"), "hash".to_owned(), at(0)).await.unwrap().id;
    for (name, shared) in [("shared", true), ("private", false)] {
        store.create_ai_provider(AiProviderSpec { shared, ..spec(name) }, Some(ann), at(1)).await.unwrap();
        store.create_prompt(PromptSpec { shared, ..prompt(name, "x") }, Some(ann), at(1)).await.unwrap();
    }
    store.delete_user(ann).await.unwrap();
    let providers = store.ai_providers().await.unwrap();
    assert_eq!(
        providers.iter().map(|one| (&*one.spec.name, one.owner)).collect::<Vec<_>>(),
        [("shared", Some(heir))]
    );
    let prompts = store.prompts().await.unwrap();
    assert_eq!(
        prompts.iter().map(|one| (&*one.spec.name, one.owner)).collect::<Vec<_>>(),
        [("shared", Some(heir))]
    );
}

pub async fn changes_are_noted(store: &dyn Store) {
    let by = store.on_behalf_of(Author::command_line(at(3)));
    let made = by.create_ai_provider(spec("a"), None, at(1)).await.unwrap();
    let changed = AiProviderSpec { api_key: "canary-2".to_owned(), ..spec("a") };
    by.replace_ai_provider(made.id, changed, at(2)).await.unwrap();
    by.delete_ai_provider(made.id).await.unwrap();
    let own = by.create_prompt(prompt("p", "one"), None, at(1)).await.unwrap();
    by.replace_prompt(own.id, prompt("p", "two"), at(2)).await.unwrap();
    by.delete_prompt(own.id).await.unwrap();
    let entries = store.audit_entries(&AuditFilter::default(), 0, 10).await.unwrap().items;
    let told: Vec<(&str, &str)> = entries.iter().rev().map(|entry| (&*entry.kind, &*entry.action)).collect();
    let edits = ["created", "changed", "deleted"];
    let expected: Vec<(&str, &str)> =
        ["aiprovider", "prompt"].into_iter().flat_map(|kind| edits.map(|edit| (kind, edit))).collect();
    assert_eq!(told, expected);
    let edit = &entries[4].changes;
    assert_eq!(json!(edit), json!({"api_key": {"from": "••••", "to": "••••"}}));
    assert_eq!(json!(entries[1].changes), json!({"prompt": {"from": "one", "to": "two"}}));
    assert_eq!(entries[5].changes["config"]["to"]["max_tokens"], 500, "a count of tokens is no secret");
    assert!(!format!("{entries:?}").contains("canary"), "{entries:?}");
}
