//! The body of an answer, read piece by piece and cut off as soon as it grows too large, so that a small answer that
//! unpacks to a huge one takes no more memory than any other. All large bodies together have a budget.

use crate::failure::of_reading;
use bytes::{Bytes, BytesMut};
use domain::contracts::FetchError;
use futures_util::stream::{self, BoxStream};
use reqwest::Response;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Memory for all large bodies that are held at the same moment.
const BODIES_BYTES_MAX: u64 = 96 * 1024 * 1024;
/// A body that is not longer needs no part of it.
const FREE_BYTES: usize = 256 * 1024;
/// The budget is counted in pieces of this size.
const PIECE_BYTES: u64 = 1024;

/// Memory for large bodies. A body takes its part before it grows large and has it until it is dropped.
#[derive(Debug, Clone)]
pub(crate) struct BodyMemory {
    pieces: Arc<Semaphore>,
    pieces_max: u32,
}

impl BodyMemory {
    /// One body of the largest size always has room.
    pub(crate) fn new(body_bytes_max: u64) -> Self {
        let pieces_max = u32::try_from(body_bytes_max.max(BODIES_BYTES_MAX).div_ceil(PIECE_BYTES));
        let pieces_max = pieces_max.unwrap_or(u32::MAX / 2);
        Self { pieces: Arc::new(Semaphore::new(pieces_max as usize)), pieces_max }
    }

    /// All that a body may need at once: one that held a part and waited for more could wait for another that does
    /// the same. The time of the request limits the wait.
    async fn take(&self, bytes_max: u64) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.pieces).acquire_many_owned(self.pieces_of(bytes_max)).await.ok()
    }

    fn pieces_of(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(PIECE_BYTES))
            .map_or(self.pieces_max, |pieces| pieces.min(self.pieces_max))
    }
}

/// A large body with its part of the budget.
struct HeldBody {
    bytes: Bytes,
    _part: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Dropping it closes the connection, unless the body was read to its end.
pub(crate) struct Body {
    answer: Response,
    host: String,
    bytes_max: u64,
    bytes_read: u64,
    announced: Option<u64>,
}

impl Body {
    /// Refuses a body whose announced length is too large.
    pub(crate) fn new(answer: Response, host: String, bytes_max: u64) -> Result<Self, FetchError> {
        let announced = answer.content_length();
        let body = Self { answer, host, bytes_max, bytes_read: 0, announced };
        if announced.is_some_and(|length| length > bytes_max) { Err(body.too_large()) } else { Ok(body) }
    }

    /// The pieces until a moment; one that comes later is an error, and so is one too many. An error is the last.
    pub(crate) fn until(self, end: Instant) -> BoxStream<'static, Result<Bytes, FetchError>> {
        Box::pin(stream::unfold(Some(self), move |body| async move {
            let mut body = body?;
            let piece = match timeout_at(end, body.next()).await {
                Ok(piece) => piece.transpose()?,
                Err(_) => Err(FetchError::Timeout(body.host.clone())),
            };
            let rest = piece.is_ok().then_some(body);
            Some((piece, rest))
        }))
    }

    async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        let read = self.answer.chunk().await.map_err(|error| of_reading(&error, &self.host))?;
        let Some(piece) = read else { return Ok(None) };
        self.bytes_read += piece.len() as u64;
        if self.bytes_read > self.bytes_max { Err(self.too_large()) } else { Ok(Some(piece)) }
    }

    fn too_large(&self) -> FetchError {
        FetchError::TooLarge { host: self.host.clone(), bytes_max: self.bytes_max }
    }
}

/// The whole body. One that grows large waits for its part of the memory before more of it is read.
pub(crate) async fn read_whole(mut body: Body, memory: &BodyMemory) -> Result<Bytes, FetchError> {
    let mut whole = BytesMut::new();
    let mut part = None;
    while let Some(piece) = body.next().await? {
        if part.is_none() && whole.len() + piece.len() > FREE_BYTES {
            part = memory.take(body.announced.unwrap_or(body.bytes_max)).await;
        }
        whole.extend_from_slice(&piece);
    }
    let bytes = whole.freeze();
    let Some(mut part) = part else { return Ok(bytes) };
    let spare = part.num_permits().saturating_sub(memory.pieces_of(bytes.len() as u64) as usize);
    drop(part.split(spare));
    Ok(Bytes::from_owner(HeldBody { bytes, _part: part }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_holds_its_part_until_it_is_dropped() {
        let memory = BodyMemory::new(10 * 1024 * 1024);
        let all = memory.pieces.available_permits();
        assert_eq!(all as u64 * PIECE_BYTES, BODIES_BYTES_MAX);
        let part = memory.take(10 * 1024 * 1024).await.expect("there is room");
        let body = Bytes::from_owner(HeldBody { bytes: Bytes::from_static(b"words"), _part: part });
        let copy = body.clone();
        drop(body);
        assert_eq!(memory.pieces.available_permits(), all - 10 * 1024);
        assert_eq!(copy, "words");
        drop(copy);
        assert_eq!(memory.pieces.available_permits(), all);
        assert!(memory.take(u64::MAX).await.is_some(), "no body waits for more than there is");
    }
}
