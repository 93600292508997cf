//! `scripts/file_times.sh`: a fresh clone gets the modification times of unchanged files from the previous clone, and
//! no others.

use crate::architecture::root;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(86_400);

/// Makes a clone at the same path with these files, all with the same time.
fn clone(at: &Path, files: &[(&str, &str)], time: SystemTime) {
    let _ = fs::remove_dir_all(at);
    fs::create_dir_all(at.join("scripts")).unwrap();
    fs::copy(root().join("scripts/file_times.sh"), at.join("scripts/file_times.sh")).unwrap();
    for (name, text) in files {
        fs::write(at.join(name), text).unwrap();
        fs::File::options().write(true).open(at.join(name)).unwrap().set_modified(time).unwrap();
    }
    for arguments in [&["init", "-q"][..], &["add", "."]] {
        assert!(Command::new("git").args(arguments).current_dir(at).status().unwrap().success());
    }
}

fn restore(at: &Path, folder: &Path) {
    let done = Command::new("bash").arg(at.join("scripts/file_times.sh")).arg(folder).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

fn modified(at: &Path, name: &str) -> SystemTime {
    fs::metadata(at.join(name)).unwrap().modified().unwrap()
}

#[test]
fn only_what_is_unchanged_keeps_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let (at, built) = (folder.path().join("clone"), folder.path().join("built"));
    let first = SystemTime::UNIX_EPOCH + 20_000 * DAY;
    let (second, third) = (first + DAY, first + 2 * DAY);

    clone(&at, &[("same", "1"), ("other", "1"), ("with a space", "1")], first);
    restore(&at, &built);
    assert_eq!(modified(&at, "other"), first, "nothing is known yet");

    clone(&at, &[("same", "1"), ("other", "2"), ("with a space", "1"), ("new", "1")], second);
    restore(&at, &built);
    assert_eq!(
        ["same", "other", "with a space", "new"].map(|name| modified(&at, name)),
        [first, second, first, second]
    );

    // A file that an earlier clone had, but not the last one, is new: something else was built since.
    clone(&at, &[("same", "1"), ("other", "1"), ("new", "1")], third);
    fs::write(at.join("same"), "not added to git").unwrap();
    let written = modified(&at, "same");
    restore(&at, &built);
    assert_eq!(["same", "other", "new"].map(|name| modified(&at, name)), [written, third, second]);
}

/// What was built from the clone at the other path contains that path.
#[test]
fn after_a_clone_at_another_path_all_files_are_new() {
    let folder = tempfile::tempdir().unwrap();
    let first = SystemTime::UNIX_EPOCH + 20_000 * DAY;
    for (name, days) in [("one", 0), ("two", 1), ("one", 2)] {
        let (at, time) = (folder.path().join(name), first + days * DAY);
        clone(&at, &[("same", "1")], time);
        restore(&at, &folder.path().join("built"));
        assert_eq!(modified(&at, "same"), time, "{name}, day {days}");
    }
}
