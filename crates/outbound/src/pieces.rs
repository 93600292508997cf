//! The body of an answer, read piece by piece and cut off as soon as it grows too large, so that a small answer that
//! unpacks to a huge one takes no more memory than any other.

use crate::failure::of_reading;
use bytes::{Bytes, BytesMut};
use domain::contracts::FetchError;
use futures_util::stream::{self, BoxStream};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

/// Dropping it closes the connection, unless the body was read to its end.
pub(crate) struct Body {
    answer: Response,
    host: String,
    bytes_max: u64,
    bytes_read: u64,
}

impl Body {
    /// Refuses a body whose announced length is too large.
    pub(crate) fn new(answer: Response, host: String, bytes_max: u64) -> Result<Self, FetchError> {
        let announced = answer.content_length();
        let body = Self { answer, host, bytes_max, bytes_read: 0 };
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

pub(crate) async fn read_whole(mut body: Body) -> Result<Bytes, FetchError> {
    let mut whole = BytesMut::new();
    while let Some(piece) = body.next().await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}
