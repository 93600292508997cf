//! Chats and their messages, by owner.

use super::fixture::{at, person};
use domain::chat::{ChatCitation, ChatSpec, DocumentRef, MessageContent, Rating, Speaker, ToolUse};
use domain::ids::{AiProviderId, ChatId, MessageId, ResultId, SearchId, SignalId, UserId};
use domain::ports::{Store, StoreError};
use futures_util::future::join_all;
use serde_json::json;

/// Messages that are added concurrently.
const MANY: usize = 20;

fn spec(title: &str) -> ChatSpec {
    ChatSpec { title: title.to_owned(), ai_provider: Some(AiProviderId(4)), ..ChatSpec::default() }
}

fn said(content: &str) -> MessageContent {
    MessageContent { content: content.to_owned(), ..MessageContent::default() }
}

async fn titles(store: &dyn Store, owner: UserId, offset: u64, limit: u64) -> (Vec<String>, u64) {
    let page = store.chats(owner, offset, limit).await.expect("chats");
    (page.items.into_iter().map(|chat| chat.spec.title).collect(), page.total)
}

pub async fn are_kept_by_owner(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    let first = store.create_chat(spec("first \0"), ann, at(1)).await.unwrap();
    assert_eq!((&first.spec, first.owner), (&spec("first \0"), ann));
    assert_eq!((first.date_created, first.date_updated), (at(1), at(1)));
    assert_eq!(store.chat(first.id).await.unwrap(), first);
    let second = store.create_chat(spec("second"), ann, at(2)).await.unwrap();
    store.create_chat(spec("of bob"), bob, at(3)).await.unwrap();
    let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    assert_eq!(titles(store, ann, 0, 10).await, (texts(&["second", "first \0"]), 2));
    assert_eq!(titles(store, ann, 1, 1).await, (texts(&["first \0"]), 2));
    let changed = store.change_chat(first.id, spec("changed"), at(4)).await.unwrap();
    assert_eq!((&*changed.spec.title, changed.date_created, changed.date_updated), ("changed", at(1), at(4)));
    assert_eq!(titles(store, ann, 0, 10).await.0, ["changed", "second"], "the last changed first");
    store.delete_chat(second.id).await.unwrap();
    assert_eq!(store.delete_chat(second.id).await, Err(StoreError::NotFound));
    assert_eq!(store.chat(second.id).await, Err(StoreError::NotFound));
    assert_eq!(store.change_chat(second.id, spec("x"), at(5)).await, Err(StoreError::NotFound));
    assert_eq!(store.delete_chats(ann).await.unwrap(), 1);
    assert_eq!(titles(store, ann, 0, 10).await.1, 0);
    assert_eq!(titles(store, bob, 0, 10).await.1, 1, "another's stay");
    let nobody = store.create_chat(spec("x"), UserId(999), at(1)).await;
    assert!(matches!(nobody, Err(StoreError::UnknownReference(_))), "{nobody:?}");
    store.delete_user(bob).await.unwrap();
    assert_eq!(titles(store, bob, 0, 10).await.1, 0, "they go with their owner");
}

pub async fn messages_keep_their_order(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let chat = store.create_chat(spec("a"), ann, at(1)).await.unwrap().id;
    let other = store.create_chat(spec("b"), ann, at(2)).await.unwrap().id;
    assert_eq!(store.messages(chat).await.unwrap(), []);
    let question = MessageContent {
        attach: vec![DocumentRef { search_id: SearchId(1), swirl_id: ResultId(2) }],
        ..said("who? NUL \0")
    };
    let first = store.add_message(chat, Speaker::User, question.clone(), at(3)).await.unwrap();
    assert_eq!((first.chat, first.role, &first.body), (chat, Speaker::User, &question));
    assert_eq!((first.created, &first.rating), (at(3), &None));
    assert_eq!(store.chat(chat).await.unwrap().date_updated, at(3), "the chat counts as changed");
    assert_eq!(titles(store, ann, 0, 1).await.0, ["a"]);
    let tool =
        ToolUse { name: "search".to_owned(), args: json!({"q": 1}), search_id: Some(SearchId(1)), took: 0.5 };
    let citation = ChatCitation {
        n: 1,
        title: "t".to_owned(),
        url: "u".to_owned(),
        swirl_id: ResultId(2),
        search_id: SearchId(1),
        signal_id: Some(SignalId(4)),
    };
    let reply = MessageContent { tool_calls: vec![tool], citations: vec![citation], ..said("she [1]") };
    let second = store.add_message(chat, Speaker::Assistant, reply, at(4)).await.unwrap();
    assert_eq!(store.messages(chat).await.unwrap(), [first, second]);
    assert_eq!(store.messages(other).await.unwrap(), []);
    let texts: Vec<String> = (0..MANY).map(|number| number.to_string()).collect();
    let added =
        join_all(texts.iter().map(|text| store.add_message(other, Speaker::User, said(text), at(5)))).await;
    let mut added: Vec<MessageId> = added.into_iter().map(|one| one.unwrap().id).collect();
    added.sort();
    let kept: Vec<MessageId> = store.messages(other).await.unwrap().iter().map(|one| one.id).collect();
    assert_eq!(kept, added, "none is lost");
    let unknown = store.add_message(ChatId(999), Speaker::User, said("x"), at(6)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    store.delete_chat(chat).await.unwrap();
    assert_eq!(store.messages(chat).await.unwrap(), [], "they go with their chat");
}

pub async fn messages_are_rated(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let chat = store.create_chat(spec("a"), ann, at(1)).await.unwrap().id;
    let other = store.create_chat(spec("b"), ann, at(2)).await.unwrap().id;
    let message = store.add_message(chat, Speaker::Assistant, said("x"), at(3)).await.unwrap();
    for rating in [1, -1] {
        let rating = Rating { rating, reasons: vec!["wrong".to_owned()], comment: "ä \0".to_owned() };
        let rated = store.rate_message(chat, message.id, rating.clone()).await.unwrap();
        assert_eq!((rated.rating.as_ref(), &rated.body), (Some(&rating), &message.body));
        assert_eq!(store.messages(chat).await.unwrap(), [rated]);
    }
    let rating = Rating { rating: 1, reasons: vec![], comment: String::new() };
    for (chat, id) in [(other, message.id), (chat, MessageId(999))] {
        assert_eq!(store.rate_message(chat, id, rating.clone()).await, Err(StoreError::NotFound));
    }
}
