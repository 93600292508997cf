//! The system's limit of open files, which limits connections.

/// Open files reserved for everything else: database, providers, logs.
#[cfg(unix)]
const FILES_KEPT: u64 = 512;

/// How many connections the limit of open files allows, after raising it as far as this process may.
#[cfg(unix)]
pub fn files_for_connections() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut files = getrlimit(Resource::Nofile);
    let raised = rustix::process::Rlimit { current: files.maximum, maximum: files.maximum };
    if setrlimit(Resource::Nofile, raised).is_ok() {
        files = getrlimit(Resource::Nofile);
    }
    let all = files.current.unwrap_or(u64::MAX);
    usize::try_from(all.saturating_sub(FILES_KEPT).max(all / 2)).unwrap_or(usize::MAX)
}

#[cfg(not(unix))]
pub fn files_for_connections() -> usize {
    super::limits::CONNECTIONS_MAX
}
