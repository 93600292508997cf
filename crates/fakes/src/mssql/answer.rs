//! The tokens of a TDS response.

use super::wire::to_utf16;

const LOGIN_ACK: u8 = 0xad;
const ERROR: u8 = 0xaa;
const ENV_CHANGE: u8 = 0xe3;
const COL_METADATA: u8 = 0x81;
const ROW: u8 = 0xd1;
const DONE: u8 = 0xfd;
const DONE_PROC: u8 = 0xfe;
const RETURN_STATUS: u8 = 0x79;
const ROUTING: u8 = 20;
const DONE_ERROR: u16 = 0x02;
const DONE_COUNT: u16 = 0x10;
const DONE_ATTENTION: u16 = 0x20;

#[derive(Default)]
pub struct Answer {
    pub bytes: Vec<u8>,
}

/// A column: its name and its TYPE_INFO.
pub struct Column {
    pub name: &'static str,
    pub type_info: Vec<u8>,
}

impl Answer {
    /// A rejected request.
    pub fn error(number: u32, message: &str) -> Self {
        let mut answer = Self::default();
        answer.token_error(number, 16, message);
        answer.token_done(DONE_ERROR);
        answer
    }

    /// The DONE token of an earlier request.
    pub fn attention() -> Self {
        let mut answer = Self::default();
        answer.token_done(DONE_ATTENTION);
        answer
    }

    pub fn rows(columns: &[Column], rows: &[Vec<Vec<u8>>]) -> Self {
        let mut answer = Self::default();
        answer.bytes.push(COL_METADATA);
        answer.u16(columns.len());
        for column in columns {
            // No user type, nullable.
            answer.bytes.extend([0, 0, 0, 0, 1, 0]);
            answer.bytes.extend(&column.type_info);
            answer.short_text(column.name);
        }
        for row in rows {
            answer.bytes.push(ROW);
            row.iter().for_each(|value| answer.bytes.extend(value));
        }
        answer.bytes.extend([RETURN_STATUS, 0, 0, 0, 0]);
        answer.done(DONE_PROC, DONE_COUNT, rows.len());
        answer
    }

    pub fn token_login_ack(&mut self, version: u32) {
        let mut body = vec![1];
        body.extend(version.to_be_bytes());
        let name = "Microsoft SQL Server";
        body.push(name.len() as u8);
        body.extend(to_utf16(name));
        body.extend([16, 0, 3, 232]);
        self.bytes.push(LOGIN_ACK);
        self.u16(body.len());
        self.bytes.extend(body);
    }

    pub fn token_error(&mut self, number: u32, class: u8, message: &str) {
        let mut body = number.to_le_bytes().to_vec();
        body.extend([1, class]);
        let text = to_utf16(message);
        body.extend(((text.len() / 2) as u16).to_le_bytes());
        body.extend(text);
        // No server name, no procedure, line 1.
        body.extend([0, 0, 1, 0, 0, 0]);
        self.bytes.push(ERROR);
        self.u16(body.len());
        self.bytes.extend(body);
    }

    /// A change of the transaction: its type, and the new and the old one.
    pub fn token_transaction(&mut self, kind: u8, new: &[u8], old: &[u8]) {
        self.bytes.push(ENV_CHANGE);
        self.u16(3 + new.len() + old.len());
        self.bytes.extend([kind, new.len() as u8]);
        self.bytes.extend(new);
        self.bytes.push(old.len() as u8);
        self.bytes.extend(old);
    }

    /// A redirect to another server, over TCP.
    pub fn token_route(&mut self, host: &str, port: u16) {
        let mut value = vec![0];
        value.extend(port.to_le_bytes());
        value.extend((host.len() as u16).to_le_bytes());
        value.extend(to_utf16(host));
        self.bytes.push(ENV_CHANGE);
        self.u16(1 + 2 + value.len() + 2);
        self.bytes.push(ROUTING);
        self.u16(value.len());
        self.bytes.extend(value);
        self.bytes.extend([0, 0]);
    }

    pub fn token_done(&mut self, status: u16) {
        self.done(DONE, status, 0);
    }

    fn done(&mut self, token: u8, status: u16, rows: usize) {
        self.bytes.push(token);
        self.bytes.extend(status.to_le_bytes());
        self.bytes.extend([0, 0]);
        self.bytes.extend((rows as u64).to_le_bytes());
    }

    fn u16(&mut self, number: usize) {
        self.bytes.extend(u16::try_from(number).expect("a short token").to_le_bytes());
    }

    fn short_text(&mut self, text: &str) {
        self.bytes.push(text.len() as u8);
        self.bytes.extend(to_utf16(text));
    }
}
