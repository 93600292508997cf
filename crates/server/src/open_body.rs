//! Limits for bodies of requests without credentials: short, and complete within seconds, so that unauthenticated
//! clients occupy little memory.

use crate::error::{ApiError, ErrorCode};
use crate::extract::content_length;
use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use http_body_util::Limited;
use hyper::body::{Frame, SizeHint};
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Sleep, sleep};

/// Largest body.
pub const BYTES_MAX: usize = 16 * 1024;
/// How long it may take to arrive, after the head.
const TIME_MAX: Duration = Duration::from_secs(10);

/// The request with a body within these limits. If it announces more, it is refused before anything is read.
pub fn bounded(request: Request) -> Result<Request, ApiError> {
    if content_length(request.headers()).is_some_and(|length| length > BYTES_MAX as u64) {
        return Err(ApiError::of(ErrorCode::TooLarge));
    }
    if request.body().is_end_stream() {
        return Ok(request);
    }
    let limited =
        |body| Body::new(Limited::new(TimedBody { body, end: Box::pin(sleep(TIME_MAX)) }, BYTES_MAX));
    Ok(request.map(limited))
}

/// A body that must end before its deadline.
struct TimedBody {
    body: Body,
    end: Pin<Box<Sleep>>,
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        ready!(self.end.as_mut().poll(context));
        Poll::Ready(Some(Err(io::Error::from(ErrorKind::TimedOut).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use axum::http::header;
    use futures_util::stream::{self, StreamExt};
    use std::convert::Infallible;
    use tokio::time::Instant;

    fn post(body: Body) -> Request {
        Request::post("/svc/login/").body(body).expect("a request")
    }

    #[tokio::test]
    async fn a_longer_body_is_refused_unread() {
        let mut announced = post(Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()));
        announced.headers_mut().insert(header::CONTENT_LENGTH, (BYTES_MAX + 1).into());
        let error = bounded(announced).expect_err("too long");
        assert_eq!(error.error_code(), ErrorCode::TooLarge);
        for (length, is_read) in [(BYTES_MAX, true), (BYTES_MAX + 1, false)] {
            let pieces = stream::iter(vec![Ok::<_, Infallible>(Bytes::from_static(b"x")); length]);
            let request = bounded(post(Body::from_stream(pieces))).expect("no length is announced");
            assert_eq!(to_bytes(request.into_body(), usize::MAX).await.is_ok(), is_read, "{length}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_times_out_as_a_whole() {
        let drops = stream::iter(0..100).then(async |_| {
            sleep(TIME_MAX / 4).await;
            Ok::<_, Infallible>(Bytes::from_static(b"x"))
        });
        let request = bounded(post(Body::from_stream(drops))).expect("short");
        let started = Instant::now();
        assert!(to_bytes(request.into_body(), usize::MAX).await.is_err());
        assert_eq!(started.elapsed().as_secs(), TIME_MAX.as_secs());
    }
}
