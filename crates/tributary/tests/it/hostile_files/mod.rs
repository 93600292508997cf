//! Malicious files, read by the program in subprocesses: they are refused within the limits, nobody else waits for
//! them, and ordinary files are read as usual.

mod pdf;
mod reader_process;

use crate::program::{Running, program, run, text};
use domain::ports::{ExtractError, ExtractText, FileToRead};
use extraction::{Extraction, Limits, SUBPROCESS_MEMORY_BYTES_MAX};
use pdf::Way;
use reader_process::ReaderProcess;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Tests that inspect the subprocesses of this process run one at a time.
static TURN: Mutex<()> = Mutex::const_new(());

/// The time limit of a file, plus the time to start and stop its process on a busy machine.
const TIME_MAX: Duration = Duration::from_secs(25);
/// Unpacked, the file would take hundreds of gigabytes.
const OBJECTS: usize = 20_000;
const THINGS: usize = 500_000;
/// A process starts in some milliseconds; a busy machine takes longer.
const SMALL_FILES: u32 = 20;
const SMALL_FILE_TIME_MAX: Duration = Duration::from_millis(500);
/// More than the service uses here, less than one bomb.
const SERVICE_KB_MAX: u32 = 400_000;

fn extraction(limits: Limits) -> Arc<Extraction> {
    let extraction = Extraction::start(limits).unwrap();
    Arc::new(extraction.with_subprocess(env!("CARGO_BIN_EXE_tributary").into()))
}

fn file(name: &str, bytes: impl Into<bytes::Bytes>) -> FileToRead {
    FileToRead { media_type: None, name: name.to_owned(), bytes: bytes.into() }
}

