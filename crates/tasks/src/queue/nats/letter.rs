//! A task as a message of the stream.

use chrono::DateTime;
use domain::contracts::{NewTask, OutboxTask, TaskKey};
use domain::ids::{TaskId, UserId};
use domain::instant::Instant;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a message holds. New fields must have defaults: nodes of two versions read the same stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Letter {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) payload: Value,
    pub(super) attempts_max: u32,
    /// Tries before this message; the stream counts from 1 for each message.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) tried: u32,
    /// None: the service itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<UserId>,
    /// When the task was stored, in microseconds. Messages of earlier releases do not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) created: Option<i64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Letter {
    pub(super) fn of(row: &OutboxTask) -> Self {
        let NewTask { name, payload, attempts_max, owner, .. } = row.task.clone();
        let created = Some(row.date_created.timestamp_micros());
        Self { id: row.id.0, name, payload, attempts_max, tried: row.attempts, owner, created }
    }

    pub(super) fn task_id(&self) -> TaskId {
        TaskId(self.id)
    }

    /// The stored task that the message is about.
    pub(super) fn key(&self) -> Option<TaskKey> {
        let date_created = DateTime::from_timestamp_micros(self.created?)?;
        Some(TaskKey { id: self.task_id(), date_created })
    }
}

/// By this the stream knows a task that was sent twice. The id alone would not do: a database that was restored
/// from a backup gives the ids of lost tasks out again, and a task may have to be sent anew. Both change when it is due, or
/// how often it was tried.
pub(super) fn message_id(row: &OutboxTask) -> String {
    let (id, due) = (row.id.0, row.due.timestamp_micros());
    match row.attempts {
        0 => format!("{id}-{due}"),
        attempts => format!("{id}-{due}-{attempts}"),
    }
}

/// When the task was due that the message with this id was made of.
pub(super) fn parse_due(message_id: &str) -> Option<Instant> {
    DateTime::from_timestamp_micros(message_id.split('-').nth(1)?.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::contracts::QueueName;
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
    fn a_letter_comes_back_and_tolerates_new_fields() {
        let text = serde_json::to_string(&Letter::of(&row(5, 1))).unwrap();
        assert_eq!(
            text,
            r#"{"id":5,"name":"run_search","payload":{"search":7,"a":[1]},"attempts_max":3,"created":1}"#
        );
        let newer = text.replace("\"id\":5", "\"id\":5,\"colour\":\"red\"");
        assert_eq!(serde_json::from_str::<Letter>(&newer).unwrap(), Letter::of(&row(5, 1)));
        let mut owned = row(5, 1);
        owned.task.owner = Some(UserId(4));
        let text = serde_json::to_string(&Letter::of(&owned)).unwrap();
        assert!(text.ends_with(r#""attempts_max":3,"owner":4,"created":1}"#), "{text}");
        assert_eq!(serde_json::from_str::<Letter>(&text).unwrap().owner, Some(UserId(4)));
    }

    #[test]
    fn a_letter_names_its_task_unless_an_earlier_release_wrote_it() {
        let letter = Letter::of(&row(5, 17));
        let key = TaskKey { id: TaskId(5), date_created: row(5, 17).date_created };
        assert_eq!(letter.key(), Some(key));
        assert_eq!(Letter { created: None, ..letter }.key(), None);
    }

    #[test]
    fn a_letter_that_waited_for_its_retry_remembers_its_tries() {
        let letter = Letter::of(&OutboxTask { attempts: 2, ..row(5, 1) });
        assert_eq!(letter.tried, 2);
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
