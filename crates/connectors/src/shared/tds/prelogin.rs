//! PRELOGIN of TDS: the first packet, which negotiates encryption.

/// Bytes of a packet header.
pub const HEADER_BYTES: usize = 8;
/// Largest packet that may hold a PRELOGIN.
pub const GREETING_BYTES_MAX: usize = 4096;
/// Packet types of PRELOGIN and of a response.
pub const GREETING: u8 = 0x12;
pub const ANSWER: u8 = 0x04;

const END_OF_MESSAGE: u8 = 1;
const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTANCE: u8 = 2;
const THREAD: u8 = 3;
const MARS: u8 = 4;
const TERMINATOR: u8 = 0xff;

/// The encryption option of PRELOGIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    Off,
    On,
    NotSupported,
    Required,
}

impl Encryption {
    fn byte(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::On => 1,
            Self::NotSupported => 2,
            Self::Required => 3,
        }
    }

    fn of(byte: u8) -> Option<Self> {
        [Self::Off, Self::On, Self::NotSupported, Self::Required].into_iter().find(|one| one.byte() == byte)
    }
}

/// The client's PRELOGIN packet.
pub fn greeting(encryption: Encryption) -> Vec<u8> {
    let options: [(u8, &[u8]); 5] = [
        (VERSION, &[0; 6]),
        (ENCRYPTION, &[encryption.byte()]),
        (INSTANCE, &[0]),
        (THREAD, &[0; 4]),
        (MARS, &[0]),
    ];
    packet(GREETING, &payload(&options))
}

/// A PRELOGIN response without encryption, for the driver.
pub fn plain_answer() -> Vec<u8> {
    let version = [16, 0, 0, 0, 0, 0];
    packet(ANSWER, &payload(&[(VERSION, &version), (ENCRYPTION, &[Encryption::NotSupported.byte()])]))
}

/// The encryption option of a PRELOGIN response; `None` if it is not one.
pub fn encryption(payload: &[u8]) -> Option<Encryption> {
    let mut options = payload;
    while let [option, high, low, length_high, length_low, rest @ ..] = options {
        if *option == TERMINATOR {
            return None;
        }
        if *option == ENCRYPTION {
            let at = usize::from(u16::from_be_bytes([*high, *low]));
            let length = u16::from_be_bytes([*length_high, *length_low]);
            return payload.get(at).filter(|_| length == 1).and_then(|byte| Encryption::of(*byte));
        }
        options = rest;
    }
    None
}

/// A packet with its header. Payloads are always shorter than the maximum.
pub fn packet(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len() + HEADER_BYTES).unwrap_or(u16::MAX).to_be_bytes();
    let mut bytes = vec![kind, END_OF_MESSAGE, length[0], length[1], 0, 0, 0, 0];
    bytes.extend_from_slice(payload);
    bytes
}

/// Packet type and payload length from a header.
pub fn read_header(header: [u8; HEADER_BYTES]) -> Option<(u8, usize)> {
    let [kind, _, high, low, ..] = header;
    Some((kind, usize::from(u16::from_be_bytes([high, low])).checked_sub(HEADER_BYTES)?))
}

fn payload(options: &[(u8, &[u8])]) -> Vec<u8> {
    let mut at = options.len() * 5 + 1;
    let mut table = Vec::new();
    let mut values = Vec::new();
    for (option, value) in options {
        table.push(*option);
        // A PRELOGIN payload has a few dozen bytes.
        table.extend_from_slice(&(at as u16).to_be_bytes());
        table.extend_from_slice(&(value.len() as u16).to_be_bytes());
        values.extend_from_slice(value);
        at += value.len();
    }
    table.push(TERMINATOR);
    table.extend(values);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_says_what_it_should() {
        for one in [Encryption::Off, Encryption::On, Encryption::NotSupported, Encryption::Required] {
            let bytes = greeting(one);
            let (header, payload) = bytes.split_at(HEADER_BYTES);
            let header = header.try_into().expect("a header");
            assert_eq!(read_header(header), Some((GREETING, payload.len())));
            assert_eq!(encryption(payload), Some(one));
        }
        assert_eq!(encryption(&plain_answer()[HEADER_BYTES..]), Some(Encryption::NotSupported));
    }

    #[test]
    fn what_is_no_greeting_is_not_read() {
        let table: [&[u8]; 6] = [
            &[],
            &[TERMINATOR],
            &[1, 0, 6, 0, 1],
            &[1, 0, 6, 0, 2, 0, 0],
            &[1, 0, 5, 0, 1, 9],
            b"HTTP/1.1 400",
        ];
        for bytes in table {
            assert_eq!(encryption(bytes), None, "{bytes:?}");
        }
        assert_eq!(read_header([4, 1, 0, 7, 0, 0, 0, 0]), None);
    }
}
