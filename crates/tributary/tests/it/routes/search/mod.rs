//! `/svc/search/`.

mod ask;
mod change;
mod create;
mod events;
mod idempotency;
mod list;
mod runs;
mod update;
