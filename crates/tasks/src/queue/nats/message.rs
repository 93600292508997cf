//! Serialized task in a message of the stream.

use chrono::DateTime;
use domain::ids::{TaskId, UserId};
use domain::instant::Instant;
use domain::ports::{NewTask, OutboxTask, TaskKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Payload of a message. New fields must have defaults: nodes of two versions read the same stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TaskMessage {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) payload: Value,
    pub(super) attempts_max: u32,
    /// Attempts before this message; the stream counts from 1 for each message.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) tried: u32,
    /// None for tasks of the service itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<UserId>,
    /// Creation time of the task in microseconds; missing in messages of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) created: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl TaskMessage {
    pub(super) fn of(row: &OutboxTask) -> Self {
        let NewTask { name, payload, attempts_max, owner, .. } = row.task.clone();
        let created = Some(row.date_created.timestamp_micros());
        Self { id: row.id.0, name, payload, attempts_max, tried: row.attempts, owner, created }
    }

    pub(super) fn task_id(&self) -> TaskId {
        TaskId(self.id)
    }

    /// The key of the stored task.
    pub(super) fn key(&self) -> Option<TaskKey> {
        let date_created = DateTime::from_timestamp_micros(self.created?)?;
        Some(TaskKey { id: self.task_id(), date_created })
    }
}

/// Deduplication id of a message. The task id alone is not enough: a database restored from a backup reuses ids, and a
/// task may have to be resent. In both cases the due time or the number of attempts differs.
pub(super) fn message_id(row: &OutboxTask) -> String {
    let (id, due) = (row.id.0, row.due.timestamp_micros());
    match row.attempts {
        0 => format!("{id}-{due}"),
        attempts => format!("{id}-{due}-{attempts}"),
    }
}

/// The due time in a message id.
pub(super) fn parse_due(message_id: &str) -> Option<Instant> {
    DateTime::from_timestamp_micros(message_id.split('-').nth(1)?.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::QueueName;
    use serde_json::json;

    fn row(id: i64, micros: i64) -> OutboxTask {
        let payload = json!({"search": 7, "a": [1]});
        let task = NewTask {
            queue: QueueName::Search,
            name: "run_search".to_owned(),
            payload,
            attempts_max: 3,
            owner: None,
        };
        let date_created = DateTime::from_timestamp_micros(micros).unwrap();
        OutboxTask { id: TaskId(id), task, attempts: 0, due: date_created, date_created }
    }

    #[test]
    fn a_message_round_trips_and_tolerates_new_fields() {
        let text = serde_json::to_string(&TaskMessage::of(&row(5, 1))).unwrap();
        assert_eq!(
            text,
            r#"{"id":5,"name":"run_search","payload":{"search":7,"a":[1]},"attempts_max":3,"created":1}"#
        );
        let newer = text.replace("\"id\":5", "\"id\":5,\"colour\":\"red\"");
        assert_eq!(serde_json::from_str::<TaskMessage>(&newer).unwrap(), TaskMessage::of(&row(5, 1)));
        let mut owned = row(5, 1);
        owned.task.owner = Some(UserId(4));
        let text = serde_json::to_string(&TaskMessage::of(&owned)).unwrap();
        assert!(text.ends_with(r#""attempts_max":3,"owner":4,"created":1}"#), "{text}");
        assert_eq!(serde_json::from_str::<TaskMessage>(&text).unwrap().owner, Some(UserId(4)));
    }

    #[test]
    fn a_message_names_its_task_unless_an_earlier_release_wrote_it() {
        let message = TaskMessage::of(&row(5, 17));
        let key = TaskKey { id: TaskId(5), date_created: row(5, 17).date_created };
        assert_eq!(message.key(), Some(key));
        assert_eq!(TaskMessage { created: None, ..message }.key(), None);
    }

    #[test]
    fn a_message_that_waited_for_its_retry_remembers_its_attempts() {
        let message = TaskMessage::of(&OutboxTask { attempts: 2, ..row(5, 1) });
        assert_eq!(message.tried, 2);
    }

    #[test]
    fn the_same_id_of_another_time_is_another_message() {
        assert_eq!(message_id(&row(5, 17)), "5-17");
        assert_ne!(message_id(&row(5, 17)), message_id(&row(5, 18)));
        assert_eq!(message_id(&OutboxTask { due: row(5, 18).due, ..row(5, 17) }), "5-18", "it is sent anew");
        assert_eq!(message_id(&OutboxTask { attempts: 2, ..row(5, 17) }), "5-17-2", "its worker died");
    }

    #[test]
    fn a_message_id_says_when_its_task_was_due() {
        for attempts in [0, 2] {
            let row = OutboxTask { attempts, ..row(5, 17) };
            assert_eq!(parse_due(&message_id(&row)), Some(row.due));
        }
        assert_eq!(["", "5", "5-x"].map(parse_due), [None; 3]);
    }
}
