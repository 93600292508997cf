//! The last response of a connection that serves no requests.

use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long sending it may take.
const RESPONSE_TIME_MAX: Duration = Duration::from_secs(1);

/// Waits for the client to close: unread bytes would make the system reset the connection and discard the response.
pub async fn write_and_close(mut stream: TcpStream, response: &str) {
    let write = async {
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await?;
        let mut unread = [0; 1024];
        while stream.read(&mut unread).await? > 0 {}
        std::io::Result::Ok(())
    };
    let _best_effort = timeout(RESPONSE_TIME_MAX, write).await;
}
