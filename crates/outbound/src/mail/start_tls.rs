//! The exchange before STARTTLS. It is ours, because the library would keep what somebody between has added to the last
//! reply in clear, and read it as the server's own words after the handshake.

use super::error::{ended, refused, too_large, unexpected_status, unreadable};
use super::stream::REPLIES_BYTES_MAX;
use domain::ports::MailError;
use lettre::transport::smtp::commands::{Ehlo, Starttls};
use lettre::transport::smtp::extension::ClientId;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const CHUNK_BYTES: usize = 1024;

/// A complete reply.
#[derive(Debug, PartialEq, Eq)]
struct Reply {
    status: u16,
    /// The text of each line.
    lines: Vec<String>,
}

/// What the received bytes are so far.
#[derive(Debug, PartialEq, Eq)]
enum Progress {
    Incomplete,
    Complete(Reply),
    Invalid,
}

/// Reads the greeting and asks for TLS. The handshake follows.
pub(super) async fn start_tls(stream: &mut TcpStream, hello: &ClientId) -> Result<(), MailError> {
    read_expected(stream, "the greeting", 220).await?;
    write(stream, "the greeting", &Ehlo::new(hello.clone()).to_string()).await?;
    let offer = read_expected(stream, "the greeting", 250).await?;
    if !offer.lines.iter().any(|line| line.eq_ignore_ascii_case("STARTTLS")) {
        return Err(refused("the mail server does not offer STARTTLS, without which nothing is sent"));
    }
    write(stream, "STARTTLS", &Starttls.to_string()).await?;
    read_expected(stream, "STARTTLS", 220).await?;
    Ok(())
}

async fn write(stream: &mut TcpStream, step: &str, command: &str) -> Result<(), MailError> {
    stream.write_all(command.as_bytes()).await.map_err(|error| ended(step).caused_by(error))
}

async fn read_expected(stream: &mut TcpStream, step: &str, status: u16) -> Result<Reply, MailError> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; CHUNK_BYTES];
        let read = stream.read(&mut chunk).await.map_err(|error| ended(step).caused_by(error))?;
        if read == 0 {
            return Err(ended(step));
        }
        bytes.extend_from_slice(&chunk[..read]);
        if bytes.len() > REPLIES_BYTES_MAX {
            return Err(too_large());
        }
        match parse(&bytes) {
            Progress::Incomplete => {}
            Progress::Complete(reply) if reply.status == status => return Ok(reply),
            Progress::Complete(reply) => return Err(unexpected_status(step, reply.status)),
            Progress::Invalid => return Err(unreadable(step)),
        }
    }
}

/// Bytes behind the last line make a reply invalid: this client has asked for nothing more.
fn parse(bytes: &[u8]) -> Progress {
    let Ok(text) = str::from_utf8(bytes) else { return Progress::Invalid };
    let (mut rest, mut lines, mut status) = (text, Vec::new(), None);
    while let Some((line, behind)) = rest.split_once("\r\n") {
        rest = behind;
        let Some((code, mark, words)) = parts(line) else { return Progress::Invalid };
        if *status.get_or_insert(code) != code {
            return Progress::Invalid;
        }
        lines.push(words.to_owned());
        if mark != Some('-') {
            let reply = Reply { status: code, lines };
            return if rest.is_empty() { Progress::Complete(reply) } else { Progress::Invalid };
        }
    }
    Progress::Incomplete
}

/// The status of a line, the mark behind it, and its text.
fn parts(line: &str) -> Option<(u16, Option<char>, &str)> {
    let code = line.get(..3)?.parse().ok().filter(|code| (200..600).contains(code))?;
    match line[3..].chars().next() {
        None => Some((code, None, "")),
        Some(mark @ (' ' | '-')) => Some((code, Some(mark), &line[4..])),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_have_one_or_more_lines() {
        let complete = |status, lines: &[&str]| {
            Progress::Complete(Reply { status, lines: lines.iter().map(|&line| line.to_owned()).collect() })
        };
        for (text, expected) in [
            ("220 a.example\r\n", complete(220, &["a.example"])),
            ("220\r\n", complete(220, &[""])),
            ("250-a.example\r\n250 STARTTLS\r\n", complete(250, &["a.example", "STARTTLS"])),
            ("421 later\r\n", complete(421, &["later"])),
            ("", Progress::Incomplete),
            ("220 a.example", Progress::Incomplete),
            ("250-a.example\r\n250 START", Progress::Incomplete),
            ("220 a\r\n250 b\r\n", Progress::Invalid),
            ("220 a\r\n2", Progress::Invalid),
            ("250-a\r\n220 b\r\n", Progress::Invalid),
            ("hello\r\n", Progress::Invalid),
            ("99 a\r\n", Progress::Invalid),
            ("+20 a\r\n", Progress::Invalid),
            ("220_a\r\n", Progress::Invalid),
            ("é\r\n", Progress::Invalid),
        ] {
            assert_eq!(parse(text.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(parse(b"220 \xff\r\n"), Progress::Invalid);
    }
}
