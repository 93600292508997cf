//! Creates the stream of tasks, with three replicas on a cluster of three or more servers.

use super::request_error::unreachable;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{Context, CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use domain::ports::QueueError;
use std::time::Duration;

/// Identifies streams created by this program.
const DESCRIPTION: &str = "Tasks of Tributary on their way to the workers";
/// Replicas of a stream, so that no task is lost with one server.
const COPIES: usize = 3;
/// Deduplication window of the stream.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(600);

/// Creates the stream, or updates an older one. False if it has fewer replicas than it should.
pub(super) async fn make(
    context: &Context,
    name: &str,
    messages_max: u32,
    is_cluster: bool,
) -> Result<bool, QueueError> {
    let copies = if is_cluster { COPIES } else { 1 };
    let made = match context.get_or_create_stream(config(name, messages_max, copies)).await {
        Err(error) if lacks_servers(&error) => {
            context.get_or_create_stream(config(name, messages_max, 1)).await
        }
        other => other,
    };
    let mut found = made.map_err(unreachable)?.cached_info().config.clone();
    if !has_subjects(&found.subjects, name) {
        // Created by a release without owners.
        found.subjects.push(subject_of_owners(name));
        context.update_stream(&found).await.map_err(unreachable)?;
    }
    if found.num_replicas >= copies || found.description.as_deref() != Some(DESCRIPTION) {
        return Ok(true);
    }
    let before = std::mem::replace(&mut found.num_replicas, copies);
    match context.update_stream(&found).await {
        Ok(_) => {
            tracing::info!("the tasks in NATS are kept in {copies} copies, before in {before}");
            Ok(true)
        }
        // Not fatal, because the tasks are in the database as well.
        Err(error) => {
            tracing::warn!("the tasks in NATS are kept in {before} copies only: {error}");
            Ok(false)
        }
    }
}

fn config(name: &str, messages_max: u32, copies: usize) -> Config {
    Config {
        name: name.to_owned(),
        description: Some(DESCRIPTION.to_owned()),
        subjects: vec![format!("{name}.tasks.*"), subject_of_owners(name)],
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        // A full stream rejects messages, which stay in the outbox.
        discard: DiscardPolicy::New,
        max_messages: i64::from(messages_max),
        duplicate_window: DUPLICATE_WINDOW,
        num_replicas: copies,
        ..Config::default()
    }
}

fn subject_of_owners(name: &str) -> String {
    format!("{name}.tasks.*.*")
}

/// Whether a stream with these subjects accepts tasks of owners.
fn has_subjects(subjects: &[String], name: &str) -> bool {
    let wide = [subject_of_owners(name), format!("{name}.tasks.>"), format!("{name}.>"), ">".to_owned()];
    subjects.iter().any(|subject| wide.contains(subject))
}

/// Whether the cluster has too few servers for the replicas, or they are full.
fn lacks_servers(error: &CreateStreamError) -> bool {
    let code = match error.kind() {
        CreateStreamErrorKind::JetStream(error) => error.error_code(),
        _ => return false,
    };
    [ErrorCode::CLUSTER_NO_PEERS, ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED].contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_of_an_earlier_release_lacks_the_owners() {
        for (subject, expected) in [
            ("t.tasks.*", false),
            ("t.tasks.*.*", true),
            ("t.tasks.>", true),
            ("other.tasks.>", false),
            (">", true),
        ] {
            assert_eq!(has_subjects(&[subject.to_owned()], "t"), expected, "{subject}");
        }
    }
}
