//! Readiness of a background service, reported to `tributary start` by the service manager protocol (sd_notify).

#[cfg(target_os = "linux")]
pub use socket::Readiness;
#[cfg(not(target_os = "linux"))]
pub use time::Readiness;

#[cfg(target_os = "linux")]
mod socket {
    use anyhow::Context;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    use std::process::Command;

    /// Maximum length of a message.
    const MESSAGE_BYTES_MAX: usize = 256;

    /// An abstract socket on which one child reports that it is ready.
    pub struct Readiness {
        socket: UnixDatagram,
        name: String,
    }

    impl Readiness {
        pub fn of(service: &str) -> anyhow::Result<Self> {
            let name = format!("tributary-start-{}-{service}", std::process::id());
            let bound = SocketAddr::from_abstract_name(&name).and_then(|at| UnixDatagram::bind_addr(&at));
            let socket = bound.context("cannot create the readiness socket")?;
            socket.set_nonblocking(true)?;
            Ok(Self { socket, name })
        }

        /// Makes the child report to this process instead of an outer service manager.
        pub fn attach(&self, child: &mut Command) {
            child.env("NOTIFY_SOCKET", format!("@{}", self.name));
            child.env_remove("WATCHDOG_USEC").env_remove("WATCHDOG_PID");
        }

        /// Whether the child has reported readiness since the last call.
        pub fn take_ready(&self) -> bool {
            let mut message = [0; MESSAGE_BYTES_MAX];
            let length = self.socket.recv(&mut message).unwrap_or(0);
            message[..length].split(|&byte| byte == b'\n').any(|line| line == b"READY=1")
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_service_is_ready_when_it_says_so() {
            let readiness = Readiness::of("test").unwrap();
            assert!(!readiness.take_ready());
            let at = SocketAddr::from_abstract_name(&readiness.name).unwrap();
            let child = UnixDatagram::unbound().unwrap();
            for (message, expected) in
                [("STATUS=opening the database", false), ("READY=1", true), ("STATUS=open\nREADY=1\n", true)]
            {
                child.send_to_addr(message.as_bytes(), &at).unwrap();
                assert_eq!(readiness.take_ready(), expected, "{message}");
            }
            assert!(!readiness.take_ready(), "each message is read once");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod time {
    use std::process::Command;
    use std::time::{Duration, Instant};

    /// After this time a service has opened its database and its port.
    const WATCH: Duration = Duration::from_secs(2);

    /// Without sd_notify, a process that still runs after a while counts as ready.
    pub struct Readiness(Instant);

    impl Readiness {
        pub fn of(_service: &str) -> anyhow::Result<Self> {
            Ok(Self(Instant::now()))
        }

        pub fn attach(&self, _child: &mut Command) {}

        pub fn take_ready(&self) -> bool {
            self.0.elapsed() >= WATCH
        }
    }
}
