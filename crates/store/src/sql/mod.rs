//! One file for each record: the row, its conversion to the domain's type, the queries.

mod finish;
mod groups;
mod outbox;
mod pipelines;
mod providers;
mod results;
mod schedules;
mod searches;
mod sessions;
mod tasks;
mod tokens;
mod transforms;
mod users;
