//! Bodies under watch: one that arrives must arrive in time, one that leaves must be taken.

use super::watch::{Exchange, Watch};
use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::time::{Sleep, sleep};

/// Most bytes that are handed to HTTP/2 at once. Who takes this much within the time limit is no staller.
const PIECE_BYTES_MAX: usize = 16 * 1024;

/// The body of a request. The time runs from when the service first waits for it.
pub struct ArrivingBody {
    body: Incoming,
    watch: Arc<Watch>,
    patience: Option<Pin<Box<Sleep>>>,
}

impl ArrivingBody {
    pub fn new(body: Incoming, watch: Arc<Watch>) -> Self {
        Self { body, watch, patience: None }
    }
}

impl Drop for ArrivingBody {
    fn drop(&mut self) {
        if !self.body.is_end_stream() {
            self.watch.body_left_unread();
        }
    }
}

impl HttpBody for ArrivingBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        let time_max = self.watch.limits().body;
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(time_max)));
        ready!(patience.as_mut().poll(context));
        Poll::Ready(Some(Err(io::Error::from(ErrorKind::TimedOut).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer. HTTP/2 takes the next piece only when its client has space for the one before, so a client
/// that makes no space is seen here. HTTP/1 has the connection itself for that.
pub struct LeavingBody {
    body: Body,
    /// What is left of a frame that is larger than a piece.
    rest: Option<Bytes>,
    exchange: Exchange,
}

impl LeavingBody {
    pub fn new(body: Body, exchange: Exchange) -> Self {
        Self { body, rest: None, exchange }
    }
}

impl HttpBody for LeavingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.exchange.asked_for_more();
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
        if self.exchange.is_http2() {
            if data.len() > PIECE_BYTES_MAX {
                self.rest = Some(data.split_off(PIECE_BYTES_MAX));
            }
            self.exchange.gave();
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
