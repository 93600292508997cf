//! Suspends and resumes processes.

use crate::signal::{Signal, send_signal};
use std::time::{Duration, Instant};

/// How long to wait for a process to stop.
const STOPS_WITHIN: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Suspends a process. A signal only requests it: on a busy machine some threads would still respond, so this waits
/// until the last one has stopped. Returns whether the process exists.
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

/// Resumes a process. Returns whether it exists.
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
