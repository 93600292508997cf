//! The service manager, such as systemd: it is told when the service is ready, that it is alive, and when it stops.

use std::ffi::OsStr;
use std::time::Duration;
use tokio::task::JoinSet;

/// What the manager is told, in the words of its protocol.
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

/// A line to the manager that started this process; without one nothing is told.
#[derive(Default)]
pub struct ServiceManager {
    line: Option<line::Line>,
    watchdog: Option<Duration>,
    alive: JoinSet<()>,
}

impl ServiceManager {
    /// As `NOTIFY_SOCKET` and `WATCHDOG_USEC` say.
    pub fn of_environment() -> Self {
        let line = std::env::var_os("NOTIFY_SOCKET").and_then(|socket| line::Line::open(&socket));
        let told = |name: &str| std::env::var_os(name)?.to_str()?.parse::<u64>().ok();
        let is_for_us = told("WATCHDOG_PID").is_none_or(|id| id == u64::from(std::process::id()));
        let watchdog = told("WATCHDOG_USEC").filter(|_| is_for_us).map(Duration::from_micros);
        Self { line, watchdog, alive: JoinSet::new() }
    }

    /// From now on the manager hears twice in its time that the runtime still takes its turns.
    pub fn ready(&mut self) {
        let Some(line) = &self.line else { return };
        line.tell(State::Ready.text());
        let (Some(watchdog), line) = (self.watchdog, line.clone()) else { return };
        self.alive.spawn(async move {
            loop {
                line.tell(State::Alive.text());
                tokio::time::sleep(watchdog / 2).await;
            }
        });
    }

    pub fn stopping(&self) {
        if let Some(line) = &self.line {
            line.tell(State::Stopping.text());
        }
    }
}

#[cfg(target_os = "linux")]
mod line {
    use super::OsStr;
    use std::io::ErrorKind;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    use std::sync::Arc;

    /// A datagram socket of the manager: a path, or a name without a file that begins with `@`.
    #[derive(Clone)]
    pub(super) struct Line(Arc<(UnixDatagram, SocketAddr)>);

    impl Line {
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
            let warn = |error: &std::io::Error| tracing::warn!("the service manager is not told: {error}");
            opened.inspect_err(warn).ok().map(|line| Self(Arc::new(line)))
        }

        pub(super) fn tell(&self, state: &str) {
            let (socket, address) = &*self.0;
            match socket.send_to_addr(state.as_bytes(), address) {
                // `tributary start` listens until the service is ready.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    tracing::debug!("nobody listens any more for {state}");
                }
                Err(error) => tracing::warn!("the service manager was not told {state}: {error}"),
                Ok(_) => {}
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod line {
    use super::OsStr;

    /// There is no such manager here.
    #[derive(Clone)]
    pub(super) enum Line {}

    impl Line {
        pub(super) fn open(_socket: &OsStr) -> Option<Self> {
            None
        }

        pub(super) fn tell(&self, _state: &str) {
            match *self {}
        }
    }
}
