//! Processes by their id: whether one is still the one we started, what it uses, and signals to it.

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Whether the process lives and began when ours did. A dead process that nobody has buried does not live.
pub fn is_alive(pid: u32, began: Option<u64>) -> bool {
    match (stat(pid), began) {
        (Some(stat), Some(began)) => stat.began == began && !stat.is_dead,
        (Some(stat), None) => !stat.is_dead,
        // A system without /proc can only tell whether somebody has this id.
        (None, None) => pid_of(pid).is_some_and(|pid| test_kill_process(pid).is_ok()),
        (None, Some(_)) => false,
    }
}

/// When the process began, in the system's own count.
pub fn began(pid: u32) -> Option<u64> {
    stat(pid).map(|stat| stat.began)
}

/// Memory in use, in MiB.
pub fn memory_mib(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").trim().parse().ok()?;
    Some(kib / 1024)
}

/// Asks the process to finish its work and end.
pub fn terminate(pid: u32) {
    send(pid, Signal::TERM);
}

/// Ends the process at once.
pub fn kill(pid: u32) {
    send(pid, Signal::KILL);
}

fn send(pid: u32, signal: Signal) {
    if let Some(pid) = pid_of(pid) {
        // Whoever asks looks afterwards whether it lives.
        let _gone_already = kill_process(pid, signal);
    }
}

fn pid_of(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

struct Stat {
    began: u64,
    is_dead: bool,
}

fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name in brackets may hold anything, so the fields are counted from its end: state, then the 19th is the start.
fn parse_stat(text: &str) -> Option<Stat> {
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some(Stat { began: fields.get(19)?.parse().ok()?, is_dead: matches!(*fields.first()?, "Z" | "X") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stat_line_is_read_from_its_end() {
        let line = |state: &str| {
            format!("12 (a) b ) {state} 1 12 12 0 -1 4 1 0 0 0 5 6 0 0 20 0 9 0 7654 1000 200 18")
        };
        let read = parse_stat(&line("S")).unwrap();
        assert!(read.began == 7654 && !read.is_dead);
        assert!(parse_stat(&line("Z")).unwrap().is_dead);
        assert!(parse_stat("12 (a").is_none());
    }

    #[test]
    fn nobody_has_an_impossible_id() {
        assert!(!is_alive(u32::MAX, None));
        assert!(!is_alive(u32::MAX, Some(1)));
    }
}
