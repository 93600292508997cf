//! Exchanges progress events with other processes over the message bus.

use super::ProgressHub;
use super::event::SearchEvent;
use super::outbox::{Outgoing, ProgressEvent};
use domain::ids::{ProviderId, RunNumber, SearchId};
use domain::notice::{self, StoredNotices};
use domain::ports::{MessageBus, MessageBusErrorKind, chain};
use domain::result::ResultSet;
use domain::status::SearchStatus;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// Time for sending one message.
const SEND_MAX: Duration = Duration::from_secs(5);
/// Pause after receiving failed.
const RECEIVE_RETRY_AFTER: Duration = Duration::from_secs(2);

/// A progress event on the bus. Processes of two versions read each other's, so new fields must have defaults.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, while it is written or read")]
enum RelayMessage<'a> {
    #[serde(rename = "ask")]
    Follow {
        from: Cow<'a, str>,
        search: SearchId,
        run: RunNumber,
        has: Cow<'a, [ProviderId]>,
    },
    Provider {
        run: RunNumber,
        set: Cow<'a, ResultSet>,
        /// The facts of the set's notices; earlier versions send only their lines.
        #[serde(default)]
        notices: StoredNotices,
    },
    Status {
        search: SearchId,
        status: SearchStatus,
    },
}

impl ProgressHub {
    /// Sends and receives as long as it is polled. Call it once in the life of a process; a second call returns at once.
    pub async fn relay(&self, bus: &dyn MessageBus) {
        if let Some(outbox) = self.outbox.open() {
            tokio::join!(send(self, bus, outbox), receive(self, bus));
        }
    }
}

async fn send(hub: &ProgressHub, bus: &dyn MessageBus, mut outbox: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { to, event }) = outbox.recv().await {
        let Some(message) = encode(&event, bus) else {
            hub.outbox.note_drop("the message is too large");
            continue;
        };
        match timeout(SEND_MAX, bus.send(to.as_deref(), &message)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => hub.outbox.note_drop(&chain(&error)),
            Err(_) => hub.outbox.note_drop("sending timed out"),
        }
    }
}

async fn receive(hub: &ProgressHub, bus: &dyn MessageBus) {
    loop {
        match bus.recv().await {
            Ok(message) => handle(hub, &message, bus.node_id()),
            Err(error) if error.kind == MessageBusErrorKind::Unreadable => {
                tracing::debug!("a progress event cannot be read: {}", chain(&error));
            }
            Err(error) => {
                tracing::warn!("cannot receive progress events of other processes: {}", chain(&error));
                sleep(RECEIVE_RETRY_AFTER).await;
            }
        }
    }
}

fn handle(hub: &ProgressHub, message: &str, node_id: &str) {
    match serde_json::from_str(message) {
        Ok(RelayMessage::Follow { from, .. }) if from == node_id => {}
        Ok(RelayMessage::Follow { from, search, run, has }) => {
            if !hub.outbox.followers.note(search, &from) {
                return hub.outbox.note_drop("too many followers");
            }
            for (its_run, set) in hub.in_flight.result_sets(search) {
                if its_run != run || !has.contains(&set.provider) {
                    hub.outbox.post(Some(from.to_string()), ProgressEvent::Provider { run: its_run, set });
                }
            }
        }
        Ok(RelayMessage::Provider { run, set, notices }) => {
            let mut set = set.into_owned();
            set.notices = notices.restore(notice::lines(&set.notices));
            hub.publish(set.search, SearchEvent::Provider { run, set: Arc::new(set) });
        }
        Ok(RelayMessage::Status { search, status }) => hub.publish(search, SearchEvent::Status(status)),
        // The text would reveal what other people search for.
        Err(error) => tracing::debug!("a progress event cannot be parsed, at column {}", error.column()),
    }
}

