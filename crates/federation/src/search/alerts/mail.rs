//! Alerts by mail, to the owner of the search.

use super::mail_text::{AlertMail, Link};
use super::new_results::{AlertPayload, NewResults};
use crate::federation::Federation;
use async_trait::async_trait;
use domain::ports::{
    ClaimedTask, MailErrorKind, OutgoingMail, SendMail, TaskError, TaskErrorKind, TaskHandler, chain,
};
use std::sync::Arc;

/// Sends an alert by mail.
pub struct SendAlertMail {
    pub federation: Arc<Federation>,
    /// None if mail is not set up, or no longer.
    pub mail: Option<Arc<dyn SendMail>>,
}

impl SendAlertMail {
    /// The name of the task.
    pub const NAME: &str = "send_alert_mail";
}

#[async_trait]
impl TaskHandler for SendAlertMail {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// A mail that the server refuses for good is not tried again.
    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        let payload: AlertPayload = task.read_payload()?;
        let Some(client) = &self.mail else { return Ok(()) };
        let Some(found) = NewResults::load(&self.federation, payload).await? else { return Ok(()) };
        if found.owner.email.is_empty() {
            return Ok(());
        }
        let id = payload.search;
        match client.send(&self.mail(payload, &found)).await {
            Ok(()) => Ok(()),
            Err(error) if error.kind == MailErrorKind::Refused => {
                tracing::warn!(search = %id, "the alert of search {id} is not sent by mail: {}", chain(&error));
                Ok(())
            }
            Err(error) => Err(TaskError::from_cause(TaskErrorKind::Unavailable, error)),
        }
    }
}

impl SendAlertMail {
    fn mail(&self, AlertPayload { search, run }: AlertPayload, found: &NewResults) -> OutgoingMail {
        let public_url = &self.federation.searches.settings.public_url;
        let text = AlertMail {
            query: &found.search.spec.query_string,
            username: &found.owner.username,
            // A path leads nowhere in a mail.
            link: if public_url.is_empty() { Link::None } else { Link::Page(found.page(public_url)) },
            added: &found.added,
        };
        OutgoingMail {
            id: format!("alert-{search}-{run}"),
            recipient: found.owner.email.clone(),
            subject: text.subject(),
            text: text.body(),
        }
    }
}
