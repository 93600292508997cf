//! Egress scans: finds cached documents in a person's own sent mail, with the person's own token. Documents sent to
//! external
//! recipients become events. Of a message, only the recipient domains, the date and the match method are kept.
//!
//! | Module | Contents |
//! |---|---|
//! | `start` | starting a scan |
//! | `records` | scans and events of one person |
//! | `task` | the background task |
//! | `orphans` | scans that have lost their task |
//! | `scan` | reads the mailbox page by page |
//! | `match_message` | matches one message with documents |
//! | `mail`, `mail_parts` | the two kinds of mailboxes, and their dependencies |
//! | `domains` | internal and external recipients |
//! | `links`, `drive` | the documents that links point to |
//! | `document_index` | the documents that the person may see, by identifying features |
//! | `attachments` | matches attachments with documents |

mod attachments;
mod document_index;
mod domains;
mod drive;
mod error;
mod links;
mod mail;
mod mail_parts;
mod match_message;
mod orphans;
mod public_suffix;
mod records;
mod scan;
mod start;
mod task;

pub use error::EgressError;
pub use mail::ANSWER_BYTES_MAX as MAIL_ANSWER_BYTES_MAX;
pub use mail_parts::MailParts;
pub use start::ScanRequest;
pub use task::ScanSentMail;
