//! Connection state: whether a NATS server is connected and responds.

use super::connect_error::{ConnectError, connect_error};
use async_nats::{Event, Server};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ConnectionState {
    pub(super) connected: bool,
    /// The last probe timed out.
    silent: bool,
}

impl ConnectionState {
    pub(super) fn is_up(self) -> bool {
        self.connected && !self.silent
    }

    /// Records the result of a probe; returns whether the state changed.
    pub(super) fn note_answer(&mut self, answers: bool) -> bool {
        let changes = self.silent == answers;
        if changes && answers {
            tracing::info!("NATS answers again");
        } else if changes {
            tracing::warn!("NATS is connected and does not answer; tasks are claimed from the database");
        }
        self.silent = !answers;
        changes
    }
}

/// Records an event of the connection.
pub(super) fn note_event(event: &Event, state: &watch::Sender<ConnectionState>) {
    match event {
        Event::Connected => {
            tracing::info!("NATS is connected");
            state.send_replace(ConnectionState { connected: true, silent: false });
        }
        Event::Disconnected | Event::Closed => {
            if state.send_replace(ConnectionState::default()).connected {
                tracing::warn!("NATS is away; tasks are claimed from the database until it comes back");
            }
        }
        other => tracing::debug!("NATS: {other}"),
    }
}

/// Records the error of the last attempt before each reconnect, and logs it once.
pub(super) fn note_connect_error(servers: &[Server], refuses: &watch::Sender<Option<ConnectError>>) {
    let refused = servers.iter().filter_map(|server| server.last_error.as_deref()).find_map(connect_error);
    refuses.send_if_modified(|known| {
        let is_new = *known != refused;
        if let Some(connect_error) = refused.filter(|_| is_new) {
            tracing::warn!("{connect_error}; tasks are claimed from the database");
        }
        *known = refused;
        is_new
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_does_not_answer_counts_as_down() {
        let connection = watch::Sender::new(ConnectionState::default());
        let is_up = || connection.borrow().is_up();
        assert!(!is_up(), "not connected yet");
        note_event(&Event::Connected, &connection);
        assert!(is_up());
        assert!(connection.send_if_modified(|state| state.note_answer(false)) && !is_up());
        assert!(!connection.send_if_modified(|state| state.note_answer(false)), "nothing new");
        assert!(connection.send_if_modified(|state| state.note_answer(true)) && is_up());
        connection.send_if_modified(|state| state.note_answer(false));
        note_event(&Event::Disconnected, &connection);
        note_event(&Event::Connected, &connection);
        assert!(is_up(), "a new connection is an answer");
    }
}
