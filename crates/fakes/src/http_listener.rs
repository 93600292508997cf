//! A small HTTP server on loopback. It stops when it is dropped.

use axum::Router;
use std::net::Ipv4Addr;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub struct HttpListener {
    /// `http://127.0.0.1:<port>`
    pub url: String,
    _server: JoinSet<()>,
}

impl HttpListener {
    pub async fn start(router: Router) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port on loopback");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.expect("a server") });
        Self { url, _server: server }
    }

    /// The URL of a path.
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}
