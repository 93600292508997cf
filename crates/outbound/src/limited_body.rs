//! Reads response bodies in chunks up to a maximum size, so that compressed responses cannot exhaust memory. Large
//! bodies share a memory budget.

use crate::error::from_body_error;
use async_trait::async_trait;
use bytes::Bytes;
use domain::ports::{BodyMemory, BodyReservation, FetchError};
use futures_util::stream::{self, BoxStream};
use reqwest::Response;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// Memory budget of all large bodies of callers without their own budget.
const BODIES_BYTES_MAX: u64 = 96 * 1024 * 1024;
/// Smaller bodies reserve nothing.
const FREE_BYTES: u64 = 64 * 1024;
/// Block size of the budget.
const BLOCK_BYTES: u64 = 1024;
/// How long a body waits for memory. Short, because it holds earlier reservations meanwhile.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Memory budget of callers without their own.
#[derive(Debug, Clone)]
pub(crate) struct ClientMemory {
    blocks: Arc<Semaphore>,
    blocks_max: u32,
}

impl ClientMemory {
    /// A body of maximum size always fits.
    pub(crate) fn new(body_bytes_max: u64) -> Self {
        let blocks_max = u32::try_from(body_bytes_max.max(BODIES_BYTES_MAX).div_ceil(BLOCK_BYTES));
        let blocks_max = blocks_max.unwrap_or(u32::MAX / 2);
        Self { blocks: Arc::new(Semaphore::new(blocks_max as usize)), blocks_max }
    }
}

#[async_trait]
impl BodyMemory for ClientMemory {
    async fn reserve(&self, bytes: u64, _body_bytes: u64) -> Result<Box<dyn BodyReservation>, FetchError> {
        let blocks = u32::try_from(bytes.div_ceil(BLOCK_BYTES)).unwrap_or(u32::MAX).min(self.blocks_max);
        let waiting = Arc::clone(&self.blocks).acquire_many_owned(blocks);
        match timeout(WAIT_MAX, waiting).await {
            Ok(Ok(permit)) => Ok(Box::new(ReservedBlocks(permit))),
            _ => Err(FetchError::Busy),
        }
    }
}

/// A reserved part of the budget.
struct ReservedBlocks(OwnedSemaphorePermit);

impl BodyReservation for ReservedBlocks {
    fn shrink_by(&mut self, bytes: u64) {
        let blocks = usize::try_from(bytes / BLOCK_BYTES).unwrap_or(usize::MAX);
        drop(self.0.split(blocks.min(self.0.num_permits())));
    }
}

/// A large body with its reservations.
struct HeldBody {
    bytes: Vec<u8>,
    _reservations: Vec<Box<dyn BodyReservation>>,
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A response body. Dropping it closes the connection, unless it was read to its end.
pub(crate) struct Body {
    answer: Response,
    host: String,
    bytes_max: u64,
    bytes_read: u64,
    announced: Option<u64>,
}

impl Body {
    /// Rejects a body whose declared length is too large.
    pub(crate) fn new(answer: Response, host: String, bytes_max: u64) -> Result<Self, FetchError> {
        let announced = answer.content_length();
        let body = Self { answer, host, bytes_max, bytes_read: 0, announced };
        if announced.is_some_and(|length| length > bytes_max) { Err(body.too_large()) } else { Ok(body) }
    }

    /// The chunks up to a deadline. Exceeding the deadline or the size is an error, which is the last item.
    pub(crate) fn until(self, end: Instant) -> BoxStream<'static, Result<Bytes, FetchError>> {
        Box::pin(stream::unfold(Some(self), move |body| async move {
            let mut body = body?;
            let chunk = match timeout_at(end, body.next()).await {
                Ok(chunk) => chunk.transpose()?,
                Err(_) => Err(FetchError::Timeout { host: body.host.clone() }),
            };
            let rest = chunk.is_ok().then_some(body);
            Some((chunk, rest))
        }))
    }

    async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        let read = self.answer.chunk().await.map_err(|error| from_body_error(error, &self.host))?;
        let Some(chunk) = read else { return Ok(None) };
        self.bytes_read += chunk.len() as u64;
        if self.bytes_read > self.bytes_max { Err(self.too_large()) } else { Ok(Some(chunk)) }
    }

    fn too_large(&self) -> FetchError {
        FetchError::TooLarge { host: self.host.clone(), bytes_max: self.bytes_max }
    }
}

/// Reads the whole body. Memory is reserved before the body grows, and released when the body is dropped.
pub(crate) async fn read_whole(mut body: Body, memory: &dyn BodyMemory) -> Result<Bytes, FetchError> {
    let mut whole = Vec::new();
    let mut reservations: Vec<Box<dyn BodyReservation>> = Vec::new();
    let (mut space, mut reserved) = (FREE_BYTES, 0);
    while let Some(chunk) = body.next().await? {
        let length = (whole.len() + chunk.len()) as u64;
        if length > space {
            space = next_size(length, space, body.announced).min(body.bytes_max);
            reservations.push(memory.reserve(space - reserved, space).await?);
            reserved = space;
            whole.reserve_exact(usize::try_from(space).unwrap_or(usize::MAX).saturating_sub(whole.len()));
        }
        whole.extend_from_slice(&chunk);
    }
    let Some(last) = reservations.last_mut() else { return Ok(whole.into()) };
    whole.shrink_to_fit();
    last.shrink_by(reserved - whole.len() as u64);
    Ok(Bytes::from_owner(HeldBody { bytes: whole, _reservations: reservations }))
}

/// The size to reserve for a body of at least `length`: the declared one, else twice the previous size.
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
        let all = memory.blocks.available_permits();
        assert_eq!(all as u64 * BLOCK_BYTES, BODIES_BYTES_MAX);
        let mut part = memory.reserve(10 * MB, 10 * MB).await.expect("there is space");
        part.shrink_by(2 * MB);
        let body = Bytes::from_owner(HeldBody { bytes: b"words".to_vec(), _reservations: vec![part] });
        let copy = body.clone();
        drop(body);
        assert_eq!(memory.blocks.available_permits(), all - 8 * 1024);
        assert_eq!(memory.reserve(BODIES_BYTES_MAX, BODIES_BYTES_MAX).await.err(), Some(FetchError::Busy));
        assert_eq!(copy, "words");
        drop(copy);
        assert_eq!(memory.blocks.available_permits(), all);
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
