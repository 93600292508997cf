//! Outlook via Microsoft Graph: the folder of sent items.

use super::client::Client;
use super::mailbox::{
    ATTACHMENTS_MAX, Attachment, Content, Head, HeadPage, MailError, PAGE_MAX, SentMail, Window, unreadable,
};
use async_trait::async_trait;
use bytes::Bytes;
use chrono::SecondsFormat;
use domain::instant::{Instant, to_micros};
use serde_json::Value;

const FIELDS: &str = "id,sentDateTime,from,sender,toRecipients,ccRecipients,bccRecipients,hasAttachments";
/// A message keeps its id when it is moved.
const PREFER: [(&str, &str); 1] = [("Prefer", r#"IdType="ImmutableId""#)];
const FILE: &str = "#microsoft.graph.fileAttachment";

pub struct Outlook {
    pub client: Client,
    pub window: Window,
}

#[async_trait]
impl SentMail for Outlook {
    async fn page(&self, at: Option<&str>, at_most: usize) -> Result<HeadPage, MailError> {
        let url = match at {
            Some(next) => self.client.named(next)?,
            None => {
                let top = at_most.clamp(1, PAGE_MAX).to_string();
                let filter = filter(self.window);
                let mut query = vec![("$select", FIELDS), ("$orderby", "sentDateTime desc"), ("$top", &top)];
                if !filter.is_empty() {
                    query.push(("$filter", &filter));
                }
                self.client.at(&["me", "mailFolders", "sentitems", "messages"], &query)?
            }
        };
        let answer = self.client.json(&url, &PREFER).await?;
        let messages = answer["value"].as_array().ok_or_else(unreadable)?;
        Ok(HeadPage {
            heads: messages.iter().filter_map(head).collect(),
            next: answer["@odata.nextLink"].as_str().map(str::to_owned),
        })
    }

    async fn content(&self, head: &Head) -> Result<Content, MailError> {
        let url = self.client.at(&["me", "messages", &head.id], &[("$select", "body")])?;
        let message = self.client.json(&url, &PREFER).await?;
        let texts = message["body"]["content"].as_str().map(str::to_owned).into_iter().collect();
        if !head.may_have_attachments {
            return Ok(Content { texts, attachments: Vec::new() });
        }
        // A file attached as a link has no bytes here; its link is also in the body.
        let fields = [("$select", "id,name,contentType,size")];
        let url = self.client.at(&["me", "messages", &head.id, "attachments"], &fields)?;
        let answer = self.client.json(&url, &PREFER).await?;
        let all = answer["value"].as_array().ok_or_else(unreadable)?;
        let files = all.iter().filter(|one| one["@odata.type"] == FILE).take(ATTACHMENTS_MAX);
        Ok(Content { texts, attachments: files.filter_map(attachment).collect() })
    }

    async fn bytes(&self, head: &Head, attachment: &Attachment) -> Result<Bytes, MailError> {
        let path = ["me", "messages", &head.id, "attachments", &attachment.id, "$value"];
        self.client.get(&self.client.at(&path, &[])?, &PREFER).await
    }
}

/// Graph sorts by a field only if the filter begins with it.
fn filter(window: Window) -> String {
    let text = |moment: Instant| moment.to_rfc3339_opts(SecondsFormat::Secs, true);
    let from = window.from.map(|from| format!("sentDateTime ge {}", text(from)));
    let until = window.until.map(|until| format!("sentDateTime lt {}", text(until)));
    from.into_iter().chain(until).collect::<Vec<_>>().join(" and ")
}

/// None if it was never sent, such as a draft in this folder.
fn head(message: &Value) -> Option<Head> {
    let address = |person: &Value| person["emailAddress"]["address"].as_str().map(str::to_owned);
    let list = |name: &str| message[name].as_array().into_iter().flatten().filter_map(address);
    Some(Head {
        id: message["id"].as_str()?.to_owned(),
        sent_at: to_micros(message["sentDateTime"].as_str()?.parse().ok()?),
        senders: ["from", "sender"].iter().filter_map(|name| address(&message[*name])).collect(),
        recipients: ["toRecipients", "ccRecipients", "bccRecipients"].into_iter().flat_map(list).collect(),
        may_have_attachments: message["hasAttachments"].as_bool().unwrap_or(true),
    })
}

fn attachment(given: &Value) -> Option<Attachment> {
    Some(Attachment {
        id: given["id"].as_str()?.to_owned(),
        name: given["name"].as_str().unwrap_or_default().to_owned(),
        media_type: given["contentType"].as_str().unwrap_or_default().to_owned(),
        size: given["size"].as_u64().unwrap_or_default(),
        bytes: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_window_is_a_filter() {
        let day = |text: &str| text.parse().ok();
        let table = [
            ("", "", ""),
            ("2026-03-01", "", "sentDateTime ge 2026-03-01T00:00:00Z"),
            ("", "2026-03-01", "sentDateTime lt 2026-03-02T00:00:00Z"),
            (
                "2026-03-01",
                "2026-03-01",
                "sentDateTime ge 2026-03-01T00:00:00Z and sentDateTime lt 2026-03-02T00:00:00Z",
            ),
        ];
        for (from, to, expected) in table {
            assert_eq!(filter(Window::of(day(from), day(to))), expected);
        }
    }

    #[test]
    fn all_recipients_count() {
        let person = |address: &str| json!({"emailAddress": {"name": "X", "address": address}});
        let message = json!({
            "id": "m", "sentDateTime": "2026-03-01T10:00:00Z", "from": person("f"), "hasAttachments": false,
            "toRecipients": [person("a"), {}], "ccRecipients": [person("b")], "bccRecipients": [person("c")],
        });
        let found = head(&message).unwrap();
        assert_eq!(
            (found.recipients.as_slice(), found.senders.as_slice()),
            (&["a", "b", "c"].map(str::to_owned)[..], &["f".to_owned()][..])
        );
        assert!(!found.may_have_attachments);
        assert!(head(&json!({"id": "m"})).is_none());
    }
}
