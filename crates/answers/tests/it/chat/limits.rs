//! What one message may cost.

use super::Room;
use super::talker::{Does, calls, says};
use answers::chat::{ChatError, ChatEvent, MESSAGE_TIME_MAX, ROUNDS_MAX, SEARCHES_MAX, Said};
use domain::chat::{CONTENT_CHARS_MAX, DocumentRef, LIST_MAX, MESSAGES_MAX, MessageContent, Speaker};
use domain::contracts::{Clock, SystemClock, Turn};
use domain::ids::{ResultId, SearchId};
use futures_util::StreamExt;
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn rounds_end_and_the_model_has_to_answer() {
    let room = Room::open().await;
    let endless = (0..ROUNDS_MAX).map(|_| calls("list_sources", json!({})));
    room.talker.will(endless.chain([says("Enough.")]));
    let answer = room.say("Go on and on").await.unwrap();
    assert_eq!(answer.body.content, "Enough.");
    let prompts = room.talker.prompts();
    assert_eq!(prompts.len() as u32, ROUNDS_MAX + 1);
    let offered: Vec<bool> = prompts.iter().map(|prompt| !prompt.tools.is_empty()).collect();
    assert_eq!(offered, [true, true, true, true, false]);
    let last = &prompts[ROUNDS_MAX as usize].turns;
    assert_eq!(last.len(), 1, "without tools, what they said is part of the person's words");
    let Turn::User(text) = &last[0] else { panic!("{last:?}") };
    assert!(text.starts_with("Go on and on") && text.ends_with("Answer now from what you have."), "{text}");
    assert_eq!(text.matches("What list_sources gave:").count() as u32, ROUNDS_MAX);
    assert_eq!(answer.body.tool_calls.len() as u32, ROUNDS_MAX);
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_end() {
    let room = Room::open().await;
    let many = (0..5).map(|number| ("search", json!({"query": format!("river {number}")})));
    room.talker.will([Does::Calls(many.collect()), says("Enough [1].")]);
    room.say("Search a lot").await.unwrap();
    assert_eq!(room.searches().await.len() as u32, SEARCHES_MAX);
    let told = room.talker.told();
    assert_eq!(told.matches("All 3 searches of this message are made.").count(), 2, "{told}");
    assert!(told.contains("<source id=\"6\"") && !told.contains("<source id=\"7\""), "numbers go on: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_round_end() {
    let room = Room::open().await;
    let many = (0..11).map(|_| ("list_sources", json!({})));
    room.talker.will([Does::Calls(many.collect()), says("Enough.")]);
    let answer = room.say("All at once").await.unwrap();
    assert_eq!(answer.body.tool_calls.len(), 8);
    assert!(room.talker.told().contains("3 more calls were left out"));
}

/// The clock stands still once the model is asked, so that nothing but its silence takes time.
#[tokio::test]
async fn the_time_of_a_message_ends() {
    let room = Room::open().await;
    room.talker.will([Does::Hangs]);
    let said = Said { content: "Hello?".into(), ..Said::default() };
    let begun = room.chats().begin(room.chat.clone(), said).await.unwrap();
    let mut events = room.chats().follow(begun);
    assert_eq!(events.next().await, Some(ChatEvent::Asking { round: 1 }));
    {
        let next = events.next();
        tokio::pin!(next);
        tokio::select! { biased; event = &mut next => panic!("{event:?}"), () = room.talker.asked(1) => {} }
        tokio::time::pause();
        tokio::time::advance(MESSAGE_TIME_MAX - Duration::from_secs(1)).await;
        assert!(tokio::time::timeout(Duration::from_millis(500), &mut next).await.is_err(), "not yet");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(next.await, Some(ChatEvent::Failed(ChatError::Timeout)));
        tokio::time::resume();
    }
    drop(events);
    assert_eq!(room.messages().await.len(), 1, "what was said is kept");
    room.talker.will([says("Here.")]);
    assert_eq!(room.say("").await.unwrap().body.content, "Here.");
}

#[tokio::test]
async fn time_is_left_for_the_last_words() {
    let room = Room::open().await;
    room.talker.will([Does::Waits(MESSAGE_TIME_MAX - Duration::from_secs(14)), says("In a hurry.")]);
    let said = Said { content: "Hello?".into(), ..Said::default() };
    let begun = room.chats().begin(room.chat.clone(), said).await.unwrap();
    let mut events = room.chats().follow(begun);
    assert_eq!(events.next().await, Some(ChatEvent::Asking { round: 1 }));
    tokio::time::pause();
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event, ChatEvent::Asking { .. }) {
            tokio::time::resume();
        }
        told.push(event);
    }
    assert!(
        matches!(&told[1], ChatEvent::ToolDone(_)) && told[2] == ChatEvent::Asking { round: ROUNDS_MAX + 1 }
    );
    let Some(ChatEvent::Done(answer)) = told.last() else { panic!("{told:?}") };
    assert_eq!(answer.body.content, "In a hurry.");
    let prompts = room.talker.prompts();
    assert!(!prompts[0].tools.is_empty() && prompts[1].tools.is_empty());
    assert!(room.talker.told().contains("There is no time left to look anything up."));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_answer_is_cut_off() {
    let room = Room::open().await;
    room.talker.will([says(&"word ".repeat(20_000))]);
    let answer = room.say("Never stop").await.unwrap();
    let chars = answer.body.content.chars().count();
    assert!((39_000..=40_000).contains(&chars), "{chars}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_model_gets_what_fits() {
    let room = Room::open().await;
    *room.talker.tokens_max.lock().unwrap() = 600;
    for number in 0..30 {
        let body =
            MessageContent { content: format!("{number} {}", "w ".repeat(20)), ..MessageContent::default() };
        let role = if number % 2 == 0 { Speaker::User } else { Speaker::Assistant };
        room.house.store.add_message(room.chat.id, role, body, SystemClock.now()).await.unwrap();
    }
    room.talker.will([calls("search", json!({"query": "river"})), says("So it is.")]);
    room.say("And now?").await.unwrap();
    for prompt in room.talker.prompts() {
        let words = |text: &str| text.split_whitespace().count();
        let turns: usize = prompt
            .turns
            .iter()
            .map(|turn| match turn {
                Turn::User(text) | Turn::Assistant { text, .. } | Turn::Tool { text, .. } => words(text),
            })
            .sum();
        let all = words(&prompt.system) + turns + prompt.answer_tokens_max as usize;
        // Headers of sources are not counted.
        assert!(all <= 600 + 60, "{all}");
        let Turn::User(first) = &prompt.turns[0] else { panic!("a person speaks first") };
        assert!(!first.starts_with("0 "), "the oldest are left out");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_and_attachments_are_bounded() {
    let room = Room::open().await;
    let long = "x".repeat(CONTENT_CHARS_MAX + 1);
    assert!(matches!(room.say(&long).await, Err(ChatError::Invalid(_))));
    let one = DocumentRef { search_id: SearchId(1), swirl_id: ResultId(1) };
    let said = Said { content: "x".into(), attach: vec![one; LIST_MAX + 1] };
    assert!(matches!(room.say_with(said).await, Err(ChatError::Invalid(_))));
    for number in 0..MESSAGES_MAX - 1 {
        let body = MessageContent { content: number.to_string(), ..MessageContent::default() };
        room.house.store.add_message(room.chat.id, Speaker::User, body, SystemClock.now()).await.unwrap();
    }
    assert_eq!(room.say("no room for me and my answer").await, Err(ChatError::Full));
    room.talker.will([says("The last one.")]);
    assert!(room.say("").await.is_ok(), "there is room for an answer");
    assert_eq!(room.messages().await.len(), MESSAGES_MAX);
    assert_eq!(room.say("one more").await, Err(ChatError::Full));
}
