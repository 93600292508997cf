//! `tributary bench --scale`: real processes, few searches.

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
        assert!(text(&again.stderr).contains("give an empty one"), "{again:?}");
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
