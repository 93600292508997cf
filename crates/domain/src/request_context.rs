//! Id of the request that causes the current work, so that log lines of workers can be found by it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

thread_local! {
    static REQUEST: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Runs `work` for the request with this id: tasks created meanwhile carry the id. A future that is spawned meanwhile
/// does not inherit it.
pub async fn within_request<F: Future>(id: Arc<str>, work: F) -> F::Output {
    let mut work = pin!(work);
    poll_fn(|cx| step_within_request(&id, || work.as_mut().poll(cx))).await
}

/// Runs `work` for this request, if there is one; without one, as it is.
pub async fn within_request_if_any<F: Future>(id: Option<Arc<str>>, work: F) -> F::Output {
    match id {
        Some(id) => within_request(id, work).await,
        None => work.await,
    }
}

/// Runs one step of the work for a request, such as sending a part of its response.
pub fn step_within_request<T>(id: &Arc<str>, step: impl FnOnce() -> T) -> T {
    let _outer = OuterRequest(REQUEST.replace(Some(Arc::clone(id))));
    step()
}

/// The id of the current request; None outside of a request, such as in a command or a schedule.
pub fn current_request() -> Option<Arc<str>> {
    REQUEST.with_borrow(Option::clone)
}

/// The request that the thread worked for before; it is restored even after a panic.
struct OuterRequest(Option<Arc<str>>);

impl Drop for OuterRequest {
    fn drop(&mut self) {
        REQUEST.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::task::{Context, Poll, Waker};

    fn block_on<F: Future>(work: F) -> F::Output {
        let mut work = pin!(work);
        loop {
            if let Poll::Ready(output) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return output;
            }
        }
    }

    /// The ids before and after another future runs on the same thread.
    async fn ids() -> (Option<Arc<str>>, Option<Arc<str>>) {
        let before = current_request();
        let mut is_first = true;
        poll_fn(|_| if std::mem::take(&mut is_first) { Poll::Pending } else { Poll::Ready(()) }).await;
        (before, current_request())
    }

    #[test]
    fn the_id_is_known_within_its_request_only() {
        let (one, other): (Arc<str>, Arc<str>) = ("r-1".into(), "r-2".into());
        let both = join(within_request(Arc::clone(&one), ids()), within_request(Arc::clone(&other), ids()));
        let expected =
            ((Some(Arc::clone(&one)), Some(Arc::clone(&one))), (Some(Arc::clone(&other)), Some(other)));
        assert_eq!(block_on(both), expected, "two requests on one thread");
        assert_eq!(block_on(within_request_if_any(Some(Arc::clone(&one)), ids())).0, Some(one));
        assert_eq!(block_on(within_request_if_any(None, ids())), (None, None), "no request");
        assert_eq!(current_request(), None, "after the requests");
    }

    #[test]
    fn a_panic_ends_the_request() {
        let step = AssertUnwindSafe(|| step_within_request(&"r-1".into(), || panic!("a defect")));
        assert!(catch_unwind(step).is_err());
        assert_eq!(current_request(), None);
    }
}
