//! Notifications to the service manager, such as systemd: ready, alive, stopping (sd_notify).

use std::ffi::OsStr;
use std::time::Duration;
use tokio::task::JoinSet;

/// The states of the sd_notify protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    Alive,
    Stopping,
}

impl State {
    fn text(self) -> &'static str {
        match self {
            Self::Ready => "READY=1",
            Self::Alive => "WATCHDOG=1",
            Self::Stopping => "STOPPING=1",
        }
    }
}

/// The connection to the service manager; does nothing without one.
#[derive(Default)]
pub struct ServiceManager {
    socket: Option<socket::NotifySocket>,
    watchdog: Option<Duration>,
    alive: JoinSet<()>,
}

impl ServiceManager {
    /// Configured by `NOTIFY_SOCKET` and `WATCHDOG_USEC`.
    pub fn from_environment() -> Self {
        let socket = std::env::var_os("NOTIFY_SOCKET").and_then(|socket| socket::NotifySocket::open(&socket));
        let number = |name: &str| std::env::var_os(name)?.to_str()?.parse::<u64>().ok();
        let is_for_us = number("WATCHDOG_PID").is_none_or(|id| id == u64::from(std::process::id()));
        let watchdog = number("WATCHDOG_USEC").filter(|_| is_for_us).map(Duration::from_micros);
        Self { socket, watchdog, alive: JoinSet::new() }
    }

    /// Reports readiness and starts the watchdog pings, two per interval.
    pub fn ready(&mut self) {
        let Some(socket) = &self.socket else { return };
        socket.notify(State::Ready.text());
        let (Some(watchdog), socket) = (self.watchdog, socket.clone()) else { return };
        self.alive.spawn(async move {
            loop {
                socket.notify(State::Alive.text());
                tokio::time::sleep(watchdog / 2).await;
            }
        });
    }

    pub fn stopping(&self) {
        if let Some(socket) = &self.socket {
            socket.notify(State::Stopping.text());
        }
    }
}

#[cfg(target_os = "linux")]
mod socket {
    use super::OsStr;
    use std::io::ErrorKind;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    use std::sync::Arc;

    /// The datagram socket of the manager: a path, or an abstract name with the prefix `@`.
    #[derive(Clone)]
    pub(super) struct NotifySocket(Arc<(UnixDatagram, SocketAddr)>);

    impl NotifySocket {
        pub(super) fn open(socket: &OsStr) -> Option<Self> {
            let address = match socket.as_bytes().strip_prefix(b"@") {
                Some(name) => SocketAddr::from_abstract_name(name),
                None => SocketAddr::from_pathname(socket),
            };
            let opened = address.and_then(|address| {
                let socket = UnixDatagram::unbound()?;
                socket.set_nonblocking(true)?;
                Ok((socket, address))
            });
            let warn = |error: &std::io::Error| tracing::warn!("cannot notify the service manager: {error}");
            opened.inspect_err(warn).ok().map(|socket| Self(Arc::new(socket)))
        }

        pub(super) fn notify(&self, state: &str) {
            let (socket, address) = &*self.0;
            match socket.send_to_addr(state.as_bytes(), address) {
                // `tributary start` listens until the service is ready.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    tracing::debug!("no listener for {state}");
                }
                Err(error) => tracing::warn!("cannot notify the service manager of {state}: {error}"),
                Ok(_) => {}
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod socket {
    use super::OsStr;

    /// Other systems have no such manager.
    #[derive(Clone)]
    pub(super) enum NotifySocket {}

    impl NotifySocket {
        pub(super) fn open(_socket: &OsStr) -> Option<Self> {
            None
        }

        pub(super) fn notify(&self, _state: &str) {
            match *self {}
        }
    }
}
