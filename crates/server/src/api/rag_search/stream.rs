//! Server-sent events of a summary: `status`, `source`, `delta`, `citations`, then `done` or `error`.

use super::RagRequest;
use crate::state::AppState;
use crate::throttle::StreamPermit;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::mixed::MixedResponse;
use domain::result::ResultItem;
use domain::search::Search;
use futures_util::StreamExt;
use futures_util::stream;
use rag::SummaryEvent;
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Comment in idle times, so that proxies keep the connection open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// True if the client accepts an event stream.
pub fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted
        .flat_map(|text| text.split(','))
        .any(|one| one.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream"))
}

/// `results` comes first if a search was part of the request. The permit is released when the stream ends.
pub fn answer_stream(
    state: &Arc<AppState>,
    search: &Search,
    rag_request: &RagRequest,
    results: Option<&MixedResponse>,
    permit: StreamPermit,
) -> Response {
    let first = results.and_then(|mixed| event("results", mixed));
    let answer = state.summaries.follow(search, &rag_request.summary, rag_request.time_max);
    let encoded = answer.filter_map(move |one| {
        let _permit_ref = &permit;
        std::future::ready(encode(one))
    });
    let events = stream::iter(first).chain(encoded).map(Ok::<_, Infallible>);
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()
}

fn encode(one: SummaryEvent) -> Option<Event> {
    match one {
        SummaryEvent::Stage { stage, done, of } => {
            event("status", &json!({"stage": stage, "done": done, "of": of}))
        }
        SummaryEvent::Source(source) => event("source", &source),
        SummaryEvent::Delta(text) => event("delta", &json!({"text": text})),
        SummaryEvent::Citations(sources) => event("citations", &json!({"sources": sources})),
        SummaryEvent::Done(answer) => {
            let row = ResultItem { swirl_rank: 1, result_block: None, ..answer.row };
            event("done", &row)
        }
        SummaryEvent::Failed { fault, message } => {
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
    fn clients_that_accept_events() {
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
