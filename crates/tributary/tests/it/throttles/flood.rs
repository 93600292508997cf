//! What others notice of a flood of guesses: the 99th percentile of their requests, with and without, in one run.
//!
//! The service is a process of its own. The flooders share this machine with it, so they are the last in the order of
//! the system's scheduler and keep to a rate, hundreds of times the limit: what is measured is what the flood costs
//! the service, not what its sending costs the machine.

use super::line::{Line, get, post};
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
/// All kinds of flood take turns with peace, so that whatever else the machine does meets all of them.
pub(super) const ROUNDS: usize = 20;
pub(super) const REQUESTS: usize = 100;
/// What the measured client does between two requests.
const PAUSE: Duration = Duration::from_millis(1);
const FLOODERS: usize = 8;
/// Requests of one flooder in a second. An unoptimised build answers several times slower, and a service that is busy
/// for half of the time lets everybody wait twice as long, whatever it is busy with; so it gets a third of the flood.
const FLOODER_RATE: u32 = if cfg!(debug_assertions) { 17 } else { 50 };
/// The flood goes on for so long before it is measured.
const RISE: Duration = Duration::from_millis(50);
/// A thread that could run may wait for one slice of the scheduler, whoever else runs; below that, a factor of two
/// says nothing.
pub(super) const CLOCK_NOISE: Duration = Duration::from_millis(3);

struct Flood {
    name: &'static str,
    request: fn(usize) -> String,
    /// What the service may answer, and which of these must be nearly all of its answers.
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
            get("/svc/users/me/", &basic(&format!("user{number}"), "wrong"), &elsewhere(number))
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
        request: |number| get("/svc/users/me/", &format!("Token trb_{number:043}"), &elsewhere(number)),
        answers: &[401],
    },
];

/// Another address each time.
fn elsewhere(number: usize) -> String {
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
    let (mut line, request) = somebody(&web.base);
    let floods = FLOODS.map(RunningFlood::new);
    let (mut quiet, mut busy) = (Vec::new(), floods.each_ref().map(|_| Vec::new()));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for flood in &floods {
            for _ in 0..FLOODERS {
                scope.spawn(|| flood.send(&web.base, &is_over));
            }
        }
        // Each round begins with another one, so that none always follows the same.
        let kinds = floods.len() + 1;
        for turn in (0..ROUNDS).flat_map(|round| (0..kinds).map(move |turn| (round + turn) % kinds)) {
            match turn.checked_sub(1) {
                None => quiet.extend(measure(&mut line, &request)),
                Some(one) => floods[one].while_on(|| busy[one].extend(measure(&mut line, &request))),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let peace = percentile(quiet);
    let mut noticed = Vec::new();
    for (flood, times) in floods.iter().zip(busy) {
        let (war, sent) = (percentile(times), flood.sent.load(Ordering::Relaxed));
        let ratio = war.as_secs_f64() / peace.as_secs_f64();
        eprintln!(
            "p99 of {} requests: {peace:?} in peace, {war:?} with {sent} {} ({ratio:.2} times)",
            ROUNDS * REQUESTS,
            flood.flood.name
        );
        let wrong = flood.unexpected.load(Ordering::Relaxed);
        assert!(wrong <= LIMIT + FLOODERS, "{wrong} of {sent} {} were answered otherwise", flood.flood.name);
        assert!(sent > 20 * LIMIT, "{sent} {} are no flood", flood.flood.name);
        if war > 2 * peace.max(CLOCK_NOISE) {
            noticed.push(flood.flood.name);
        }
    }
    assert_eq!(noticed, Vec::<&str>::new());
}

/// A known and an unknown name take the same time, from the first guess to the last.
#[test]
fn a_wrong_password_takes_as_long_as_an_unknown_name() {
    let folder = tempfile::tempdir().unwrap();
    let web = start(folder.path());
    let mut line = Line::open(&web.base);
    let mut times = [Vec::new(), Vec::new()];
    for number in 0..60 {
        for (name, times) in ["admin", "nobody"].into_iter().zip(&mut times) {
            let guess = get("/svc/users/me/", &basic(name, "wrong"), &elsewhere(number));
            let started = Instant::now();
            assert_eq!(line.ask(&guess).0, 401);
            times.push(started.elapsed());
        }
    }
    let [known, unknown] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_secs_f64()
    });
    eprintln!("median of 60 wrong guesses: {known:.4} s for a user, {unknown:.4} s for nobody");
    // Without the same work for nobody it would be a hundred times as fast.
    assert!((0.5..2.0).contains(&(known / unknown)), "{known} {unknown}");
}

struct RunningFlood {
    flood: Flood,
    is_on: AtomicBool,
    /// Requests that are on their way.
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

    /// Floods while it does the work, and waits until the last of it has passed.
    fn while_on(&self, work: impl FnOnce()) {
        self.is_on.store(true, Ordering::SeqCst);
        std::thread::sleep(RISE);
        work();
        self.is_on.store(false, Ordering::SeqCst);
        while self.open.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(PAUSE);
        }
    }

    fn ask(&self, line: &mut Line) {
        let number = self.sent.fetch_add(1, Ordering::Relaxed);
        let (status, _) = line.ask(&(self.flood.request)(number));
        if !self.flood.answers.contains(&status) {
            self.unexpected.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// One flooder.
    fn send(&self, base: &str, is_over: &AtomicBool) {
        rustix::process::nice(19).unwrap();
        let mut line = Line::open(base);
        while !is_over.load(Ordering::Relaxed) {
            let next = Instant::now() + Duration::from_secs(1) / FLOODER_RATE;
            // Looked at twice: a flooder that is paused here while there is no flood must not be waited for.
            if self.is_on.load(Ordering::SeqCst) {
                self.open.fetch_add(1, Ordering::SeqCst);
                if self.is_on.load(Ordering::SeqCst) {
                    self.ask(&mut line);
                }
                self.open.fetch_sub(1, Ordering::SeqCst);
            }
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
    }
}

/// Somebody who has signed in and been served for a while: the connection, and what is asked on it.
pub(super) fn somebody(base: &str) -> (Line, String) {
    let mut line = Line::open(base);
    let pair = json!({"username": "admin", "password": PASSWORD}).to_string();
    let (status, body) = line.ask(&post("/svc/login/", &pair, "192.0.2.1"));
    assert_eq!(status, 200, "{body}");
    let token = serde_json::from_str::<Value>(&body).unwrap()["token"].as_str().unwrap().to_owned();
    let request = get("/svc/users/me/", &format!("Token {token}"), "192.0.2.1");
    for _ in 0..REQUESTS {
        line.ask(&request);
    }
    (line, request)
}

pub(super) fn measure(line: &mut Line, request: &str) -> Vec<Duration> {
    let one = |_| {
        std::thread::sleep(PAUSE);
        let started = Instant::now();
        assert_eq!(line.ask(request).0, 200);
        started.elapsed()
    };
    (0..REQUESTS).map(one).collect()
}

pub(super) fn percentile(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() * 99 / 100]
}
