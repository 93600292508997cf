//! Sends signals to processes without an external program.

pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

/// Returns whether the signal was sent, that is, whether the process exists and is ours.
#[must_use]
pub fn send_signal(process: u32, signal: Signal) -> bool {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process(pid, signal).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    #[test]
    fn a_signal_reaches_the_process_and_nobody_else() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(send_signal(child.id(), Signal::TERM));
        assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
        assert!(!send_signal(child.id(), Signal::TERM), "it is gone");
        for no_process in [0, u32::MAX] {
            assert!(!send_signal(no_process, Signal::TERM), "{no_process} would be a group of processes");
        }
    }
}
