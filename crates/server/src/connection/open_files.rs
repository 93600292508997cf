//! The system's limit of open files, which limits connections.

/// Open files that are kept for everything else: database, sources, logs.
#[cfg(unix)]
const FILES_KEPT: u64 = 512;

/// How many connections the system's limit of open files allows, once it is as high as this process may set it.
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
    super::CONNECTIONS_MAX
}
