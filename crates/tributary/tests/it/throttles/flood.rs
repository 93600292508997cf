//! The effect of a flood of guesses on other clients: the 99th percentile of their requests, with and without the
//! flood, in one run.
//!
//! The service is a process of its own. The flooding threads share the machine with it, so they have the lowest
//! priority and a limited rate, which is hundreds of times the allowed one: the test measures what the flood costs the
//! service, and not what sending it costs the machine.

use super::connection::{RawConnection, get, post};
use crate::demo::basic;
use crate::program::{Running, program};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(super) const PASSWORD: &str = "a password for tests";
/// Failures in an hour before sign-in is refused.
const LIMIT: usize = 10;
/// All kinds of flood alternate with calm, so that other load of the machine affects all of them.
pub(super) const ROUNDS: usize = 20;
/// On a busy machine a flood needs more rounds to send enough.
const ROUNDS_MAX: usize = 5 * ROUNDS;
/// Fewer guesses than this are no flood.
const SENT_MIN: usize = 20 * LIMIT;
pub(super) const REQUESTS: usize = 100;
/// The pause of the measured client between two requests.
const PAUSE: Duration = Duration::from_millis(1);
const FLOODERS: usize = 8;
/// Requests of one flooding thread per second. A debug build is several times slower, and a service that is busy half
/// of the time doubles everybody's waiting time, whatever it is busy with; so it gets a third of the flood.
const FLOODER_RATE: u32 = if cfg!(debug_assertions) { 17 } else { 50 };
/// How long the flood runs before it is measured.
const RISE: Duration = Duration::from_millis(50);
/// A runnable thread may wait for one slice of the scheduler; below that, a factor of two is noise.
pub(super) const CLOCK_NOISE: Duration = Duration::from_millis(3);

struct Flood {
    name: &'static str,
    request: fn(usize) -> String,
    /// The expected status codes, which nearly all responses must have.
    answers: &'static [u16],
}

const FLOODS: [Flood; 4] = [
    Flood {
        name: "wrong passwords from one address",
        request: |number| get("/svc/users/me/", &basic("admin", &number.to_string()), "192.0.2.9"),
        answers: &[429],
    },
    Flood {
        name: "wrong passwords from everywhere",
        request: |number| {
            get("/svc/users/me/", &basic(&format!("user{number}"), "wrong"), &distinct_address(number))
        },
        answers: &[401, 503],
    },
    Flood {
        name: "guessed tokens from one address",
        request: |number| get("/svc/users/me/", &format!("Token trb_{number:043}"), "192.0.2.10"),
        answers: &[429],
    },
    Flood {
        name: "guessed tokens from everywhere",
        request: |number| {
            get("/svc/users/me/", &format!("Token trb_{number:043}"), &distinct_address(number))
        },
        answers: &[401],
    },
];

/// A different address each time.
fn distinct_address(number: usize) -> String {
    std::net::Ipv4Addr::from_bits(0x0a00_0000 + u32::try_from(number).unwrap()).to_string()
}

fn start(folder: &Path) -> Running {
    let mut command = program(folder, &["serve", "--port", "0", "--roles", "web"]);
    command
        .env("SVC_ADMIN_PASSWORD", PASSWORD)
        .env("SVC_TRUSTED_PROXIES", "127.0.0.0/8")
        .env("SVC_THROTTLE_LOGIN", format!("{LIMIT}/hour"))
        .stderr(Stdio::null());
    Running::start(command)
}

