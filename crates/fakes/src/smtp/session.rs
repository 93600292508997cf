//! One connection to the mail server: its commands, in the order that RFC 5321 demands.

use super::mail::ReceivedMail;
use super::state::{Encryption, PASSWORD, Reply, ServerState, Step, USER};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};

/// Limits of RFC 5321, with the line end.
const COMMAND_BYTES_MAX: usize = 512;
const TEXT_LINE_BYTES_MAX: usize = 1000;

/// A connection, encrypted or not.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Duplex for T {}

pub struct Session<'a> {
    stream: BufReader<Box<dyn Duplex>>,
    state: &'a ServerState,
    is_encrypted: bool,
    client: Option<String>,
    user: Option<String>,
    sender: Option<String>,
    recipients: Vec<String>,
}

/// Whether a command has had its effect.
#[derive(PartialEq, Eq)]
enum Effect {
    Done,
    Refused,
}

impl<'a> Session<'a> {
    pub fn new(stream: Box<dyn Duplex>, state: &'a ServerState) -> Self {
        Self {
            stream: BufReader::new(stream),
            state,
            is_encrypted: false,
            client: None,
            user: None,
            sender: None,
            recipients: Vec::new(),
        }
    }

    pub fn encrypted(stream: Box<dyn Duplex>, state: &'a ServerState) -> Self {
        Self { is_encrypted: true, ..Self::new(stream, state) }
    }

    /// None: the connection has ended.
    pub async fn run(mut self) -> Option<()> {
        self.reply(Step::Greeting, "220 mail.example ESMTP").await?;
        loop {
            let line = self.read_line(COMMAND_BYTES_MAX).await?;
            let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match verb.to_ascii_uppercase().as_str() {
                "EHLO" if !rest.is_empty() => self.greet(rest).await?,
                "STARTTLS" => self = self.start_tls().await?,
                "AUTH" => self.sign_in(rest).await?,
                "MAIL" => self.begin(rest).await?,
                "RCPT" => self.add_recipient(rest).await?,
                "DATA" => self.receive().await?,
                "QUIT" => {
                    self.reply(Step::Quit, "221 2.0.0 Bye").await?;
                    return None;
                }
                _ => self.write("500 5.5.2 Command not recognized").await?,
            }
        }
    }

    async fn greet(&mut self, client: &str) -> Option<()> {
        let mut lines = vec!["mail.example"];
        if !self.is_encrypted && matches!(self.state.encryption, Encryption::Offered(_)) {
            lines.push("STARTTLS");
        } else if self.state.needs_sign_in {
            lines.push(self.state.mechanisms);
        }
        lines.push("SIZE 1000000");
        let last = lines.len() - 1;
        let shown = lines.iter().enumerate().map(|(place, line)| {
            let mark = if place == last { ' ' } else { '-' };
            let auth = if *line == self.state.mechanisms { "AUTH " } else { "" };
            format!("250{mark}{auth}{line}")
        });
        let usual = shown.collect::<Vec<_>>().join("\r\n");
        if self.reply(Step::Hello, &usual).await? == Effect::Done {
            self.client = Some(client.to_owned());
        }
        Some(())
    }

    async fn start_tls(mut self) -> Option<Self> {
        let Encryption::Offered(acceptor) = &self.state.encryption else {
            self.write("502 5.5.1 STARTTLS is not offered").await?;
            return Some(self);
        };
        if self.is_encrypted || self.client.is_none() {
            self.write("503 5.5.1 STARTTLS is not expected").await?;
            return Some(self);
        }
        if self.reply(Step::StartTls, "220 2.0.0 Go ahead").await? == Effect::Refused {
            return Some(self);
        }
        assert!(self.stream.buffer().is_empty(), "a client waits for the reply to STARTTLS");
        let stream = acceptor.accept(self.stream.into_inner()).await.ok()?;
        // What was said before counts no longer.
        Some(Self::encrypted(Box::new(stream), self.state))
    }

    async fn sign_in(&mut self, rest: &str) -> Option<()> {
        let (mechanism, first) = rest.split_once(' ').unwrap_or((rest, ""));
        let is_offered = self.state.mechanisms.split(' ').any(|one| one == mechanism);
        let is_open = matches!(self.state.encryption, Encryption::Offered(_)) && !self.is_encrypted;
        if self.client.is_none() || self.user.is_some() || !self.state.needs_sign_in {
            return self.write("503 5.5.1 AUTH is not expected").await;
        }
        if is_open || !is_offered {
            return self.write("538 5.7.11 Encryption or another mechanism is required").await;
        }
        let is_right = if mechanism == "PLAIN" {
            decode(first)? == format!("\0{USER}\0{PASSWORD}")
        } else {
            self.write(&format!("334 {}", STANDARD.encode("Username:"))).await?;
            let user = self.read_line(COMMAND_BYTES_MAX).await?;
            self.write(&format!("334 {}", STANDARD.encode("Password:"))).await?;
            let password = self.read_line(COMMAND_BYTES_MAX).await?;
            decode(&user)? == USER && decode(&password)? == PASSWORD
        };
        if !is_right {
            return self.write("535 5.7.8 Authentication credentials invalid").await;
        }
        if self.reply(Step::SignIn, "235 2.7.0 Authentication successful").await? == Effect::Done {
            self.user = Some(USER.to_owned());
        }
        Some(())
    }

