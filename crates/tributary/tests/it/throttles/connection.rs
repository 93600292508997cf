//! A raw connection to the service. It costs almost nothing, so that thousands fit beside the service, and only the
//! service is measured.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longer than any response may take.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct RawConnection(BufReader<TcpStream>);

impl RawConnection {
    pub fn open(base: &str) -> Self {
        let stream = TcpStream::connect(base.strip_prefix("http://").unwrap()).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    /// Sends one request. Returns the status and the body of the response.
    pub fn ask(&mut self, request: &str) -> (u16, String) {
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        let status = line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a status");
        let mut length = 0;
        loop {
            line.clear();
            self.0.read_line(&mut line).unwrap();
            match line.trim().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap();
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }
}

pub fn get(path: &str, authorization: &str, address: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\nx-forwarded-for: {address}\r\n\r\n"
    )
}

pub fn post(path: &str, body: &str, address: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         x-forwarded-for: {address}\r\n\r\n{body}"
    )
}
