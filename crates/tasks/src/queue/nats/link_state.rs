//! State of the link: whether a server of NATS is connected, and whether it answers.

use super::refusal::{Refusal, refusal};
use async_nats::{Event, Server};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LinkState {
    pub(super) connected: bool,
    /// It did not answer in time when it was last asked.
    silent: bool,
}

impl LinkState {
    pub(super) fn is_up(self) -> bool {
        self.connected && !self.silent
    }

    /// The server was asked; whether that changes the state.
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

/// Notes what happened to the connection.
pub(super) fn note(event: &Event, state: &watch::Sender<LinkState>) {
    match event {
        Event::Connected => {
            tracing::info!("NATS is connected");
            state.send_replace(LinkState { connected: true, silent: false });
        }
        Event::Disconnected | Event::Closed => {
            if state.send_replace(LinkState::default()).connected {
                tracing::warn!("NATS is away; tasks are claimed from the database until it comes back");
            }
        }
        other => tracing::debug!("NATS: {other}"),
    }
}

/// Notes before each try to connect what the last one ended with, and says it once.
pub(super) fn note_refusal(servers: &[Server], refuses: &watch::Sender<Option<Refusal>>) {
    let refused = servers.iter().filter_map(|server| server.last_error.as_deref()).find_map(refusal);
    refuses.send_if_modified(|known| {
        let is_new = *known != refused;
        if let Some(refusal) = refused.filter(|_| is_new) {
            tracing::warn!("{refusal}; tasks are claimed from the database");
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
        let link = watch::Sender::new(LinkState::default());
        let is_up = || link.borrow().is_up();
        assert!(!is_up(), "not connected yet");
        note(&Event::Connected, &link);
        assert!(is_up());
        assert!(link.send_if_modified(|state| state.note_answer(false)) && !is_up());
        assert!(!link.send_if_modified(|state| state.note_answer(false)), "nothing new");
        assert!(link.send_if_modified(|state| state.note_answer(true)) && is_up());
        link.send_if_modified(|state| state.note_answer(false));
        note(&Event::Disconnected, &link);
        note(&Event::Connected, &link);
        assert!(is_up(), "a new connection is an answer");
    }
}
