//! Egress scans against fakes of both mailboxes, with real records, the real client and the real extraction.

mod finds;
mod fixture;
mod limits;
mod privacy;
mod requests;
mod trouble;
