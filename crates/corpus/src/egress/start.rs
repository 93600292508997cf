//! Starting a scan: which mailbox, which matter, which days.

use super::error::EgressError;
use super::mail::authenticator;
use super::task::{ScanSentMail, push};
use crate::SemanticCache;
use chrono::{NaiveDate, TimeDelta};
use domain::corpus::{Channel, MatterTag, NewScan, Scan, ScanCounts, ScanStatus};
use domain::ids::UserId;
use domain::ports::{ScanEnd, ScanOutcome, SourceTokenError};
use domain::user::Principal;

/// A scan without progress for this time has lost its worker, and the next one may start.
const ABANDONED: TimeDelta = TimeDelta::hours(2);

/// A request to scan one's sent mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanRequest {
    /// None: the connected mailbox, Outlook first.
    pub channel: Option<Channel>,
    /// Only documents of this matter. None: all.
    pub matter_tag: Option<MatterTag>,
    /// Inclusive, like `date_to`.
    pub date_from: Option<NaiveDate>,
    pub date_to: Option<NaiveDate>,
}

impl SemanticCache {
    /// Stores the scan and queues its task. `Running` while the person has an unfinished scan.
    pub async fn begin_scan(&self, by: &Principal, request: ScanRequest) -> Result<Scan, EgressError> {
        let parts = &self.parts;
        if !parts.license.opens_cache() {
            return Err(EgressError::Unlicensed);
        }
        check(&request)?;
        let channel = self.mailbox(by.user, request.channel).await?;
        let wanted = NewScan {
            user: by.user,
            channel,
            matter_tag: request.matter_tag.map(|tag| tag.as_str().to_owned()).unwrap_or_default(),
            date_from: request.date_from,
            date_to: request.date_to,
        };
        let now = parts.clock.now();
        let scan = match parts.store.begin_scan(wanted, now - ABANDONED, now).await? {
            ScanOutcome::Queued(scan) => scan,
            ScanOutcome::Busy(scan) => return Err(EgressError::Running(Box::new(scan))),
        };
        if let Err(error) = push(parts, &scan).await {
            // It would never run, and would block the next scan.
            let sentence = "the scan could not be queued".to_owned();
            let end = ScanEnd {
                status: ScanStatus::Failed,
                counts: ScanCounts::default(),
                error: sentence,
                truncated: false,
            };
            parts.store.end_scan(scan.scan_id, end, now).await?;
            return Err(error.into());
        }
        tracing::info!(scan.id = scan.scan_id.0, task = ScanSentMail::NAME, "a scan of sent mail was queued");
        Ok(scan)
    }

    /// The requested mailbox, if the person has connected it.
    async fn mailbox(&self, user: UserId, wanted: Option<Channel>) -> Result<Channel, EgressError> {
        let all = [Channel::Outlook, Channel::Gmail];
        let asked: Vec<Channel> = wanted.map_or_else(|| all.to_vec(), |channel| vec![channel]);
        let (mut unavailable, mut connectable) = (None, Vec::new());
        for channel in &asked {
            let name = authenticator(&self.parts.settings, *channel);
            match self.parts.mail.tokens.access_token(user, name).await {
                Ok(_) => return Ok(*channel),
                Err(SourceTokenError::NotConnected(_)) => connectable.push(name),
                Err(SourceTokenError::UnknownAuthenticator(_)) => {}
                Err(error @ SourceTokenError::Unavailable(..)) => unavailable = Some(error),
            }
        }
        if let Some(error) = unavailable {
            return Err(EgressError::Unavailable(error));
        }
        let names = asked.iter().map(|channel| authenticator(&self.parts.settings, *channel)).collect();
        Err(EgressError::NotConnected(unconnected(wanted, connectable, names)))
    }
}

/// What is missing, and who can fix it: without an authenticator a person cannot connect a mailbox.
fn unconnected(wanted: Option<Channel>, connectable: Vec<&str>, all: Vec<&str>) -> String {
    let mailbox = wanted.map_or("No mailbox".to_owned(), |channel| format!("No {} mailbox", title(channel)));
    if connectable.is_empty() {
        format!(
            "{mailbox} can be connected yet: an administrator must add the authenticator {} first.",
            all.join(" or ")
        )
    } else {
        format!("{mailbox} is connected to your account; connect {} first.", connectable.join(" or "))
    }
}

fn title(channel: Channel) -> &'static str {
    match channel {
        Channel::Outlook => "Outlook",
        Channel::Gmail => "Gmail",
    }
}

fn check(request: &ScanRequest) -> Result<(), EgressError> {
    if let (Some(from), Some(to)) = (request.date_from, request.date_to)
        && from > to
    {
        let sentence = "The last day must not be before the first.".to_owned();
        return Err(EgressError::Invalid("date_to", sentence));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_to_who_can_mend_it() {
        let (outlook, both) = (Some(Channel::Outlook), vec!["microsoft", "google"]);
        let table = [
            (
                unconnected(None, both.clone(), both.clone()),
                "No mailbox is connected to your account; connect microsoft or google first.",
            ),
            (
                unconnected(None, vec!["google"], both.clone()),
                "No mailbox is connected to your account; connect google first.",
            ),
            (
                unconnected(outlook, vec!["microsoft"], vec!["microsoft"]),
                "No Outlook mailbox is connected to your account; connect microsoft first.",
            ),
            (
                unconnected(None, Vec::new(), both),
                "No mailbox can be connected yet: an administrator must add the authenticator microsoft or google first.",
            ),
        ];
        for (found, expected) in table {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_last_day_is_not_before_the_first() {
        let day = |text: &str| text.parse::<NaiveDate>().ok();
        for (from, to, is_valid) in [
            ("", "", true),
            ("2026-01-01", "", true),
            ("2026-01-01", "2026-01-01", true),
            ("2026-01-02", "2026-01-01", false),
        ] {
            let request = ScanRequest { date_from: day(from), date_to: day(to), ..ScanRequest::default() };
            let checked = check(&request);
            assert_eq!(checked.is_ok(), is_valid, "{from} {to}");
            assert!(is_valid || matches!(checked, Err(EgressError::Invalid("date_to", _))));
        }
    }
}
