//! Facts about the machine: system, processors, memory, disk.

use serde_json::{Value, json};
use std::path::Path;

/// Unknown values are null.
pub fn facts(data_dir: Option<&Path>) -> Value {
    let disk = data_dir.and_then(|folder| rustix::fs::statvfs(folder).ok());
    let bytes = |blocks: u64, size: u64| blocks.saturating_mul(size);
    json!({
        "system": std::env::consts::OS,
        "distribution": distribution(),
        "kernel": first_line("/proc/sys/kernel/osrelease"),
        "architecture": std::env::consts::ARCH,
        "processors": std::thread::available_parallelism().ok().map(usize::from),
        "memory_bytes": memory("MemTotal:"),
        "memory_available_bytes": memory("MemAvailable:"),
        "memory_limit": first_line("/sys/fs/cgroup/memory.max"),
        "data_disk_bytes": disk.as_ref().map(|disk| bytes(disk.f_blocks, disk.f_frsize)),
        "data_disk_free_bytes": disk.as_ref().map(|disk| bytes(disk.f_bavail, disk.f_frsize)),
    })
}

fn first_line(path: &str) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.lines().next()?.trim().to_owned())
}

fn distribution() -> Option<String> {
    let text = std::fs::read_to_string("/etc/os-release").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

fn memory(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let figure = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = figure.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024)
}
