//! An answer while it is made, by server-sent events: `status`, `source`, `delta`, `citations`, then `done` or `error`.

use super::Asked;
use crate::AppState;
use crate::throttle::StreamPlace;
use answers::AnswerEvent;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::mixed::MixedResponse;
use domain::result::ResultItem;
use domain::search::Search;
use futures_util::StreamExt;
use futures_util::stream;
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// A comment in quiet times, so that proxies keep the line open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// True for a client that wants the answer while it is made.
pub fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted
        .flat_map(|text| text.split(','))
        .any(|one| one.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream"))
}

/// `results`, where a search was part of the request, comes first. The stream's place is free again when it ends.
pub fn answer_stream(
    state: &Arc<AppState>,
    search: &Search,
    asked: &Asked,
    results: Option<&MixedResponse>,
    place: StreamPlace,
) -> Response {
    let first = results.and_then(|mixed| event("results", mixed));
    let answer = state.answers.follow(search, &asked.wish, asked.time_max);
    let told = answer.filter_map(move |one| {
        let _held = &place;
        std::future::ready(told(one))
    });
    let events = stream::iter(first).chain(told).map(Ok::<_, Infallible>);
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()
}

fn told(one: AnswerEvent) -> Option<Event> {
    match one {
        AnswerEvent::Stage { stage, done, of } => {
            event("status", &json!({"stage": stage, "done": done, "of": of}))
        }
        AnswerEvent::Source(source) => event("source", &source),
        AnswerEvent::Delta(text) => event("delta", &json!({"text": text})),
        AnswerEvent::Citations(sources) => event("citations", &json!({"sources": sources})),
        AnswerEvent::Done(answer) => {
            let row = ResultItem { swirl_rank: 1, result_block: None, ..answer.row };
            event("done", &row)
        }
        AnswerEvent::Failed { fault, message } => {
            event("error", &json!({"code": fault.code(), "message": message}))
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    let made = Event::default().event(name).json_data(data);
    made.inspect_err(|error| tracing::error!(%error, "events: an event cannot be written: {error}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wants_events() {
        for (accept, expected) in [
            ("text/event-stream", true),
            ("application/json, Text/Event-Stream;q=0.5", true),
            ("*/*", false),
            ("application/json", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().expect("a header"));
            assert_eq!(accepts_events(&headers), expected, "{accept}");
        }
    }
}
