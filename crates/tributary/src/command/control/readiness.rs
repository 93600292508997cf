//! When a service in the background is ready: it says so to whoever started it, by the protocol of service managers.

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

    /// Longest message that is read.
    const MESSAGE_BYTES_MAX: usize = 256;

    /// A socket without a file, on which one child says that it is ready.
    pub struct Readiness {
        socket: UnixDatagram,
        name: String,
    }

    impl Readiness {
        pub fn of(service: &str) -> anyhow::Result<Self> {
            let name = format!("tributary-start-{}-{service}", std::process::id());
            let bound = SocketAddr::from_abstract_name(&name).and_then(|at| UnixDatagram::bind_addr(&at));
            let socket = bound.context("no socket can be had on which the service says that it is ready")?;
            socket.set_nonblocking(true)?;
            Ok(Self { socket, name })
        }

        /// The child tells this process and no service manager that may have started this one.
        pub fn told_by(&self, child: &mut Command) {
            child.env("NOTIFY_SOCKET", format!("@{}", self.name));
            child.env_remove("WATCHDOG_USEC").env_remove("WATCHDOG_PID");
        }

        /// Whether the child has said since the last call that it is ready.
        pub fn is_told(&self) -> bool {
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
            assert!(!readiness.is_told());
            let at = SocketAddr::from_abstract_name(&readiness.name).unwrap();
            let child = UnixDatagram::unbound().unwrap();
            for (message, expected) in
                [("STATUS=opening the database", false), ("READY=1", true), ("STATUS=open\nREADY=1\n", true)]
            {
                child.send_to_addr(message.as_bytes(), &at).unwrap();
                assert_eq!(readiness.is_told(), expected, "{message}");
            }
            assert!(!readiness.is_told(), "each message is read once");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod time {
    use std::process::Command;
    use std::time::{Duration, Instant};

    /// A service that has run for so long has opened its database and its port.
    const WATCH: Duration = Duration::from_secs(2);

    /// Nothing is said here; what runs after a moment counts as ready.
    pub struct Readiness(Instant);

    impl Readiness {
        pub fn of(_service: &str) -> anyhow::Result<Self> {
            Ok(Self(Instant::now()))
        }

        pub fn told_by(&self, _child: &mut Command) {}

        pub fn is_told(&self) -> bool {
            self.0.elapsed() >= WATCH
        }
    }
}
