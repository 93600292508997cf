//! A backup during searches gives the same results when it is restored elsewhere. A damaged byte is found before
//! anything is changed.

use crate::app_harness::{Client, items};
use crate::program::{Running, program, run, text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};
use testkit::nats::NatsServer;
use testkit::postgres::{TestDatabase, server, with_database};
use testkit::source::{Behavior, Source};
use tokio::task::JoinSet;
use tributary::backup::{Backup, BackupWriter, Manifest};

/// Upper bound for operations that might hang.
const PATIENCE: Duration = Duration::from_secs(60);
pub const PASSWORD: &str = "a password for tests";

pub type Environment<'a> = [(&'a str, &'a str)];

pub fn serve(folder: &Path, environment: &Environment<'_>) -> Running {
    let mut command = program(folder, &["serve", "--port", "0"]);
    command.env("SVC_ADMIN_PASSWORD", PASSWORD).env("SVC_TIMEOUT", "5").envs(environment.iter().copied());
    Running::start(command)
}

pub fn admin(running: &Running) -> Client {
    running.client(Some(crate::demo::basic("admin", PASSWORD)))
}

pub async fn command(folder: &Path, arguments: &[&str], environment: &Environment<'_>) -> Output {
    let mut command = program(folder, arguments);
    command.envs(environment.iter().copied());
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

pub fn key_of(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("data/secret.key")).unwrap().trim().to_owned()
}

