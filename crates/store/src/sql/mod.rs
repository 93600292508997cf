//! One file for each record: the row, its conversion to the domain's type, the queries.

mod activity;
mod ai_providers;
mod answers;
mod audit;
mod authenticators;
mod brandings;
mod canonical;
mod chats;
mod claim;
mod connections;
mod corpus;
mod egress;
mod finish;
mod flows;
mod groups;
mod identities;
mod outbox;
mod pipelines;
mod preferences;
mod prompts;
mod providers;
mod rekey;
mod result_rows;
mod results;
mod runs;
mod schedules;
mod searches;
mod sessions;
mod tasks;
mod tokens;
mod transforms;
mod users;
mod versions;

pub use rekey::Resealed;
pub(crate) use tasks::to_owner_column;
