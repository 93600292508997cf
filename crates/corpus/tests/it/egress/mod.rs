//! Sent mail is looked through at stand-ins of both mailboxes, with real records, the real gate and the real reading of files.

mod finds;
mod house;
mod limits;
mod privacy;
mod trouble;
mod wishes;
