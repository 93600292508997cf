//! Every nth write, sync or truncation of a file in the data folder fails. A small library, compiled here and loaded
//! with `LD_PRELOAD`, injects the faults.

use super::{PASSWORD, RESULTS, assert_all_ended, assert_intact, assert_no_internals, post, slow_source};
use crate::app_harness::{Answer, Client};
use crate::program::{Running, program};
use domain::user::CURATORS;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SHIM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/storage_faults/every_nth_write.c");
/// One in this many writes fails; with the first value every change fails, with the last most succeed.
const EVERY: [u64; 4] = [3, 7, 20, 50];
/// Rounds of requests for each value.
const ROUNDS: usize = 25;
/// How long the service may take to accept requests again when the faults have ended.
const BACK_WITHIN: Duration = Duration::from_secs(10);
/// Values of `retention`, which can be changed without running a search again: 0 to 4.
const RETENTIONS: usize = 5;
/// Numbers in the control file: every, calls, errors, short writes.
const NUMBERS: usize = 4;

/// The shim, and its control file.
struct Faults {
    folder: TempDir,
    control: File,
}

impl Faults {
    /// Skips if the shim cannot be built.
    fn prepare() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let shim = folder.path().join("shim.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&shim).args([SHIM, "-ldl"]);
        let is_built = cfg!(target_os = "linux")
            && compiler.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !is_built {
            testkit::skip("errors on every nth write", "cc does not build the library for LD_PRELOAD here");
            return None;
        }
        let control =
            File::options().read(true).write(true).create_new(true).open(folder.path().join("control"));
        let faults = Self { folder, control: control.unwrap() };
        faults.control.write_all_at(&[0; NUMBERS * 8], 0).unwrap();
        Some(faults)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// From now on one in `every` writes fails; 0 ends it.
    fn switch(&self, every: u64) {
        self.control.write_all_at(&every.to_ne_bytes(), 0).unwrap();
    }

    /// Calls while faults were on, errors, short writes.
    fn counts(&self) -> [u64; 3] {
        let mut bytes = [0; NUMBERS * 8];
        self.control.read_exact_at(&mut bytes, 0).unwrap();
        let number = |place: usize| u64::from_ne_bytes(bytes[place * 8..][..8].try_into().unwrap());
        [number(1), number(2), number(3)]
    }
}

fn serve(folder: &Path, faults: Option<&Faults>) -> Running {
    let mut command = program(folder, &["serve", "--port", "0"]);
    command.env("SVC_ADMIN_PASSWORD", PASSWORD).env("SVC_TASK_LEASE", "3").stderr(Stdio::null());
    if let Some(faults) = faults {
        command
            .env("LD_PRELOAD", faults.path("shim.so"))
            .env("FAULTS_BELOW", folder.join("data").canonicalize().unwrap())
            .env("FAULTS_CONTROL", faults.path("control"));
    }
    Running::start(command)
}

/// The acknowledged and the refused requests.
#[derive(Default)]
struct Outcomes {
    searches: Vec<i64>,
    groups: BTreeSet<String>,
    /// The last acknowledged description of the provider and retention of the first search.
    description: String,
    retention: usize,
    passed: usize,
    refused: usize,
}

impl Outcomes {
    /// True if the request succeeded. Anything but success or a storage error is wrong.
    fn note(&mut self, answer: &Answer) -> bool {
        if answer.status.is_success() {
            self.passed += 1;
            return true;
        }
        let known = [(503, "unavailable"), (507, "storage_full")];
        assert!(known.contains(&(answer.status.as_u16(), answer.code())), "{answer:?}");
        assert!(!answer.body["request_id"].as_str().unwrap().is_empty(), "{answer:?}");
        assert_no_internals(answer);
        self.refused += 1;
        false
    }

