//! A minimal HTTP/1.1 server, because a server library would not break off, drip or hang on demand.

use super::behavior::Behavior;
use super::documents;
use super::recorded::{Recorded, first_of};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::sleep;

type Stream = BufReader<TcpStream>;

/// Largest headers and body of a request.
const HEAD_BYTES_MAX: u64 = 64 * 1024;
const BODY_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Chunk size of a large body.
const PIECE_BYTES: u64 = 64 * 1024;

/// What happens to the connection after a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    KeepOpen,
    Close,
}

/// Reads one request; `None` if the client closed the connection between two.
pub(super) async fn read_request(stream: &mut Stream) -> io::Result<Option<Recorded>> {
    // A client that speaks another protocol, such as TLS, would wait forever for a response.
    if stream.fill_buf().await?.first().is_some_and(|byte| !byte.is_ascii_uppercase()) {
        send(stream, 400, &[], b"").await?;
        return Err(invalid("this is not HTTP"));
    }
    let mut head = Vec::new();
    let mut limited = (&mut *stream).take(HEAD_BYTES_MAX);
    while !head.ends_with(b"\r\n\r\n") {
        if limited.read_until(b'\n', &mut head).await? == 0 {
            return if head.is_empty() {
                Ok(None)
            } else {
                Err(invalid("the head broke off or is too large"))
            };
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(invalid("the request line is not valid"));
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    if first_of(&headers, "transfer-encoding").is_some() {
        return Err(invalid("chunked requests are not read"));
    }
    let length: u64 = first_of(&headers, "content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    if length > BODY_BYTES_MAX {
        return Err(invalid("the body is too large"));
    }
    let mut body = Vec::new();
    (&mut *stream).take(length).read_to_end(&mut body).await?;
    if (body.len() as u64) < length {
        return Err(invalid("the body broke off"));
    }
    Ok(Some(Recorded {
        method: method.to_owned(),
        path: path.to_owned(),
        query: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        headers,
        body: body.into(),
    }))
}

pub(super) async fn answer(
    stream: &mut Stream,
    mut behavior: Behavior,
    request: &Recorded,
) -> io::Result<Next> {
    while let Behavior::Delay(by, inner) = behavior {
        sleep(by).await;
        behavior = *inner;
    }
    if request.method == "HEAD" {
        behavior = head_of(behavior);
    }
    match behavior {
        Behavior::Json(value) => send_text(stream, "application/json", value.to_string().as_bytes()).await,
        Behavior::Xml(text) => send_text(stream, "application/xml", text.as_bytes()).await,
        Behavior::Text { content_type, body } => send_text(stream, &content_type, &body).await,
        Behavior::Status { code, headers, body } => send(stream, code, &headers, &body).await,
        Behavior::Redirect { to, code } => send(stream, code, &[("location".to_owned(), to)], b"").await,
        Behavior::Documents(known) => {
            let found = documents::search(&known, request).to_string();
            send_text(stream, "application/json", found.as_bytes()).await
        }
        Behavior::Hang => wait_for_close(stream).await,
        Behavior::Drip { byte_every, total } => drip(stream, byte_every, total).await,
        Behavior::Huge { bytes } => send_huge(stream, bytes).await,
        Behavior::GzipBomb { bytes } => send_bomb(stream, bytes).await,
        Behavior::HalfAnswer => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(b"{\"total\": 1, \"items\": [").await?;
            stream.shutdown().await?;
            Ok(Next::Close)
        }
        Behavior::CloseAtOnce => Ok(Next::Close),
        // The sequence has advanced and the delay above is over; nothing is left to resolve.
        Behavior::Sequence(_) | Behavior::Delay(..) => Err(invalid("a turn was not taken")),
    }
}

/// The response to HEAD: the same headers, with the length of the missing body.
fn head_of(behavior: Behavior) -> Behavior {
    let head = |code: u16, mut headers: Vec<(String, String)>, length: usize| {
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            headers.push(("content-length".to_owned(), length.to_string()));
        }
        Behavior::Status { code, headers, body: Bytes::new() }
    };
    let typed = |content_type: &str| vec![("content-type".to_owned(), content_type.to_owned())];
    match behavior {
        Behavior::Json(value) => head(200, typed("application/json"), value.to_string().len()),
        Behavior::Xml(text) => head(200, typed("application/xml"), text.len()),
        Behavior::Text { content_type, body } => head(200, typed(&content_type), body.len()),
        Behavior::Status { code, headers, body } => head(code, headers, body.len()),
        Behavior::Drip { .. } | Behavior::Huge { .. } | Behavior::GzipBomb { .. } => {
            head(200, typed("text/plain"), 0)
        }
        other => other,
    }
}

async fn send_text(stream: &mut Stream, content_type: &str, body: &[u8]) -> io::Result<Next> {
    send(stream, 200, &[("content-type".to_owned(), content_type.to_owned())], body).await
}

async fn send(stream: &mut Stream, code: u16, headers: &[(String, String)], body: &[u8]) -> io::Result<Next> {
    let mut head = format!("HTTP/1.1 {code} -\r\n");
    let mut next = Next::KeepOpen;
    let mut has_length = false;
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
        has_length |= name.eq_ignore_ascii_case("content-length");
        if name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case("close") {
            next = Next::Close;
        }
    }
    if !has_length {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    // One write: a client may read the headers and close before a second one arrives.
    stream.write_all(&[head.as_bytes(), body].concat()).await?;
    stream.flush().await?;
    Ok(next)
}

async fn wait_for_close(stream: &mut Stream) -> io::Result<Next> {
    while stream.read_u8().await.is_ok() {}
    Ok(Next::Close)
}

async fn drip(stream: &mut Stream, byte_every: Duration, total: u64) -> io::Result<Next> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {total}\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    for _ in 0..total {
        sleep(byte_every).await;
        stream.write_all(b".").await?;
    }
    Ok(Next::KeepOpen)
}

async fn send_huge(stream: &mut Stream, bytes: u64) -> io::Result<Next> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let spaces = vec![b' '; PIECE_BYTES as usize];
    for size in piece_sizes(bytes) {
        send_chunk(stream, &spaces[..size]).await?;
    }
    end_chunks(stream).await
}

/// Compresses while sending, so that a bomb of any size needs no memory.
async fn send_bomb(stream: &mut Stream, bytes: u64) -> io::Result<Next> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: gzip\r\n\
                transfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let zeros = vec![0; PIECE_BYTES as usize];
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    for size in piece_sizes(bytes) {
        packer.write_all(&zeros[..size])?;
        let packed = std::mem::take(packer.get_mut());
        send_chunk(stream, &packed).await?;
        // Compression is slow and rarely waits for the client, so other tasks get their turn here.
        tokio::task::yield_now().await;
    }
    send_chunk(stream, &packer.finish()?).await?;
    end_chunks(stream).await
}

fn piece_sizes(bytes: u64) -> impl Iterator<Item = usize> + Send {
    let rest = (bytes % PIECE_BYTES) as usize;
    (0..bytes / PIECE_BYTES).map(|_| PIECE_BYTES as usize).chain((rest > 0).then_some(rest))
}

async fn send_chunk(stream: &mut Stream, piece: &[u8]) -> io::Result<()> {
    // An empty chunk would end the body.
    if piece.is_empty() {
        return Ok(());
    }
    stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
    stream.write_all(piece).await?;
    stream.write_all(b"\r\n").await
}

async fn end_chunks(stream: &mut Stream) -> io::Result<Next> {
    stream.write_all(b"0\r\n\r\n").await?;
    Ok(Next::KeepOpen)
}

fn invalid(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
