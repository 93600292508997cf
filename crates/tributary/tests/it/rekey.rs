//! Changing the encryption key: while the service runs, interrupted halfway, and with keys from the environment.

use crate::app_harness::{Client, items};
use crate::program::{Running, program, run, text};
use serde_json::json;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::Duration;
use testkit::source::{Behavior, Source};

const PASSWORD: &str = "a password for tests";

fn serve(folder: &Path, environment: &[(&str, &str)]) -> Running {
    let mut command = program(folder, &["serve", "--port", "0"]);
    command.env("SVC_ADMIN_PASSWORD", PASSWORD).envs(environment.iter().copied());
    Running::start(command)
}

fn admin(running: &Running) -> Client {
    running.client(Some(crate::demo::basic("admin", PASSWORD)))
}

fn with(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    program(folder, arguments).envs(environment.iter().copied()).output().unwrap()
}

fn keys(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("data/secret.key")).unwrap();
    text.lines().map(str::to_owned).collect()
}

async fn source() -> Source {
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    source
}

async fn add(client: &Client, name: &str, source: &Source, key: &str) {
    let spec = json!({
        "name": name, "url": source.url(), "credentials": format!("X-Api-Key={key}"),
        "response_mappings": "FOUND=total,RESULTS=items", "result_mappings": "title=title,url=url",
    });
    let made = client.post("/svc/searchproviders/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
}

/// The API key that the source receives in a search with this provider.
async fn key_sent(client: &Client, name: &str, source: &Source) -> String {
    client.search(&json!({"query_string": "river", "searchprovider_list": [name]})).await;
    source.requests().last().and_then(|sent| sent.header("x-api-key").map(str::to_owned)).unwrap_or_default()
}

async fn assert_log_is_whole(client: &Client) {
    let report = client.get("/svc/audit/verify/").await;
    assert_eq!(report.body["ok"], true, "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_service_goes_on_under_another_key() {
    let folder = tempfile::tempdir().unwrap();
    let source = source().await;
    let running = serve(folder.path(), &[]);
    let client = admin(&running);
    add(&client, "One", &source, "canary-one").await;
    let old = keys(folder.path());
    for round in 0..2 {
        let rekeyed = run(folder.path(), &["rekey"]);
        assert!(rekeyed.status.success(), "{rekeyed:?}");
        assert_eq!(key_sent(&client, "One", &source).await, "canary-one", "{round}");
        let name = format!("After {round}");
        add(&client, &name, &source, "canary-after").await;
        assert_eq!(key_sent(&client, &name, &source).await, "canary-after");
        assert_log_is_whole(&client).await;
    }
    let new = keys(folder.path());
    assert!(new.len() == 1 && new != old, "{new:?}");
    let noted = client.get("/svc/audit/?action=rekeyed").await;
    assert_eq!(noted.body.as_array().map(Vec::len), Some(2), "{noted:?}");
    running.kill();

    // The old key decrypts nothing any more, and the new one everything.
    let verified = with(folder.path(), &["audit", "verify"], &[("SVC_SECRET_KEY", old[0].as_str())]);
    assert!(!verified.status.success(), "{verified:?}");
    let verified = run(folder.path(), &["audit", "verify"]);
    assert!(verified.status.success(), "{verified:?}");
    let running = serve(folder.path(), &[]);
    assert_eq!(key_sent(&admin(&running), "One", &source).await, "canary-one");
    running.kill();
    let made = run(folder.path(), &["backup", "b", "--with-key"]);
    assert!(made.status.success(), "{made:?}");
    let checked = run(folder.path(), &["backup", "--verify", "b"]);
    assert!(checked.status.success() && text(&checked.stdout).contains("Audit log:"), "{checked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_was_stopped_leaves_a_working_service_and_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let source = source().await;
    let running = serve(folder.path(), &[]);
    add(&admin(&running), "One", &source, "canary-one").await;
    // The state that the command leaves if it is stopped after its first step.
    let old = keys(folder.path());
    let both = format!("a-new-key-that-was-just-made\n{}\n", old[0]);
    std::fs::write(folder.path().join("data/secret.key"), both).unwrap();
    add(&admin(&running), "Two", &source, "canary-two").await;
    assert_eq!(key_sent(&admin(&running), "One", &source).await, "canary-one");
    running.kill();
    let running = serve(folder.path(), &[]);
    for (name, key) in [("One", "canary-one"), ("Two", "canary-two")] {
        assert_eq!(key_sent(&admin(&running), name, &source).await, key);
    }
    assert_log_is_whole(&admin(&running)).await;
    let rekeyed = run(folder.path(), &["rekey"]);
    assert!(
        rekeyed.status.success() && text(&rekeyed.stdout).contains("Continuing with the new key"),
        "{rekeyed:?}"
    );
    assert_eq!(keys(folder.path()), ["a-new-key-that-was-just-made"]);
    for (name, key) in [("One", "canary-one"), ("Two", "canary-two")] {
        assert_eq!(key_sent(&admin(&running), name, &source).await, key);
    }
    assert_log_is_whole(&admin(&running)).await;
    running.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_from_outside_are_replaced_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let source = source().await;
    let old = [("SVC_SECRET_KEY", "the-old-key")];
    let running = serve(folder.path(), &old);
    add(&admin(&running), "One", &source, "canary-one").await;
    let alone = with(folder.path(), &["rekey"], &old);
    assert!(!alone.status.success() && text(&alone.stderr).contains("SVC_SECRET_KEY_OLD"), "{alone:?}");
    running.kill();
    let steps = [
        [("SVC_SECRET_KEY", "the-old-key"), ("SVC_SECRET_KEY_OLD", "the-new-key")],
        [("SVC_SECRET_KEY", "the-new-key"), ("SVC_SECRET_KEY_OLD", "the-old-key")],
    ];
    for (number, keys) in steps.iter().enumerate() {
        let running = serve(folder.path(), keys);
        let name = format!("Step {number}");
        add(&admin(&running), &name, &source, "canary-step").await;
        assert_eq!(key_sent(&admin(&running), "One", &source).await, "canary-one");
        assert_log_is_whole(&admin(&running)).await;
        if number == 1 {
            let rekeyed = with(folder.path(), &["rekey"], keys);
            assert!(rekeyed.status.success(), "{rekeyed:?}");
            assert_log_is_whole(&admin(&running)).await;
        }
        running.kill();
    }
    let running = serve(folder.path(), &[("SVC_SECRET_KEY", "the-new-key")]);
    for (name, key) in [("One", "canary-one"), ("Step 0", "canary-step"), ("Step 1", "canary-step")] {
        assert_eq!(key_sent(&admin(&running), name, &source).await, key);
    }
    assert_log_is_whole(&admin(&running)).await;
    running.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_at_the_same_time_lose_no_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let source = source().await;
    let running = serve(folder.path(), &[]);
    let client = admin(&running);
    add(&client, "One", &source, "canary-one").await;
    let start = |_| {
        let mut command = program(folder.path(), &["rekey"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let commands: Vec<Child> = (0..3).map(start).collect();
    let ended: Vec<Output> =
        commands.into_iter().map(|command| command.wait_with_output().unwrap()).collect();
    let refused: Vec<&Output> = ended.iter().filter(|output| !output.status.success()).collect();
    assert!(!refused.is_empty() && refused.len() < ended.len(), "{ended:?}");
    for output in refused {
        assert!(text(&output.stderr).contains("Wait until it has finished"), "{output:?}");
    }
    assert_eq!(keys(folder.path()).len(), 1);
    assert_eq!(key_sent(&client, "One", &source).await, "canary-one");
    assert_log_is_whole(&client).await;
    running.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_seals_with_the_old_key_keeps_it_in_place() {
    const NEW: &str = "a-new-key-that-was-just-made";
    let folder = tempfile::tempdir().unwrap();
    let source = source().await;
    serve(folder.path(), &[]).kill();
    let old = keys(folder.path()).remove(0);
    std::fs::write(folder.path().join("data/secret.key"), format!("{NEW}\n{old}\n")).unwrap();
    // This service has its keys from the environment, and does not notice a change of the file.
    let running = serve(folder.path(), &[("SVC_SECRET_KEY", old.as_str()), ("SVC_SECRET_KEY_OLD", NEW)]);
    let mut command = program(folder.path(), &["rekey"]);
    let mut command = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut count = 0;
    while command.try_wait().unwrap().is_none() {
        add(&admin(&running), &format!("Source {count}"), &source, "canary-late").await;
        count += 1;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let refused = command.wait_with_output().unwrap();
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("still encrypts with the old key"), "{refused:?}");
    assert_eq!(keys(folder.path()), [NEW, &old]);
    running.kill();

    let rekeyed = run(folder.path(), &["rekey"]);
    assert!(rekeyed.status.success(), "{rekeyed:?}");
    assert_eq!(keys(folder.path()), [NEW]);
    let running = serve(folder.path(), &[]);
    for name in ["Source 0".to_owned(), format!("Source {}", count - 1)] {
        assert_eq!(key_sent(&admin(&running), &name, &source).await, "canary-late");
    }
    assert_log_is_whole(&admin(&running)).await;
    running.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_from_before_is_restored_with_the_key_that_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let source = source().await;
    let running = serve(folder.path(), &[]);
    add(&admin(&running), "One", &source, "canary-one").await;
    running.kill();
    let old = keys(folder.path());
    assert!(run(folder.path(), &["backup", "b"]).status.success());
    for _ in 0..2 {
        let rekeyed = run(folder.path(), &["rekey"]);
        let said = text(&rekeyed.stderr);
        assert!(rekeyed.status.success() && said.contains("secret.key.before-rekey"), "{rekeyed:?}");
    }
    let kept = folder.path().join("data/secret.key.before-rekey");
    assert_eq!(std::fs::read_to_string(&kept).unwrap().lines().last(), Some(old[0].as_str()));
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&kept.metadata().unwrap()) & 0o777, 0o600);
    let new = keys(folder.path());

    let checked = run(folder.path(), &["backup", "--verify", "b"]);
    assert!(checked.status.success() && text(&checked.stdout).contains("Audit log:"), "{checked:?}");
    let restored = run(folder.path(), &["restore", "b", "--force"]);
    assert!(restored.status.success(), "{restored:?}");
    assert_eq!(keys(folder.path()), [new[0].as_str(), &old[0]]);
    let running = serve(folder.path(), &[]);
    assert_eq!(key_sent(&admin(&running), "One", &source).await, "canary-one");
    assert!(run(folder.path(), &["rekey"]).status.success());
    assert_eq!(keys(folder.path()), new);
    assert_eq!(key_sent(&admin(&running), "One", &source).await, "canary-one");
    assert_log_is_whole(&admin(&running)).await;
    running.kill();
}
