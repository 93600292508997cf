//! `/svc/search/`.

mod ask;
mod change;
mod create;
mod events;
mod update;
