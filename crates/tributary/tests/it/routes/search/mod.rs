//! `/svc/search/`.

mod advice;
mod create;
mod differences;
mod edit;
mod ended;
mod events;
mod from_url;
mod idempotency;
mod list;
mod log;
mod queries;
mod runs;
mod suggestions;
mod update;
