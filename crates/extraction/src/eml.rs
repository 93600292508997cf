//! EML: a mail with subject and sender, its readable parts, and attached messages and files.

use crate::html;
use crate::kind::Kind;
use crate::plain_text::read_lines;
use crate::text_builder::{Abort, ExtractResult, TextBuilder, damaged};
use bytes::Bytes;
use domain::ports::{ExtractError, FileToRead};
use mail_parser::{Address, Message, MessageParser, MessagePart, MimeHeaders, PartType};

/// Marks of nested messages: a media type, and a list whose parts are messages.
const MESSAGE_MARKS: [&[u8]; 2] = [b"message/", b"multipart/digest"];

/// Most header lines and boundary lines. Each takes many times its size in memory, and all of them are parsed before
/// any text is seen.
const LINES_MAX: usize = 100_000;

/// Longest header name that is considered.
const NAME_BYTES_MAX: usize = 100;

/// Reads a file of a known kind. Attachments may be of any kind.
pub type ReadKind = fn(Kind, &FileToRead, &mut TextBuilder) -> ExtractResult;

pub fn read(bytes: &[u8], read_kind: ReadKind, builder: &mut TextBuilder) -> ExtractResult {
    builder.check_deadline()?;
    // Exported mails may begin with blank lines, which would end the headers.
    let bytes = bytes.trim_ascii_start();
    if too_many_lines(bytes) {
        return damaged(&format!("it has more than {LINES_MAX} headers or parts"));
    }
    // The parser recurses for each nested message, so their number is limited before parsing.
    let is_mark = |mark: &[u8], window: &[u8]| window.eq_ignore_ascii_case(mark);
    let count = |mark: &[u8]| bytes.windows(mark.len()).filter(|window| is_mark(mark, window)).count();
    if MESSAGE_MARKS.iter().map(|mark| count(mark)).sum::<usize>() > builder.limits.depth {
        return damaged(&format!("it holds more than {} messages", builder.limits.depth));
    }
    let Some(message) = MessageParser::default().parse(bytes) else {
        return damaged("it holds no message");
    };
    if message.headers().is_empty() {
        return damaged("it holds no message");
    }
    builder.title(message.subject().unwrap_or_default());
    builder.author(&message.from().map(shown).unwrap_or_default());
    read_message(&message, read_kind, builder, 0)
}

/// Headers are at the beginning, after a boundary, and after the headers of a nested message.
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
            // The part of a signature, for example, is text.
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

/// A name and a colon, or a continuation line.
fn may_be_header(line: &[u8]) -> bool {
    let begins = |byte: &u8| byte.is_ascii_whitespace();
    line.first().is_some_and(begins) || line.iter().take(NAME_BYTES_MAX).any(|&byte| byte == b':')
}

fn read_message(
    message: &Message<'_>,
    read_kind: ReadKind,
    builder: &mut TextBuilder,
    depth: usize,
) -> ExtractResult {
    if depth >= builder.limits.depth {
        return damaged(&format!("it is nested deeper than {} messages", builder.limits.depth));
    }
    for header in [message.from(), message.to()].into_iter().flatten() {
        builder.text(&shown(header))?;
        builder.line();
    }
    builder.text(message.subject().unwrap_or_default())?;
    builder.paragraph();
    let mut parts = 0;
    for part in message.text_bodies() {
        builder.check_deadline()?;
        parts += 1;
        if parts > builder.limits.pages {
            return Err(Abort::Full);
        }
        match &part.body {
            PartType::Text(text) => read_lines(text, builder)?,
            PartType::Html(text) => html::read_text(text, builder)?,
            _ => {}
        }
        builder.paragraph();
    }
    for part in message.attachments() {
        builder.check_deadline()?;
        if let Some(name) = part.attachment_name() {
            builder.text(name)?;
            builder.line();
        }
        match &part.body {
            PartType::Message(inner) => {
                builder.paragraph();
                read_message(inner, read_kind, builder, depth + 1)?;
            }
            _ => read_attachment(part, read_kind, builder)?,
        }
        builder.paragraph();
    }
    Ok(())
}

/// Reads an attached file. One that cannot be read is skipped.
fn read_attachment(part: &MessagePart<'_>, read_kind: ReadKind, builder: &mut TextBuilder) -> ExtractResult {
    let said = part.content_type();
    let media_type = said.map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()),
        None => kind.ctype().to_owned(),
    });
    let name = part.attachment_name().unwrap_or_default().to_owned();
    // Texts are already decoded.
    let media_type = match part.body {
        PartType::Text(_) | PartType::Html(_) => media_type.map(|kind| kind + "; charset=utf-8"),
        _ => media_type,
    };
    let file = FileToRead { media_type, name, bytes: Bytes::copy_from_slice(part.contents()) };
    let read = match Kind::of(&file) {
        // Messages are separate parts; other mail files are skipped.
        Ok(Kind::Mail) | Err(_) => return Ok(()),
        Ok(kind) => read_kind(kind, &file, builder),
    };
    match read {
        Err(Abort::Failed(error)) if error != ExtractError::Timeout => Ok(()),
        read => read,
    }
}

/// The display name, else the address.
fn shown(address: &Address<'_>) -> String {
    let names: Vec<&str> =
        address.iter().filter_map(|one| one.name.as_deref().or(one.address.as_deref())).collect();
    names.join(", ")
}
