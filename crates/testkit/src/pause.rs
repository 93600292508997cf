//! Processes that stand still.

use crate::signal::{Signal, send_signal};
use std::time::{Duration, Instant};

/// A process that does not stop by then never will.
const STOPS_WITHIN: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Stops a process in the middle of whatever it does. A signal only asks: on a busy machine some of its threads would still
/// answer, so it is waited until the last one stands. Returns whether there is such a process.
pub(crate) fn pause(id: &str) -> bool {
    if !signal(id, Signal::STOP) {
        return false;
    }
    let started = Instant::now();
    while runs(id) {
        assert!(started.elapsed() < STOPS_WITHIN, "the process {id} does not stop");
        std::thread::sleep(LOOK_AGAIN);
    }
    true
}

/// Lets it go on. Returns whether there is such a process.
pub(crate) fn resume(id: &str) -> bool {
    signal(id, Signal::CONT)
}

fn signal(id: &str, signal: Signal) -> bool {
    id.parse().is_ok_and(|process| send_signal(process, signal))
}

/// Whether one of its threads is neither stopped nor gone.
fn runs(id: &str) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else { return false };
    threads.flatten().any(|thread| {
        // `12 (name) S 1 …`; a name may have spaces and brackets.
        let told = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        let state = told.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        state.is_some_and(|state| !matches!(state, 'T' | 't' | 'Z' | 'X'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_stands_at_once_and_goes_on() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let id = child.id().to_string();
        assert!(runs(&id));
        assert!(pause(&id));
        assert!(!runs(&id));
        assert!(resume(&id));
        let started = Instant::now();
        while !runs(&id) && started.elapsed() < STOPS_WITHIN {
            std::thread::sleep(LOOK_AGAIN);
        }
        assert!(runs(&id));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!pause(&id), "it is gone");
    }
}
