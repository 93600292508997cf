//! AWS event-stream frames, as Bedrock sends them. If the input begins with a NUL byte, the rest is the stream itself.
//! Otherwise it is a list of frames, separated by 0x1e; each has headers, 0x1f and a payload. Headers are lines of
//! `name=value`, or, after a NUL byte, the bytes of the headers. Lengths and checksums are then added here.

use super::model_stream::check_api;
use ai::apis::MODEL_APIS;
use flate2::Crc;

pub fn check(bytes: &[u8]) {
    let stream = match bytes.split_first() {
        Some((0, raw)) => raw.to_vec(),
        _ => bytes.split(|&byte| byte == 0x1e).flat_map(write_frame).collect(),
    };
    for kind in MODEL_APIS.iter().filter(|kind| kind.name == "bedrock") {
        check_api(kind.name, kind.api, &stream);
    }
}

fn write_frame(described: &[u8]) -> Vec<u8> {
    let mut halves = described.splitn(2, |&byte| byte == 0x1f);
    let (headers, payload) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
    let headers = match headers.split_first() {
        Some((0, raw)) => raw.to_vec(),
        _ => headers.split(|&byte| byte == b'\n').flat_map(write_header).collect(),
    };
    let total = (12 + headers.len() + payload.len() + 4) as u32;
    let mut frame = [total.to_be_bytes(), (headers.len() as u32).to_be_bytes()].concat();
    frame.extend(checksum(&frame));
    frame.extend(headers);
    frame.extend(payload);
    frame.extend(checksum(&frame));
    frame
}

/// A header whose value is a text.
fn write_header(line: &[u8]) -> Vec<u8> {
    let mut halves = line.splitn(2, |&byte| byte == b'=');
    let (name, value) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
    let name = &name[..name.len().min(usize::from(u8::MAX))];
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    [&[name.len() as u8], name, &[7], &(value.len() as u16).to_be_bytes(), value].concat()
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_be_bytes()
}
