//! The file `serve.json` in the data folder: the process that serves HTTP on it, and its address. Commands read it to
//! find a service that was started with other settings than theirs.

use crate::process;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use url::Url;

const FILE: &str = "serve.json";

/// A process with the role `web`.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunningService {
    pub pid: u32,
    /// Start time of the process, which distinguishes it from another process with the same id.
    began: Option<u64>,
    /// Base URL on this machine.
    pub url: Url,
}

impl RunningService {
    /// This process.
    pub fn this_process(scheme: &str, address: SocketAddr) -> anyhow::Result<Self> {
        let pid = std::process::id();
        let url = Url::parse(&format!("{scheme}://{}", reachable(address)))?;
        Ok(Self { pid, began: process::started_at(pid), url })
    }

    /// Replaces the file atomically.
    pub fn write(&self, data_dir: &Path) -> anyhow::Result<()> {
        let path = data_dir.join(FILE);
        let new = path.with_extension("json.new");
        // The file of another user could not be overwritten.
        let _an_old_one = std::fs::remove_file(&new);
        std::fs::write(&new, serde_json::to_vec(self)?)
            .and_then(|()| std::fs::rename(&new, &path))
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// The service on the data folder, unless it has ended.
    pub fn find(data_dir: &Path) -> Option<Self> {
        let text = std::fs::read(data_dir.join(FILE)).ok()?;
        let service: Self = serde_json::from_slice(&text).ok()?;
        process::is_alive(service.pid, service.began).then_some(service)
    }
}

/// The loopback address in place of "all addresses".
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_is_reachable_from_this_machine() {
        for (address, expected) in [
            ("127.0.0.1:9101", "http://127.0.0.1:9101/"),
            ("0.0.0.0:9101", "http://127.0.0.1:9101/"),
            ("[::]:9101", "http://[::1]:9101/"),
            ("10.1.2.3:80", "http://10.1.2.3/"),
        ] {
            let service = RunningService::this_process("http", address.parse().unwrap()).unwrap();
            assert_eq!(service.url.as_str(), expected);
        }
    }

    #[test]
    fn only_a_running_service_is_found() {
        let folder = tempfile::tempdir().unwrap();
        assert!(RunningService::find(folder.path()).is_none());
        let mut service = RunningService::this_process("https", "127.0.0.1:1".parse().unwrap()).unwrap();
        service.write(folder.path()).unwrap();
        assert_eq!(RunningService::find(folder.path()).unwrap().url, service.url);
        service.pid = u32::MAX;
        service.write(folder.path()).unwrap();
        assert!(RunningService::find(folder.path()).is_none());
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert!(RunningService::find(folder.path()).is_none());
    }
}