/// None if it is too large. A result set that is too large is sent without its items: followers learn that the provider
/// has ended, and the final page has the items.
fn encode(event: &ProgressEvent, bus: &dyn MessageBus) -> Option<String> {
    let most = bus.message_bytes_max();
    let write =
        |message: &RelayMessage<'_>| serde_json::to_string(message).ok().filter(|text| text.len() <= most);
    match event {
        ProgressEvent::Follow { search, run, has } => {
            let from = Cow::Borrowed(bus.node_id());
            write(&RelayMessage::Follow { from, search: *search, run: *run, has: Cow::Borrowed(has) })
        }
        ProgressEvent::Status { search, status } => {
            write(&RelayMessage::Status { search: *search, status: *status })
        }
        ProgressEvent::Provider { run, set } => {
            let notices = || StoredNotices::of(set.notices.clone());
            let whole = RelayMessage::Provider { run: *run, set: Cow::Borrowed(set), notices: notices() };
            write(&whole).or_else(|| {
                let set = Cow::Owned(without_items(set));
                write(&RelayMessage::Provider { run: *run, set, notices: notices() })
            })
        }
    }
}

fn without_items(set: &ResultSet) -> ResultSet {
    let mut set = set.clone();
    set.items.clear();
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::RENEWALS_AT_ONCE_MAX;
    use crate::progress::outbox::OUTBOX_MAX;
    use crate::progress::remote_followers::RENEW_INTERVAL;
    use crate::progress::tests::search;
    use async_trait::async_trait;
    use domain::ports::MessageBusError;
    use std::sync::Mutex as SyncMutex;
    use std::sync::atomic::Ordering;
    use testkit::builders::{item, result_set};
    use tokio::sync::Mutex;
    use tokio::sync::broadcast::Receiver;
    use tokio::time::Instant;

    const MESSAGE_BYTES_MAX: usize = 2000;
    const ID: SearchId = SearchId(7);

    type Sender = mpsc::UnboundedSender<String>;

    /// Connects the nodes, and records what they send.
    #[derive(Default)]
    struct FakeBus {
        nodes: SyncMutex<Vec<(String, Sender)>>,
        sent: SyncMutex<Vec<String>>,
    }

    struct FakeNode {
        bus: Arc<FakeBus>,
        node_id: String,
        inbox: Mutex<mpsc::UnboundedReceiver<String>>,
    }

    impl FakeBus {
        fn node(self: &Arc<Self>, node_id: &str) -> FakeNode {
            let (sender, inbox) = mpsc::unbounded_channel();
            self.nodes.lock().unwrap().push((node_id.to_owned(), sender));
            FakeNode { bus: Arc::clone(self), node_id: node_id.to_owned(), inbox: Mutex::new(inbox) }
        }
    }

    #[async_trait]
    impl MessageBus for FakeNode {
        fn node_id(&self) -> &str {
            &self.node_id
        }

        fn message_bytes_max(&self) -> usize {
            MESSAGE_BYTES_MAX
        }

        async fn send(&self, to: Option<&str>, message: &str) -> Result<(), MessageBusError> {
            self.bus.sent.lock().unwrap().push(message.to_owned());
            for (name, sender) in self.bus.nodes.lock().unwrap().iter() {
                if to.is_none_or(|to| to == name) {
                    sender.send(message.to_owned()).unwrap();
                }
            }
            Ok(())
        }

        async fn recv(&self) -> Result<String, MessageBusError> {
            Ok(self.inbox.lock().await.recv().await.unwrap())
        }
    }

    fn set(provider: i64, body: &str) -> Arc<ResultSet> {
        Arc::new(result_set(provider).search(ID).item(item("").body(body)).build())
    }

    async fn provider(received: &mut Receiver<SearchEvent>) -> (i64, i64, usize) {
        match received.recv().await.unwrap() {
            SearchEvent::Provider { run, set } => (run.0, set.provider.0, set.items.len()),
            other => panic!("{other:?}"),
        }
    }

    /// Runs the test with a web process and a worker that relay progress to each other.
    async fn with_two_processes<F: Future<Output = ()>>(
        test: impl FnOnce(Arc<ProgressHub>, Arc<ProgressHub>, Arc<FakeBus>) -> F,
    ) {
        let bus = Arc::new(FakeBus::default());
        let [web, worker] = [(); 2].map(|()| Arc::new(ProgressHub::default()));
        let (web_node, worker_node) = (bus.node("web"), bus.node("worker"));
        let test = async {
            sleep(Duration::from_millis(1)).await; // the relays start first
            test(Arc::clone(&web), Arc::clone(&worker), bus).await;
        };
        tokio::select! {
            () = web.relay(&web_node) => panic!("ended"),
            () = worker.relay(&worker_node) => panic!("ended"),
            () = test => {}
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_remote_follower_receives_past_and_future_events() {
        with_two_processes(|web, worker, bus| async move {
            let guard = worker.begin(ID, RunNumber(3));
            worker.provider_ended(RunNumber(3), &set(1, "early"));
            sleep(Duration::from_millis(1)).await;
            assert_eq!(bus.sent.lock().unwrap().len(), 0, "there is no follower yet");
            let mut received = web.subscribe(ID);
            web.outbox.request_progress(ID, RunNumber(3), Vec::new());
            assert_eq!(provider(&mut received).await, (3, 1, 1));
            worker.provider_ended(RunNumber(3), &set(2, "late"));
            assert_eq!(provider(&mut received).await, (3, 2, 1));
            web.outbox.request_progress(ID, RunNumber(3), vec![ProviderId(1)]);
            assert_eq!(provider(&mut received).await, (3, 2, 1), "only what it lacks");
            web.outbox.request_progress(ID, RunNumber(2), vec![ProviderId(1), ProviderId(2)]);
            assert_eq!(provider(&mut received).await, (3, 1, 1), "it has nothing of another run");
            assert_eq!(provider(&mut received).await, (3, 2, 1));
            drop(guard);
            web.outbox.request_progress(ID, RunNumber(3), Vec::new());
            worker.status_changed(ID, SearchStatus::FullResultsReady);
            let event = received.recv().await.unwrap();
            assert!(matches!(event, SearchEvent::Status(SearchStatus::FullResultsReady)), "{event:?}");
            sleep(Duration::from_secs(60)).await;
            worker.provider_ended(RunNumber(4), &set(1, "much later"));
            sleep(Duration::from_secs(1)).await;
            assert!(received.try_recv().is_err(), "the lease has expired");
        })
        .await;
    }

    /// During an upgrade, processes of an earlier version send and read only the lines of notices.
    #[tokio::test(start_paused = true)]
    async fn notices_keep_their_facts_and_are_lines_for_earlier_versions() {
        with_two_processes(|web, worker, bus| async move {
            let _guard = worker.begin(ID, RunNumber(1));
            let sent = Arc::new(result_set(1).search(ID).notice("a remark").build());
            worker.provider_ended(RunNumber(1), &sent);
            let mut received = web.subscribe(ID);
            web.outbox.request_progress(ID, RunNumber(1), Vec::new());
            let event = received.recv().await.unwrap();
            assert!(matches!(&event, SearchEvent::Provider { set, .. } if *set == sent), "{event:?}");

            let message = bus.sent.lock().unwrap().last().cloned().unwrap();
            let mut message: serde_json::Value = serde_json::from_str(&message).unwrap();
            let lines = message["provider"]["set"]["messages"].clone();
            assert_eq!(lines, serde_json::json!(notice::lines(&sent.notices)));
            message["provider"].as_object_mut().unwrap().remove("notices");
            handle(&web, &message.to_string(), "web");
            let SearchEvent::Provider { set, .. } = received.recv().await.unwrap() else { panic!("no set") };
            assert_eq!(serde_json::json!(notice::lines(&set.notices)), lines);
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_is_requested_once_for_all_its_followers() {
        with_two_processes(|web, worker, bus| async move {
            let _guard = worker.begin(ID, RunNumber(1));
            worker.provider_ended(RunNumber(1), &set(1, "early"));
            let mut first = web.subscribe(ID);
            web.follow(&search(ID.0));
            assert_eq!(provider(&mut first).await, (1, 1, 1));
            let mut second = web.subscribe(ID);
            web.follow(&search(ID.0));
            let known: Vec<i64> = web.snapshot(ID, RunNumber(1)).iter().map(|set| set.provider.0).collect();
            assert_eq!(known, [1], "a late follower gets what others received");
            assert!(web.snapshot(ID, RunNumber(2)).is_empty());
            web.renew_subscriptions(Instant::now());
            sleep(RENEW_INTERVAL).await;
            web.renew_subscriptions(Instant::now());
            sleep(Duration::from_millis(1)).await;
            assert!(first.try_recv().is_err() && second.try_recv().is_err(), "it has received these");
            assert_eq!(bus.sent.lock().unwrap().len(), 3, "two requests and one response");
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn renewals_are_sent_in_batches() {
        with_two_processes(|web, _, bus| async move {
            let many = i64::try_from(RENEWALS_AT_ONCE_MAX + 10).unwrap();
            let _listeners: Vec<_> = (0..many).map(|id| web.subscribe(SearchId(id))).collect();
            (0..many).for_each(|id| web.follow(&search(id)));
            sleep(RENEW_INTERVAL).await;
            for more in [RENEWALS_AT_ONCE_MAX, 10, 0] {
                bus.sent.lock().unwrap().clear();
                web.renew_subscriptions(Instant::now());
                sleep(Duration::from_millis(1)).await;
                assert_eq!(bus.sent.lock().unwrap().len(), more);
            }
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_set_that_is_too_large_is_sent_without_items() {
        with_two_processes(|web, worker, bus| async move {
            let _guard = worker.begin(ID, RunNumber(1));
            let mut received = web.subscribe(ID);
            web.outbox.request_progress(ID, RunNumber(1), Vec::new());
            sleep(Duration::from_millis(1)).await;
            worker.provider_ended(RunNumber(1), &set(1, &"x".repeat(MESSAGE_BYTES_MAX)));
            assert_eq!(provider(&mut received).await, (1, 1, 0));
            let message = bus.sent.lock().unwrap().last().unwrap().len();
            let fits = MESSAGE_BYTES_MAX - message; // an item needs more than its body
            worker.provider_ended(RunNumber(1), &set(2, &"x".repeat(fits / 2)));
            assert_eq!(provider(&mut received).await, (1, 2, 1));
            let mut large = ResultSet::clone(&set(3, ""));
            large.provider_name = "x".repeat(MESSAGE_BYTES_MAX);
            worker.provider_ended(RunNumber(1), &Arc::new(large));
            worker.provider_ended(RunNumber(1), &set(4, ""));
            assert_eq!(provider(&mut received).await, (1, 4, 1), "what cannot be sent at all is dropped");
            assert_eq!(worker.outbox.dropped.load(Ordering::Relaxed), 1);
            handle(&web, "{\"unknown\": 1}", "web");
            assert!(received.try_recv().is_err());
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_outbox_drops_and_never_waits() {
        with_two_processes(|web, worker, _| async move {
            let _guard = worker.begin(ID, RunNumber(1));
            let mut received = web.subscribe(ID);
            web.outbox.request_progress(ID, RunNumber(1), Vec::new());
            sleep(Duration::from_millis(1)).await;
            let more = 10;
            for provider in 0..OUTBOX_MAX + more {
                worker.provider_ended(RunNumber(1), &set(i64::try_from(provider).unwrap(), ""));
            }
            assert_eq!(worker.outbox.dropped.load(Ordering::Relaxed), more as u64);
            assert_eq!(provider(&mut received).await, (1, 0, 1));
        })
        .await;
    }
}
