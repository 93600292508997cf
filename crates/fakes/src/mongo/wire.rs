//! OP_MSG: one document in each direction.

use bson::Document;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const OP_MSG: i32 = 2013;
const HEADER_BYTES: usize = 16;
const MESSAGE_BYTES_MAX: usize = 1024 * 1024;
/// Whether the server may send more without a request; it need not.
const EXHAUST_ALLOWED: u32 = 1 << 16;

pub struct Message {
    pub id: i32,
    pub command: Document,
}

/// The next message; `None` if the client disconnected or sent garbage.
pub async fn read<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Message> {
    let length = usize::try_from(stream.read_i32_le().await.ok()?).ok()?;
    let id = stream.read_i32_le().await.ok()?;
    let _response_to = stream.read_i32_le().await.ok()?;
    let is_message = stream.read_i32_le().await.ok()? == OP_MSG;
    if !is_message || !(HEADER_BYTES + 5..MESSAGE_BYTES_MAX).contains(&length) {
        return None;
    }
    let flags = stream.read_u32_le().await.ok()?;
    let mut body = vec![0; length - HEADER_BYTES - 4];
    stream.read_exact(&mut body).await.ok()?;
    let (kind, document) = body.split_first()?;
    if flags & !EXHAUST_ALLOWED != 0 || *kind != 0 {
        return None;
    }
    Some(Message { id, command: Document::from_reader(document).ok()? })
}

pub async fn write<S: AsyncWrite + Unpin>(stream: &mut S, to: i32, answer: &Document) -> Option<()> {
    let mut document = Vec::new();
    answer.to_writer(&mut document).ok()?;
    let length = i32::try_from(HEADER_BYTES + 5 + document.len()).ok()?;
    let mut message = Vec::new();
    for number in [length, 1, to, OP_MSG, 0] {
        message.extend(number.to_le_bytes());
    }
    message.push(0);
    message.extend(document);
    stream.write_all(&message).await.ok()?;
    stream.flush().await.ok()
}
