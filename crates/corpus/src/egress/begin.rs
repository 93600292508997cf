//! The wish for a scan: which mailbox, which matter, which days.

use super::EgressError;
use super::mail::authenticator;
use super::task::{ScanSentMail, push};
use crate::SemanticCache;
use chrono::{NaiveDate, TimeDelta};
use domain::contracts::{ScanEnd, ScanOutcome, SourceTokenError};
use domain::corpus::{Channel, MATTER_PREFIX, NewScan, Scan, ScanCounts, ScanStatus};
use domain::ids::UserId;
use domain::user::Principal;

/// A scan of which nothing was heard for this time has lost its worker for good: the next one may begin.
const ABANDONED: TimeDelta = TimeDelta::hours(2);
/// Longest tag of a matter, in characters.
const TAG_CHARS_MAX: usize = 200;

/// Somebody wants their sent mail to be looked through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanWish {
    /// None: the mailbox that is connected, Outlook first.
    pub channel: Option<Channel>,
    /// Only documents of this matter, with or without `matter:`; empty: all.
    pub matter_tag: String,
    /// Both days are part of it.
    pub date_from: Option<NaiveDate>,
    pub date_to: Option<NaiveDate>,
}

impl SemanticCache {
    /// Stores the scan and queues its work. `Running` while another of this person is not over.
    pub async fn begin_scan(&self, by: &Principal, wish: ScanWish) -> Result<Scan, EgressError> {
        let parts = &self.parts;
        if !parts.license.opens_cache() {
            return Err(EgressError::Unlicensed);
        }
        let matter_tag = checked(&wish)?;
        let channel = self.mailbox(by.user, wish.channel).await?;
        let wanted =
            NewScan { user: by.user, channel, matter_tag, date_from: wish.date_from, date_to: wish.date_to };
        let now = parts.clock.now();
        let scan = match parts.store.begin_scan(wanted, now - ABANDONED, now).await? {
            ScanOutcome::Queued(scan) => scan,
            ScanOutcome::Busy(scan) => return Err(EgressError::Running(Box::new(scan))),
        };
        if let Err(error) = push(parts, &scan).await {
            // Nobody would ever run it, and it would keep the person from the next one.
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

    /// The mailbox that is meant, when the person has connected it.
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
                Err(error @ SourceTokenError::Unavailable(..)) => unavailable = Some(error.to_string()),
            }
        }
        if let Some(sentence) = unavailable {
            return Err(EgressError::Unavailable(sentence));
        }
        let names = asked.iter().map(|channel| authenticator(&self.parts.settings, *channel)).collect();
        Err(EgressError::NotConnected(unconnected(wanted, connectable, names)))
    }
}

/// What is missing, and who mends it: without an authenticator a person cannot connect anything.
fn unconnected(wanted: Option<Channel>, connectable: Vec<&str>, all: Vec<&str>) -> String {
    let mailbox =
        wanted.map_or("No mailbox".to_owned(), |channel| format!("No mailbox of {}", title(channel)));
    match connectable.is_empty() {
        false => {
            format!("{mailbox} is connected to your account; connect {} first.", connectable.join(" or "))
        }
        true => format!(
            "{mailbox} can be connected yet: an administrator adds the authenticator {} first.",
            all.join(" or ")
        ),
    }
}

fn title(channel: Channel) -> &'static str {
    match channel {
        Channel::Outlook => "Outlook",
        Channel::Gmail => "Gmail",
    }
}

/// The tag of the matter as it is kept.
fn checked(wish: &ScanWish) -> Result<String, EgressError> {
    if let (Some(from), Some(to)) = (wish.date_from, wish.date_to)
        && from > to
    {
        let sentence = "The last day must not be before the first.".to_owned();
        return Err(EgressError::Invalid("date_to", sentence));
    }
    let tag = wish.matter_tag.trim();
    let tag = tag.strip_prefix(MATTER_PREFIX).unwrap_or(tag).trim();
    if tag.chars().count() > TAG_CHARS_MAX || tag.chars().any(char::is_control) {
        let sentence = format!("Use at most {TAG_CHARS_MAX} readable characters.");
        return Err(EgressError::Invalid("matter_tag", sentence));
    }
    Ok(tag.to_owned())
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
                "No mailbox of Outlook is connected to your account; connect microsoft first.",
            ),
            (
                unconnected(None, Vec::new(), both),
                "No mailbox can be connected yet: an administrator adds the authenticator microsoft or google first.",
            ),
        ];
        for (found, expected) in table {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn wishes_are_checked() {
        let day = |text: &str| text.parse::<NaiveDate>().ok();
        let wish = |tag: &str, from: &str, to: &str| ScanWish {
            matter_tag: tag.to_owned(),
            date_from: day(from),
            date_to: day(to),
            ..ScanWish::default()
        };
        let long = "x".repeat(TAG_CHARS_MAX + 1);
        let table = [
            (wish("", "", ""), Ok("")),
            (wish(" matter: a ", "2026-01-01", "2026-01-01"), Ok("a")),
            (wish("a", "2026-01-02", "2026-01-01"), Err("date_to")),
            (wish(&long, "", ""), Err("matter_tag")),
            (wish("a\u{7}b", "", ""), Err("matter_tag")),
        ];
        for (wish, expected) in table {
            let found = checked(&wish);
            let found = match &found {
                Ok(tag) => Ok(tag.as_str()),
                Err(EgressError::Invalid(field, _)) => Err(*field),
                Err(_) => Err("another error"),
            };
            assert_eq!(found, expected, "{wish:?}");
        }
    }
}
