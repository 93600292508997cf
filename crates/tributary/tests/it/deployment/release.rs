//! The files of a release: the Debian package, and what the release scripts take from the source tree.

use super::{read, root};
use crate::program::text;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A small program in place of the real one, with small symbols and archives.
const STAND_IN: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
  if (count == 2 && !strcmp(words[1], "--version")) return puts("tributary " VERSION) < 0;
  if (count == 3 && !strcmp(words[1], "completions")) return puts(words[2]) < 0;
  return 2;
}
"#;
const TOOLS: [&str; 6] = ["cc", "dpkg-deb", "git", "objcopy", "python3", "xz"];
const UNIT: &str = "deploy/systemd/tributary.service";

/// The value of a field `NAME: value` of the control file.
fn control(name: &str) -> String {
    let text = read("deploy/deb/control");
    let found = text.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    found.unwrap_or_else(|| panic!("no {name}")).to_owned()
}

#[test]
fn the_changelog_has_a_dated_section_for_this_version() {
    let changelog = read("CHANGELOG.md");
    let headings: Vec<&str> = changelog.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings[0], "Unreleased", "what comes next has a place");
    let (version, date) = headings[1].split_once(" - ").unwrap();
    assert_eq!(version, domain::VERSION);
    assert!(chrono::NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok(), "{date}");
}

#[test]
fn the_package_asks_for_what_its_scripts_call() {
    assert_eq!((control("Package").as_str(), control("Version").as_str()), ("tributary", "@VERSION@"));
    let release = read("scripts/release.sh");
    assert!(release.contains("depends='adduser, ca-certificates'"), "postinst calls adduser");
    for script in ["postinst", "prerm", "postrm"] {
        let path = root().join("deploy/deb").join(script);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o111, 0o111, "{script} can be run");
        let checked = Command::new("sh").arg("-n").arg(&path).output().unwrap();
        assert!(checked.status.success(), "{script}: {checked:?}");
    }
}

/// The script edits three lines of the unit; if one were renamed, the package would run with a dynamic user.
#[test]
fn the_lines_that_the_package_changes_are_in_the_unit() {
    let unit = read(UNIT);
    for line in ["DynamicUser=yes", "ExecStart=/usr/local/bin/tributary serve", "StateDirectory=tributary"] {
        assert_eq!(unit.lines().filter(|found| *found == line).count(), 1, "{line}");
    }
    assert!(unit.starts_with("# "), "the first line is a comment, which the package replaces");
    assert_eq!(read("deploy/deb/conffiles"), "/etc/tributary/tributary.env\n");
    assert!(unit.contains("EnvironmentFile=-/etc/tributary/tributary.env"));
}

#[test]
fn license_texts_of_data_are_where_the_notice_says() {
    let notice = read("NOTICE");
    let script = read("scripts/release_licenses.py");
    for word in notice.split_whitespace().filter(|word| word.contains("/data/") && word.contains(".txt")) {
        let path = word.trim_matches(|c: char| !c.is_alphanumeric());
        assert!(root().join(path).exists(), "NOTICE names {path}");
        let is_license = path.contains("LICENSE") || path.contains("COPYRIGHT");
        assert!(!is_license || script.contains(path), "{path} is not part of a release");
    }
}

/// Builds the small program for this version; `None` if it cannot be built or packed.
fn stand_in(folder: &Path, version: &str) -> Option<PathBuf> {
    let is_missing = |tool: &&&str| Command::new(tool).arg("--version").output().is_err();
    if let Some(missing) = TOOLS.iter().find(is_missing) {
        testkit::skip("artifacts of a release", &format!("{missing} is not installed"));
        return None;
    }
    if !root().join(".git").exists() {
        testkit::skip("artifacts of a release", "the source is not a git checkout");
        return None;
    }
    let (source, program) = (folder.join("stand_in.c"), folder.join(format!("stand_in-{version}")));
    std::fs::write(&source, STAND_IN).unwrap();
    let definition = format!("-DVERSION=\"{version}\"");
    let mut compiler = Command::new("cc");
    let built = compiler.arg("-g").arg(definition).arg("-o").args([&program, &source]).output().unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
    Some(program)
}

fn release(program: &Path, out: &Path) -> Output {
    let mut script = Command::new(root().join("scripts/release.sh"));
    script.arg("--allow-dirty").arg("--program").arg(program).arg("--out").arg(out).output().unwrap()
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let read = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    };
    entries.map(read).collect()
}

#[test]
fn the_same_program_gives_the_same_artifacts() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = stand_in(folder.path(), domain::VERSION) else { return };
    let outs = [folder.path().join("first"), folder.path().join("second")];
    for out in &outs {
        let made = release(&program, out);
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    let [first, second] = outs.map(|out| contents(&out));
    assert_eq!(first.len(), 5, "{:?}", first.keys());
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{name} differs from run to run");
    }
}

#[test]
fn a_program_of_another_version_is_not_released() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = stand_in(folder.path(), "9.9.9") else { return };
    let refused = release(&program, &folder.path().join("out"));
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("reports tributary 9.9.9, but the version in Cargo.toml is"), "{said}");
}
