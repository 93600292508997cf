//! One file for each record: the row, its conversion to the domain's type, the queries.

mod finish;
mod groups;
mod providers;
mod results;
mod searches;
mod sessions;
mod tasks;
mod tokens;
mod users;
