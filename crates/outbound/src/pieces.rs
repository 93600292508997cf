//! The body of an answer, read piece by piece and cut off as soon as it grows too large, so that a small answer that
//! unpacks to a huge one takes no more memory than any other. All large bodies together have a budget.

use crate::failure::of_reading;
use async_trait::async_trait;
use bytes::Bytes;
use domain::contracts::{BodyMemory, BodyReservation, FetchError};
use futures_util::stream::{self, BoxStream};
use reqwest::Response;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// Memory for all large bodies that are held at the same moment, for callers without a budget of their own.
const BODIES_BYTES_MAX: u64 = 96 * 1024 * 1024;
/// A body that is not longer reserves nothing.
const FREE_BYTES: u64 = 64 * 1024;
/// The budget is counted in pieces of this size.
const PIECE_BYTES: u64 = 1024;
/// How long a body waits for memory. Short, because it holds what it has reserved so far.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Memory for the bodies of callers without a budget of their own.
#[derive(Debug, Clone)]
pub(crate) struct ClientMemory {
    pieces: Arc<Semaphore>,
    pieces_max: u32,
}

impl ClientMemory {
    /// One body of the largest size always has space.
    pub(crate) fn new(body_bytes_max: u64) -> Self {
        let pieces_max = u32::try_from(body_bytes_max.max(BODIES_BYTES_MAX).div_ceil(PIECE_BYTES));
        let pieces_max = pieces_max.unwrap_or(u32::MAX / 2);
        Self { pieces: Arc::new(Semaphore::new(pieces_max as usize)), pieces_max }
    }
}

#[async_trait]
impl BodyMemory for ClientMemory {
    async fn reserve(&self, bytes: u64, _body_bytes: u64) -> Result<Box<dyn BodyReservation>, FetchError> {
        let pieces = u32::try_from(bytes.div_ceil(PIECE_BYTES)).unwrap_or(u32::MAX).min(self.pieces_max);
        let waiting = Arc::clone(&self.pieces).acquire_many_owned(pieces);
        match timeout(WAIT_MAX, waiting).await {
            Ok(Ok(permit)) => Ok(Box::new(Pieces(permit))),
            _ => Err(FetchError::Busy),
        }
    }
}

/// A part of the client's own memory.
struct Pieces(OwnedSemaphorePermit);

impl BodyReservation for Pieces {
    fn shrink_by(&mut self, bytes: u64) {
        let pieces = usize::try_from(bytes / PIECE_BYTES).unwrap_or(usize::MAX);
        drop(self.0.split(pieces.min(self.0.num_permits())));
    }
}

/// A large body with the memory that is reserved for it.
struct HeldBody {
    bytes: Vec<u8>,
    _reservations: Vec<Box<dyn BodyReservation>>,
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

/// The whole body. Memory is reserved before the body grows into it, and returned when the body is dropped.
pub(crate) async fn read_whole(mut body: Body, memory: &dyn BodyMemory) -> Result<Bytes, FetchError> {
    let mut whole = Vec::new();
    let mut reservations: Vec<Box<dyn BodyReservation>> = Vec::new();
    let (mut space, mut reserved) = (FREE_BYTES, 0);
    while let Some(piece) = body.next().await? {
        let length = (whole.len() + piece.len()) as u64;
        if length > space {
            space = next_size(length, space, body.announced).min(body.bytes_max);
            reservations.push(memory.reserve(space - reserved, space).await?);
            reserved = space;
            whole.reserve_exact(usize::try_from(space).unwrap_or(usize::MAX).saturating_sub(whole.len()));
        }
        whole.extend_from_slice(&piece);
    }
    let Some(last) = reservations.last_mut() else { return Ok(whole.into()) };
    whole.shrink_to_fit();
    last.shrink_by(reserved - whole.len() as u64);
    Ok(Bytes::from_owner(HeldBody { bytes: whole, _reservations: reservations }))
}

/// The size to reserve for a body that has grown to `length`: the announced one, else twice what it had.
fn next_size(length: u64, space: u64, announced: Option<u64>) -> u64 {
    announced.filter(|announced| *announced >= length).unwrap_or_else(|| length.max(space.saturating_mul(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1024 * 1024;

    #[tokio::test(start_paused = true)]
    async fn a_body_holds_its_part_until_it_is_dropped() {
        let memory = ClientMemory::new(10 * MB);
        let all = memory.pieces.available_permits();
        assert_eq!(all as u64 * PIECE_BYTES, BODIES_BYTES_MAX);
        let mut part = memory.reserve(10 * MB, 10 * MB).await.expect("there is space");
        part.shrink_by(2 * MB);
        let body = Bytes::from_owner(HeldBody { bytes: b"words".to_vec(), _reservations: vec![part] });
        let copy = body.clone();
        drop(body);
        assert_eq!(memory.pieces.available_permits(), all - 8 * 1024);
        assert_eq!(memory.reserve(BODIES_BYTES_MAX, BODIES_BYTES_MAX).await.err(), Some(FetchError::Busy));
        assert_eq!(copy, "words");
        drop(copy);
        assert_eq!(memory.pieces.available_permits(), all);
        assert!(memory.reserve(u64::MAX, u64::MAX).await.is_ok(), "no body waits for more than there is");
    }

    #[test]
    fn a_body_reserves_what_is_announced_or_twice_what_it_has() {
        for (length, space, announced, size) in
            [(70, 64, None, 128), (200, 64, None, 200), (70, 64, Some(100), 100), (200, 128, Some(100), 256)]
        {
            assert_eq!(next_size(length, space, announced), size, "{length} {space} {announced:?}");
        }
    }
}
