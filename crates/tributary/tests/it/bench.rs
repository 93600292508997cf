//! `tributary bench` with real processes and few searches.

use crate::program::{program, run, text};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn scale(folder: &Path, database: &str, queue: &str) -> Output {
    let mut command = program(folder, &["bench", "--scale", "--sources", "2", "--delay-ms", "50"]);
    command.args(["--searches", "5", "--concurrency", "1", "--json"]);
    command.args(["--database-url", database]).env("SVC_QUEUE_URL", queue);
    command.output().unwrap()
}

#[tokio::test]
async fn one_process_and_a_cluster_are_compared() {
    let suite = "the figures of scaling";
    let (Some(postgres), Some(queue)) = (testkit::postgres::server(suite), testkit::nats::queue(suite))
    else {
        return;
    };
    testkit::postgres::with_database(&postgres, |database| async move {
        let folder = tempfile::tempdir().unwrap();
        let measured = scale(folder.path(), &database, &queue);
        let said = text(&measured.stderr);
        assert!(measured.status.success(), "{said}");
        let figures: Value = serde_json::from_slice(&measured.stdout).unwrap();
        assert_eq!((&figures["concurrency"], &figures["queue"]), (&1.into(), &"NATS".into()), "{figures}");
        let forms = figures["forms"].as_array().unwrap();
        assert_eq!(forms.len(), 3, "{figures}");
        for form in forms {
            assert!(form["searches_per_second"].as_f64().unwrap() > 0.0, "{figures}");
            assert!(form["cpu_ms_per_search"].as_f64().unwrap() > 0.0, "{figures}");
        }
        assert_eq!(forms[0]["times_embedded"], 1.0);

        let again = scale(folder.path(), &database, &queue);
        assert!(text(&again.stderr).contains("use an empty one"), "{again:?}");
        assert_eq!(again.status.code(), Some(1));
    })
    .await;
}

#[tokio::test]
async fn a_service_on_postgres_and_nats_is_measured() {
    let suite = "the figures of a service on PostgreSQL and NATS";
    let (Some(postgres), Some(queue)) = (testkit::postgres::server(suite), testkit::nats::queue(suite))
    else {
        return;
    };
    testkit::postgres::with_database(&postgres, |database| async move {
        let folder = tempfile::tempdir().unwrap();
        let few = ["bench", "--sources", "2", "--delay-ms", "50", "--searches", "6", "--json"];
        let servers = ["--database-url", database.as_str(), "--queue-url", queue.as_str()];
        let options = [&few[..], &servers[..]].concat();
        let measured = run(folder.path(), &options);
        assert!(measured.status.success(), "{}", text(&measured.stderr));
        let record: Value = serde_json::from_slice(&measured.stdout).unwrap();
        assert_eq!(
            (&record["database"], &record["queue"]),
            (&"PostgreSQL".into(), &"NATS".into()),
            "{record}"
        );
        assert!(spread(&record["added_ms"])[0] > 0.0, "{record}");
        assert!(record["database_kb_per_search"].is_number(), "{record}");

        let again = run(folder.path(), &options);
        assert!(text(&again.stderr).contains("use an empty one"), "{again:?}");
        assert_eq!(again.status.code(), Some(1));
    })
    .await;
}

#[test]
fn a_cluster_needs_postgres() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(folder.path(), &["bench", "--scale"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--database-url"), "{refused:?}");
    let unclear = run(folder.path(), &["bench", "--concurrency", "3"]);
    assert_eq!(unclear.status.code(), Some(2), "only with --scale");
}

/// The minimum, the median and the 95th percentile of a series.
fn spread(times: &Value) -> [f64; 3] {
    ["min", "median", "p95"].map(|name| times[name].as_f64().unwrap_or_else(|| panic!("{name} in {times}")))
}

#[test]
fn the_cost_of_a_search_is_that_of_the_service_alone() {
    let folder = tempfile::tempdir().unwrap();
    let few = ["bench", "--sources", "2", "--delay-ms", "50", "--searches", "6", "--hanging"];
    let measured = run(folder.path(), &[&few[..], &["--json", "record.json"]].concat());
    assert!(measured.status.success(), "{}", text(&measured.stderr));
    let table = text(&measured.stdout);
    let record: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("record.json")).unwrap()).unwrap();
    for (name, least) in [("total_ms", 50.0), ("added_ms", 0.0)] {
        let [min, median, p95] = spread(&record[name]);
        assert!(least < min && min <= median && median <= p95, "{name} in {record}");
        assert!(table.contains(&format!("min {min:>7.1} ms   median {median:>7.1} ms")), "{table}");
    }
    assert_eq!((&record["sources"], &record["searches"]), (&2.into(), &6.into()));
    assert_eq!((&record["database"], &record["queue"]), (&"SQLite".into(), &"SQLite".into()));
    assert!(record["ratio"].as_f64().unwrap() > 1.0 && record["hanging_ratio"].as_f64().unwrap() > 0.0);
    for count in ["instructions", "allocations", "statements", "reprepared_statements"] {
        assert_eq!(record[format!("{count}_per_search")], Value::Null, "{count}: only when asked for");
    }
    if cfg!(target_os = "linux") {
        assert!(record["context_switches_per_search"].as_f64().unwrap() > 1.0, "{record}");
        assert!(record["cpu_ms_per_search"].as_f64().unwrap() > 0.0, "{record}");
        let memory = |name: &str| record["memory_mb"][name].as_f64().unwrap();
        assert!(memory("peak_rss") > 10.0 && memory("pss") > 10.0, "{record}");
        assert!(table.contains("service only"), "{table}");
    }
}

