//! PRELOGIN and LOGIN7.

use super::answer::Answer;
use super::contents::{DATABASE, PASSWORD, USER};
use super::wire::utf16;
use std::net::SocketAddr;

pub const OFF: u8 = 0;
pub const ON: u8 = 1;
pub const NOT_SUPPORTED: u8 = 2;
pub const REQUIRED: u8 = 3;

const ENCRYPTION_OPTION: u8 = 1;
const TERMINATOR: u8 = 0xff;
const TDS_7_4: u32 = 0x7400_0004;
/// The offsets of LOGIN7: its type and its text table.
const VERSION_AT: usize = 4;
const TYPE_FLAGS_AT: usize = 26;
const READ_ONLY_INTENT: u8 = 0x20;
const USER_AT: usize = 40;
const PASSWORD_AT: usize = 44;
const DATABASE_AT: usize = 68;

/// The encryption option of the client's PRELOGIN.
pub fn encryption_wanted(greeting: &[u8]) -> Option<u8> {
    let mut options = greeting;
    loop {
        let [option, high, low, _, length, rest @ ..] = options else { return None };
        match *option {
            TERMINATOR => return None,
            ENCRYPTION_OPTION if *length == 1 => {
                let byte = *greeting.get(usize::from(u16::from_be_bytes([*high, *low])))?;
                return (byte <= REQUIRED).then_some(byte);
            }
            _ => options = rest,
        }
    }
}

pub fn encryption_answer(client: u8, can_encrypt: bool) -> u8 {
    match (client, can_encrypt) {
        (_, false) => NOT_SUPPORTED,
        (NOT_SUPPORTED, true) => REQUIRED,
        (OFF | ON | REQUIRED, true) => ON,
        (_, true) => REQUIRED,
    }
}

pub fn greeting(encryption: u8) -> Vec<u8> {
    // VERSION of six bytes at 16, ENCRYPTION of one byte at 22, an empty THREADID.
    let mut bytes = vec![0, 0, 16, 0, 6, 1, 0, 22, 0, 1, 3, 0, 23, 0, 0, TERMINATOR];
    bytes.extend([16, 0, 3, 232, 0, 0, encryption]);
    bytes
}

pub struct Login {
    user: String,
    password: String,
    database: String,
    is_read_only: bool,
}

impl Login {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let version = u32::from_le_bytes(bytes.get(VERSION_AT..VERSION_AT + 4)?.try_into().ok()?);
        if version != TDS_7_4 {
            return None;
        }
        let hidden = field(bytes, PASSWORD_AT)?;
        let shown: Vec<u8> = hidden.iter().map(|byte| (byte ^ 0xa5).rotate_left(4)).collect();
        Some(Self {
            user: utf16(field(bytes, USER_AT)?)?,
            password: utf16(&shown)?,
            database: utf16(field(bytes, DATABASE_AT)?)?,
            is_read_only: bytes.get(TYPE_FLAGS_AT)? & READ_ONLY_INTENT != 0,
        })
    }

    /// Whether the login succeeds, and the response.
    pub fn answer(&self, route: Option<SocketAddr>) -> (bool, Vec<u8>) {
        let mut answer = Answer::default();
        let failed = format!("Login failed for user '{}'.", self.user);
        if self.user != USER || self.password != PASSWORD {
            answer.token_error(18456, 14, &failed);
        } else if self.database != DATABASE {
            let message = format!(
                "Cannot open database \"{}\" requested by the login. The login failed.",
                self.database
            );
            answer.token_error(4060, 11, &message);
            answer.token_error(18456, 14, &failed);
        } else if !self.is_read_only {
            let message = "The target database is accessible for connections with read-only intent.";
            answer.token_error(978, 14, message);
        } else {
            answer.token_login_ack(TDS_7_4);
            if let Some(route) = route {
                answer.token_route(&route.ip().to_string(), route.port());
            }
            answer.token_done(0);
            return (route.is_none(), answer.bytes);
        }
        answer.token_done(2);
        (false, answer.bytes)
    }
}

/// The bytes of a text, whose offset and length in characters are at `at`.
fn field(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let [low, high, length_low, length_high] = *bytes.get(at..at + 4)? else { return None };
    let start = usize::from(u16::from_le_bytes([low, high]));
    bytes.get(start..start + 2 * usize::from(u16::from_le_bytes([length_low, length_high])))
}