async fn add_provider(client: &Client, source: &Source) {
    let provider = json!({
        "name": "One",
        "url": source.url(),
        "credentials": "X-Api-Key=canary",
        "response_mappings": "FOUND=total,RESULTS=items",
        "result_mappings": "title=title,body=body,url=url,date_published=date,author=author",
    });
    let answer = client.post("/svc/searchproviders/", &provider).await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

/// The results of these searches, without the address of the service and the time of the request.
pub async fn answers(running: &Running, ids: &[i64]) -> BTreeMap<i64, String> {
    let client = admin(running);
    let mut answers = BTreeMap::new();
    for &id in ids {
        let mut mixed = client.get(&format!("/svc/results/?search_id={id}")).await;
        assert_eq!(mixed.status, 200, "{mixed:?}");
        // The last message, written by the mixer, contains the time of the request.
        let messages = mixed.body["messages"].as_array_mut().unwrap();
        let mixer = messages.pop().unwrap();
        assert!(mixer.as_str().unwrap().contains("Results ordered by"), "{mixer}");
        assert!(!mixed.body["results"].as_array().unwrap().is_empty(), "{mixed:?}");
        answers.insert(id, mixed.body.to_string().replace(&running.base, ""));
    }
    answers
}

pub async fn run_searches(client: &Client, count: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    for number in 0..count {
        let search = client.search(&json!({"query_string": format!("river {number}")})).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
        ids.push(search["id"].as_i64().unwrap());
    }
    ids
}

/// Posts searches until it is stopped. Returns how many were accepted.
async fn load(client: Client, mut stopped: tokio::sync::watch::Receiver<bool>) -> usize {
    let mut accepted = 0;
    while !*stopped.borrow_and_update() {
        let created = client.post("/svc/search/", &json!({"query_string": "river"})).await;
        assert_eq!(created.status, 201, "{created:?}");
        accepted += 1;
    }
    accepted
}

/// Finishes searches, makes a backup while others run, and stops the service. Returns the ids and results of the
/// finished ones.
async fn backed_up_under_load(
    folder: &Path,
    source: &Source,
    environment: &Environment<'_>,
) -> BTreeMap<i64, String> {
    let running = serve(folder, environment);
    let client = admin(&running);
    add_provider(&client, source).await;
    let ids = run_searches(&client, 6).await;
    let before = answers(&running, &ids).await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut callers = JoinSet::new();
    for _ in 0..3 {
        callers.spawn(load(client.clone(), stopped.clone()));
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let made = command(folder, &["backup", "monday"], environment).await;
    stop.send(true).unwrap();
    let accepted: usize = callers.join_all().await.into_iter().sum();
    assert!(made.status.success(), "{made:?}");
    assert!(text(&made.stderr).contains("secret.key"), "{made:?}");
    assert!(accepted > 0, "searches came in while the backup was made");
    eprintln!("{accepted} searches were accepted around the backup");
    assert_eq!(before, answers(&running, &ids).await);
    running.kill();
    before
}

/// Every search in the backup becomes ready, the finished ones have the same results, and new ids continue the
/// sequence.
async fn check_restored(folder: &Path, before: &BTreeMap<i64, String>, environment: &Environment<'_>) {
    let running = serve(folder, environment);
    let ids: Vec<i64> = before.keys().copied().collect();
    assert_eq!(&answers(&running, &ids).await, before);
    let client = admin(&running);
    let list = client.get("/svc/search/?page_size=1000").await;
    let rows = list.body["results"].as_array().or(list.body.as_array()).unwrap_or_else(|| panic!("{list:?}"));
    let known: Vec<i64> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert!(known.len() >= before.len(), "{list:?}");
    for &id in &known {
        let search = client.ready(id).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
    }
    let next = run_searches(&client, 1).await[0];
    assert!(known.iter().all(|&id| id < next), "{next} was given already: {known:?}");
    assert_eq!(running.terminate(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_gives_the_same_answers_elsewhere() {
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 4)).delayed(Duration::from_millis(20)));
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let before = backed_up_under_load(here.path(), &source, &[]).await;
    let file = here.path().join("monday");
    let file = file.to_str().unwrap();
    assert!(!std::fs::read(file).unwrap().windows(6).any(|bytes| bytes == b"canary"));

    let refused = run(there.path(), &["restore", file]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("SVC_SECRET_KEY"), "{refused:?}");
    let key = key_of(here.path());
    let environment = [("SVC_SECRET_KEY", key.as_str())];
    let restored = command(there.path(), &["restore", file], &environment).await;
    assert!(restored.status.success(), "{restored:?}");
    check_restored(there.path(), &before, &environment).await;
    let again = command(there.path(), &["restore", file], &environment).await;
    assert!(!again.status.success() && text(&again.stderr).contains("--force"), "{again:?}");
    let forced = command(there.path(), &["restore", file, "--force"], &environment).await;
    assert!(forced.status.success(), "{forced:?}");
    check_restored(there.path(), &before, &environment).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_texts_of_the_cache_come_along() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let running = Running::start(program(here.path(), &["demo", "--port", "0"]));
    let doctor = |folder: &Path| {
        let examined = run(folder, &["--data-dir", "data/demo", "doctor", "--offline"]);
        let said = text(&examined.stdout);
        let is_of_cache = |line: &&str| line.split_whitespace().nth(1) == Some("cache");
        said.lines().find(is_of_cache).unwrap_or_default().to_owned()
    };
    // The demo answers while it is still ingesting its documents.
    let started = Instant::now();
    let whole = loop {
        let whole = doctor(here.path());
        if whole.starts_with("ok") && whole.contains("12 stored texts in 12 files") {
            break whole;
        }
        assert!(started.elapsed() < PATIENCE, "{whole}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    let made = run(here.path(), &["--data-dir", "data/demo", "backup", "monday", "--with-key"]);
    assert!(made.status.success(), "{made:?}");
    let listed = run(here.path(), &["--data-dir", "data/demo", "backup", "--verify", "monday"]);
    assert!(listed.status.success() && text(&listed.stdout).contains("texts "), "{listed:?}");
    running.kill();
    let file = here.path().join("monday");
    let restored = run(there.path(), &["--data-dir", "data/demo", "restore", file.to_str().unwrap()]);
    assert!(text(&restored.stdout).contains("Restored 12 texts of the semantic cache."), "{restored:?}");
    assert_eq!(doctor(there.path()), whole, "records, vectors and texts agree as they did");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_moves_between_the_two_databases() {
    let Some(server) = server("backups") else { return };
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    let key = "one key for all";
    with_database(&server, |url| async move {
        let (first, second, third) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let embedded = [("SVC_SECRET_KEY", key)];
        let cluster = [("SVC_SECRET_KEY", key), ("SVC_DATABASE_URL", url.as_str())];
        let before = {
            let running = serve(first.path(), &embedded);
            let client = admin(&running);
            add_provider(&client, &source).await;
            let ids = run_searches(&client, 3).await;
            let before = answers(&running, &ids).await;
            assert_eq!(running.terminate(), Some(0));
            before
        };
        let path = |folder: &tempfile::TempDir| folder.path().join("b").display().to_string();
        let made = command(first.path(), &["backup", &path(&first)], &embedded).await;
        assert!(made.status.success(), "{made:?}");
        let restored = command(second.path(), &["restore", &path(&first)], &cluster).await;
        assert!(restored.status.success(), "{restored:?}");
        check_restored(second.path(), &before, &cluster).await;
        // From PostgreSQL under load, and back into a file.
        let running = serve(second.path(), &cluster);
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let mut callers = JoinSet::new();
        callers.spawn(load(admin(&running), stopped));
        let made = command(second.path(), &["backup", &path(&second)], &cluster).await;
        stop.send(true).unwrap();
        assert!(callers.join_all().await[0] > 0);
        assert!(made.status.success(), "{made:?}");
        let in_use = command(second.path(), &["restore", &path(&second), "--force"], &cluster).await;
        assert!(!in_use.status.success() && text(&in_use.stderr).contains("stop"), "{in_use:?}");
        running.kill();
        let restored = command(third.path(), &["restore", &path(&second)], &embedded).await;
        assert!(restored.status.success(), "{restored:?}");
        check_restored(third.path(), &before, &embedded).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_that_waited_in_nats_run_after_a_restore() {
    let suite = "a restore beside an empty NATS";
    let (Some(server), Some(mut nats)) = (server(suite), NatsServer::prepare(suite)) else { return };
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    let (first, second) = (TestDatabase::create(&server).await, TestDatabase::create(&server).await);
    nats.start();
    let queue = nats.url();
    let of = |database: &str| {
        let queue = ("SVC_QUEUE_URL", queue.clone());
        [("SVC_SECRET_KEY", "one key".to_owned()), ("SVC_DATABASE_URL", database.to_owned()), queue]
    };
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = here.path().join("b").display().to_string();
    let cluster = of(&first.url);
    let cluster = cluster.each_ref().map(|(name, value)| (*name, value.as_str()));
    let (updated, waiting) = left_in_nats(here.path(), &source, &nats, &cluster).await;
    let made = command(here.path(), &["backup", &file], &cluster).await;
    assert!(made.status.success(), "{made:?}");
    let tasks = Backup::open(Path::new(&file)).unwrap().manifest.part("table tasks").unwrap().rows;
    assert_eq!(tasks as usize, waiting.len() + 1, "a task is kept here as long as NATS has it");

    nats.start_empty();
    let cluster = of(&second.url);
    let cluster = cluster.each_ref().map(|(name, value)| (*name, value.as_str()));
    let restored = command(there.path(), &["restore", &file], &cluster).await;
    assert!(restored.status.success(), "{restored:?}");
    let running = serve(there.path(), &cluster);
    let client = admin(&running);
    for id in waiting {
        assert_eq!(client.ready(id).await["status"], "FULL_RESULTS_READY");
    }
    assert_eq!(client.ready(updated).await["status"], "FULL_UPDATE_READY");
    assert_eq!(running.terminate(), Some(0));
    first.drop().await;
    second.drop().await;
}

/// Leaves one search to be updated and others to be run: no worker is running, and NATS has all the tasks.
async fn left_in_nats(
    folder: &Path,
    source: &Source,
    nats: &NatsServer,
    environment: &Environment<'_>,
) -> (i64, Vec<i64>) {
    let running = serve(folder, environment);
    let client = admin(&running);
    add_provider(&client, source).await;
    let updated = run_searches(&client, 1).await[0];
    assert_eq!(running.terminate(), Some(0));
    let mut web = program(folder, &["serve", "--port", "0", "--roles", "web"]);
    web.envs(environment.iter().copied());
    let running = Running::start(web);
    let client = admin(&running);
    let (_, held) = nats.messages("tributary");
    let mut waiting = Vec::new();
    for number in 0..4 {
        let created = client.post("/svc/search/", &json!({"query_string": format!("river {number}")})).await;
        assert_eq!(created.status, 201, "{created:?}");
        waiting.push(created.body["id"].as_i64().unwrap());
    }
    // The request waits for results that never come.
    let path = format!("/svc/search/?update={updated}");
    let _no_answer = tokio::time::timeout(Duration::from_secs(1), client.get(&path)).await;
    let started = Instant::now();
    while nats.messages("tributary").1 < held + 5 {
        assert!(started.elapsed() < Duration::from_secs(10), "tasks stay in the database");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await; // what NATS has leaves the database
    running.kill();
    (updated, waiting)
}

#[test]
fn a_flipped_byte_is_reported_and_nothing_is_changed() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(run(here.path(), &["setup"]).status.success());
    assert!(run(here.path(), &["backup", "b", "--with-key"]).status.success());
    let file = here.path().join("b");
    let verified = run(here.path(), &["backup", "--verify", "b"]);
    assert!(verified.status.success() && text(&verified.stdout).contains("table users"), "{verified:?}");
    let whole = std::fs::read(&file).unwrap();
    let manifest = Backup::open(&file).unwrap().manifest;
    assert!(manifest.parts.len() > 8, "{manifest:?}");
    let mut places: Vec<(usize, String)> = manifest
        .parts
        .iter()
        .map(|part| ((part.place + part.size / 2) as usize, format!("part '{}'", part.name)))
        .collect();
    places.extend([
        (0, "head".into()),
        (whole.len() - 100, "manifest".into()),
        (whole.len() - 1, "end".into()),
    ]);
    for (place, named) in places {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        for arguments in [["backup", "--verify"], ["restore", "--force"]] {
            let output = run(there.path(), &[arguments[0], arguments[1], file.to_str().unwrap()]);
            assert_eq!(output.status.code(), Some(1));
            let said = text(&output.stderr);
            assert!(said.contains(&named), "byte {place}: '{named}' is not in: {said}");
        }
    }
    assert_eq!(std::fs::read_dir(there.path()).unwrap().count(), 0, "nothing was made there");
}

#[cfg(unix)]
#[test]
fn what_root_restores_belongs_to_the_user_of_the_service() {
    use std::os::unix::fs::{MetadataExt, chown};
    const SERVICE: u32 = 61_234;
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(run(here.path(), &["setup", "wikipedia"]).status.success());
    std::fs::create_dir(here.path().join("data/dictionaries")).unwrap();
    std::fs::write(here.path().join("data/dictionaries/german.txt"), "fluss\n").unwrap();
    assert!(run(here.path(), &["backup", "b", "--with-key"]).status.success());
    let data = there.path().join("data");
    std::fs::create_dir(&data).unwrap();
    if chown(&data, Some(SERVICE), Some(SERVICE)).is_err() {
        testkit::skip("restoring for another user", "only root can do that");
        return;
    }
    let restored = run(there.path(), &["restore", here.path().join("b").to_str().unwrap()]);
    assert!(restored.status.success(), "{restored:?}");
    for name in ["tributary.db", "secret.key", "dictionaries", "dictionaries/german.txt"] {
        let about = data.join(name).metadata().unwrap();
        assert_eq!((about.uid(), about.gid()), (SERVICE, SERVICE), "{name}");
    }
}

#[test]
fn commands_on_existing_data_create_no_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let table: [&[&str]; 5] = [
        &["backup", "b"],
        &["user", "list"],
        &["token", "list"],
        &["audit", "verify"],
        &["--data-dir", "elsewhere", "backup", "b"],
    ];
    for arguments in table {
        let output = run(folder.path(), arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("no database in") && said.contains("SVC_DATABASE_URL"), "{said}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?} made something");
    }
}

#[test]
fn a_backup_with_its_key_needs_nothing_else() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(run(here.path(), &["setup", "wikipedia"]).status.success());
    std::fs::create_dir(here.path().join("data/dictionaries")).unwrap();
    std::fs::write(here.path().join("data/dictionaries/german.txt"), "fluss\n").unwrap();
    let made = run(here.path(), &["backup", "b", "--with-key"]);
    assert!(made.status.success() && text(&made.stderr).contains("contains the encryption key"), "{made:?}");
    assert_eq!(text(&made.stdout).lines().count(), 1, "only --verify lists the parts: {made:?}");
    let twice = run(here.path(), &["backup", "b"]);
    assert!(!twice.status.success() && text(&twice.stderr).contains("--force"), "{twice:?}");
    let file = here.path().join("b");
    let restored = run(there.path(), &["restore", file.to_str().unwrap()]);
    assert!(restored.status.success(), "{restored:?}");
    assert_eq!(key_of(here.path()), key_of(there.path()));
    let words = std::fs::read_to_string(there.path().join("data/dictionaries/german.txt")).unwrap();
    assert_eq!(words, "fluss\n");
    assert!(text(&run(there.path(), &["user", "list"]).stdout).contains("admin"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for path in [file, there.path().join("data/secret.key")] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

/// Runs a command with a passphrase on its standard input.
fn with_passphrase(folder: &Path, arguments: &[&str], passphrase: &str) -> Output {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = program(folder, arguments);
    command.arg("--passphrase-stdin").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{passphrase}").unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn an_encrypted_backup_reveals_nothing_without_its_passphrase() {
    const RIGHT: &str = "four words of a passphrase";
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert!(run(here.path(), &["setup"]).status.success());
    assert!(run(here.path(), &["user", "add", "canary-of-people"]).status.success());
    let short = with_passphrase(here.path(), &["backup", "b"], "short");
    assert!(!short.status.success() && text(&short.stderr).contains("must have at least"), "{short:?}");
    let made = with_passphrase(here.path(), &["backup", "b", "--with-key"], RIGHT);
    assert!(made.status.success(), "{made:?}");
    let file = here.path().join("b");
    let bytes = std::fs::read(&file).unwrap();
    for plain in ["argon2", "canary", "users", "TRIBUTARY BACKUP"] {
        assert!(!bytes.windows(plain.len()).any(|window| window == plain.as_bytes()), "{plain}");
    }
    let file = file.to_str().unwrap().to_owned();
    let verified = with_passphrase(here.path(), &["backup", "--verify", &file], RIGHT);
    assert!(verified.status.success() && text(&verified.stdout).contains("table users"), "{verified:?}");
    for (arguments, passphrase, said) in [
        (["backup", "--verify", &file], Some("another passphrase"), "wrong passphrase"),
        (["backup", "--verify", &file], None, "is encrypted"),
        (["restore", "--force", &file], Some("another passphrase"), "wrong passphrase"),
        (["restore", "--force", &file], None, "is encrypted"),
    ] {
        let refused = match passphrase {
            Some(passphrase) => with_passphrase(there.path(), &arguments, passphrase),
            None => run(there.path(), &arguments),
        };
        assert!(!refused.status.success() && text(&refused.stderr).contains(said), "{refused:?}");
    }
    assert_eq!(std::fs::read_dir(there.path()).unwrap().count(), 0, "nothing was made there");
    let restored = with_passphrase(there.path(), &["restore", &file], RIGHT);
    assert!(restored.status.success(), "{restored:?}");
    assert!(text(&run(there.path(), &["user", "list"]).stdout).contains("canary-of-people"));
    assert_eq!(key_of(here.path()), key_of(there.path()));
    let mut damaged = bytes;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&file, damaged).unwrap();
    let found = with_passphrase(here.path(), &["backup", "--verify", &file], RIGHT);
    assert!(!found.status.success(), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_refuses_a_running_service_and_a_newer_backup() {
    let here = tempfile::tempdir().unwrap();
    let running = serve(here.path(), &[]);
    assert!(run(here.path(), &["backup", "b"]).status.success());
    let refused = run(here.path(), &["restore", "b", "--force"]);
    assert!(
        !refused.status.success() && text(&refused.stderr).contains("stop it the way it was started"),
        "{refused:?}"
    );
    let live: Value = admin(&running).get("/svc/health/live/").await.body;
    assert_eq!(live["status"], "ok");
    running.kill();

    let writer = BackupWriter::create(&here.path().join("newer")).unwrap();
    let made = Backup::open(&here.path().join("b")).unwrap().manifest;
    writer.finish(Manifest { schema: 9999, ..made }).unwrap();
    let refused = run(here.path(), &["restore", "newer", "--force"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("newer version"), "{refused:?}");
}
