//! Limits of fields and parameters in the OpenAPI document, taken from the constants that the code checks.

use super::super::activity::DAYS_MAX;
use super::super::cache::FILTER_CHARS_MAX as CACHE_FILTER_CHARS_MAX;
use super::super::canonical::OPEN;
use super::super::ingest::TITLE_CHARS_MAX;
use super::super::logs::{LINES_MAX, LINES_MIN};
use super::super::pagination::ITEMS_MAX;
use super::super::rag_search::{RESULT_LIST_MAX, TIMEOUT_S};
use super::super::search::SUGGESTIONS_MAX;
use corpus::CHECKS_MAX;
use corpus::ingest::MATTER_TAGS_MAX;
use domain::authenticator::{EXPIRES_IN_MAX, USER_DATA_METHODS};
use domain::corpus::{
    COMMENT_CHARS_MAX, Channel, EventStatus, MATTER_CHARS_MAX, RunStatus, SignalState, URL_CHARS_MAX,
};
use domain::password::{PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN};
use domain::pipeline::PROCESSORS_MAX;
use domain::preferences::{DOMAIN_CHARS_MAX, PREFERENCES_MAX};
use domain::retention::Retention;
use domain::search::{FILTER_CHARS_MAX, LIST_ITEM_CHARS_MAX, LIST_MAX, QUERY_CHARS_MAX};
use domain::user::{EMAIL_CHARS_MAX, LABEL_CHARS_MAX, USERNAME_CHARS_MAX};
use domain::{
    ai_provider, authenticator, branding, chat, idempotency, prompt, provider, query_transform, schedule,
};
use serde_json::{Value, json};

use Limit::{
    AtLeast, BooleanOrText, Bytes, Items, Length, Members, Name, ObjectOrText, OneOf, Range, SomeOf, Text,
    Texts,
};

/// A limit of a value, written as keywords of JSON Schema.
#[derive(Debug)]
pub enum Limit {
    /// A required text that is not blank, of at most so many characters.
    Name(usize),
    /// A text of at most so many characters.
    Text(usize),
    /// A text of at most so many bytes, which are as many characters at most.
    Bytes(usize),
    /// A text from the first to the second number of characters.
    Length(usize, usize),
    /// At most so many entries.
    Items(usize),
    /// At most so many texts, each of at most so many characters.
    Texts(usize, usize),
    /// At most so many members of an object.
    Members(usize),
    Range(u64, u64),
    AtLeast(u64),
    /// An object, a text that contains one, or null, which is an empty one.
    ObjectOrText,
    /// True, unless it is one of a few texts.
    BooleanOrText,
    /// One of these values.
    OneOf(fn() -> Vec<Value>),
    /// One or more of these values.
    SomeOf(fn() -> Vec<Value>),
}

impl Limit {
    /// Adds the keywords to a schema; returns whether the field is required.
    pub fn apply(&self, schema: &mut Value) -> bool {
        let mut add = |keyword: &str, value: Value| schema[keyword] = value;
        match self {
            Self::Name(chars_max) => {
                add("minLength", json!(1));
                add("maxLength", json!(chars_max));
                add("pattern", json!(r"\S"));
            }
            Self::Text(most) | Self::Bytes(most) => add("maxLength", json!(most)),
            Self::Length(chars_min, chars_max) => {
                add("minLength", json!(chars_min));
                add("maxLength", json!(chars_max));
            }
            Self::Items(count_max) => add("maxItems", json!(count_max)),
            Self::Texts(count_max, chars_max) => {
                schema["maxItems"] = json!(count_max);
                if schema["items"]["type"] == "string" {
                    schema["items"]["maxLength"] = json!(chars_max);
                }
            }
            Self::Members(count_max) => add("maxProperties", json!(count_max)),
            Self::Range(least, most) => {
                add("minimum", json!(least));
                add("maximum", json!(most));
            }
            Self::AtLeast(least) => add("minimum", json!(least)),
            Self::ObjectOrText => add("type", json!(["object", "string", "null"])),
            Self::BooleanOrText => add("type", json!(["boolean", "string"])),
            Self::OneOf(values) => {
                let is_nullable =
                    schema["type"].as_array().is_some_and(|types| types.contains(&json!("null")));
                let null = is_nullable.then_some(Value::Null);
                schema["enum"] = values().into_iter().chain(null).collect();
            }
            Self::SomeOf(values) => {
                schema["minItems"] = json!(1);
                schema["items"]["enum"] = Value::Array(values());
            }
        }
        matches!(self, Self::Name(_) | Self::SomeOf(_))
    }
}

