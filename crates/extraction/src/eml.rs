//! EML: a mail with its subject and sender, the readable parts of it, and the messages and files that are attached.

use crate::html;
use crate::kind::Kind;
use crate::plain_text::read_lines;
use crate::reading::{Reading, Step, Stop, damaged};
use bytes::Bytes;
use domain::contracts::{ExtractError, FileToRead};
use mail_parser::{Address, Message, MessageParser, MessagePart, MimeHeaders, PartType};

/// What makes one message a part of another: a type of its own, and a list whose parts are messages.
const MESSAGE_MARKS: [&[u8]; 2] = [b"message/", b"multipart/digest"];

/// Most lines of headers, and most lines that may part one part of a mail from the next. Each takes many times its size in
/// memory, and all of them are read before the first word is seen.
const LINES_MAX: usize = 100_000;

/// Longest name of a header, as far as lines are told apart by it.
const NAME_BYTES_MAX: usize = 100;

pub fn read(bytes: &[u8], reading: &mut Reading) -> Step {
    reading.look()?;
    if too_many_lines(bytes) {
        return damaged(&format!("it has more than {LINES_MAX} headers or parts"));
    }
    // The parser calls itself for each message within a message, so that it must not see too many.
    let is_mark = |mark: &[u8], window: &[u8]| window.eq_ignore_ascii_case(mark);
    let count = |mark: &[u8]| bytes.windows(mark.len()).filter(|window| is_mark(mark, window)).count();
    if MESSAGE_MARKS.iter().map(|mark| count(mark)).sum::<usize>() > reading.limits.depth {
        return damaged(&format!("it holds more than {} messages", reading.limits.depth));
    }
    let Some(message) = MessageParser::default().parse(bytes) else {
        return damaged("it holds no message");
    };
    if message.headers().is_empty() {
        return damaged("it holds no message");
    }
    reading.title(message.subject().unwrap_or_default());
    reading.author(&message.from().map(shown).unwrap_or_default());
    read_message(&message, reading, 0)
}

/// Headers stand at the beginning, after a line that parts, and after the headers of a message within.
fn too_many_lines(bytes: &[u8]) -> bool {
    let (mut headers, mut parting) = (0, 0);
    let (mut is_header, mut holds_message) = (true, false);
    for line in bytes.split(|&byte| byte == b'\n') {
        if headers > LINES_MAX || parting > LINES_MAX {
            return true;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"--") {
            parting += 1;
            is_header = true;
        } else if is_header && line.is_empty() {
            is_header = std::mem::take(&mut holds_message);
        } else if is_header && !may_be_header(line) {
            // What follows a signature, for one, is text.
            is_header = false;
        } else if is_header {
            headers += 1;
            let is_mark =
                |mark: &[u8]| line.windows(mark.len()).any(|window| window.eq_ignore_ascii_case(mark));
            holds_message |= MESSAGE_MARKS.iter().any(|mark| is_mark(mark));
        }
    }
    false
}

/// A name and a colon, or what goes on from the line before.
fn may_be_header(line: &[u8]) -> bool {
    let begins = |byte: &u8| byte.is_ascii_whitespace();
    line.first().is_some_and(begins) || line.iter().take(NAME_BYTES_MAX).any(|&byte| byte == b':')
}

fn read_message(message: &Message<'_>, reading: &mut Reading, depth: usize) -> Step {
    if depth >= reading.limits.depth {
        return damaged(&format!("it is nested deeper than {} messages", reading.limits.depth));
    }
    for header in [message.from(), message.to()].into_iter().flatten() {
        reading.text(&shown(header))?;
        reading.line();
    }
    reading.text(message.subject().unwrap_or_default())?;
    reading.paragraph();
    let mut parts = 0;
    for part in message.text_bodies() {
        reading.look()?;
        parts += 1;
        if parts > reading.limits.pages {
            return Err(Stop::Full);
        }
        match &part.body {
            PartType::Text(text) => read_lines(text, reading)?,
            PartType::Html(text) => html::read_text(text, reading)?,
            _ => {}
        }
        reading.paragraph();
    }
    for part in message.attachments() {
        reading.look()?;
        if let Some(name) = part.attachment_name() {
            reading.text(name)?;
            reading.line();
        }
        match &part.body {
            PartType::Message(inner) => {
                reading.paragraph();
                read_message(inner, reading, depth + 1)?;
            }
            _ => read_attachment(part, reading)?,
        }
        reading.paragraph();
    }
    Ok(())
}

/// A file that is attached. One that cannot be read costs only itself.
fn read_attachment(part: &MessagePart<'_>, reading: &mut Reading) -> Step {
    let said = part.content_type();
    let media_type = said.map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()),
        None => kind.ctype().to_owned(),
    });
    let name = part.attachment_name().unwrap_or_default().to_owned();
    // Texts are decoded already.
    let media_type = match part.body {
        PartType::Text(_) | PartType::Html(_) => media_type.map(|kind| kind + "; charset=utf-8"),
        _ => media_type,
    };
    let file = FileToRead { media_type, name, bytes: Bytes::copy_from_slice(part.contents()) };
    let read = match Kind::of(&file) {
        // Messages are parts of their own kind; what only looks like one is left alone.
        Ok(Kind::Mail) | Err(_) => return Ok(()),
        Ok(kind) => crate::read_kind(kind, &file, reading),
    };
    match read {
        Err(Stop::Failed(error)) if error != ExtractError::Timeout => Ok(()),
        read => read,
    }
}

/// The name of whoever it is, else the address.
fn shown(address: &Address<'_>) -> String {
    let names: Vec<&str> =
        address.iter().filter_map(|one| one.name.as_deref().or(one.address.as_deref())).collect();
    names.join(", ")
}
