//! Subprocesses that read files, as seen in `/proc`: their memory, limits and environment.

use std::path::PathBuf;
use testkit::{Signal, send_signal};

/// A process, usually one that reads a file for another.
#[derive(Debug, Clone)]
pub struct ReaderProcess {
    pub pid: u32,
    folder: PathBuf,
}

impl ReaderProcess {
    pub fn of(pid: u32) -> Self {
        Self { pid, folder: format!("/proc/{pid}").into() }
    }

    /// The readers whose parent is this process.
    pub fn all_of(parent: u32) -> Vec<Self> {
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.map(Self::of).filter(|reader| reader.parent() == Some(parent) && reader.is_one()).collect()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.folder.join(name)).unwrap_or_default()).into_owned()
    }

    fn parent(&self) -> Option<u32> {
        self.status("PPid:")
    }

    fn is_one(&self) -> bool {
        self.text("cmdline").split('\0').nth(1) == Some("read-file")
    }

    fn status(&self, name: &str) -> Option<u32> {
        let status = self.text("status");
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    }

    /// The peak memory; `None` if the process has ended.
    pub fn peak_kb(&self) -> Option<u32> {
        self.status("VmHWM:")
    }

    pub fn environment(&self) -> String {
        self.text("environ")
    }

    /// The soft and the hard limit of this name.
    pub fn limit(&self, name: &str) -> Option<(String, String)> {
        let limits = self.text("limits");
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        let mut words = line.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.next()?))
    }

    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Suspends the process: it neither continues nor ends.
    pub fn stop(&self) {
        self.signal(Signal::STOP);
    }

    fn signal(&self, signal: Signal) {
        assert!(send_signal(self.pid, signal));
    }
}
