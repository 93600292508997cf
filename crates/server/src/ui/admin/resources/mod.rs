//! Declarations of the resources that the console lists and edits: columns, switches, filters, field groups and
//! permissions. Types, defaults and help of the fields come from the OpenAPI document.

mod ai;
mod model;
mod people;
mod search;
mod system;

pub use model::{Control, FieldGroup, FieldUse, Resource};

/// Every resource; the slug is that of its page.
pub const RESOURCES: &[Resource] = &[
    search::SEARCHPROVIDERS,
    search::QUERYTRANSFORMS,
    search::PIPELINES,
    ai::AIPROVIDERS,
    ai::PROMPTS,
    people::USERS,
    people::GROUPS,
    people::TOKENS,
    people::AUTHENTICATORS,
    system::SCHEDULES,
];
