//! Sent mail is looked through at stand-ins of both mailboxes, with real records, the real client and the real reading of files.

mod finds;
mod fixture;
mod limits;
mod privacy;
mod requests;
mod trouble;
