//! What an SQL Server sends. The first two bytes give the length of its response to the login, 0 for one that is
//! accepted; the rest is its response to a statement. The whole input is also parsed as a PRELOGIN message.

use connectors::fuzzing::prelogin::{ANSWER, HEADER_BYTES, encryption, greeting, packet, read_header};
use connectors::fuzzing::read_tds_rows;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A packet can hold a few more bytes than the driver itself requests.
const PACKET_BYTES: usize = 4096 - HEADER_BYTES;
/// LOGINACK of TDS 7.4 by a server without a name, and DONE.
const LOGIN_ACCEPTED: &[u8] =
    &[0xad, 10, 0, 1, 0x74, 0, 0, 4, 0, 16, 0, 3, 0xe8, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

pub fn check(bytes: &[u8]) {
    check_greeting(bytes);
    let Some((length, rest)) = bytes.split_at_checked(2) else { return };
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    let (login, answer) = rest.split_at(length.min(rest.len()));
    let login = if login.is_empty() { LOGIN_ACCEPTED } else { login };
    let server = [write_message(login), write_message(answer)].concat();
    // A panic of the driver fails only its provider, as in a search.
    let Ok(Some(Ok(rows))) = catch_unwind(AssertUnwindSafe(|| read_tds_rows(&server))) else { return };
    // Every row takes at least the byte of its token.
    assert!(rows.len() <= answer.len());
    assert!(rows.iter().all(|row| row.is_object()));
}

fn check_greeting(bytes: &[u8]) {
    if let Some(said) = encryption(bytes) {
        let ours = greeting(said);
        let Some((header, payload)) = ours.split_first_chunk::<HEADER_BYTES>() else { return };
        assert_eq!(encryption(payload), Some(said));
        assert_eq!(read_header(*header).map(|(_, length)| length), Some(payload.len()));
    }
    if let Some(header) = bytes.first_chunk::<HEADER_BYTES>() {
        assert!(
            read_header(*header).is_none_or(|(_, length)| length + HEADER_BYTES <= usize::from(u16::MAX))
        );
    }
}

fn write_message(tokens: &[u8]) -> Vec<u8> {
    let packets = tokens.chunks(PACKET_BYTES).map(|part| packet(ANSWER, part));
    let mut message: Vec<Vec<u8>> = packets.collect();
    // Only the last packet ends the message.
    let others = message.len().saturating_sub(1);
    message.iter_mut().take(others).for_each(|packet| packet[1] = 0);
    message.concat()
}
