//! Gmail: a list gives the ids of sent messages, newest first; each message is read separately, its text only if it
//! has an external recipient.

use super::client::Client;
use super::mailbox::{
    ATTACHMENTS_MAX, Attachment, Content, Head, HeadPage, MailError, PAGE_MAX, SentMail, Window, unreadable,
};
use crate::egress::domains::addresses;
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use chrono::DateTime;
use futures_util::{StreamExt, TryStreamExt};
use serde_json::Value;

/// Messages read in parallel.
const AT_ONCE: usize = 8;
/// Most parts of one message that are considered.
const PARTS_MAX: usize = 200;
/// Most texts of one message that are fetched separately.
const TEXTS_ELSEWHERE_MAX: usize = 10;
/// Deepest nesting of parts.
const DEPTH_MAX: usize = 20;
/// URL-safe, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub struct Gmail {
    pub client: Client,
    pub window: Window,
}

#[async_trait]
impl SentMail for Gmail {
    async fn page(&self, at: Option<&str>, at_most: usize) -> Result<HeadPage, MailError> {
        let most = at_most.clamp(1, PAGE_MAX).to_string();
        let words = words(self.window);
        let mut query = vec![("labelIds", "SENT"), ("maxResults", &most)];
        if !words.is_empty() {
            query.push(("q", &words));
        }
        if let Some(token) = at {
            query.push(("pageToken", token));
        }
        let answer = self.client.json(&self.client.at(&["users", "me", "messages"], &query)?, &[]).await?;
        let ids: Vec<String> = answer["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["id"].as_str().map(str::to_owned))
            .collect();
        // Boxed one by one: the compiler cannot prove that the closure's futures are `Send`.
        let reads: Vec<_> = ids.into_iter().map(|id| Box::pin(self.head(id))).collect();
        let heads: Vec<Option<Head>> =
            futures_util::stream::iter(reads).buffered(AT_ONCE).try_collect().await?;
        Ok(HeadPage {
            heads: heads.into_iter().flatten().collect(),
            next: answer["nextPageToken"].as_str().map(str::to_owned),
        })
    }

    async fn content(&self, head: &Head) -> Result<Content, MailError> {
        let url = self.client.at(&["users", "me", "messages", &head.id], &[("format", "full")])?;
        let message = self.client.json(&url, &[]).await?;
        let mut found = Found { space: PARTS_MAX, ..Found::default() };
        found.collect(&message["payload"], 0);
        for id in found.texts_elsewhere {
            match self.elsewhere(head, &id).await {
                Ok(text) => found.content.texts.push(String::from_utf8_lossy(&text).into_owned()),
                Err(MailError::Missing) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found.content)
    }

    async fn bytes(&self, head: &Head, attachment: &Attachment) -> Result<Bytes, MailError> {
        if let Some(bytes) = &attachment.bytes {
            return Ok(bytes.clone());
        }
        self.elsewhere(head, &attachment.id).await
    }
}

impl Gmail {
    /// Fetches a part that was not included in its message.
    async fn elsewhere(&self, head: &Head, id: &str) -> Result<Bytes, MailError> {
        let path = ["users", "me", "messages", &head.id, "attachments", id];
        let answer = self.client.json(&self.client.at(&path, &[])?, &[]).await?;
        data(&answer).ok_or_else(unreadable)
    }

    /// None if it was deleted in the meantime.
    async fn head(&self, id: String) -> Result<Option<Head>, MailError> {
        const QUERY: [(&str, &str); 5] = [
            ("format", "metadata"),
            ("metadataHeaders", "From"),
            ("metadataHeaders", "To"),
            ("metadataHeaders", "Cc"),
            ("metadataHeaders", "Bcc"),
        ];
        let url = self.client.at(&["users", "me", "messages", &id], &QUERY)?;
        match self.client.json(&url, &[]).await {
            Ok(message) => Ok(head(id, &message)),
            Err(MailError::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Gmail uses whole seconds; messages at the edge are filtered again by the scan.
fn words(window: Window) -> String {
    let from = window.from.map(|from| format!("after:{}", from.timestamp() - 1));
    let until = window.until.map(|until| format!("before:{}", until.timestamp()));
    from.into_iter().chain(until).collect::<Vec<_>>().join(" ")
}

fn head(id: String, message: &Value) -> Option<Head> {
    let headers: Vec<&Value> = message["payload"]["headers"].as_array().into_iter().flatten().collect();
    let all = |name: &str| -> Vec<String> {
        let named = headers
            .iter()
            .filter(|one| one["name"].as_str().is_some_and(|own| own.eq_ignore_ascii_case(name)));
        named.filter_map(|one| one["value"].as_str()).flat_map(addresses).collect()
    };
    let millis: i64 = message["internalDate"].as_str()?.parse().ok()?;
    Some(Head {
        id,
        sent_at: DateTime::from_timestamp_millis(millis)?,
        senders: all("From"),
        recipients: ["To", "Cc", "Bcc"].into_iter().flat_map(all).collect(),
        may_have_attachments: true,
    })
}

/// The content of a message.
#[derive(Default)]
struct Found {
    content: Content,
    /// Ids of texts that are too long to be included.
    texts_elsewhere: Vec<String>,
    /// Number of parts that may still be considered.
    space: usize,
}

impl Found {
    /// Collects a part and its children.
    fn collect(&mut self, part: &Value, depth: usize) {
        if depth > DEPTH_MAX || self.space == 0 {
            return;
        }
        self.space -= 1;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (name, media_type, body) = (text(&part["filename"]), text(&part["mimeType"]), &part["body"]);
        let id = text(&body["attachmentId"]);
        if !name.is_empty() {
            if self.content.attachments.len() < ATTACHMENTS_MAX {
                let (size, bytes) = (body["size"].as_u64().unwrap_or_default(), data(body));
                self.content.attachments.push(Attachment { id, name, media_type, size, bytes });
            }
        } else if matches!(media_type.as_str(), "text/html" | "text/plain") {
            if let Some(bytes) = data(body) {
                self.content.texts.push(String::from_utf8_lossy(&bytes).into_owned());
            } else if !id.is_empty() && self.texts_elsewhere.len() < TEXTS_ELSEWHERE_MAX {
                self.texts_elsewhere.push(id);
            }
        }
        for inner in part["parts"].as_array().into_iter().flatten() {
            self.collect(inner, depth + 1);
        }
    }
}

fn data(body: &Value) -> Option<Bytes> {
    BASE64.decode(body["data"].as_str()?).ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_are_read_within_bounds() {
        let text = |text: &str| json!({"mimeType": "text/plain", "body": {"data": BASE64.encode(text)}});
        let file = json!({"filename": "a.pdf", "mimeType": "application/pdf", "body": {"attachmentId": "x", "size": 7}});
        let message = json!({"mimeType": "multipart/mixed", "parts": [
            {"mimeType": "multipart/alternative", "parts": [text("one"), {"mimeType": "text/html", "body": {"data": "PGI-"}}]},
            file, {"mimeType": "image/png", "body": {"data": "AAAA"}},
        ]});
        let read = |message: &Value| {
            let mut found = Found { space: PARTS_MAX, ..Found::default() };
            found.collect(message, 0);
            found
        };
        let Found { content, texts_elsewhere, .. } = read(&message);
        assert!(texts_elsewhere.is_empty());
        assert_eq!(content.texts, ["one", "<b>"]);
        let found = &content.attachments[0];
        assert_eq!(
            (found.name.as_str(), found.id.as_str(), found.size, content.attachments.len()),
            ("a.pdf", "x", 7, 1)
        );
        let many = |one: &Value| json!({"parts": vec![one.clone(); 3 * PARTS_MAX]});
        assert_eq!(read(&many(&text("x"))).content.texts.len(), PARTS_MAX - 1);
        assert_eq!(read(&many(&file)).content.attachments.len(), ATTACHMENTS_MAX);
        let long =
            json!({"mimeType": "text/html", "filename": "", "body": {"attachmentId": "t", "size": 200_000}});
        assert_eq!(read(&many(&long)).texts_elsewhere, vec!["t"; TEXTS_ELSEWHERE_MAX]);
        let deep = (0..2 * DEPTH_MAX).fold(text("x"), |inner, _| json!({"parts": [inner]}));
        assert!(read(&deep).content.texts.is_empty());
    }

    #[test]
    fn a_window_is_a_query() {
        let day = |text: &str| text.parse().ok();
        assert_eq!(words(Window::default()), "");
        let whole = words(Window::of(day("2026-03-01"), day("2026-03-01")));
        assert_eq!(whole, "after:1772323199 before:1772409600");
    }

    #[test]
    fn all_recipients_count() {
        let header = |name: &str, value: &str| json!({"name": name, "value": value});
        let message = json!({"internalDate": "1772323200000", "payload": {"headers": [
            header("to", "A <a@a.example>"), header("Cc", "b@b.example"), header("Bcc", "c@c.example"),
            header("From", "f@f.example"), header("Subject", "s@s.example"),
        ]}});
        let found = head("m".to_owned(), &message).unwrap();
        assert_eq!(found.recipients, ["a@a.example", "b@b.example", "c@c.example"]);
        assert_eq!(found.senders, ["f@f.example"]);
        assert!(head("m".to_owned(), &json!({})).is_none());
    }
}
