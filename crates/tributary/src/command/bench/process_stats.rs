//! CPU time and memory of processes, from `/proc` on Linux.

use serde::Serialize;
use std::time::Duration;

/// Unit of CPU time in `/proc`, fixed on Linux.
const TICKS_PER_SECOND: u64 = 100;

/// Memory of a process, in MB (10^6 bytes).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Memory {
    /// Peak resident memory since the process started.
    pub peak_rss: f64,
    /// Proportional set size: resident memory, with shared pages counted in part.
    pub pss: f64,
}

/// CPU time of a process so far; `None` if the system does not report it.
pub(super) fn cpu_of(pid: u32) -> Option<Duration> {
    times(pid).map(|times| times.own)
}

/// CPU time of processes and all their descendants so far.
pub(super) fn cpu_of_families(heads: &[u32]) -> Duration {
    if heads.is_empty() {
        return Duration::ZERO;
    }
    let pids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let times = times(pid)?;
        let counts = heads.contains(&pid) || heads.contains(&times.parent);
        counts.then_some(times.own + times.dead_children)
    })
    .sum()
}

/// Memory of a process; `None` if the system does not report it.
pub(super) fn memory_of(pid: u32) -> Option<Memory> {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).ok();
    Some(Memory {
        peak_rss: megabytes(&read("status")?, "VmHWM:")?,
        pss: megabytes(&read("smaps_rollup")?, "Pss:")?,
    })
}

/// Parses a line such as `VmHWM: 1234 kB`, where kB is 1,024 bytes.
fn megabytes(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: f64 = rest.split_whitespace().next()?.parse().ok()?;
    Some((kibibytes * 1024.0 / 1e5).round() / 10.0)
}

struct Times {
    parent: u32,
    own: Duration,
    dead_children: Duration,
}

fn times(pid: u32) -> Option<Times> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses `/proc/<pid>/stat`: the name in parentheses may contain anything, the other fields are separated by spaces.
fn parse_stat(stat: &str) -> Option<Times> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    let time = |field: usize| {
        Some(Duration::from_millis((ticks(field)? + ticks(field + 1)?) * 1000 / TICKS_PER_SECOND))
    };
    Some(Times { parent: fields.get(1)?.parse().ok()?, own: time(11)?, dead_children: time(13)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_whatever_the_name_is() {
        let stat = "7 (a) b (c) S 3 7 7 0 -1 4194560 1 2 3 4 150 50 20 10 20 0 1 0 99";
        let times = parse_stat(stat).unwrap();
        assert_eq!(times.parent, 3);
        assert_eq!((times.own.as_millis(), times.dead_children.as_millis()), (2000, 300));
        assert!(parse_stat("7 (a) S 3").is_none() && parse_stat("").is_none());
    }

    #[test]
    fn memory_is_in_megabytes_of_a_million_bytes() {
        let status = "VmPeak:\t  900000 kB\nVmHWM:\t  100000 kB\nVmRSS:\t   90000 kB\n";
        assert_eq!(megabytes(status, "VmHWM:"), Some(102.4));
        assert_eq!(megabytes(status, "Pss:"), None);
        assert_eq!(megabytes("Pss_Anon: 5 kB\nPss:  1000 kB\n", "Pss:"), Some(1.0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_used_time_and_memory() {
        let pid = std::process::id();
        assert!(cpu_of(pid).is_some());
        let memory = memory_of(pid).unwrap();
        assert!(memory.peak_rss > 0.0 && memory.pss > 0.0, "{memory:?}");
        assert!(memory_of(u32::MAX).is_none());
    }
}
