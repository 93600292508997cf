//! What the SQL API of Snowflake needs: the account's address, tokens of its kinds, and typed results.

pub mod access;
pub mod account;
pub mod result;