/// The limits of the fields of a schema.
pub struct SchemaLimits {
    pub schema: &'static str,
    pub fields: &'static [(&'static str, Limit)],
}

/// Fields that are required in the schema of the request that creates a record, beside those of all requests: schema,
/// name of the schema for creation, fields.
pub const REQUIRED_TO_CREATE: [(&str, &str, &[&str]); 1] = [("UserInput", "UserCreate", &["password"])];

const NAMES: Limit = Texts(LIST_MAX, LIST_ITEM_CHARS_MAX);
const PASSWORD: Limit = Length(PASSWORD_CHARS_MIN, PASSWORD_CHARS_MAX);
const ADDRESS: Limit = Text(authenticator::TEXT_CHARS_MAX);
const PARAMS: Limit = Members(authenticator::PARAMS_MAX);
const LABEL: Limit = Text(branding::LABEL_CHARS_MAX);
const PART: Limit = Text(prompt::PART_CHARS_MAX);
/// The time of a summary.
const SECONDS: Limit = Range(TIMEOUT_S.start().unsigned_abs(), TIMEOUT_S.end().unsigned_abs());

/// The limits of all schemas.
pub const FIELDS: &[SchemaLimits] = &[
    SchemaLimits {
        schema: "SearchInput",
        fields: &[
            ("query_string", Name(QUERY_CHARS_MAX)),
            ("results_requested", AtLeast(1)),
            ("searchprovider_list", Items(LIST_MAX)),
            ("pre_query_processors", NAMES),
            ("query_processors", NAMES),
            ("result_processors", NAMES),
            ("post_result_processors", NAMES),
            ("retention", OneOf(retentions)),
            ("tags", NAMES),
        ],
    },
    SchemaLimits {
        schema: "SearchProviderInput",
        fields: &[
            ("name", Name(provider::NAME_CHARS_MAX)),
            ("description", Text(provider::DESCRIPTION_CHARS_MAX)),
            ("groups", NAMES),
            ("authenticator", Text(provider::NAME_CHARS_MAX)),
            ("url", Text(provider::TEXT_CHARS_MAX)),
            ("query_template", Text(provider::TEXT_CHARS_MAX)),
            ("query_template_json", ObjectOrText),
            ("post_query_template", ObjectOrText),
            ("http_request_headers", Members(provider::HEADERS_MAX)),
            ("query_processors", NAMES),
            ("query_mappings", Text(provider::TEXT_CHARS_MAX)),
            ("result_grouping_field", Text(provider::GROUPING_FIELD_CHARS_MAX)),
            ("result_processors", NAMES),
            ("response_mappings", Text(provider::TEXT_CHARS_MAX)),
            ("result_mappings", Text(provider::TEXT_CHARS_MAX)),
            ("results_per_query", Range(1, provider::RESULTS_PER_QUERY_MAX as u64)),
            ("credentials", Text(provider::CREDENTIALS_CHARS_MAX)),
            ("eval_credentials", Text(provider::EVAL_CREDENTIALS_CHARS_MAX)),
            ("tags", NAMES),
        ],
    },
    SchemaLimits {
        schema: "AIProviderInput",
        fields: &[
            ("name", Name(ai_provider::NAME_CHARS_MAX)),
            ("api_key", Text(ai_provider::API_KEY_CHARS_MAX)),
            ("model", Name(ai_provider::NAME_CHARS_MAX)),
        ],
    },
    SchemaLimits {
        schema: "AuthenticatorInput",
        fields: &[
            ("idp", Name(authenticator::IDP_CHARS_MAX)),
            ("name", Name(USERNAME_CHARS_MAX)),
            ("client_id", Name(authenticator::TEXT_CHARS_MAX)),
            ("client_secret", Text(authenticator::CLIENT_SECRET_CHARS_MAX)),
            ("app_uri", ADDRESS),
            ("auth_uri", ADDRESS),
            ("token_uri", ADDRESS),
            ("revoke_uri", ADDRESS),
            ("user_data_url", ADDRESS),
            ("user_data_params", PARAMS),
            ("user_data_headers", PARAMS),
            ("user_data_method", OneOf(user_data_methods)),
            ("initiate_auth_code_flow_params", PARAMS),
            ("exchange_code_params", PARAMS),
            ("scopes", Text(authenticator::TEXT_CHARS_MAX)),
            ("expires_in", Range(0, EXPIRES_IN_MAX)),
            ("issuer", ADDRESS),
            ("jwks_uri", ADDRESS),
            ("groups_claim", Text(authenticator::TEXT_CHARS_MAX)),
            ("groups_map", Members(authenticator::GROUPS_MAX)),
            ("audience", Text(authenticator::TEXT_CHARS_MAX)),
        ],
    },
    SchemaLimits {
        schema: "BrandingInput",
        fields: &[
            ("name", Name(branding::LABEL_CHARS_MAX)),
            ("product", LABEL),
            ("button", LABEL),
            ("placeholder", LABEL),
            ("ai_label", LABEL),
            ("select_label", LABEL),
        ],
    },
    SchemaLimits {
        schema: "PromptInput",
        fields: &[
            ("name", Name(prompt::NAME_CHARS_MAX)),
            ("prompt", Name(prompt::PART_CHARS_MAX)),
            ("note", PART),
            ("footer", PART),
            ("tags", SomeOf(prompt_tags)),
        ],
    },
    SchemaLimits {
        schema: "QueryTransformInput",
        fields: &[
            ("name", Name(query_transform::NAME_CHARS_MAX)),
            ("config_content", Bytes(query_transform::CONTENT_BYTES_MAX)),
        ],
    },
    SchemaLimits { schema: "QueryTransformTrial", fields: &[("query", Text(QUERY_CHARS_MAX))] },
    SchemaLimits { schema: "PipelineInput", fields: &[("processors", Items(PROCESSORS_MAX))] },
    SchemaLimits {
        schema: "UserInput",
        fields: &[
            ("username", Name(USERNAME_CHARS_MAX)),
            ("password", PASSWORD),
            ("email", Text(EMAIL_CHARS_MAX)),
            ("groups", NAMES),
        ],
    },
    SchemaLimits { schema: "MeInput", fields: &[("email", Text(EMAIL_CHARS_MAX))] },
    SchemaLimits { schema: "PasswordInput", fields: &[("new", PASSWORD)] },
    SchemaLimits { schema: "GroupInput", fields: &[("name", Name(USERNAME_CHARS_MAX))] },
    SchemaLimits { schema: "TokenInput", fields: &[("label", Text(LABEL_CHARS_MAX))] },
    SchemaLimits {
        schema: "ScheduleInput",
        fields: &[(
            "every_seconds",
            Range(schedule::EVERY_SECONDS_MIN.unsigned_abs(), schedule::EVERY_SECONDS_MAX.unsigned_abs()),
        )],
    },
    SchemaLimits {
        schema: "Preferences",
        fields: &[("domains", Items(PREFERENCES_MAX)), ("sources", Items(PREFERENCES_MAX))],
    },
    SchemaLimits { schema: "DomainWish", fields: &[("domain", Text(DOMAIN_CHARS_MAX))] },
    SchemaLimits {
        schema: "ChatInput",
        fields: &[
            ("title", Text(chat::TITLE_CHARS_MAX)),
            ("searchprovider_list", Items(LIST_MAX)),
            ("prompt", Text(chat::TITLE_CHARS_MAX)),
        ],
    },
    SchemaLimits {
        schema: "ChatMessageInput",
        fields: &[("content", Text(chat::CONTENT_CHARS_MAX)), ("attach", Items(chat::LIST_MAX))],
    },
    SchemaLimits {
        schema: "Rating",
        fields: &[
            ("rating", OneOf(ratings)),
            ("reasons", Texts(chat::LIST_MAX, chat::TITLE_CHARS_MAX)),
            ("comment", Text(chat::COMMENT_CHARS_MAX)),
        ],
    },
    SchemaLimits {
        schema: "RagSearchInput",
        fields: &[("result_list", Items(RESULT_LIST_MAX)), ("rag_timeout", SECONDS)],
    },
    SchemaLimits {
        schema: "DoctorInput",
        fields: &[
            ("request", Bytes(provider_doctor::REQUEST_BYTES_MAX)),
            ("query", Text(provider_doctor::QUERY_CHARS_MAX)),
            ("name", Text(provider::NAME_CHARS_MAX)),
        ],
    },
    SchemaLimits {
        schema: "IngestInput",
        fields: &[
            ("url", Text(URL_CHARS_MAX)),
            ("title", Text(TITLE_CHARS_MAX)),
            ("matter_tags", Texts(MATTER_TAGS_MAX, MATTER_CHARS_MAX)),
        ],
    },
    SchemaLimits { schema: "CheckInput", fields: &[("signal_ids", Items(CHECKS_MAX))] },
    SchemaLimits { schema: "ApproveInput", fields: &[("comment", Text(COMMENT_CHARS_MAX))] },
    SchemaLimits { schema: "RejectInput", fields: &[("comment", Text(COMMENT_CHARS_MAX))] },
    SchemaLimits { schema: "PinInput", fields: &[("query", Name(QUERY_CHARS_MAX))] },
    SchemaLimits { schema: "ScanInput", fields: &[("channel", OneOf(channels))] },
    SchemaLimits { schema: "Decision", fields: &[("status", OneOf(decisions))] },
];

