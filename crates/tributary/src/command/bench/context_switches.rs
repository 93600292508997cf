//! Context switches of a process, from `/proc` on Linux.

use std::collections::HashMap;

/// Context switches by thread.
type Switches = HashMap<u32, u64>;

/// Counts voluntary and involuntary context switches of all threads of a process.
///
/// The system does not show other processes a total: `/proc/<pid>/status` is about the main thread, and the count of a
/// thread in `/proc/<pid>/task` disappears when the thread ends. So the threads are read now and then, and their
/// increments are added up. What a thread did between the last reading and its end is missing.
pub(super) struct ContextSwitches {
    pid: u32,
    last: Switches,
    total: u64,
}

impl ContextSwitches {
    /// Starts to count; `None` if the system does not report them.
    pub(super) fn start(pid: u32) -> Option<Self> {
        Some(Self { pid, last: read_threads(pid)?, total: 0 })
    }

    /// Adds the switches since the previous reading.
    pub(super) fn update(&mut self) {
        if let Some(now) = read_threads(self.pid) {
            self.add(now);
        }
    }

    /// Switches from the start to the last reading.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    fn add(&mut self, now: Switches) {
        for (thread, count) in &now {
            // A lower count than before is that of a new thread with the number of one that ended.
            let before = self.last.get(thread).filter(|before| *before <= count);
            self.total += count - before.unwrap_or(&0);
        }
        self.last = now;
    }
}

fn read_threads(pid: u32) -> Option<Switches> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let count = |thread: std::fs::DirEntry| {
        let number = thread.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(thread.path().join("status")).ok()?;
        Some((number, parse_status(&status)?))
    };
    Some(threads.flatten().filter_map(count).collect())
}

/// Parses the last lines of `/proc/<pid>/task/<thread>/status`.
fn parse_status(status: &str) -> Option<u64> {
    let value = |name: &str| -> Option<u64> {
        status.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
    };
    Some(value("voluntary_ctxt_switches:")? + value("nonvoluntary_ctxt_switches:")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_counted() {
        let status = "Name:\ttokio\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n";
        assert_eq!(parse_status(status), Some(157));
        assert_eq!(parse_status("Name:\ttokio\nvoluntary_ctxt_switches:\t150\n"), None);
    }

    #[test]
    fn threads_begin_and_end_meanwhile() {
        let mut switches = ContextSwitches { pid: 1, last: Switches::from([(1, 100), (2, 50)]), total: 0 };
        switches.add(Switches::from([(1, 110), (2, 55), (3, 4)]));
        assert_eq!(switches.total(), 10 + 5 + 4, "a new thread counts from its beginning");
        switches.add(Switches::from([(1, 111)]));
        assert_eq!(switches.total(), 20, "what a thread did before it ended remains");
        switches.add(Switches::from([(1, 111), (2, 60)]));
        assert_eq!(switches.total(), 80, "a thread that ended is not compared with its successor");
        switches.add(Switches::from([(1, 111), (2, 9)]));
        assert_eq!(switches.total(), 89, "nor is one that was replaced between two readings");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_waits() {
        let mut switches = ContextSwitches::start(std::process::id()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5));
        switches.update();
        assert!(switches.total() > 0);
        assert!(ContextSwitches::start(u32::MAX).is_none());
    }
}
