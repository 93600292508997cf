//! Memory for the answers of sources: one budget for all that are being processed in this process.
//!
//! Small answers need no part of it. A large one takes its part before it is parsed, gives back what it did not need,
//! and holds the rest until the run of its search is over, because its results live as long.

use domain::bounded_json::ANSWER_VALUES_MAX;
use domain::contracts::{ConnectorError, ConnectorErrorKind, SourceResponse};
use domain::message;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// What one value takes at most: an object of one field, with its place in a list.
const BYTES_PER_VALUE: usize = 320;
/// An answer that takes less needs no part of the budget.
const FREE_BYTES: usize = 1024 * 1024;
/// How long an answer waits for its part. Longer than others need to be mapped, and short, because a search that
/// waits may hold a part itself.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// The budget is counted in pieces of this size.
const PIECE_BYTES: usize = 1024;

/// The budget of this process.
#[derive(Debug, Clone)]
pub(crate) struct AnswerMemory {
    pieces: Arc<Semaphore>,
    pieces_max: usize,
}

/// What the answers of one run hold.
#[derive(Debug)]
pub(crate) struct RunMemory {
    memory: AnswerMemory,
    held: Mutex<Vec<OwnedSemaphorePermit>>,
}

/// The part of one answer while it is parsed.
#[derive(Debug)]
pub(crate) struct Part(Option<OwnedSemaphorePermit>);

impl AnswerMemory {
    pub fn new(bytes_max: usize) -> Self {
        let pieces_max = bytes_max.div_ceil(PIECE_BYTES).clamp(1, u32::MAX as usize);
        Self { pieces: Arc::new(Semaphore::new(pieces_max)), pieces_max }
    }

    pub fn for_run(&self) -> Arc<RunMemory> {
        Arc::new(RunMemory { memory: self.clone(), held: Mutex::default() })
    }
}

impl RunMemory {
    /// Takes the part of an answer that needs so many bytes, before the deadline.
    pub async fn take(&self, bytes: usize, deadline: Instant) -> Result<Part, ConnectorError> {
        if bytes <= FREE_BYTES {
            return Ok(Part(None));
        }
        // An answer that needs more than there is has everything to itself.
        let pieces = bytes.div_ceil(PIECE_BYTES).min(self.memory.pieces_max);
        let until = deadline.min(Instant::now() + WAIT_MAX);
        let waiting =
            Arc::clone(&self.memory.pieces).acquire_many_owned(u32::try_from(pieces).unwrap_or(u32::MAX));
        match timeout_at(until, waiting).await {
            Ok(Ok(permit)) => Ok(Part(Some(permit))),
            _ => Err(ConnectorError::new(ConnectorErrorKind::Suspended, message::answers_too_large())),
        }
    }

    /// Keeps as much of a part as the results of the answer need, until the run is over.
    pub fn keep(&self, part: Part, items: &[Value]) {
        let Part(Some(mut permit)) = part else { return };
        let needed = memory_of(items);
        let needed = if needed <= FREE_BYTES { 0 } else { needed.div_ceil(PIECE_BYTES) };
        drop(permit.split(permit.num_permits().saturating_sub(needed)));
        if needed > 0 {
            self.held.lock().unwrap_or_else(PoisonError::into_inner).push(permit);
        }
    }
}

/// What an answer may take when it is parsed. Marks between values are counted, in texts too: it is an upper bound.
pub(crate) fn estimate(response: &SourceResponse) -> usize {
    match response {
        SourceResponse::Http(http) => {
            let is_mark = |byte: &&u8| matches!(byte, b',' | b'[' | b'{' | b'<' | b'=');
            let marks = http.body.iter().filter(is_mark).count();
            http.body.len() + marks.min(ANSWER_VALUES_MAX) * BYTES_PER_VALUE
        }
        // Rows are in memory already.
        SourceResponse::Rows { .. } => 0,
    }
}

fn memory_of(items: &[Value]) -> usize {
    items.iter().map(|item| BYTES_PER_VALUE + content_of(item)).sum()
}

fn content_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => memory_of(list),
        Value::Object(object) => {
            object.iter().map(|(name, value)| name.len() + BYTES_PER_VALUE + content_of(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::contracts::HttpResponse;
    use serde_json::json;

    const MB: usize = 1024 * 1024;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    fn answer(body: String) -> SourceResponse {
        SourceResponse::Http(HttpResponse { status: 200, headers: Vec::new(), body: body.into() })
    }

    #[tokio::test(start_paused = true)]
    async fn large_answers_wait_for_each_other_and_small_ones_do_not() {
        let memory = AnswerMemory::new(10 * MB);
        let (one, other) = (memory.for_run(), memory.for_run());
        let first = one.take(8 * MB, soon()).await.expect("there is room");
        let error = other.take(4 * MB, soon()).await.expect_err("there is none");
        assert_eq!(error.kind, ConnectorErrorKind::Suspended);
        assert!(other.take(FREE_BYTES, soon()).await.is_ok());
        drop(first);
        assert!(other.take(4 * MB, soon()).await.is_ok());
        assert!(other.take(999 * MB, soon()).await.is_ok(), "all there is");
    }

    #[tokio::test(start_paused = true)]
    async fn what_results_need_is_held_until_the_run_is_over() {
        let memory = AnswerMemory::new(10 * MB);
        let run = memory.for_run();
        let part = run.take(10 * MB, soon()).await.expect("there is room");
        run.keep(part, &[json!("x".repeat(4 * MB))]);
        assert_eq!(memory.pieces.available_permits(), 6 * 1024 - 1);
        let part = run.take(5 * MB, soon()).await.expect("there is room");
        run.keep(part, &[json!({"a": 1})]);
        assert_eq!(memory.pieces.available_permits(), 6 * 1024 - 1, "a small page is free");
        drop(run);
        assert_eq!(memory.pieces.available_permits(), 10 * 1024);
    }

    #[test]
    fn an_estimate_is_never_too_small() {
        let lists = format!("[{}[0]]", "[0],".repeat(1000));
        assert!(estimate(&answer(lists)) >= 2000 * BYTES_PER_VALUE);
        let objects = format!("[{}{{}}]", r#"{"a":{}},"#.repeat(1000));
        assert!(estimate(&answer(objects)) >= 2000 * BYTES_PER_VALUE);
        let elements = format!("<r>{}</r>", "<a b='c'/>".repeat(1000));
        assert!(estimate(&answer(elements)) >= 2000 * BYTES_PER_VALUE);
        let many = format!("[{}0]", "0,".repeat(3 * ANSWER_VALUES_MAX));
        assert!(estimate(&answer(many)) < 2 * ANSWER_VALUES_MAX * BYTES_PER_VALUE, "reading stops before");
        assert_eq!(estimate(&answer("x".repeat(100))), 100);
    }
}
