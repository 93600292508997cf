//! `/svc/search/`.

mod change;
mod create;
mod events;
mod ask;
