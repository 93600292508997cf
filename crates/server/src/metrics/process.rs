//! Memory, CPU time, open files and age of this process, read at each scrape. Linux reports all of them, other systems
//! fewer.

use domain::instant::Instant;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;
use std::fmt;

/// The kernel reports CPU time in hundredths of a second on every supported platform.
const TICKS_PER_SECOND: f64 = 100.0;
/// Fields of user and system time in `/proc/self/stat`, counted after the name of the program.
const USER_TICKS: usize = 11;
const SYSTEM_TICKS: usize = 12;

#[derive(Debug)]
pub struct Process {
    started_s: f64,
}

impl Process {
    pub fn started(now: Instant) -> Self {
        Self { started_s: now.timestamp_millis() as f64 / 1000.0 }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let started = ConstGauge::new(self.started_s);
        record(
            &mut encoder,
            "process_start_time",
            "Start time of the process since the Unix epoch.",
            Some(Unit::Seconds),
            &started,
        )?;
        if let Some(bytes) = resident_bytes() {
            let memory = ConstGauge::new(bytes);
            record(
                &mut encoder,
                "process_resident_memory",
                "Resident memory size.",
                Some(Unit::Bytes),
                &memory,
            )?;
        }
        if let Some(seconds) = cpu_seconds() {
            let cpu = ConstCounter::new(seconds);
            let help = "User and system CPU time.";
            record(&mut encoder, "process_cpu", help, Some(Unit::Seconds), &cpu)?;
        }
        if let Some(open) = open_files() {
            record(
                &mut encoder,
                "process_open_fds",
                "Open files and connections.",
                None,
                &ConstGauge::new(open),
            )?;
        }
        if let Some(max) = files_max() {
            let help = "Maximum number of open files and connections.";
            record(&mut encoder, "process_max_fds", help, None, &ConstGauge::new(max))?;
        }
        Ok(())
    }
}

/// The unit becomes the suffix of the name.
fn record(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    unit: Option<Unit>,
    metric: &dyn EncodeMetric,
) -> Result<(), fmt::Error> {
    metric.encode(encoder.encode_descriptor(name, help, unit.as_ref(), metric.metric_type())?)
}

fn resident_bytes() -> Option<i64> {
    resident_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn cpu_seconds() -> Option<f64> {
    cpu_in(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

fn open_files() -> Option<i64> {
    i64::try_from(std::fs::read_dir("/proc/self/fd").ok()?.count()).ok()
}

fn files_max() -> Option<i64> {
    files_max_in(&std::fs::read_to_string("/proc/self/limits").ok()?)
}

/// The line reads `Max open files            1024                 524288               files`; none when unlimited.
fn files_max_in(limits: &str) -> Option<i64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The line reads `VmRSS:     5120 kB`.
fn resident_in(status: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The name of the program is in brackets and may contain anything, so fields are counted after the last bracket.
fn cpu_in(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |place: usize| fields.get(place)?.parse::<f64>().ok();
    Some((ticks(USER_TICKS)? + ticks(SYSTEM_TICKS)?) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_files_are_parsed() {
        let status = "Name:\ttributary\nVmPeak:\t  9000 kB\nVmRSS:\t    5120 kB\nThreads:\t4\n";
        assert_eq!(resident_in(status), Some(5120 * 1024));
        let stat = "7 (a) odd (name) S 1 7 7 0 -1 4194560 100 0 0 0 250 150 0 0 20 0 4 0 12345 1000 200";
        assert_eq!(cpu_in(stat), Some(4.0));
        for broken in ["", "VmRSS:", "VmRSS: many kB", "7 (a) S 1"] {
            assert_eq!((resident_in(broken), cpu_in(broken)), (None, None), "{broken}");
        }
        let limits = "Limit   Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n";
        assert_eq!(files_max_in(limits), Some(1024));
        assert_eq!(files_max_in("Max open files  unlimited  unlimited  files"), None);
        assert!(open_files() > Some(2), "at least the three standard ones");
    }
}
