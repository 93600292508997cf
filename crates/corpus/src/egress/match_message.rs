//! Matches one message: its external recipients, the documents in it, and the resulting events.

use super::attachments::Reader;
use super::domains::InternalDomains;
use super::mail::{ATTACHMENT_BYTES_MAX, Content, Head, MailError, SentMail};
use super::{drive, links};
use domain::corpus::{Channel, MatchMethod, NewEvent};
use domain::ids::{SignalId, UserId};
use domain::secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::BTreeMap;

/// Most documents of one message that become events.
const EVENTS_MAX: usize = 100;

/// What every message of a scan is matched with.
pub struct MessageMatcher<'a> {
    pub mailbox: &'a dyn SentMail,
    pub inside: &'a InternalDomains,
    pub reader: Reader<'a>,
    pub key: &'a Secret,
    pub user: UserId,
    pub channel: Channel,
}

impl MessageMatcher<'_> {
    /// The events of a message. None if it has no external recipient; it is not opened then. Titles are filled in
    /// later, from the current records.
    pub async fn match_message(&self, head: &Head) -> Result<Option<Vec<NewEvent>>, MailError> {
        let Some(domains) = self.inside.outside(&head.senders, &head.recipients) else { return Ok(None) };
        if self.reader.index.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let content = match self.mailbox.content(head).await {
            Err(MailError::Missing) => return Ok(Some(Vec::new())),
            other => other?,
        };
        let found = self.recognised(head, &content).await?;
        let event = |(signal_id, method)| NewEvent {
            signal_id,
            signal_title: String::new(),
            external_domains: domains.clone(),
            sent_at: head.sent_at,
            method,
            message_key: self.message_key(&head.id),
        };
        Ok(Some(found.into_iter().take(EVENTS_MAX).map(event).collect()))
    }

    /// Each document once, with the most reliable method.
    async fn recognised(
        &self,
        head: &Head,
        content: &Content,
    ) -> Result<BTreeMap<SignalId, MatchMethod>, MailError> {
        let mut found = BTreeMap::new();
        let index = self.reader.index;
        for url in links::links(&content.texts) {
            index.by_address(&url).into_iter().for_each(|id| note(&mut found, id, MatchMethod::LinkExact));
            let items = drive::item_of(&url).map(|item| index.by_item(&item)).unwrap_or_default();
            items.into_iter().for_each(|id| note(&mut found, id, MatchMethod::AttachmentId));
        }
        for attachment in &content.attachments {
            if attachment.size > ATTACHMENT_BYTES_MAX
                || !self.reader.wants(&attachment.name, &attachment.media_type)
            {
                continue;
            }
            let bytes = match self.mailbox.bytes(head, attachment).await {
                Err(MailError::Missing) => continue,
                other => other?,
            };
            let same = self.reader.recognise(&attachment.name, &attachment.media_type, bytes).await;
            same.into_iter().for_each(|(id, method)| note(&mut found, id, method));
        }
        Ok(found)
    }

    /// Keyed hash of a message id. The same id in another person's mailbox gives another key.
    fn message_key(&self, id: &str) -> String {
        #[expect(clippy::expect_used, reason = "this kind of hash takes a key of any length")]
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.key.expose().as_bytes()).expect("a key of any length fits");
        mac.update(format!("egress\n{}\n{}\n{id}", self.user.0, self.channel.as_str()).as_bytes());
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn note(found: &mut BTreeMap<SignalId, MatchMethod>, id: SignalId, method: MatchMethod) {
    let best = found.entry(id).or_insert(method);
    if method.confidence() > best.confidence() {
        *best = method;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surest_way_counts() {
        let mut found = BTreeMap::new();
        let id = SignalId(1);
        for (method, expected) in [
            (MatchMethod::ContentSimilarity, MatchMethod::ContentSimilarity),
            (MatchMethod::FilenameSize, MatchMethod::FilenameSize),
            (MatchMethod::ContentSimilarity, MatchMethod::FilenameSize),
            (MatchMethod::AttachmentHash, MatchMethod::AttachmentHash),
            (MatchMethod::LinkExact, MatchMethod::AttachmentHash),
        ] {
            note(&mut found, id, method);
            assert_eq!(found[&id], expected);
        }
    }
}