#[test]
fn others_wait_at_most_twice_as_long_in_a_flood_of_guesses() {
    let folder = tempfile::tempdir().unwrap();
    let web = start(folder.path());
    let (mut connection, request) = signed_in_client(&web.base);
    let floods = FLOODS.map(RunningFlood::new);
    let (mut quiet, mut busy) = (Vec::new(), floods.each_ref().map(|_| Vec::new()));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for flood in &floods {
            for _ in 0..FLOODERS {
                scope.spawn(|| flood.send(&web.base, &is_over));
            }
        }
        // Each round begins with another kind, so that none always follows the same one.
        let kinds = floods.len() + 1;
        let has_sent_enough = |flood: &RunningFlood| flood.sent.load(Ordering::Relaxed) > SENT_MIN;
        for round in 0..ROUNDS_MAX {
            if round >= ROUNDS && floods.iter().all(has_sent_enough) {
                break;
            }
            for turn in (0..kinds).map(|turn| (round + turn) % kinds) {
                match turn.checked_sub(1) {
                    None => quiet.extend(measure(&mut connection, &request)),
                    Some(one) => {
                        floods[one].while_on(|| busy[one].extend(measure(&mut connection, &request)));
                    }
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let peace = percentile(quiet);
    let mut noticed = Vec::new();
    for (flood, times) in floods.iter().zip(busy) {
        let times_count = times.len();
        let (war, sent) = (percentile(times), flood.sent.load(Ordering::Relaxed));
        let ratio = war.as_secs_f64() / peace.as_secs_f64();
        eprintln!(
            "p99 of {times_count} requests: {peace:?} in peace, {war:?} with {sent} {} ({ratio:.2} times)",
            flood.flood.name
        );
        let wrong = flood.unexpected.load(Ordering::Relaxed);
        assert!(wrong <= LIMIT + FLOODERS, "{wrong} of {sent} {} were answered otherwise", flood.flood.name);
        assert!(sent > SENT_MIN, "{sent} {} are no flood", flood.flood.name);
        if war > 2 * peace.max(CLOCK_NOISE) {
            noticed.push(flood.flood.name);
        }
    }
    assert_eq!(noticed, Vec::<&str>::new());
}

/// A known and an unknown user name take the same time, from the first guess to the last.
#[test]
fn a_wrong_password_takes_as_long_as_an_unknown_name() {
    let folder = tempfile::tempdir().unwrap();
    let web = start(folder.path());
    let mut connection = RawConnection::open(&web.base);
    let mut times = [Vec::new(), Vec::new()];
    for number in 0..60 {
        for (name, times) in ["admin", "nobody"].into_iter().zip(&mut times) {
            let guess = get("/svc/users/me/", &basic(name, "wrong"), &distinct_address(number));
            let started = Instant::now();
            assert_eq!(connection.ask(&guess).0, 401);
            times.push(started.elapsed());
        }
    }
    let [known, unknown] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_secs_f64()
    });
    eprintln!("median of 60 wrong guesses: {known:.4} s for a user, {unknown:.4} s for nobody");
    // Without a dummy hash, unknown names would be a hundred times as fast.
    assert!((0.5..2.0).contains(&(known / unknown)), "{known} {unknown}");
}

struct RunningFlood {
    flood: Flood,
    is_on: AtomicBool,
    /// Requests in flight.
    open: AtomicUsize,
    sent: AtomicUsize,
    unexpected: AtomicUsize,
}

impl RunningFlood {
    fn new(flood: Flood) -> Self {
        Self {
            flood,
            is_on: AtomicBool::default(),
            open: AtomicUsize::default(),
            sent: AtomicUsize::default(),
            unexpected: AtomicUsize::default(),
        }
    }

    /// Floods during the work, and waits until the last request has ended.
    fn while_on(&self, work: impl FnOnce()) {
        self.is_on.store(true, Ordering::SeqCst);
        std::thread::sleep(RISE);
        work();
        self.is_on.store(false, Ordering::SeqCst);
        while self.open.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(PAUSE);
        }
    }

    fn ask(&self, connection: &mut RawConnection) {
        let number = self.sent.fetch_add(1, Ordering::Relaxed);
        let (status, _) = connection.ask(&(self.flood.request)(number));
        if !self.flood.answers.contains(&status) {
            self.unexpected.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Runs one flooding thread.
    fn send(&self, base: &str, is_over: &AtomicBool) {
        rustix::process::nice(19).unwrap();
        let mut connection = RawConnection::open(base);
        while !is_over.load(Ordering::Relaxed) {
            let next = Instant::now() + Duration::from_secs(1) / FLOODER_RATE;
            // Checked again: a thread that is paused here while there is no flood must not be waited for.
            if self.is_on.load(Ordering::SeqCst) {
                self.open.fetch_add(1, Ordering::SeqCst);
                if self.is_on.load(Ordering::SeqCst) {
                    self.ask(&mut connection);
                }
                self.open.fetch_sub(1, Ordering::SeqCst);
            }
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
    }
}

/// A signed-in client that has been served for a while: its connection and its request.
pub(super) fn signed_in_client(base: &str) -> (RawConnection, String) {
    let mut connection = RawConnection::open(base);
    let pair = json!({"username": "admin", "password": PASSWORD}).to_string();
    let (status, body) = connection.ask(&post("/svc/login/", &pair, "192.0.2.1"));
    assert_eq!(status, 200, "{body}");
    let token = serde_json::from_str::<Value>(&body).unwrap()["token"].as_str().unwrap().to_owned();
    let request = get("/svc/users/me/", &format!("Token {token}"), "192.0.2.1");
    for _ in 0..REQUESTS {
        connection.ask(&request);
    }
    (connection, request)
}

pub(super) fn measure(connection: &mut RawConnection, request: &str) -> Vec<Duration> {
    let one = |_| {
        std::thread::sleep(PAUSE);
        let started = Instant::now();
        assert_eq!(connection.ask(request).0, 200);
        started.elapsed()
    };
    (0..REQUESTS).map(one).collect()
}

pub(super) fn percentile(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() * 99 / 100]
}
