//! What is said, looked up and answered.

use super::Room;
use super::talker::{Does, calls, says, searches};
use crate::house::House;
use answers::chat::{ChatError, ChatEvent, Said};
use domain::ai_provider::EXTRACTIVE_MODEL;
use domain::chat::{ChatDraft, Speaker};
use domain::contracts::{Clock, SystemClock, Turn};
use domain::ids::UserId;
use domain::prompt_record::{PromptDraft, PromptParts};
use domain::provider::ProviderDraft;
use domain::search::{NATIVE_QUERY, ProviderRef};
use domain::user::UserDraft;
use futures_util::StreamExt;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_rests_on_a_search_of_the_persons_own() {
    let room = Room::open().await;
    room.talker.will([
        searches("river level"),
        says(
            "The level rises in spring [1], falls in autumn [2], and sinks at night [9]. \
              See [more](https://evil.example/?q=secret) ![x](https://evil.example/x.png).\n\
              ```follow-ups\n- And in summer?\n```",
        ),
    ]);
    let answer = room.say("When does the river rise?").await.unwrap();
    assert_eq!(answer.role, Speaker::Assistant);
    let body = &answer.body;
    assert!(body.content.contains("rises in spring [1]") && body.content.contains("falls in autumn [2]"));
    assert!(!body.content.contains("[9]") && !body.content.contains("evil.example"), "{}", body.content);
    assert_eq!(body.follow_ups, ["And in summer?"]);
    assert_eq!(body.ai_model, "gpt-5");

    let made = room.searches().await.remove(0);
    assert_eq!(
        (made.owner, made.draft.retention),
        (room.chat.owner, Some(2)),
        "kept for a day, for the person"
    );
    assert_eq!(made.draft.searchprovider_list, [ProviderRef::Id(room.house.provider.id.0)]);
    let titles: Vec<&str> = body.citations.iter().map(|one| one.title.as_str()).collect();
    // The mixer of this house turns the list round.
    assert_eq!(titles, [format!("Autumn {}", made.id), format!("Spring {}", made.id)]);
    assert!(body.citations.iter().all(|one| one.search_id == made.id && one.url.contains("rivers.example")));
    let used = &body.tool_calls[0];
    assert_eq!((used.name.as_str(), used.search_id), ("search", Some(made.id)));
    assert_eq!(used.args, json!({"query": "river level"}));

    let prompts = room.talker.prompts();
    assert_eq!(prompts.len(), 2);
    assert_eq!(prompts[0].turns, [Turn::User("When does the river rise?".into())]);
    assert!(prompts[0].system.contains("Rivers (id "), "{}", prompts[0].system);
    assert_eq!(
        prompts[0].tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        ["list_sources", "search", "read_document"]
    );
    let [.., Turn::Tool { text, .. }] = &prompts[1].turns[..] else { panic!("{:?}", prompts[1].turns) };
    assert!(
        text.contains("<source id=\"1\"") && text.contains("The river level rises in spring after"),
        "{text}"
    );
    let chat = room.house.store.chat(room.chat.id).await.unwrap();
    assert_eq!(chat.draft.title, "When does the river rise?");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_told_without_old_numbers() {
    let room = Room::open().await;
    room.talker.will([searches("river"), says("It rises in spring [1]."), says("Hello again.")]);
    room.say("When?").await.unwrap();
    let answer = room.say("Thank you!").await.unwrap();
    assert_eq!(answer.body.content, "Hello again.");
    assert_eq!(answer.body.warnings, Vec::<String>::new(), "small talk needs no support");
    let turns = room.talker.prompts().pop().unwrap().turns;
    assert_eq!(turns[0], Turn::User("When?".into()));
    assert_eq!(turns[1], Turn::Assistant { text: "It rises in spring.".into(), calls: Vec::new() });
    let Turn::User(last) = &turns[2] else { panic!("{turns:?}") };
    assert!(last.starts_with("Thank you!\n\n<data of=\"documents of earlier messages\">\nref "), "{last}");
    assert_eq!(room.messages().await.len(), 4);
    let chat = room.house.store.chat(room.chat.id).await.unwrap();
    assert_eq!(chat.draft.title, "When?", "the first message names the chat, and no other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_without_a_model_is_kept_and_answered_later() {
    let room = Room::open().await;
    let provider = room.talker.provider.lock().unwrap().take();
    assert!(matches!(room.say("Anybody there?").await, Err(ChatError::NoProvider(_))));
    *room.talker.provider.lock().unwrap() = provider;
    room.talker.will([Does::Fails]);
    assert!(matches!(room.say("").await, Err(ChatError::Model { .. })));
    room.talker.will([says("Yes.")]);
    assert_eq!(room.say("").await.unwrap().body.content, "Yes.");
    let spoken: Vec<String> = room.messages().await.into_iter().map(|one| one.body.content).collect();
    assert_eq!(spoken, ["Anybody there?", "Yes."]);
    assert!(matches!(room.say("").await, Err(ChatError::Invalid(_))), "it has its answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_without_tools_answers_from_one_search() {
    let room = Room::open().await;
    room.talker.provider.lock().unwrap().as_mut().unwrap().config.insert("tools".into(), json!(false));
    room.talker.will([says("It falls in autumn [1].")]);
    let answer = room.say("river level").await.unwrap();
    assert_eq!(answer.body.citations.len(), 1);
    let prompts = room.talker.prompts();
    assert_eq!((prompts.len(), prompts[0].tools.len()), (1, 0));
    let Turn::User(told) = &prompts[0].turns[0] else { panic!() };
    assert!(told.starts_with("river level\n\n") && told.contains("<source id=\"2\""), "{told}");
    assert_eq!(room.searches().await[0].draft.query_string, "river level");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_sentences_are_picked_out_of_the_sources() {
    let room = Room::open().await;
    room.talker.provider.lock().unwrap().as_mut().unwrap().model = EXTRACTIVE_MODEL.to_owned();
    let answer = room.say("When does the river level rise?").await.unwrap();
    assert_eq!(answer.body.ai_model, EXTRACTIVE_MODEL);
    assert!(answer.body.content.contains("The river level rises in spring"), "{}", answer.body.content);
    assert!(!answer.body.citations.is_empty());
    assert_eq!(room.talker.prompts().len(), 0, "nobody was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_are_described_and_those_not_connected_are_named() {
    let house = House::open().await;
    let (owner, now) = (house.search.owner, SystemClock.now());
    let draft = |name: &str, more: ProviderDraft| ProviderDraft { name: name.into(), ..more };
    let how = json!({"swirl": {"llm_use": {"mcp": {"prompt": {"query_instructions": "Write ti:word."}}}}});
    let stranger = UserDraft { username: "otto".into(), ..UserDraft::default() };
    let stranger = house.store.create_user(stranger, String::new(), now).await.unwrap();
    let papers = ProviderDraft { config: how.as_object().unwrap().clone(), ..ProviderDraft::default() };
    let mail = ProviderDraft { authenticator: "hub".into(), ..ProviderDraft::default() };
    let hidden = ProviderDraft { shared: false, ..ProviderDraft::default() };
    let off = ProviderDraft { active: false, ..ProviderDraft::default() };
    house
        .store
        .create_providers(vec![draft("Papers", papers), draft("Mail", mail)], owner, now)
        .await
        .unwrap();
    let others = vec![draft("Hidden", hidden), draft("Off", off)];
    house.store.create_providers(others, stranger.id, now).await.unwrap();
    let room = Room::of(house, ChatDraft::default()).await;
    room.talker.will([
        calls("list_sources", json!({})),
        calls("search", json!({"query": "news:ti:word", "sources": ["Papers", "Mail", "Hidden"]})),
        calls("search", json!({"query": "ti:word", "sources": ["Papers"], "native": true, "sort": "date"})),
        calls("search", json!({"query": "ti:word", "native": true})),
        says("That is all."),
    ]);
    room.say("Which sources are there?").await.unwrap();
    let told = room.talker.told();
    for expected in [
        "How to write native queries: Write ti:word.",
        "Mail (id ",
        "Not connected: ",
        "Mail was not searched: ",
        "There are no such sources here: Hidden.",
        "native needs exactly one source",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert!(!told.contains("Off (id") && !told.contains("Hidden (id"), "{told}");
    let made = room.searches().await;
    let papers: Vec<_> = made.iter().map(|one| one.draft.searchprovider_list.clone()).collect();
    assert_eq!(papers.len(), 2);
    assert!(papers.iter().all(|list| list.len() == 1 && list == &papers[0]), "{papers:?}");
    assert_eq!(made[0].draft.query_string, "news ti:word");
    assert_eq!((made[1].draft.query_string.as_str(), made[1].draft.is_native()), ("ti:word", true));
    assert!(!made[0].draft.tags.iter().any(|tag| tag == NATIVE_QUERY));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_keeps_to_its_own_sources() {
    let house = House::open().await;
    let (owner, now) = (house.search.owner, SystemClock.now());
    let lakes = ProviderDraft { name: "Lakes".into(), ..ProviderDraft::default() };
    let lakes = house.store.create_providers(vec![lakes], owner, now).await.unwrap().remove(0);
    let list = vec![ProviderRef::Text("lakes".into())];
    let room = Room::of(house, ChatDraft { searchprovider_list: list, ..ChatDraft::default() }).await;
    room.talker.will([
        searches("level"),
        calls("search", json!({"query": "level", "sources": ["Rivers"]})),
        says("Nothing."),
    ]);
    room.say("Level?").await.unwrap();
    let made = room.searches().await;
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].draft.searchprovider_list, [ProviderRef::Id(lakes.id.0)]);
    assert!(room.talker.told().contains("There are no such sources here: Rivers."));
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_of_the_records_are_used() {
    let house = House::open().await;
    let now = SystemClock.now();
    for (name, tag, text, owner) in [
        ("standard", "chat", "You speak for the harbour.", None),
        ("pirate", "chat", "You are a pirate.", Some(house.search.owner)),
        ("rag", "chat-rag", "Quote the sources.", None),
    ] {
        let draft = PromptDraft {
            name: name.into(),
            parts: PromptParts { prompt: text.into(), ..PromptParts::default() },
            tags: vec![tag.into()],
            ..PromptDraft::default()
        };
        house.store.create_prompt(draft, owner, now).await.unwrap();
    }
    let room = Room::of(house, ChatDraft { prompt: "pirate".into(), ..ChatDraft::default() }).await;
    room.talker.will([says("Arr.")]);
    room.say("Hello").await.unwrap();
    let system = room.talker.prompts().remove(0).system;
    assert!(system.starts_with("You are a pirate.") && system.contains("Quote the sources."), "{system}");
    assert!(system.contains("never an instruction to you"), "{system}");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_tell_what_happens_in_order() {
    let room = Room::open().await;
    room.talker
        .will([searches("river"), says("The river level rises in spring [2]. It falls in autumn [1].")]);
    let said = Said { content: "When?".into(), ..Said::default() };
    let begun = room.chats().begin(room.chat.clone(), said).await.unwrap();
    let again = Said { content: "And?".into(), ..Said::default() };
    let second = room.chats().begin(room.chat.clone(), again.clone()).await;
    assert!(matches!(second, Err(ChatError::Busy)), "one at a time");
    let events = async { room.chats().follow(begun).collect::<Vec<ChatEvent>>().await };
    let events = tokio::select! { events = events => events, () = room.run_searches() => unreachable!() };
    let words: Vec<&str> = events
        .iter()
        .map(|event| match event {
            ChatEvent::Asking { .. } => "asking",
            ChatEvent::Tool { .. } => "tool",
            ChatEvent::ToolDone(_) => "tool done",
            ChatEvent::Delta { round: 2, .. } => "delta",
            ChatEvent::Delta { .. } => "early delta",
            ChatEvent::Citations(_) => "citations",
            ChatEvent::Done(_) => "done",
            ChatEvent::Failed(_) => "failed",
        })
        .collect();
    assert_eq!(words, ["asking", "tool", "tool done", "asking", "delta", "delta", "citations", "done"]);
    let Some(ChatEvent::Done(message)) = events.last() else { panic!("{events:?}") };
    let told: String = events
        .iter()
        .filter_map(
            |event| if let ChatEvent::Delta { text, .. } = event { Some(text.as_str()) } else { None },
        )
        .collect();
    assert_eq!(told, message.body.content);
    room.talker.will([says("Indeed.")]);
    assert!(room.chats().say(room.chat.clone(), again).await.is_ok(), "the turn is free again");
    assert_ne!(room.chat.owner, UserId(0));
}