    async fn begin(&mut self, rest: &str) -> Option<()> {
        if self.client.is_none() || self.sender.is_some() {
            return self.write("503 5.5.1 MAIL is not expected").await;
        }
        if self.state.needs_sign_in && self.user.is_none() {
            return self.write("530 5.7.0 Authentication required").await;
        }
        let Some(sender) = path(rest, "FROM:<") else {
            return self.write("501 5.5.4 Syntax: MAIL FROM:<address>").await;
        };
        if self.reply(Step::Sender, "250 2.1.0 OK").await? == Effect::Done {
            self.sender = Some(sender);
        }
        Some(())
    }

    async fn add_recipient(&mut self, rest: &str) -> Option<()> {
        let Some(recipient) = path(rest, "TO:<").filter(|_| self.sender.is_some()) else {
            return self.write("503 5.5.1 RCPT is not expected").await;
        };
        if self.reply(Step::Recipient, "250 2.1.5 OK").await? == Effect::Done {
            self.recipients.push(recipient);
        }
        Some(())
    }

    async fn receive(&mut self) -> Option<()> {
        if self.recipients.is_empty() {
            return self.write("503 5.5.1 DATA is not expected").await;
        }
        if self.reply(Step::Data, "354 End with <CRLF>.<CRLF>").await? == Effect::Refused {
            return Some(());
        }
        let mut source = String::new();
        loop {
            let line = self.read_line(TEXT_LINE_BYTES_MAX).await?;
            if line == "." {
                break;
            }
            source.push_str(line.strip_prefix('.').unwrap_or(&line));
            source.push_str("\r\n");
        }
        if !source.is_ascii() {
            return self.write("554 5.6.1 8BITMIME is not offered").await;
        }
        let (sender, recipients) = (self.sender.take()?, std::mem::take(&mut self.recipients));
        if self.reply(Step::Message, "250 2.0.0 Queued").await? == Effect::Done {
            self.state.keep(ReceivedMail {
                sender,
                recipients,
                client: self.client.clone()?,
                is_encrypted: self.is_encrypted,
                user: self.user.clone(),
                source,
            });
        }
        Some(())
    }

    /// A line without its end. A longer line, or one with a bare CR or LF, ends the connection.
    async fn read_line(&mut self, bytes_max: usize) -> Option<String> {
        let mut line = Vec::new();
        (&mut self.stream).take(bytes_max as u64).read_until(b'\n', &mut line).await.ok()?;
        let line = String::from_utf8(line).ok()?;
        let line = line.strip_suffix("\r\n")?;
        (!line.contains(['\r', '\n'])).then(|| line.to_owned())
    }

    async fn write(&mut self, line: &str) -> Option<()> {
        let stream = self.stream.get_mut();
        stream.write_all(format!("{line}\r\n").as_bytes()).await.ok()?;
        stream.flush().await.ok()
    }

    async fn reply(&mut self, step: Step, usual: &str) -> Option<Effect> {
        let line = match self.state.next_reply(step) {
            None => usual,
            Some(Reply::Line(line)) => line,
            Some(Reply::Endless(text)) => loop {
                let stream = self.stream.get_mut();
                stream.write_all(text.as_bytes()).await.ok()?;
                stream.flush().await.ok()?;
            },
            Some(Reply::Silence) => {
                let mut rest = Vec::new();
                self.stream.read_to_end(&mut rest).await.ok()?;
                return None;
            }
            Some(Reply::HangUp) => return None,
        };
        self.write(line).await?;
        Some(if line.starts_with(['2', '3']) { Effect::Done } else { Effect::Refused })
    }
}

/// The address in `FROM:<address>`, with nothing behind it.
fn path(text: &str, start: &str) -> Option<String> {
    let address = text.strip_prefix(start)?.strip_suffix('>')?;
    (!address.contains(['<', '>', ' '])).then(|| address.to_owned())
}

fn decode(text: &str) -> Option<String> {
    String::from_utf8(STANDARD.decode(text).ok()?).ok()
}
