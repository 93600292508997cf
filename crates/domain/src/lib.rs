//! Types, parsers and ports. No I/O, no runtime.
//!
//! | Module | What lives there |
//! |---|---|
//! | [`search`], [`status`] | a Search, what a client may send, its states |
//! | [`retention`] | how long searches are kept |
//! | [`search_run`] | what the runs of a search found, and how two runs differ |
//! | [`preferences`] | sources and domains that a person raises, lowers or blocks |
//! | [`provider`] | SearchProvider and its `config.swirl` blocks |
//! | [`provider_secrets`] | what of a provider is masked, and what a masked text stands for |
//! | [`provider_test`] | what trying a provider answers |
//! | [`query_transform`], [`pipeline_record`] | reusable rewrites of queries; the post-result pipeline as data |
//! | [`schedule_record`] | what an administrator may change of a schedule |
//! | [`provenance`] | whether a provider gave an address or a person typed it |
//! | [`result`], [`mixed`] | one result, one provider's saved results, the mixed results response |
//! | [`audit`] | the audit log: who changed what, with secrets masked |
//! | [`authenticator`] | services that sign people in or give their tokens for sources |
//! | [`ai_provider`], [`prompt_record`] | models and what they may be used for; what is said to them |
//! | [`page_fetch`] | how the pages behind results are fetched |
//! | [`rag`] | how the results of an AI summary are chosen |
//! | [`answer`], [`chat`] | the AI summary of a search; conversations over the sources |
//! | [`activity`] | what people did lately, in figures |
//! | [`branding`], [`license`] | branding; license |
//! | [`user`] | users, groups, tokens, and who may see which provider |
//! | [`bounded_json`] | JSON of others, with a bound on the number of its values |
//! | [`validation`] | mistakes in what a client sent, by field |
//! | [`message`] | the lines of `messages`, written in one place so that they stay alike |
//! | [`idempotency`] | requests that may be repeated without doing anything twice |
//! | [`storage_forecast`] | how large the database is, how it grows, and when the disk is full |
//! | [`settings`] | the one table of settings |
//! | [`installation`], [`ready_source`] | what the program tells of itself; SearchProviders that are ready |
//! | [`notation`] | the little languages of configuration, each a pure parser |
//! | [`corpus`] | the semantic cache: its documents, who may see them, how they show on results |
//! | [`contracts`] | the central traits; their doc comments are the contracts |
//! | [`workload`] | what the workers of this process do at this moment |
//! | [`ids`], [`instant`], [`names`], [`secret`] | ids, times on the wire, nearest names, secrets |

pub mod activity;
pub mod ai_provider;
pub mod answer;
pub mod audit;
pub mod authenticator;
pub mod bounded_json;
pub mod branding;
pub mod chat;
pub mod contracts;
pub mod corpus;
pub mod fair_share;
pub mod idempotency;
pub mod ids;
pub mod inline_secrets;
pub mod installation;
pub mod instant;
pub mod known_secrets;
pub mod license;
pub mod message;
pub mod mixed;
pub mod names;
pub mod notation;
pub mod page_fetch;
pub mod password;
pub mod pipeline_record;
pub mod preferences;
pub mod prompt_record;
pub mod provenance;
pub mod provider;
pub mod provider_secrets;
pub mod provider_test;
pub mod query_transform;
pub mod rag;
pub mod ready_source;
pub mod result;
pub mod retention;
pub mod schedule_record;
pub mod search;
pub mod search_run;
pub mod secret;
pub mod secret_binding;
pub mod settings;
pub mod source_budget;
pub mod status;
pub mod storage_forecast;
pub mod unreadable_secrets;
pub mod user;
pub mod validation;
pub mod workload;

/// The product's name, as it stands in values of the interface (`<service_name>`).
pub const SERVICE_NAME: &str = "Tributary";

/// The product's version, reported as the first entry of `messages`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
