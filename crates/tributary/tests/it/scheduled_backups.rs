//! Scheduled backups: written, verified, counted, and never at the cost of the last good one.

use crate::backup::{admin, serve};
use crate::program::{run, text};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tributary::backup::Backup;

const METRIC: &str = "tributary_backup_last_success_timestamp_seconds ";

fn backups(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "backup"));
    found.sort();
    found
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what} takes too long");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_are_kept_and_every_one_is_whole() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path().join("data/backups");
    let environment = [
        ("SVC_BACKUP_DIR", "data/backups"),
        ("SVC_BACKUP_EVERY", "1"),
        ("SVC_BACKUP_KEEP", "2"),
        ("SVC_METRICS_OPEN", "True"),
    ];
    let running = serve(here.path(), &environment);
    until("the first backup", || !backups(&folder).is_empty()).await;
    let first = backups(&folder)[0].clone();
    // The remains of a process that was killed while it wrote a backup.
    std::fs::write(folder.join("tributary-20200101T000000Z.backup.1.partial"), "half").unwrap();
    std::fs::write(folder.join("monday"), "not ours").unwrap();
    until("the end of the first backup", || !first.exists()).await;
    let metrics = admin(&running).request(reqwest::Method::GET, "/metrics/").send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    let told = metrics.lines().find_map(|line| line.strip_prefix(METRIC)).expect("a metric");
    assert!(told.parse::<f64>().unwrap() > 1_600_000_000.0, "{told}");
    let entries = admin(&running).get("/svc/audit/?action=backed%20up").await;
    assert!(entries.body.to_string().contains("the scheduler"), "{entries:?}");
    assert_eq!(running.terminate(), Some(0));

    let kept = backups(&folder);
    assert!((1..=3).contains(&kept.len()), "{kept:?}");
    for path in &kept {
        Backup::open(path).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    assert!(folder.join("monday").exists(), "files of others stay");
    assert!(!folder.join("tributary-20200101T000000Z.backup.1.partial").exists());
    let there = tempfile::tempdir().unwrap();
    let newest = kept.last().unwrap().display().to_string();
    assert!(run(there.path(), &["restore", &newest, "--force"]).status.success());
    assert!(text(&run(there.path(), &["user", "list"]).stdout).contains("admin"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_not_there_is_named_and_stops_nothing() {
    let here = tempfile::tempdir().unwrap();
    let missing = here.path().join("no/such/disk").display().to_string();
    let running = serve(here.path(), &[("SVC_BACKUP_DIR", &missing)]);
    let logged = || {
        let logs = std::fs::read_dir(here.path().join("data/logs")).into_iter().flatten();
        let texts = logs.filter_map(|entry| std::fs::read_to_string(entry.unwrap().path()).ok());
        texts.collect::<String>()
    };
    until("the line in the log", || logged().contains("the scheduled backup failed")).await;
    assert!(logged().contains("create it, or mount its disk"), "{}", logged());
    assert_eq!(admin(&running).get("/svc/health/ready/").await.status, 200);
    assert!(!Path::new(&missing).exists(), "the place of a disk is not made");
    running.kill();
}

#[test]
fn doctor_warns_of_a_late_backup() {
    let here = tempfile::tempdir().unwrap();
    assert!(run(here.path(), &["setup"]).status.success());
    let doctor = |settings: &str| {
        std::fs::write(here.path().join("tributary.toml"), settings).unwrap();
        text(&run(here.path(), &["doctor", "--offline"]).stdout)
    };
    assert!(!doctor("").contains("backups"));
    let on = "SVC_BACKUP_DIR = \"kept\"\n";
    assert!(doctor(on).contains("the backup folder cannot be read"));
    let folder = here.path().join("kept");
    std::fs::create_dir(&folder).unwrap();
    assert!(doctor(on).contains("no scheduled backup in"));
    std::fs::write(folder.join("tributary-20200101T000000Z.backup"), "old").unwrap();
    assert!(doctor(on).contains("hours old"));
}
