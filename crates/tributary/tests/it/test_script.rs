//! The reports of `./test`: each test counts once, a skip is not a pass, and an outdated program is not used.

use crate::architecture::root;
use crate::program::text;
use std::path::Path;
use std::process::{Command, Output};

const NEXTEST: &str = "
        PASS [   0.012s] (   1/3718) store::suite sqlite::one
        PASS [   0.012s] (   2/3718) store::suite postgres::one
        PASS [   0.012s] (   2/3718) store::suite postgres::one
        LEAK [   0.012s] (   3/3718) tasks worker::tests::two
        SLOW [> 60.000s] (─────────) extraction::it hostile::bombs
        FAIL [   0.012s] (   4/3718) tasks::nats a_server_is_gone
     TIMEOUT [ 300.012s] (   5/3718) tasks::nats a_server_hangs
     SIGABRT [   0.012s] (   6/3718) tasks::nats a_server_aborts
     Summary [1695.770s] 6 tests run: 3 passed (1 slow), 3 failed, 3 skipped
        FAIL [   0.012s] (   4/3718) tasks::nats a_server_is_gone
";
const CARGO: &str = "
     Running unittests src/lib.rs (target/debug/deps/store-0f1e2d3c4b5a6978)
test sql::one ... ok
test sql::two ... FAILED
test sql::three ... ignored
test sql::four - should panic ... ok
   Doc-tests domain
test crates/domain/src/lib.rs - clock (line 3) ... ok
";
const NODE: &str = "
ok    list: one (1.2 s)
FAIL  list: two (0.3 s): Error: no (1.0 s)
skip  list: three
";

/// A shell with the functions of `./test` and this scratch folder.
fn shell(scratch: &Path, script: &str) -> Output {
    let start = ". scripts/skip.sh; . scripts/fetch.sh; . scripts/servers.sh; . scripts/results.sh; \
                 : >>$scratch/passed; : >>$scratch/failed; : >>$SVC_TEST_SKIPPED;";
    let mut bash = Command::new("bash");
    bash.args(["-c", &format!("{start} {script}")]).current_dir(root()).env("scratch", scratch);
    // `./test --no-install` sets it for everything that it starts; here the functions decide by themselves.
    bash.env_remove("SVC_TEST_NO_INSTALL");
    bash.env("SVC_TEST_SKIPPED", scratch.join("skipped")).env("XDG_CACHE_HOME", scratch.join("cache"));
    bash.output().unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn each_test_counts_once_and_a_skip_is_no_pass() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, log) in [("nextest", NEXTEST), ("cargo", CARGO), ("node", NODE)] {
        std::fs::write(here.join(name), log).unwrap();
    }
    let skip = "store::suite postgres::one\tthe store on PostgreSQL\tSVC_TEST_POSTGRES is not set\n";
    std::fs::write(here.join("skipped"), [skip, skip].concat()).unwrap();
    let script = "for one in nextest cargo node; do record_tests $one 'the step' $scratch/$one; done; \
                  skip 'browser tests' 'there is none' >$scratch/said; record_skips $scratch/said; report_results";
    let told = shell(here, script);
    let expected = [
        "skipped: browser tests, because there is none",
        "skipped: store::suite postgres::one (the store on PostgreSQL), because SVC_TEST_POSTGRES is not set",
        "failed: store sql::two",
        "failed: tasks::nats a_server_aborts",
        "failed: tasks::nats a_server_hangs",
        "failed: tasks::nats a_server_is_gone",
        "failed: the step: list: two",
        "6 passed, 5 failed, 2 skipped",
    ];
    assert_eq!(lines(&told), expected, "{told:?}");
    assert_eq!(told.status.code(), Some(1));
}

/// The first run, and the second run of the failed tests.
const TWICE: &str = "
        PASS [   0.012s] (   1/3) store::suite sqlite::one
        FAIL [   0.012s] (   2/3) tasks::it queue::leases
     TIMEOUT [ 300.012s] (   3/3) server connection::tests::hangs
     Summary [1695.770s] 3 tests run: 1 passed, 2 failed
        FAIL [   0.012s] (   2/3) tasks::it queue::leases
     TIMEOUT [ 300.012s] (   3/3) server connection::tests::hangs
";
const ALONE: &str = "
        PASS [   0.012s] (   1/2) tasks::it queue::leases
     TIMEOUT [ 300.012s] (   2/2) server connection::tests::hangs
";

