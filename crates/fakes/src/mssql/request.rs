//! Requests after the login: a batch of SQL, `sp_executesql` with parameters, or the end.

use super::wire::{ATTENTION, RPC, Reader, SQL_BATCH, utf16};

const BY_ID: u16 = 0xffff;
const SP_EXECUTESQL: u16 = 10;
const TRANSACTION_HEADER: u16 = 2;
const NVARCHAR: u8 = 0xe7;
/// The length of an unlimited type, whose values come in chunks.
const IN_CHUNKS: u16 = 0xffff;

pub enum Request {
    Batch {
        text: String,
        transaction: [u8; 8],
    },
    Ask {
        text: String,
        /// As declared: `@P1 nvarchar(4000)`.
        parameters: String,
        values: Vec<String>,
        transaction: [u8; 8],
    },
    Attention,
}

pub fn read(kind: u8, bytes: &[u8]) -> Option<Request> {
    let mut reader = Reader(bytes);
    match kind {
        SQL_BATCH => {
            let transaction = headers(&mut reader)?;
            Some(Request::Batch { text: utf16(reader.0)?, transaction })
        }
        RPC => {
            let transaction = headers(&mut reader)?;
            if reader.u16()? != BY_ID || reader.u16()? != SP_EXECUTESQL || reader.u16()? != 0 {
                return None;
            }
            let mut values = Vec::new();
            while !reader.0.is_empty() {
                values.push(parameter(&mut reader)?);
            }
            let bound = values.split_off(2.min(values.len()));
            let [(_, text), (_, parameters)] = <[(String, String); 2]>::try_from(values).ok()?;
            let mut names = bound.iter().enumerate();
            let is_in_order = names.all(|(at, (name, _))| *name == format!("@P{}", at + 1));
            let values = bound.into_iter().map(|(_, value)| value).collect();
            is_in_order.then_some(Request::Ask { text, parameters, values, transaction })
        }
        ATTENTION => bytes.is_empty().then_some(Request::Attention),
        _ => None,
    }
}

/// ALL_HEADERS: the transaction of the request.
fn headers(reader: &mut Reader<'_>) -> Option<[u8; 8]> {
    let total = usize::try_from(reader.u32()?).ok()?;
    let mut headers = Reader(reader.take(total.checked_sub(4)?)?);
    let _length = headers.u32()?;
    if headers.u16()? != TRANSACTION_HEADER {
        return None;
    }
    headers.take(8)?.try_into().ok()
}

/// Name and value. Only text parameters are supported.
fn parameter(reader: &mut Reader<'_>) -> Option<(String, String)> {
    let characters = usize::from(reader.u8()?);
    let name = reader.text(characters)?;
    let _status = reader.u8()?;
    if reader.u8()? != NVARCHAR {
        return None;
    }
    let length_max = reader.u16()?;
    let _collation = reader.take(5)?;
    if length_max != IN_CHUNKS {
        let length = usize::from(reader.u16()?);
        return Some((name, utf16(reader.take(length)?)?));
    }
    let _total = reader.u64()?;
    let mut bytes = Vec::new();
    loop {
        match reader.u32()? {
            0 => return Some((name, utf16(&bytes)?)),
            length => bytes.extend_from_slice(reader.take(usize::try_from(length).ok()?)?),
        }
    }
}
