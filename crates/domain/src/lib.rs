//! Types and ports. No I/O, no runtime.
//!
//! | Module | Contents |
//! |---|---|
//! | [`search`], [`status`] | searches: what a client may send, what is stored, their states |
//! | [`request_context`] | the id of the request that causes the current work |
//! | [`retention`] | how long searches are kept |
//! | [`search_run`] | findings of the runs of a search, and the difference between two runs |
//! | [`search_task`] | the task that runs a search |
//! | [`preferences`] | sources and domains that a user raises, lowers or blocks |
//! | [`provider`], [`provider_config`] | search providers and their `config.swirl` blocks |
//! | [`parsed_text`] | a text of a record, and what it says |
//! | [`provider_secrets`], [`secret_binding`] | masking of a provider's secrets; where stored secrets may be sent |
//! | [`provider_probe`] | the outcome of testing a provider |
//! | [`query_advice`] | advice on a query that found little |
//! | [`query_transform`], [`pipeline`] | reusable rewrites of queries; post-result pipelines |
//! | [`schedule`] | the editable part of a schedule |
//! | [`provenance`] | whether a provider returned a URL or a user typed it |
//! | [`result`], [`explain`], [`mixed`] | results and why they have their scores, the saved results of one provider, the mixed results response |
//! | `record_json` | writes the JSON of responses, and of results and run entries in the store |
//! | [`audit`] | the audit log: who changed what, with secrets masked |
//! | [`authenticator`] | services that sign users in or issue their tokens for sources |
//! | [`ai_provider`], [`prompt`] | models and what they may be used for; their prompts |
//! | [`page_fetch`] | how the pages behind results are fetched |
//! | [`rag`] | how the results for an AI summary are selected |
//! | [`summary`], [`chat`] | the AI summary of a search; conversations over the sources |
//! | [`activity`] | figures of recent activity |
//! | [`branding`] | branding |
//! | [`user`], [`password`], [`ownership`], [`owner_scope`] | users, groups, tokens and permissions; rules for passwords |
//! | [`bounded_json`] | parsing of untrusted JSON within limits |
//! | [`validation`] | validation errors by field |
//! | [`notice`] | what happened during a search: the lines of `messages` |
//! | [`idempotency`] | idempotent requests |
//! | [`mail_server`] | the mail server for alerts |
//! | [`fair_share`], [`rate_limit`] | which waiting tasks run first; request budgets of sources |
//! | [`storage_forecast`] | size and growth of the database, and when the disk is full |
//! | [`settings`] | the table of settings |
//! | [`source_choice`] | earlier searches vote for the sources that are asked first |
//! | [`ready_source`] | prepared search providers |
//! | [`corpus`] | the semantic cache: documents, access control, versions, status in results |
//! | [`ports`] | traits that other crates implement; their doc comments are the contract of the adapters |
//! | [`ids`], [`instant`] | ids, points in time |
//! | [`secret`], [`inline_secrets`], [`known_secrets`], [`unreadable_secrets`] | secrets and their masking |

pub mod activity;
pub mod ai_provider;
pub mod audit;
pub mod authenticator;
pub mod bounded_json;
pub mod branding;
pub mod chat;
pub mod corpus;
pub mod explain;
pub mod fair_share;
pub mod idempotency;
pub mod ids;
pub mod inline_secrets;
pub mod instant;
pub mod known_secrets;
pub mod mail_server;
pub mod mixed;
pub mod notice;
pub mod owner_scope;
pub mod ownership;
pub mod page_fetch;
pub mod page_starts;
pub mod parsed_text;
pub mod password;
pub mod pipeline;
pub mod ports;
pub mod preferences;
pub mod prompt;
pub mod provenance;
pub mod provider;
pub mod provider_config;
pub mod provider_probe;
pub mod provider_secrets;
pub mod query_advice;
pub mod query_transform;
pub mod rag;
pub mod rate_limit;
pub mod ready_source;
mod record_json;
pub mod request_context;
pub mod result;
pub mod result_group;
pub mod retention;
pub mod schedule;
pub mod search;
pub mod search_run;
pub mod search_task;
pub mod secret_binding;
pub mod settings;
pub mod source_choice;
pub mod status;
pub mod storage_forecast;
pub mod summary;
pub mod unreadable_secrets;
pub mod user;
pub mod validation;

pub use syntax::secret;

/// The product's name, as in values of the interface (`<service_name>`).
pub const SERVICE_NAME: &str = "Tributary";

/// The product's version, reported as the first entry of `messages`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
