//! TLS whose handshake travels in PRELOGIN packets.

use super::wire::{HEADER_BYTES, PRELOGIN, packet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const BUFFER_BYTES: usize = 16 * 1024;

/// An encrypted connection. Two tasks unpack and pack the handshake.
pub struct EncryptedConnection {
    pub stream: TlsStream<DuplexStream>,
    _pumps: JoinSet<Option<()>>,
}

pub async fn accept(acceptor: &TlsAcceptor, stream: TcpStream) -> Option<EncryptedConnection> {
    let (inside, outside) = tokio::io::duplex(BUFFER_BYTES);
    let (read, write) = stream.into_split();
    let (inside_read, inside_write) = tokio::io::split(outside);
    let is_over = Arc::new(AtomicBool::new(false));
    let mut pumps = JoinSet::new();
    pumps.spawn(pump_in(read, inside_write, Arc::clone(&is_over)));
    pumps.spawn(pump_out(inside_read, write, is_over));
    let stream = acceptor.accept(inside).await.ok()?;
    Some(EncryptedConnection { stream, _pumps: pumps })
}

/// The first byte that begins no packet ends the handshake: from there on the client's bytes are plain TLS.
async fn pump_in(
    mut client: OwnedReadHalf,
    mut inside: WriteHalf<DuplexStream>,
    is_over: Arc<AtomicBool>,
) -> Option<()> {
    loop {
        let first = client.read_u8().await.ok()?;
        if first != PRELOGIN {
            is_over.store(true, Ordering::Release);
            inside.write_all(&[first]).await.ok()?;
            tokio::io::copy(&mut client, &mut inside).await.ok()?;
            return inside.shutdown().await.ok();
        }
        let mut header = [0; HEADER_BYTES - 1];
        client.read_exact(&mut header).await.ok()?;
        let [_, high, low, ..] = header;
        let length = usize::from(u16::from_be_bytes([high, low])).checked_sub(HEADER_BYTES)?;
        let mut payload = vec![0; length];
        client.read_exact(&mut payload).await.ok()?;
        inside.write_all(&payload).await.ok()?;
    }
}

async fn pump_out(
    mut inside: ReadHalf<DuplexStream>,
    mut client: OwnedWriteHalf,
    is_over: Arc<AtomicBool>,
) -> Option<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let read = inside.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        if is_over.load(Ordering::Acquire) {
            client.write_all(&buffer[..read]).await.ok()?;
        } else {
            client.write_all(&packet(PRELOGIN, 1, &buffer[..read])).await.ok()?;
        }
    }
}