/// Waits for a subprocess that reads a file.
async fn reader() -> ReaderProcess {
    let started = Instant::now();
    loop {
        if let Some(reader) = ReaderProcess::all_of(std::process::id()).pop() {
            return reader;
        }
        assert!(started.elapsed() < TIME_MAX, "no process reads");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn assert_no_reader(parent: u32) {
    let started = Instant::now();
    while !ReaderProcess::all_of(parent).is_empty() {
        assert!(started.elapsed() < Duration::from_secs(30), "a process reads on");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The peak memory of any subprocess that reads a file, until `done` completes.
async fn peak_kb_during<T>(done: impl Future<Output = T>) -> (T, u32) {
    let peak_kb = AtomicU32::new(0);
    let watch = async {
        loop {
            for reader in ReaderProcess::all_of(std::process::id()) {
                peak_kb.fetch_max(reader.peak_kb().unwrap_or(0), Ordering::Relaxed);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let done = tokio::select! {
        done = done => done,
        () = watch => unreachable!("it watches on"),
    };
    (done, peak_kb.into_inner())
}

#[tokio::test(flavor = "multi_thread")]
async fn bombs_are_refused_at_the_limit_of_memory() {
    let _turn = TURN.lock().await;
    // A debug build is slow: here the memory limit must be reached before the time limit.
    let patient =
        Limits { time: Duration::from_secs(120), wait: Duration::from_secs(200), ..Limits::default() };
    let extraction = extraction(patient);
    let bombs = [Way::Encrypted, Way::Length].map(|way| pdf::bomb(way, OBJECTS, THINGS));
    assert!(bombs.iter().all(|bomb| bomb.len() < 256 * 1024));
    let [sealed, length] = bombs.map(|bomb| extraction.extract(file("bomb.pdf", bomb)));
    let (read, peak_kb) = peak_kb_during(async { tokio::join!(sealed, length) }).await;
    let refused = ExtractError::Damaged("reading it takes more memory than the limits allow".to_owned());
    assert_eq!(read, (Err(refused.clone()), Err(refused)));
    // The memory did grow, up to the limit.
    let may_kb = u32::try_from(SUBPROCESS_MEMORY_BYTES_MAX / 1024).unwrap();
    assert!((may_kb / 4..may_kb).contains(&peak_kb), "{peak_kb} kB");
    assert_no_reader(std::process::id()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bombs_are_refused_at_the_limit_of_time() {
    let _turn = TURN.lock().await;
    let extraction = extraction(Limits { time: Duration::from_secs(1), ..Limits::default() });
    for way in [Way::Encrypted, Way::Length] {
        let bomb = extraction.extract(file("bomb.pdf", pdf::bomb(way, OBJECTS, THINGS)));
        // A fast machine would reach the memory limit first.
        let (read, ()) = tokio::join!(bomb, async { reader().await.stop() });
        assert_eq!(read, Err(ExtractError::Timeout), "{way:?}");
    }
    assert_no_reader(std::process::id()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_files_are_read_meanwhile() {
    let _turn = TURN.lock().await;
    let extraction = extraction(Limits::default());
    let slow = Arc::clone(&extraction);
    let mut bombs = tokio::task::JoinSet::new();
    bombs.spawn(
        async move { slow.extract(file("bomb.pdf", pdf::bomb(Way::Encrypted, OBJECTS, THINGS))).await },
    );
    reader().await.stop();
    let read = extraction.extract(file("a.txt", "Rivers rose")).await.unwrap();
    assert_eq!(read.text, "Rivers rose");
    let read = extraction.extract(file("sealed.pdf", pdf::ordinary())).await.unwrap();
    assert_eq!((read.text.as_str(), read.is_cut), ("Rivers rose", false));
    let mail = "From: a@example.net\r\nSubject: Levels\r\n\r\nStill rising.\r\n";
    let read = extraction.extract(file("a.eml", mail)).await.unwrap();
    assert!(read.text.contains("Still rising.") && read.title == "Levels", "{read:?}");
    let refused = extraction.extract(file("broken.pdf", "%PDF-1.7 the river")).await;
    assert!(matches!(refused, Err(ExtractError::Damaged(_))), "{refused:?}");
    assert_eq!(ReaderProcess::all_of(std::process::id()).len(), 1, "the bomb is still being read");
    // Dropping a request ends its subprocess.
    bombs.shutdown().await;
    assert_no_reader(std::process::id()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_reader_is_reported_and_nothing_is_lost() {
    let _turn = TURN.lock().await;
    let extraction = extraction(Limits::default());
    let bomb = || file("bomb.pdf", pdf::bomb(Way::Encrypted, OBJECTS, THINGS));
    let killing = async { reader().await.kill() };
    let (read, ()) = tokio::join!(extraction.extract(bomb()), killing);
    let error = read.unwrap_err();
    assert!(matches!(error, ExtractError::Service(_)) && error.to_string().contains("SIGKILL"), "{error}");
    let read = extraction.extract(file("sealed.pdf", pdf::ordinary())).await.unwrap();
    assert_eq!(read.text, "Rivers rose");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_has_its_limits_and_no_environment() {
    let _turn = TURN.lock().await;
    let extraction = extraction(Limits::default());
    let looking = async {
        let reader = reader().await;
        let started = Instant::now();
        // The time limit is the last one to be set.
        while reader.limit("Max cpu time").is_none_or(|(soft, _)| soft == "unlimited") {
            assert!(started.elapsed() < TIME_MAX);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let memory = SUBPROCESS_MEMORY_BYTES_MAX.to_string();
        for (name, soft, hard) in [
            ("Max address space", memory.as_str(), memory.as_str()),
            ("Max core file size", "0", "0"),
            ("Max file size", "0", "0"),
            ("Max open files", "3", "3"),
            ("Max cpu time", "16", "17"),
        ] {
            assert_eq!(reader.limit(name), Some((soft.to_owned(), hard.to_owned())), "{name}");
        }
        assert_eq!(reader.environment(), "MIMALLOC_ARENA_RESERVE=0\0");
    };
    tokio::select! {
        read = extraction.extract(file("bomb.pdf", pdf::bomb(Way::Encrypted, OBJECTS, THINGS))) => {
            panic!("{read:?} before it was looked at")
        }
        () = looking => {}
    }
    assert_no_reader(std::process::id()).await;
}

/// The cost of a subprocess compared with a thread.
#[tokio::test(flavor = "multi_thread")]
async fn a_small_file_costs_little() {
    let _turn = TURN.lock().await;
    let in_threads = Arc::new(Extraction::start(Limits::default()).unwrap());
    for (name, extraction) in [("threads", in_threads), ("processes", extraction(Limits::default()))] {
        let started = Instant::now();
        for _ in 0..SMALL_FILES {
            let read = extraction.extract(file("sealed.pdf", pdf::ordinary())).await.unwrap();
            assert_eq!(read.text, "Rivers rose");
        }
        let each = started.elapsed() / SMALL_FILES;
        eprintln!("{name}: {each:?} for a file");
        assert!(each < SMALL_FILE_TIME_MAX, "{name}: {each:?}");
    }
}

#[test]
fn the_read_file_command_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["--help"][..], &["help"], &["-h"]] {
        let said = text(&run(folder.path(), arguments).stdout);
        assert!(said.contains("serve") && !said.contains("read-file"), "{said}");
    }
    let done = run(folder.path(), &["read-file"]);
    assert_eq!(
        (done.status.code(), text(&done.stdout), text(&done.stderr)),
        (Some(1), String::new(), String::new())
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it leaves nothing behind");
}

/// The running service reads files in subprocesses of its own program and stays available.
#[tokio::test(flavor = "multi_thread")]
async fn the_service_searches_a_folder_with_bombs() {
    let (folder, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let write = |name: &str, bytes: &[u8]| std::fs::write(files.path().join(name), bytes).unwrap();
    let mut command = program(folder.path(), &["serve", "--port", "0"]);
    command.env("SVC_FILESYSTEM_ALLOW", files.path());
    let running = Running::start(command);
    let said = running.said.join("\n");
    let password = said.split("Password: ").nth(1).unwrap().lines().next().unwrap();
    let client = running.client(Some(crate::demo::basic("admin", password)));
    write("sealed.pdf", &pdf::ordinary());
    write("notes.txt", b"The rivers fell.");
    let spec = json!({
        "name": "Files", "connector": "FileSystem", "url": files.path().display().to_string(),
        "result_mappings": "FILE_SYSTEM",
    });
    assert_eq!(client.post("/svc/searchproviders/", &spec).await.status, 201);
    let found = client.get("/svc/search/?qs=rivers").await.body;
    assert_eq!(found["results"].as_array().unwrap().len(), 2, "{found}");

    write("bomb.pdf", &pdf::bomb(Way::Encrypted, OBJECTS, THINGS));
    write("length.pdf", &pdf::bomb(Way::Length, OBJECTS, THINGS));
    let pid = running.pid();
    let (found, seen) = tokio::join!(client.get("/svc/search/?qs=rivers"), async {
        let started = Instant::now();
        while ReaderProcess::all_of(pid).is_empty() && started.elapsed() < TIME_MAX {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        !ReaderProcess::all_of(pid).is_empty()
    });
    assert!(seen, "the service reads in other processes");
    // The texts of the other files are found, however much time the bombs took.
    assert_eq!(found.body["results"].as_array().unwrap().len(), 2, "{found:?}");
    let peak_kb = ReaderProcess::of(pid).peak_kb().unwrap();
    assert!(peak_kb < SERVICE_KB_MAX, "the service itself holds {peak_kb} kB");
    assert_no_reader(pid).await;
    assert_eq!(running.terminate(), Some(0));
}
