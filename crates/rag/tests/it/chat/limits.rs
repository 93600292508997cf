//! Limits of a chat turn.

use super::Scenario;
use super::scripted_model::{Step, calls, says};
use domain::chat::{CONTENT_CHARS_MAX, DocumentRef, LIST_MAX, MESSAGES_MAX, MessageContent, Speaker};
use domain::ids::{ResultId, SearchId};
use domain::ports::{ChatStore, Clock, SystemClock, Turn};
use futures_util::StreamExt;
use rag::chat::{ChatError, ChatEvent, ChatInput, MESSAGE_TIME_MAX, ROUNDS_MAX, SEARCHES_MAX};
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn rounds_end_and_the_model_has_to_answer() {
    let scenario = Scenario::open().await;
    let endless = (0..ROUNDS_MAX).map(|_| calls("list_sources", json!({})));
    scenario.model.follow_script(endless.chain([says("Enough.")]));
    let answer = scenario.say("Go on and on").await.unwrap();
    assert_eq!(answer.body.content, "Enough.");
    let prompts = scenario.model.prompts();
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
    let scenario = Scenario::open().await;
    let many = (0..5).map(|number| ("search", json!({"query": format!("river {number}")})));
    scenario.model.follow_script([Step::Calls(many.collect()), says("Enough [1].")]);
    scenario.say("Search a lot").await.unwrap();
    assert_eq!(scenario.searches().await.len() as u32, SEARCHES_MAX);
    let tool_text = scenario.model.tool_text();
    assert_eq!(tool_text.matches("All 3 searches of this message are made.").count(), 2, "{tool_text}");
    assert!(
        tool_text.contains("<source id=\"6\"") && !tool_text.contains("<source id=\"7\""),
        "numbers go on: {tool_text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_round_end() {
    let scenario = Scenario::open().await;
    let many = (0..11).map(|_| ("list_sources", json!({})));
    scenario.model.follow_script([Step::Calls(many.collect()), says("Enough.")]);
    let answer = scenario.say("All at once").await.unwrap();
    assert_eq!(answer.body.tool_calls.len(), 8);
    assert!(scenario.model.tool_text().contains("3 more calls were left out"));
}

/// The clock is paused once the model is asked, so that only its silence takes time.
#[tokio::test]
async fn the_time_of_a_message_ends() {
    let scenario = Scenario::open().await;
    scenario.model.follow_script([Step::Hangs]);
    let input = ChatInput { content: "Hello?".into(), ..ChatInput::default() };
    let pending = scenario.chats().begin(scenario.chat.clone(), input).await.unwrap();
    let mut events = scenario.chats().follow(pending);
    assert_eq!(events.next().await, Some(ChatEvent::Asking { round: 1 }));
    {
        let next = events.next();
        tokio::pin!(next);
        tokio::select! { biased; event = &mut next => panic!("{event:?}"), () = scenario.model.asked(1) => {} }
        tokio::time::pause();
        tokio::time::advance(MESSAGE_TIME_MAX - Duration::from_secs(1)).await;
        assert!(tokio::time::timeout(Duration::from_millis(500), &mut next).await.is_err(), "not yet");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(next.await, Some(ChatEvent::Failed(ChatError::Timeout)));
        tokio::time::resume();
    }
    drop(events);
    assert_eq!(scenario.messages().await.len(), 1, "what was said is kept");
    scenario.model.follow_script([says("Here.")]);
    assert_eq!(scenario.say("").await.unwrap().body.content, "Here.");
}

#[tokio::test]
async fn time_is_left_for_the_last_words() {
    let scenario = Scenario::open().await;
    scenario
        .model
        .follow_script([Step::Waits(MESSAGE_TIME_MAX - Duration::from_secs(14)), says("In a hurry.")]);
    let input = ChatInput { content: "Hello?".into(), ..ChatInput::default() };
    let pending = scenario.chats().begin(scenario.chat.clone(), input).await.unwrap();
    let mut events = scenario.chats().follow(pending);
    assert_eq!(events.next().await, Some(ChatEvent::Asking { round: 1 }));
    tokio::time::pause();
    let mut received = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event, ChatEvent::Asking { .. }) {
            tokio::time::resume();
        }
        received.push(event);
    }
    assert!(
        matches!(&received[1], ChatEvent::ToolDone(_))
            && received[2] == ChatEvent::Asking { round: ROUNDS_MAX + 1 }
    );
    let Some(ChatEvent::Done(answer)) = received.last() else { panic!("{received:?}") };
    assert_eq!(answer.body.content, "In a hurry.");
    let prompts = scenario.model.prompts();
    assert!(!prompts[0].tools.is_empty() && prompts[1].tools.is_empty());
    assert!(scenario.model.tool_text().contains("There is no time left to look anything up."));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_answer_is_cut_off() {
    let scenario = Scenario::open().await;
    scenario.model.follow_script([says(&"word ".repeat(20_000))]);
    let answer = scenario.say("Never stop").await.unwrap();
    let chars = answer.body.content.chars().count();
    assert!((39_000..=40_000).contains(&chars), "{chars}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_model_gets_what_fits() {
    let scenario = Scenario::open().await;
    *scenario.model.tokens_max.lock().unwrap() = 600;
    for number in 0..30 {
        let body =
            MessageContent { content: format!("{number} {}", "w ".repeat(20)), ..MessageContent::default() };
        let role = if number % 2 == 0 { Speaker::User } else { Speaker::Assistant };
        scenario.fixture.store.add_message(scenario.chat.id, role, body, SystemClock.now()).await.unwrap();
    }
    scenario.model.follow_script([calls("search", json!({"query": "river"})), says("So it is.")]);
    scenario.say("And now?").await.unwrap();
    for prompt in scenario.model.prompts() {
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
    let scenario = Scenario::open().await;
    let long = "x".repeat(CONTENT_CHARS_MAX + 1);
    assert!(matches!(scenario.say(&long).await, Err(ChatError::Invalid(_))));
    let one = DocumentRef { search_id: SearchId(1), swirl_id: ResultId(1) };
    let input = ChatInput { content: "x".into(), attach: vec![one; LIST_MAX + 1] };
    assert!(matches!(scenario.say_with(input).await, Err(ChatError::Invalid(_))));
    for number in 0..MESSAGES_MAX - 1 {
        let body = MessageContent { content: number.to_string(), ..MessageContent::default() };
        scenario
            .fixture
            .store
            .add_message(scenario.chat.id, Speaker::User, body, SystemClock.now())
            .await
            .unwrap();
    }
    assert_eq!(scenario.say("no scenario for me and my answer").await, Err(ChatError::Full));
    scenario.model.follow_script([says("The last one.")]);
    assert!(scenario.say("").await.is_ok(), "there is scenario for an answer");
    assert_eq!(scenario.messages().await.len(), MESSAGES_MAX);
    assert_eq!(scenario.say("one more").await, Err(ChatError::Full));
}
