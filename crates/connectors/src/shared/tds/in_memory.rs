//! Reads SQL Server rows from memory, for the TDS fuzz target.

use super::prelogin::plain_answer;
use super::rows::to_object;
use futures_util::{FutureExt, TryStreamExt};
use serde_json::Value;
use std::io::Cursor;
use tiberius::error::Error;
use tiberius::{AuthMethod, Client, Config};
use tokio_util::compat::TokioAsyncWriteCompatExt;

/// Logs in and reads the rows of one statement. `server` is everything that the server sends after its PRELOGIN
/// response. `None` if the driver waits for more.
pub fn read_rows(server: &[u8]) -> Option<Result<Vec<Value>, Error>> {
    let sent = [plain_answer().as_slice(), server].concat();
    let stream = tokio::io::join(Cursor::new(sent), tokio::io::sink()).compat_write();
    async {
        let mut client = Client::connect(config(), stream).await?;
        let mut stream = client.query("select 1", &[]).await?.into_row_stream();
        let mut rows = Vec::new();
        while let Some(row) = stream.try_next().await? {
            rows.push(to_object(&row)?);
        }
        Ok(rows)
    }
    .now_or_never()
}

fn config() -> Config {
    let mut config = Config::new();
    config.authentication(AuthMethod::sql_server("user", "password"));
    config.handshake_timeout(None);
    config.command_timeout(None);
    config.lossy_utf16_decoding(true);
    config
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::tds::prelogin::{ANSWER, packet};
    use serde_json::json;

    /// LOGINACK of TDS 7.4 from a server without a name, and DONE.
    const LOGIN_ACCEPTED: &[u8] =
        &[0xad, 10, 0, 1, 0x74, 0, 0, 4, 0, 16, 0, 3, 0xe8, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    /// COLMETADATA of a number named n, ROW, DONE.
    const ONE_ROW: &[u8] = &[
        0x81, 1, 0, 0, 0, 0, 0, 1, 0, 0x26, 4, 1, b'n', 0, 0xd1, 4, 7, 0, 0, 0, 0xfd, 0x10, 0, 0, 0, 1, 0, 0,
        0, 0, 0, 0, 0,
    ];

    #[test]
    fn a_whole_answer_is_read() {
        let server = [packet(ANSWER, LOGIN_ACCEPTED), packet(ANSWER, ONE_ROW)].concat();
        let rows = read_rows(&server).expect("all of it is there").expect("rows");
        assert_eq!(rows, [json!({"n": 7})]);
    }

    #[test]
    fn what_breaks_off_is_an_error() {
        for server in [&b""[..], b"HTTP/1.1 400", &packet(ANSWER, &[0xfd, 0, 0])] {
            assert!(read_rows(server).is_none_or(|read| read.is_err()), "{server:?}");
        }
    }
}
