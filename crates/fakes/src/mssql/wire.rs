//! Messages in packets with an eight-byte header.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

pub const SQL_BATCH: u8 = 0x01;
pub const RPC: u8 = 0x03;
pub const RESPONSE: u8 = 0x04;
pub const ATTENTION: u8 = 0x06;
pub const LOGIN7: u8 = 0x10;
pub const PRELOGIN: u8 = 0x12;

pub const HEADER_BYTES: usize = 8;
const PACKET_BYTES: usize = 4096;
const MESSAGE_BYTES_MAX: usize = 1024 * 1024;
const END_OF_MESSAGE: u8 = 1;

/// A complete message; `None` if the client disconnected or sent garbage.
pub async fn read<S: AsyncRead + Unpin>(stream: &mut S) -> Option<(u8, Vec<u8>)> {
    let mut message = Vec::new();
    loop {
        let mut header = [0; HEADER_BYTES];
        stream.read_exact(&mut header).await.ok()?;
        let [kind, status, high, low, ..] = header;
        let length = usize::from(u16::from_be_bytes([high, low])).checked_sub(HEADER_BYTES)?;
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).await.ok()?;
        message.extend(payload);
        if message.len() > MESSAGE_BYTES_MAX {
            return None;
        }
        if status & END_OF_MESSAGE != 0 {
            return Some((kind, message));
        }
    }
}

pub async fn write<S: AsyncWrite + Unpin>(stream: &mut S, kind: u8, message: &[u8]) -> Option<()> {
    let mut parts = message.chunks(PACKET_BYTES - HEADER_BYTES).peekable();
    while let Some(part) = parts.next() {
        let status = if parts.peek().is_none() { END_OF_MESSAGE } else { 0 };
        stream.write_all(&packet(kind, status, part)).await.ok()?;
    }
    stream.flush().await.ok()
}

pub fn packet(kind: u8, status: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len() + HEADER_BYTES).expect("a packet").to_be_bytes();
    let mut bytes = vec![kind, status, length[0], length[1], 0, 0, 1, 0];
    bytes.extend_from_slice(payload);
    bytes
}

/// Reads values from the front of a message.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A text of this many two-byte characters.
    pub fn text(&mut self, characters: usize) -> Option<String> {
        utf16(self.take(characters * 2)?)
    }
}

pub fn utf16(bytes: &[u8]) -> Option<String> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    String::from_utf16(&units).ok().filter(|_| bytes.len().is_multiple_of(2))
}

pub fn to_utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}
