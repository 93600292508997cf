//! Reports tests that cannot run. `./test` counts them as skipped and not as passed.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// Reports that a test of `suite` does not run, and why: on standard output and as a line in the file of
/// `SVC_TEST_SKIPPED`. Fails instead if `SVC_TEST_REQUIRE` is `all`.
pub fn skip(suite: &str, reason: &str) {
    Skips::given().add(&test_name(), suite, reason);
}

/// The value of a variable that `./test` sets when it has started or fetched something; skips the `suite` without it.
pub fn given(variable: &str, suite: &str) -> Option<String> {
    let value = environment(variable);
    if value.is_none() {
        skip(suite, &format!("{variable} is not set"));
    }
    value
}

#[expect(clippy::disallowed_methods, reason = "a test learns from the environment what there is for it")]
fn environment(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|value| !value.is_empty())
}

struct Skips {
    file: Option<PathBuf>,
    is_failure: bool,
}

impl Skips {
    fn given() -> Self {
        Self {
            file: environment("SVC_TEST_SKIPPED").map(PathBuf::from),
            is_failure: environment("SVC_TEST_REQUIRE").as_deref() == Some("all"),
        }
    }

    fn add(&self, test: &str, suite: &str, reason: &str) {
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            !self.is_failure,
            "{suite} is skipped, because {reason}; SVC_TEST_REQUIRE=all allows no skip"
        );
        eprintln!("skipped: {suite}, because {reason}");
        if let Some(file) = &self.file {
            // Tests are concurrent processes: one write for the whole line.
            let line = format!("{test}\t{suite}\t{reason}\n");
            let mut file = File::options().create(true).append(true).open(file).expect("SVC_TEST_SKIPPED");
            file.write_all(line.as_bytes()).expect("SVC_TEST_SKIPPED");
        }
    }
}

/// The binary and the test, as the runner names them.
fn test_name() -> String {
    if let (Some(binary), Some(test)) = (environment("NEXTEST_BINARY_ID"), environment("NEXTEST_TEST_NAME")) {
        return format!("{binary} {test}");
    }
    let program = std::env::current_exe().expect("this program");
    let stem = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let binary = stem.rsplit_once('-').map_or(stem.as_str(), |(name, _hash)| name);
    format!("{binary} {}", std::thread::current().name().unwrap_or("main"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_skip_is_recorded_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("skipped");
        let skips = Skips { file: Some(file.clone()), is_failure: false };
        skips.add("store::suite first", "the store", "nothing\n  is\there");
        skips.add("store::suite second", "the store", "there is no server");
        let expected = "store::suite first\tthe store\tnothing is here\n\
                        store::suite second\tthe store\tthere is no server\n";
        assert_eq!(std::fs::read_to_string(file).unwrap(), expected);
    }

    #[test]
    #[should_panic(
        expected = "the store is skipped, because there is no server; SVC_TEST_REQUIRE=all allows no skip"
    )]
    fn a_skip_is_a_failure_where_all_is_required() {
        Skips { file: None, is_failure: true }.add("store::suite first", "the store", "there is no server");
    }

    /// This test skips itself in another process.
    #[test]
    fn the_environment_says_where_a_skip_is_recorded_and_whether_it_fails() {
        const NAME: &str = "skip::tests::the_environment_says_where_a_skip_is_recorded_and_whether_it_fails";
        if environment("SVC_TEST_OTHER_PROCESS").is_some() {
            assert_eq!(given("SVC_TEST_OF_NOTHING", "a suite"), None);
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("skipped");
        for (required, is_passed) in [("", true), ("all", false)] {
            let mut other = Command::new(std::env::current_exe().unwrap());
            other.args([NAME, "--exact"]).env_remove("NEXTEST_BINARY_ID").env_remove("NEXTEST_TEST_NAME");
            other.env("SVC_TEST_OTHER_PROCESS", "1").env("SVC_TEST_SKIPPED", &file);
            let ended = other.env("SVC_TEST_REQUIRE", required).output().unwrap();
            assert_eq!(ended.status.success(), is_passed, "'{required}': {ended:?}");
        }
        let told = std::fs::read_to_string(file).unwrap();
        assert_eq!(told, format!("testkit {NAME}\ta suite\tSVC_TEST_OF_NOTHING is not set\n"));
    }
}
