//! Alerts of subscribed searches: an update that has found new results is reported to a webhook, by mail, or both. Each
//! way has its own task, so that one that fails is repeated without the other.

mod mail;
mod mail_text;
mod new_results;
mod queue;
mod webhook;

pub use mail::SendAlertMail;
pub use queue::ALERTS_WAITING_MAX;
pub(crate) use queue::queue_alerts;
pub use webhook::SendAlert;
