//! Audit log: who changed what, when and from where. Entries are never changed; each is chained to the one before.

mod changes;
mod masking;

pub use changes::{CHANGE_CHARS_MAX, changes};

use crate::ids::UserId;
use crate::instant::Instant;
use crate::user::Principal;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};

/// The actor of a change by a command. No user can have this name, because it contains a space.
pub const COMMAND_LINE: &str = "command line";
/// The actor of scheduled work.
pub const SCHEDULER: &str = "the scheduler";
/// The actor of anonymous requests.
pub const NOT_SIGNED_IN: &str = "not signed in";

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Created,
    Replaced,
    Changed,
    Deleted,
    /// The recorded failures of a source were cleared.
    Reset,
    /// A sign-in was rejected after too many attempts.
    Refused,
    BackedUp,
    Restored,
    /// A source or a model was tested.
    Tested,
    /// The key of the credentials and of this log was replaced.
    Rekeyed,
}

impl Action {
    pub const ALL: [Self; 10] = [
        Self::Created,
        Self::Replaced,
        Self::Changed,
        Self::Deleted,
        Self::Reset,
        Self::Refused,
        Self::BackedUp,
        Self::Restored,
        Self::Tested,
        Self::Rekeyed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Replaced => "replaced",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
            Self::Reset => "reset",
            Self::Refused => "refused",
            Self::BackedUp => "backed up",
            Self::Restored => "restored",
            Self::Tested => "tested",
            Self::Rekeyed => "rekeyed",
        }
    }
}

/// The kind of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    SearchProvider,
    QueryTransform,
    Pipeline,
    Schedule,
    User,
    Group,
    Token,
    Authenticator,
    Connection,
    AiProvider,
    Prompt,
    Branding,
    SignIn,
    Database,
}

impl Kind {
    pub const ALL: [Self; 14] = [
        Self::SearchProvider,
        Self::QueryTransform,
        Self::Pipeline,
        Self::Schedule,
        Self::User,
        Self::Group,
        Self::Token,
        Self::Authenticator,
        Self::Connection,
        Self::AiProvider,
        Self::Prompt,
        Self::Branding,
        Self::SignIn,
        Self::Database,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::SearchProvider => "searchprovider",
            Self::QueryTransform => "querytransform",
            Self::Pipeline => "pipeline",
            Self::Schedule => "schedule",
            Self::User => "user",
            Self::Group => "group",
            Self::Token => "token",
            Self::Authenticator => "authenticator",
            Self::Connection => "connection",
            Self::AiProvider => "aiprovider",
            Self::Prompt => "prompt",
            Self::Branding => "branding",
            Self::SignIn => "sign-in",
            Self::Database => "database",
        }
    }
}

/// Who makes a change, from where, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// None for a command and for anonymous requests.
    pub user: Option<UserId>,
    pub name: String,
    /// Empty for a command.
    pub client_address: String,
    /// Empty for a command.
    pub request_id: String,
    pub time: Instant,
    /// The action of this author's edits: a part was changed, or the whole record was replaced.
    pub edit: Action,
}

impl Author {
    pub fn person(principal: &Principal, client_address: String, request_id: String, time: Instant) -> Self {
        Self {
            user: Some(principal.user),
            name: principal.username.clone(),
            client_address,
            request_id,
            time,
            edit: Action::Changed,
        }
    }

    pub fn command_line(time: Instant) -> Self {
        Self {
            user: None,
            name: COMMAND_LINE.to_owned(),
            client_address: String::new(),
            request_id: String::new(),
            time,
            edit: Action::Changed,
        }
    }

    pub fn scheduler(time: Instant) -> Self {
        Self { name: SCHEDULER.to_owned(), ..Self::command_line(time) }
    }

    pub fn anonymous(client_address: String, time: Instant) -> Self {
        Self { name: NOT_SIGNED_IN.to_owned(), client_address, ..Self::command_line(time) }
    }

    /// Sets the action of this author's edits.
    pub fn with_edit_action(self, edit: Action) -> Self {
        Self { edit, ..self }
    }
}

/// An event before it is logged.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    pub action: Action,
    pub kind: Kind,
    pub record_id: Option<i64>,
    pub record_name: String,
    /// Field to `{from, to}`, masked and truncated.
    pub changes: Map<String, Value>,
}

impl AuditEvent {
    /// An event that changes no field.
    pub fn of(action: Action, kind: Kind, record_id: Option<i64>, record_name: &str) -> Self {
        Self { action, kind, record_id, record_name: changes::cut(record_name), changes: Map::new() }
    }

    /// A change of a record from one state to another; None: it does not exist. The author determines the action of an
    /// edit.
    pub fn edit(
        kind: Kind,
        record_id: Option<i64>,
        record_name: &str,
        from: Option<&Value>,
        to: Option<&Value>,
    ) -> Self {
        let action = match (from, to) {
            (None, _) => Action::Created,
            (_, None) => Action::Deleted,
            _ => Action::Changed,
        };
        Self { changes: changes(from, to), ..Self::of(action, kind, record_id, record_name) }
    }

    /// A test of a record: how it differs from the stored one, if there is one.
    pub fn test(
        kind: Kind,
        record_id: Option<i64>,
        record_name: &str,
        stored: Option<&Value>,
        tried: Option<&Value>,
    ) -> Self {
        Self { action: Action::Tested, ..Self::edit(kind, record_id, record_name, stored, tried) }
    }

    /// True for an edit without changes.
    pub fn is_empty(&self) -> bool {
        self.action == Action::Changed && self.changes.is_empty()
    }
}

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct AuditEntry {
    /// 1, 2, 3… without gaps.
    pub id: i64,
    pub time: DateTime<Utc>,
    /// Null for a command and for anonymous requests.
    pub actor_id: Option<UserId>,
    /// The user's name at that time, `command line`, `the scheduler` or `not signed in`.
    #[schema(example = "anna")]
    pub actor: String,
    pub client_address: String,
    pub request_id: String,
    #[schema(example = "changed")]
    pub action: String,
    #[schema(example = "searchprovider")]
    pub kind: String,
    pub record_id: Option<i64>,
    pub record_name: String,
    /// Field to `{from, to}`. Secrets are masked, long texts are truncated.
    #[schema(value_type = Object)]
    pub changes: Map<String, Value>,
    /// Chains the entry to the one before, with the service's key.
    pub hash: String,
}

/// Filter for entries; None matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub kind: Option<String>,
    /// A name, or the id of a user.
    pub actor: Option<String>,
    pub action: Option<String>,
    /// A name, or an id.
    pub record: Option<String>,
    /// From this time.
    pub since: Option<Instant>,
    /// Before this time.
    pub until: Option<Instant>,
}

/// Whether the log is unaltered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct AuditReport {
    pub ok: bool,
    /// Number of entries.
    pub entries: u64,
    /// The first entry that was changed, is missing or was inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_at: Option<u64>,
    /// A sentence for people.
    #[schema(example = "12 entries are as they were written.")]
    pub detail: String,
    /// The hash of the last entry. Stored elsewhere together with `entries`, it later proves that the log was not
    /// replaced by an older one.
    pub hash: String,
}
