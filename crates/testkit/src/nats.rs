//! NATS for tests: a separate stream on the server of `SVC_TEST_NATS`, or a separate server, which may be killed,
//! started with the program of `SVC_TEST_NATS_SERVER`.

use crate::pause;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const START_MAX: Duration = Duration::from_secs(30);

/// The address of an empty queue; skips the `suite` if there is no server.
pub fn queue(suite: &str) -> Option<String> {
    let server = crate::given("SVC_TEST_NATS", &format!("{suite} on NATS"))?;
    Some(format!("{server}/test-{:016x}", rand::random::<u64>()))
}

/// A server of one test. Killed when dropped.
pub struct NatsServer {
    program: String,
    folder: TempDir,
    at: SocketAddr,
    arguments: Vec<String>,
    child: Option<Child>,
}

impl NatsServer {
    /// Prepares a server without starting it; skips the `suite` if there is no program.
    pub fn prepare(suite: &str) -> Option<Self> {
        let program = crate::given("SVC_TEST_NATS_SERVER", suite)?;
        let at = TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a free port");
        Some(Self {
            program,
            folder: tempfile::tempdir().expect("a folder"),
            at,
            arguments: Vec::new(),
            child: None,
        })
    }

    /// Adds arguments: a login, a certificate.
    pub fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|&argument| argument.to_owned()));
        self
    }

    pub fn url(&self) -> String {
        format!("nats://{}", self.at)
    }

    pub fn port(&self) -> u16 {
        self.at.port()
    }

    /// Starts it, or restarts it with its data, and waits until it listens.
    pub fn start(&mut self) {
        self.kill();
        let mut command = Command::new(&self.program);
        command.args(["-js", "-a", "127.0.0.1", "-p", &self.at.port().to_string(), "-sd"]);
        command
            .arg(self.folder.path())
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.child = Some(command.spawn().expect("the server of NATS"));
        let started = Instant::now();
        while TcpStream::connect(self.at).is_err() {
            assert!(started.elapsed() < START_MAX, "NATS did not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts it without its data.
    pub fn start_empty(&mut self) {
        self.kill();
        self.folder = tempfile::tempdir().expect("a folder");
        self.start();
    }

    /// Suspends its process: the port is open, and nothing responds.
    pub fn pause(&self) {
        assert!(pause::pause(&self.process()), "it has ended");
    }

    /// Resumes the process.
    pub fn resume(&self) {
        assert!(pause::resume(&self.process()), "it has ended");
    }

    fn process(&self) -> String {
        self.child.as_ref().expect("it was started").id().to_string()
    }

    /// How many messages a stream ever received, and how many it holds now; 0 while there is no stream.
    pub fn messages(&self, stream: &str) -> (u64, u64) {
        self.messages_as(stream, "{}")
    }

    /// Whether the stream received a message; uses a login.
    pub fn is_used(&self, stream: &str, user: &str, password: &str) -> bool {
        let login = serde_json::json!({"user": user, "pass": password}).to_string();
        self.messages_as(stream, &login).0 > 0
    }

    fn messages_as(&self, stream: &str, login: &str) -> (u64, u64) {
        let mut line = TcpStream::connect(self.at).expect("the server of NATS");
        line.set_read_timeout(Some(START_MAX)).expect("a limit");
        let ask =
            format!("CONNECT {login}\r\nSUB answer 1\r\nPUB $JS.API.STREAM.INFO.{stream} answer 0\r\n\r\n");
        line.write_all(ask.as_bytes()).expect("asked");
        let mut lines = BufReader::new(line).lines().map(|line| line.expect("an answer"));
        lines.find(|line| line.starts_with("MSG answer")).expect("an answer");
        let info: Value = serde_json::from_str(&lines.next().expect("its body")).expect("JSON");
        if info["error"]["code"] == 404 {
            return (0, 0);
        }
        let count = |field: &str| info["state"][field].as_u64().unwrap_or_else(|| panic!("{info}"));
        (count("last_seq"), count("messages"))
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _gone_already = child.kill();
            let _gone_already = child.wait();
        }
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}
