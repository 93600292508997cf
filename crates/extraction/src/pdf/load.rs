//! Loads a PDF. All objects are in memory before the first page, so their number and the time are limited while
//! loading.

use super::operators::{is_delimiter, is_space};
use crate::text_builder::{Abort, Deadline, ExtractResult, TextBuilder, damaged};
use domain::ports::ExtractError;
use lopdf::{Document, Error, LoadOptions, Object, ObjectId, Stream};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Most bytes of one decompressed stream; the structure of a document is in many small ones.
pub const STREAM_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most object streams; all of them are decompressed before the first page.
const OBJECT_STREAMS_MAX: usize = 2_000;
const OBJECT_STREAM_MARK: &[u8] = b"/ObjStm";
/// Most numbers, names and strings in the structure of a document. Each takes fifty times its size in memory.
const THINGS_MAX: usize = 1_500_000;

/// The remaining budget of loading. The library calls back through a plain function, which finds it here.
struct Budget {
    things: usize,
    deadline: Deadline,
}

thread_local! {
    static BUDGET: RefCell<Option<Budget>> = const { RefCell::new(None) };
}

/// Loading exceeded its budget; carried out of the library as a silent panic.
struct TooFar(ExtractError);

/// Documents with only an owner password open; those with a user password do not.
pub fn load(bytes: &[u8], builder: &mut TextBuilder) -> ExtractResult<Document> {
    let streams = bytes.windows(OBJECT_STREAM_MARK.len()).filter(|window| *window == OBJECT_STREAM_MARK);
    if streams.count() > OBJECT_STREAMS_MAX {
        return damaged(&format!("it holds more than {OBJECT_STREAMS_MAX} packed streams"));
    }
    if things_outside_streams(bytes) > THINGS_MAX {
        return damaged(&format!("its structure has more than {THINGS_MAX} parts"));
    }
    builder.check_deadline()?;
    let document = match loaded(bytes, builder)? {
        Ok(document) => document,
        Err(Error::Decryption(_) | Error::InvalidPassword) => {
            return Err(Abort::Failed(ExtractError::Protected));
        }
        Err(_) => return damaged("its structure cannot be read"),
    };
    if document.is_encrypted() {
        return Err(Abort::Failed(ExtractError::Protected));
    }
    Ok(document)
}

fn loaded(bytes: &[u8], builder: &TextBuilder) -> ExtractResult<Result<Document, Error>> {
    let mut options = LoadOptions::with_max_decompressed_size(STREAM_BYTES_MAX);
    options.filter = Some(keep);
    BUDGET.set(Some(Budget { things: THINGS_MAX, deadline: builder.deadline().clone() }));
    let loaded = catch_unwind(AssertUnwindSafe(|| Document::load_mem_with_options(bytes, options)));
    BUDGET.set(None);
    loaded.or_else(|panic| match panic.downcast::<TooFar>() {
        Ok(too_far) => Err(Abort::Failed(too_far.0)),
        Err(other) => resume_unwind(other),
    })
}

/// Called for every object read. An object stream is checked before it is decompressed.
fn keep(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    match object {
        Object::Stream(stream) => {
            spend(things_in_dictionary(stream));
            if stream.dict.has_type(b"ObjStm") && !unpacks_well(stream) {
                // Makes it an ordinary stream, which is never used.
                stream.dict.set("Type", Object::Null);
            }
            // The library continues with its own object.
            Some((id, Object::Null))
        }
        other => {
            spend(things_in(other));
            Some((id, other.clone()))
        }
    }
}

/// Deducts from the budget, and leaves the library if it is exhausted.
fn spend(things: usize) {
    let stop = BUDGET.with_borrow_mut(|budget| {
        let budget = budget.as_mut()?;
        if budget.deadline.is_over() {
            return Some(ExtractError::Timeout);
        }
        match budget.things.checked_sub(things) {
            Some(left) => {
                budget.things = left;
                None
            }
            None => Some(ExtractError::Damaged(format!("its structure has more than {THINGS_MAX} parts"))),
        }
    });
    if let Some(error) = stop {
        resume_unwind(Box::new(TooFar(error)));
    }
}

/// The number of items in an object; the library limits its depth.
fn things_in(object: &Object) -> usize {
    match object {
        Object::Array(list) => 1 + list.iter().map(things_in).sum::<usize>(),
        Object::Dictionary(dict) => 1 + dict.iter().map(|(_, value)| 1 + things_in(value)).sum::<usize>(),
        _ => 1,
    }
}

fn things_in_dictionary(stream: &Stream) -> usize {
    1 + stream.dict.iter().map(|(_, value)| 1 + things_in(value)).sum::<usize>()
}