    /// Sends a search, new records, changed records, and a read.
    async fn ask(&mut self, client: &Client, [provider, first]: &[String; 2], number: usize) {
        let search = post(client, number).await;
        if self.note(&search) {
            self.searches.push(search.body["id"].as_i64().unwrap());
        }
        let group = format!("group {number}");
        if self.note(&client.post("/svc/groups/", &json!({"name": group})).await) {
            self.groups.insert(group);
        }
        let description = format!("the {number}th");
        if self.note(&client.patch(provider, &json!({"description": description})).await) {
            self.description = description;
        }
        let retention = number % RETENTIONS;
        if self.note(&client.patch(first, &json!({"retention": retention})).await) {
            self.retention = retention;
        }
        self.note(&client.get("/svc/search/").await);
    }

    /// Every acknowledged record exists, and no refused one.
    async fn assert_stored(&self, client: &Client, [provider, first]: &[String; 2]) {
        let groups = client.get("/svc/groups/").await.body;
        let names = groups.as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap().to_owned());
        let names: BTreeSet<String> = names.filter(|name| name != CURATORS).collect();
        assert_eq!(names, self.groups);
        assert_eq!(client.get(provider).await.body["description"], self.description);
        assert_eq!(client.get(first).await.body["retention"], self.retention);
        assert_all_ended(client, &self.searches).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_on_every_nth_write_refuse_and_pass() {
    let Some(faults) = Faults::prepare() else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let running = serve(folder.path(), Some(&faults));
    let client = running.client(Some(crate::demo::basic("admin", PASSWORD)));
    let _source = slow_source(&client).await;
    let providers = client.get("/svc/searchproviders/").await.body;
    let first = client.search(&json!({"query_string": "river"})).await["id"].as_i64().unwrap();
    let changed = [format!("/svc/searchproviders/{}/", providers[0]["id"]), format!("/svc/search/{first}/")];
    let mut told = Outcomes { searches: vec![first], ..Outcomes::default() };
    for (turn, every) in EVERY.into_iter().enumerate() {
        let before = (told.passed, told.refused, faults.counts());
        faults.switch(every);
        for round in 0..ROUNDS {
            told.ask(&client, &changed, turn * ROUNDS + round).await;
        }
        faults.switch(0);
        let back = until_accepted(&client, &mut told).await;
        let [calls, errors, shorts] = std::array::from_fn(|index| faults.counts()[index] - before.2[index]);
        assert!(errors > 0, "faults were injected");
        eprintln!(
            "every {every}th: {calls} writes, {errors} failed, {shorts} short; {} answers done, {} refused; \
             accepted again after {:.1} s",
            told.passed - before.0,
            told.refused - before.1,
            back.as_secs_f64()
        );
    }
    assert!(faults.counts()[2] > 0, "some writes were short");
    assert!(told.passed > 0 && told.refused > 0);
    told.assert_stored(&client, &changed).await;

    // Once more, with a power failure in the middle of it.
    faults.switch(EVERY[2]);
    for round in 0..ROUNDS {
        told.ask(&client, &changed, EVERY.len() * ROUNDS + round).await;
    }
    running.kill();
    let again = serve(folder.path(), None);
    let client = again.client(Some(crate::demo::basic("admin", PASSWORD)));
    told.assert_stored(&client, &changed).await;
    assert_eq!(again.terminate(), Some(0));
    assert_intact(folder.path(), told.searches.len()).await;
    eprintln!(
        "{} searches accepted, all ready with {RESULTS} results each, also after kill -9; the file is sound",
        told.searches.len()
    );
}

/// How long it takes until a search is accepted after the faults have ended.
async fn until_accepted(client: &Client, told: &mut Outcomes) -> Duration {
    let ended = Instant::now();
    loop {
        let answer = post(client, 0).await;
        if told.note(&answer) {
            told.searches.push(answer.body["id"].as_i64().unwrap());
            return ended.elapsed();
        }
        assert!(ended.elapsed() < BACK_WITHIN, "it does not come back: {answer:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
