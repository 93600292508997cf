//! Request and response bodies with deadlines.

use super::deadlines::{Deadlines, RequestGuard};
use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::time::{Sleep, sleep};

/// Largest chunk given to HTTP/2. A client that takes this much within the time limit is not stalled.
const PIECE_BYTES_MAX: usize = 16 * 1024;

/// The body of a request. Its deadline starts when the service first waits for it.
pub struct RequestBody {
    body: Incoming,
    deadlines: Arc<Deadlines>,
    timeout: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub fn new(body: Incoming, deadlines: Arc<Deadlines>) -> Self {
        Self { body, deadlines, timeout: None }
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if !self.body.is_end_stream() {
            self.deadlines.body_left_unread();
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        let time_max = self.deadlines.limits().body;
        let timeout = self.timeout.get_or_insert_with(|| Box::pin(sleep(time_max)));
        ready!(timeout.as_mut().poll(context));
        Poll::Ready(Some(Err(io::Error::from(ErrorKind::TimedOut).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a response. HTTP/2 takes the next chunk only when its client has window for the previous one, so a
/// stalled client is detected here. HTTP/1 detects it on the connection.
pub struct ResponseBody {
    body: Body,
    /// The rest of a frame that is larger than a chunk.
    rest: Option<Bytes>,
    guard: RequestGuard,
}

impl ResponseBody {
    pub fn new(body: Body, guard: RequestGuard) -> Self {
        Self { body, rest: None, guard }
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.guard.chunk_taken();
        let mut data = match self.rest.take() {
            Some(rest) => rest,
            None => match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            },
        };
        if self.guard.is_http2() {
            if data.len() > PIECE_BYTES_MAX {
                self.rest = Some(data.split_off(PIECE_BYTES_MAX));
            }
            self.guard.chunk_sent();
        }
        Poll::Ready(Some(Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.body.size_hint(), self.rest.as_ref().map_or(0, |rest| rest.len() as u64));
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower().saturating_add(rest));
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}
