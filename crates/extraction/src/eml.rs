//! EML: a mail with its subject and sender, the readable parts of it, and the messages that are attached.

use crate::html;
use crate::plain_text::read_lines;
use crate::reading::{Reading, Step, Stop, damaged};
use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};

/// What makes one message a part of another: a type of its own, and a list whose parts are messages.
const MESSAGE_MARKS: [&[u8]; 2] = [b"message/", b"multipart/digest"];

pub fn read(bytes: &[u8], reading: &mut Reading) -> Step {
    reading.look()?;
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
        if let PartType::Message(inner) = &part.body {
            reading.paragraph();
            read_message(inner, reading, depth + 1)?;
        }
    }
    Ok(())
}

/// The name of whoever it is, else the address.
fn shown(address: &Address<'_>) -> String {
    let names: Vec<&str> =
        address.iter().filter_map(|one| one.name.as_deref().or(one.address.as_deref())).collect();
    names.join(", ")
}