/// Objects in an object stream must not overlap: otherwise a small stream would expand to a huge number of objects.
fn unpacks_well(stream: &Stream) -> bool {
    let Ok(content) = stream.get_plain_content_with_limit(STREAM_BYTES_MAX) else { return false };
    let first = stream.dict.get(b"First").and_then(Object::as_i64).ok();
    let Some(first) =
        first.and_then(|first| usize::try_from(first).ok()).filter(|first| *first <= content.len())
    else {
        return false;
    };
    let (index, objects) = content.split_at(first);
    let Ok(index) = std::str::from_utf8(index) else { return false };
    let numbers = index.split_whitespace().map(|number| number.parse::<u32>().ok());
    let offsets: Option<Vec<usize>> =
        numbers.skip(1).step_by(2).map(|offset| Some(offset? as usize)).collect();
    let Some(offsets) = offsets else { return false };
    spend(offsets.len());
    let ends = offsets.iter().skip(1).copied().chain([objects.len()]);
    offsets.iter().zip(ends).all(|(start, end)| match objects.get(*start..end) {
        Some(object) if *start < end => is_whole(object),
        _ => false,
    })
}

/// Every bracket that opens here closes here.
fn is_whole(object: &[u8]) -> bool {
    let (mut brackets, mut at, mut things) = (0_i64, 0, 0_usize);
    while let Some(&byte) = object.get(at) {
        match byte {
            b'(' => match string_end(object, at) {
                Some(end) => at = end,
                None => return false,
            },
            b'[' => brackets += 1,
            b']' => brackets -= 1,
            b'<' if object.get(at + 1) == Some(&b'<') => {
                brackets += 1;
                at += 1;
            }
            b'>' if object.get(at + 1) == Some(&b'>') => {
                brackets -= 1;
                at += 1;
            }
            b'<' => match object[at..].iter().position(|&byte| byte == b'>') {
                Some(end) => at += end,
                None => return false,
            },
            // A comment could hide brackets.
            b'%' => return false,
            _ => {}
        }
        if brackets < 0 {
            return false;
        }
        things += usize::from(is_space(byte) || is_delimiter(byte));
        at += 1;
    }
    spend(things);
    brackets == 0
}

/// The end of the string that starts here.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, start);
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at),
            b')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// The number of items outside streams. If the start of a stream is uncertain, there is none; what looks like an
/// object inside a stream is counted, because a table may point to it.
fn things_outside_streams(bytes: &[u8]) -> usize {
    let (mut things, mut depth, mut at, mut is_between) = (0, 0_usize, 0, true);
    while let Some(&byte) = bytes.get(at) {
        let is_sign = is_delimiter(byte);
        things += usize::from(is_sign || (is_between && !is_space(byte)));
        is_between = is_sign || is_space(byte);
        match byte {
            b'\\' if depth > 0 => at += 1,
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b's' if depth == 0 && begins_stream(bytes, at) => {
                at = after_stream(bytes, at);
                is_between = true;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    things
}

fn begins_stream(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rposition(|&byte| !is_space(byte));
    let ends_dictionary = before.is_some_and(|last| bytes[..=last].ends_with(b">>"));
    ends_dictionary && bytes[at..].starts_with(b"stream") && matches!(bytes.get(at + 6), Some(b'\r' | b'\n'))
}

/// The end of a stream, or the first apparent object in it.
fn after_stream(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 6;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"endstream") || rest.starts_with(b"obj") {
            return at;
        }
        let skip = rest[1..].iter().position(|&byte| byte == b'e' || byte == b'o');
        at += skip.map_or(rest.len(), |skip| skip + 1);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_stand_whole() {
        let table: &[(&str, bool)] = &[
            ("<</A [1 2]/B (x \\) y) /C <41>>>", true),
            ("[1 [2]", false),
            ("1]", false),
            ("(open", false),
            ("<41", false),
            ("[0 %]", false),
            ("(( )", false),
            ("null ", true),
        ];
        for (text, expected) in table {
            assert_eq!(is_whole(text.as_bytes()), *expected, "{text}");
        }
    }

    #[test]
    fn things_are_counted_where_objects_may_be() {
        let table: &[(&str, usize)] = &[
            ("1 0 obj [0 0] endobj", 8),
            ("1 0 obj <<>>\nstream\n0 0 0 0 0 0\nendstream", 9),
            // No stream starts inside a string.
            ("1 0 obj (>>\nstream\n) 0 0 0 0 endstream", 13),
            // A table may point to it.
            ("1 0 obj <<>> stream\n2 0 obj 0 0 0\nendstream", 13),
        ];
        for (text, expected) in table {
            assert_eq!(things_outside_streams(text.as_bytes()), *expected, "{text}");
        }
    }
}
