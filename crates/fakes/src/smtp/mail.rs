//! A mail that the server has accepted.

use mail_parser::MessageParser;

#[derive(Debug, Clone)]
pub struct ReceivedMail {
    /// The sender of the envelope.
    pub sender: String,
    /// The recipients of the envelope.
    pub recipients: Vec<String>,
    /// The name of the client in its last EHLO.
    pub client: String,
    pub is_encrypted: bool,
    /// Who had signed in.
    pub user: Option<String>,
    /// Headers and body, as they were sent.
    pub source: String,
}

impl ReceivedMail {
    /// The lines of the headers, with folded lines joined.
    pub fn headers(&self) -> Vec<String> {
        let (headers, _) = self.source.split_once("\r\n\r\n").expect("headers and a body");
        headers.replace("\r\n ", " ").split("\r\n").map(str::to_owned).collect()
    }

    /// The value of a header as it was sent.
    pub fn header(&self, name: &str) -> Option<String> {
        let lines = self.headers();
        let value = |line: &String| Some(line.strip_prefix(name)?.strip_prefix(": ")?.to_owned());
        lines.iter().find_map(value)
    }

    pub fn subject(&self) -> String {
        let mail = MessageParser::default().parse(self.source.as_bytes()).expect("a mail");
        mail.subject().expect("a subject").to_owned()
    }

    /// The decoded text, with line feeds.
    pub fn text(&self) -> String {
        let mail = MessageParser::default().parse(self.source.as_bytes()).expect("a mail");
        mail.body_text(0).expect("a text").replace("\r\n", "\n")
    }
}
