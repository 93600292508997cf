//! Processes by id: identity, memory use and signals.

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Whether the process runs and has the recorded start time. A zombie does not count.
pub fn is_alive(pid: u32, started_at: Option<u64>) -> bool {
    match (stat(pid), started_at) {
        (Some(stat), Some(started_at)) => stat.started_at == started_at && !stat.is_dead,
        (Some(stat), None) => !stat.is_dead,
        // Without /proc, only the id can be checked.
        (None, None) => pid_of(pid).is_some_and(|pid| test_kill_process(pid).is_ok()),
        (None, Some(_)) => false,
    }
}

/// The start time of the process, in clock ticks since boot.
pub fn started_at(pid: u32) -> Option<u64> {
    stat(pid).map(|stat| stat.started_at)
}

/// Memory in use, in MiB.
pub fn memory_mib(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").trim().parse().ok()?;
    Some(kib / 1024)
}

/// Sends SIGTERM.
pub fn terminate(pid: u32) {
    send(pid, Signal::TERM);
}

/// Sends SIGKILL.
pub fn kill(pid: u32) {
    send(pid, Signal::KILL);
}

fn send(pid: u32, signal: Signal) {
    if let Some(pid) = pid_of(pid) {
        // The caller checks afterwards whether the process is alive.
        let _gone_already = kill_process(pid, signal);
    }
}

fn pid_of(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

struct Stat {
    started_at: u64,
    is_dead: bool,
}

fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name in parentheses may contain anything, so fields are counted after it: state first, start time 19 fields
/// later.
fn parse_stat(text: &str) -> Option<Stat> {
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some(Stat { started_at: fields.get(19)?.parse().ok()?, is_dead: matches!(*fields.first()?, "Z" | "X") })
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
        assert!(read.started_at == 7654 && !read.is_dead);
        assert!(parse_stat(&line("Z")).unwrap().is_dead);
        assert!(parse_stat("12 (a").is_none());
    }

    #[test]
    fn an_impossible_id_is_not_alive() {
        assert!(!is_alive(u32::MAX, None));
        assert!(!is_alive(u32::MAX, Some(1)));
    }
}