/// The limits of parameters: operation (empty: all), parameter, limit.
pub const PARAMETERS: &[(&str, &str, Limit)] = &[
    ("", "Idempotency-Key", Text(idempotency::KEY_CHARS_MAX)),
    ("", "page", AtLeast(1)),
    ("", "items", Range(1, ITEMS_MAX as u64)),
    ("", "rag_timeout", SECONDS),
    ("read_searches", "rag", BooleanOrText),
    ("read_searches", "do_rag", BooleanOrText),
    ("read_activity", "days", Range(1, DAYS_MAX as u64)),
    ("read_log", "lines", Range(LINES_MIN as u64, LINES_MAX as u64)),
    ("read_timings", "searches", Range(1, federation::RUNS_MAX as u64)),
    ("read_searches", "text", Text(FILTER_CHARS_MAX)),
    ("read_suggestions", "q", Text(QUERY_CHARS_MAX)),
    ("read_suggestions", "limit", Range(1, SUGGESTIONS_MAX as u64)),
    ("read_documents", "text", Text(CACHE_FILTER_CHARS_MAX)),
    ("read_documents", "matter_tag", Text(MATTER_CHARS_MAX)),
    ("read_documents", "state", OneOf(document_states)),
    ("test_searchprovider", "q", Text(QUERY_CHARS_MAX)),
    ("test_unsaved_searchprovider", "q", Text(QUERY_CHARS_MAX)),
    ("list_runs", "query", Text(QUERY_CHARS_MAX)),
    ("list_pins", "query", Text(QUERY_CHARS_MAX)),
    ("list_pin_history", "query", Text(QUERY_CHARS_MAX)),
    ("list_runs", "status", OneOf(run_statuses)),
    ("read_events", "status", OneOf(event_statuses)),
];

