//! A message as it is sent: its headers and its encoded text.

use super::error::refused;
use domain::ports::{MailError, OutgoingMail};
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0};
use lettre::{Address, Message};

/// The sender of all mail; None if it is not an address.
pub(super) fn parse_sender(text: &str) -> Option<Mailbox> {
    text.trim().parse().ok().filter(|_| !text.contains(char::is_control))
}

/// Builds the message. Control characters end neither a header nor a line.
pub(super) fn build_message(sender: &Mailbox, mail: &OutgoingMail) -> Result<Message, MailError> {
    let recipient = parse_recipient(&mail.recipient)
        .ok_or_else(|| refused("the address of the recipient is not a mail address"))?;
    let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
    let is_text = |c: &char| *c == '\n' || !c.is_control();
    Message::builder()
        .from(sender.clone())
        .to(Mailbox::new(None, recipient))
        .subject(mail.subject.chars().filter(|c| !c.is_control()).collect::<String>())
        .message_id(Some(format!("<{}@{}>", mail.id, sender.email.domain())))
        // Nobody answers that they are on vacation.
        .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
        .header(MIME_VERSION_1_0)
        .header(ContentType::TEXT_PLAIN)
        .body(mail.text.chars().filter(is_text).collect::<String>())
        .map_err(|error| refused("the mail cannot be written").caused_by(error))
}

/// One address, without anything that a command or a header would read as more.
fn parse_recipient(text: &str) -> Option<Address> {
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace() && !"<>,;\"()".contains(c);
    text.parse().ok().filter(|_| text.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(recipient: &str, subject: &str, text: &str) -> OutgoingMail {
        OutgoingMail {
            id: "alert-7-3".to_owned(),
            recipient: recipient.to_owned(),
            subject: subject.to_owned(),
            text: text.to_owned(),
        }
    }

    fn formatted(mail: &OutgoingMail) -> String {
        let sender = parse_sender("Find <find@a.example>").expect("a sender");
        String::from_utf8(build_message(&sender, mail).expect("a message").formatted()).expect("ASCII")
    }

    #[test]
    fn senders_are_addresses() {
        for text in ["find@a.example", "Find <find@a.example>", " find@localhost "] {
            assert!(parse_sender(text).is_some(), "{text}");
        }
        for text in
            ["", "find", "Find <find>", "find@a.example\r\nBcc: b@b.example", "a@b.example, c@d.example"]
        {
            assert!(parse_sender(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_recipient_is_one_address() {
        for text in ["ann@b.example", "ann+alerts@b.example", "änn@b.example", "ann@localhost"] {
            assert!(parse_recipient(text).is_some(), "{text}");
        }
        for text in [
            "",
            "ann",
            "ann@",
            "@b.example",
            "ann@b.example,eve@c.example",
            "Ann <ann@b.example>",
            "ann@b.example>\r\nRCPT TO:<eve@c.example",
            "\"ann eve\"@b.example",
            "ann@b.example\n",
        ] {
            assert!(parse_recipient(text).is_none(), "{text}");
        }
    }

    #[test]
    fn texts_end_no_header_and_no_line() {
        let hostile = "a\r\nBcc: eve@c.example\r\n\r\nb\0\u{85}";
        let sent = formatted(&mail("ann@b.example", hostile, "one\r\r\ntwo\rthree\n.\nfour\0"));
        let (headers, body) = sent.split_once("\r\n\r\n").expect("headers and a body");
        assert!(!headers.contains("\r\nBcc"), "{headers}");
        assert!(headers.contains("Subject: aBcc: eve@c.exampleb\r\n"), "{headers}");
        assert_eq!(body, "one\r\ntwothree\r\n.\r\nfour");
        for line in headers.split("\r\n") {
            assert!(line.is_ascii() && !line.contains(['\r', '\n']), "{line:?}");
        }
    }

    #[test]
    fn every_message_is_ascii_with_short_lines() {
        let long = "é".repeat(5000);
        for text in ["plain", "Flüsse\nצ", long.as_str(), &"x".repeat(5000)] {
            let subject: String = text.chars().take(200).collect();
            let sent = formatted(&mail("ann@b.example", &subject, text));
            assert!(sent.is_ascii());
            assert!(sent.split("\r\n").all(|line| line.len() < 999), "{}", sent.len());
            assert!(sent.contains("Message-ID: <alert-7-3@a.example>\r\n"));
            assert!(sent.contains("Auto-Submitted: auto-generated\r\n"));
        }
    }
}