#[test]
fn growth_is_measured_for_each_shape() {
    let folder = tempfile::tempdir().unwrap();
    let few = ["bench", "--growth", "1x2,3x20", "--delay-ms", "20", "--searches", "4"];
    let measured = run(folder.path(), &[&few[..], &["--json", "record.json"]].concat());
    assert!(measured.status.success(), "{}", text(&measured.stderr));
    let record: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("record.json")).unwrap()).unwrap();
    let rows = record["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &record["searches"]), (2, &4.into()), "{record}");
    assert_eq!((&rows[1]["sources"], &rows[1]["results"]), (&3.into(), &20.into()), "{record}");
    let number = |row: usize, name: &str| rows[row][name].as_f64().unwrap();
    for row in [0, 1] {
        assert!(number(row, "added_p50_ms") > 0.0, "{record}");
        assert!(number(row, "added_p95_ms") >= number(row, "added_p50_ms"), "{record}");
    }
    for name in ["response_kb", "database_kb_per_search"] {
        assert!(number(1, name) > number(0, name), "sixty results take more than two: {record}");
    }
    let table = text(&measured.stdout);
    assert!(table.contains("1 x 2") && table.contains("3 x 20"), "{table}");
}

#[test]
fn clients_search_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let few = ["bench", "--clients", "1,3", "--sources", "2", "--results", "3", "--varied"];
    let measured =
        run(folder.path(), &[&few[..], &["--delay-ms", "20", "--searches", "12", "--json"]].concat());
    assert!(measured.status.success(), "{}", text(&measured.stderr));
    let record: Value = serde_json::from_slice(&measured.stdout).unwrap();
    let rows = record["rows"].as_array().unwrap();
    let clients: Vec<&Value> = rows.iter().map(|row| &row["clients"]).collect();
    assert_eq!(clients, [1, 3], "{record}");
    assert_eq!(rows[0]["searches"], 12, "{record}");
    assert_eq!(rows[1]["searches"], 30, "at least ten of each client: {record}");
    for row in rows {
        let number = |name: &str| row[name].as_f64().unwrap();
        assert!(number("searches_per_second") > 0.0 && number("p50_ms") > 20.0, "{record}");
        assert!(number("p99_ms") >= number("p50_ms"), "{record}");
        if cfg!(target_os = "linux") {
            assert!(number("cpu_ms_per_search") > 0.0 && number("pss_mb") > 10.0, "{record}");
        }
    }
}

#[test]
fn options_that_exclude_each_other() {
    let folder = tempfile::tempdir().unwrap();
    for (options, expected) in [
        (&["--growth", "10"][..], "such as 10x100"),
        (&["--growth", "1x2", "--sources", "3"], "cannot be used with"),
        (&["--growth", "--clients"], "cannot be used with"),
        (&["--growth", "--database-url", "postgres://db/bench"], "cannot be used with"),
        (&["--clients", "--queue-url", "nats://queue/bench"], "cannot be used with"),
        (&["--instructions", "--database-url", "postgres://db/bench"], "cannot be used with"),
        (&["--clients", "0"], "0 is not in 1..=1000"),
        (&["--clients", "4", "--instructions"], "cannot be used with"),
        (&["--sources", "1001"], "1001 is not in 1..=1000"),
        (&["--results", "0"], "0 is not in 1..=1000"),
        (&["--compare", "figures.json"], "--instructions"),
        (&["--compare", "figures.json", "--instructions", "--sources", "3"], "cannot be used with"),
    ] {
        let refused = run(folder.path(), &[&["bench"], options].concat());
        let said = text(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains(expected), "{options:?}: {said}");
    }
}

#[test]
fn missing_requirements_are_reported_before_measuring() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(folder.path(), &["bench", "--json", "no/where.json"]);
    assert!(text(&refused.stderr).contains("no/where.json cannot be written"), "{refused:?}");
    let mut without = program(folder.path(), &["bench", "--instructions"]);
    let refused = without.env("PATH", folder.path()).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("install it or omit --instructions"), "{refused:?}");
    let refused = run(folder.path(), &["bench", "--database-url", "bench.db"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("not the URL of a PostgreSQL"), "{refused:?}");
    let refused = run(folder.path(), &["bench", "--instructions", "--compare", "none.json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("none.json cannot be read"), "{refused:?}");
}