fn values<T>(all: impl IntoIterator<Item = T>, value: impl Fn(T) -> Value) -> Vec<Value> {
    all.into_iter().map(value).collect()
}

fn retentions() -> Vec<Value> {
    values(Retention::ALL, |one| json!(one.number()))
}

fn ratings() -> Vec<Value> {
    values(chat::RATINGS, |one| json!(one))
}

fn user_data_methods() -> Vec<Value> {
    values(USER_DATA_METHODS, |one| json!(one))
}

fn prompt_tags() -> Vec<Value> {
    values(prompt::TAGS, |one| json!(one))
}

fn channels() -> Vec<Value> {
    values(Channel::ALL, |one| json!(one.as_str()))
}

fn decisions() -> Vec<Value> {
    values([EventStatus::Confirmed, EventStatus::Dismissed], |one| json!(one.as_str()))
}

fn event_statuses() -> Vec<Value> {
    values(EventStatus::ALL, |one| json!(one.as_str()))
}

fn document_states() -> Vec<Value> {
    values(SignalState::ALL, |one| json!(one.as_str()))
}

/// The statuses by which elections are filtered.
fn run_statuses() -> Vec<Value> {
    values(RunStatus::ALL.iter().map(|one| one.as_str()).chain([OPEN]), |one| json!(one))
}