#[test]
fn what_failed_runs_again_alone_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("first"), TWICE).unwrap();
    std::fs::write(here.join("both"), [TWICE, ALONE].concat()).unwrap();
    let script = "failed_filter $scratch/first; record_tests nextest tests $scratch/both; report_results";
    let expected = [
        "(binary_id(=server) and test(=connection::tests::hangs)) or (binary_id(=tasks::it) and test(=queue::leases))",
        "notice: failed in the first run and passed alone: tasks::it queue::leases",
        "failed: server connection::tests::hangs",
        "2 passed, 1 failed, 0 skipped",
    ];
    assert_eq!(lines(&shell(here, script)), expected);
    let many: String =
        (0..11).map(|number| format!("  FAIL [ 0.1s] ( 1/99) tasks::it t{number}\n")).collect();
    std::fs::write(here.join("many"), many).unwrap();
    assert_eq!(lines(&shell(here, "failed_filter $scratch/many")), [""; 0], "that is not the machine");
    std::fs::write(here.join("none"), "        PASS [   0.012s] (   1/1) store::suite sqlite::one\n")
        .unwrap();
    assert_eq!(lines(&shell(here, "failed_filter $scratch/none")), [""; 0]);
}

#[test]
fn a_test_that_failed_is_not_skipped_too() {
    let folder = tempfile::tempdir().unwrap();
    let script = "printf 'a b\\ts\\tr\\n' >>$SVC_TEST_SKIPPED; echo 'a b' | tee $scratch/passed >$scratch/failed; \
                  report_results";
    assert_eq!(lines(&shell(folder.path(), script)), ["failed: a b", "0 passed, 1 failed, 0 skipped"]);
    let none = shell(tempfile::tempdir().unwrap().path(), "echo 'a b' >$scratch/passed; report_results");
    assert_eq!(
        (lines(&none), none.status.code()),
        (vec!["1 passed, 0 failed, 0 skipped".to_owned()], Some(0))
    );
}

#[test]
fn an_outdated_server_is_not_used_and_its_version_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let make = "mkdir -p $scratch/bin; printf '#!/bin/sh\\necho nats-server: v%s\\n' $version >$scratch/bin/nats-server; \
                chmod +x $scratch/bin/nats-server; PATH=$scratch/bin:$PATH; installed nats-server 2.11";
    for (version, is_taken) in [("2.9.10", false), ("2.11.0", true), ("2.15.1", true), ("none", false)] {
        let told = shell(folder.path(), &format!("version={version}; {make}"));
        assert_eq!(told.status.success(), is_taken, "{version}: {told:?}");
        let said = text(&told.stderr);
        let named = if version == "none" { "unknown" } else { version };
        assert_eq!(
            said.contains(&format!("is version {named}, and the tests need 2.11")),
            !is_taken,
            "{said}"
        );
    }
}

#[test]
fn what_is_fetched_is_kept_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let fill = "fill() { touch $1/part; $outcome; }; fetch_once tool-1 fill; echo $?; ls -A $cache";
    let kept = folder.path().join("cache/tributary-tests/tool-1").display().to_string();
    assert_eq!(
        lines(&shell(folder.path(), &format!("SVC_TEST_NO_INSTALL=1; outcome=true; {fill}; true"))),
        ["1"]
    );
    assert_eq!(lines(&shell(folder.path(), &format!("outcome=false; {fill}"))), ["1"]);
    assert_eq!(lines(&shell(folder.path(), &format!("outcome=true; {fill}"))), [&kept, "0", "tool-1"]);
    assert_eq!(lines(&shell(folder.path(), &format!("outcome=false; {fill}"))), [&kept, "0", "tool-1"]);
}

#[test]
fn options_that_are_not_known_are_refused() {
    let run = |option: &str| Command::new(root().join("test")).arg(option).output().unwrap();
    let refused = run("--fast");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("unknown option: --fast; ./test --help"), "{refused:?}");
    let help = run("--help");
    assert_eq!(help.status.code(), Some(0));
    for option in ["--all", "--no-install", "SVC_TEST_REQUIRE"] {
        assert!(text(&help.stdout).contains(option), "{option}: {help:?}");
    }
}

#[test]
fn what_a_killed_run_left_in_memory_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let script = "MEMORY=$scratch/memory; mkdir -p $MEMORY/tributary-tests-$$-mine $MEMORY/tributary-tests-4194305-gone; \
                  data_folder one >/dev/null; ls $MEMORY | sed s/$$/own/";
    assert_eq!(lines(&shell(folder.path(), script)), ["tributary-tests-own-mine"]);
}

#[test]
fn without_space_in_memory_databases_lie_in_the_scratch_folder() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "MEMORY_KB_MIN=999999999999; data_folder one; MEMORY=$scratch/none; MEMORY_KB_MIN=0; data_folder two";
    let expected = ["one", "two"].map(|name| folder.path().join(name).join("data").display().to_string());
    assert_eq!(lines(&shell(folder.path(), script)), expected);
}
