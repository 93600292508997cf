//! The S3 server of `SVC_TEST_S3`, where tests make buckets of their own.

pub struct S3Server {
    pub url: String,
    pub access_key: String,
    pub secret_key: String,
}

/// The server for tests with S3; says so, naming the `suite`, when there is none.
#[expect(clippy::disallowed_methods, reason = "a test learns from the environment which servers are running")]
pub fn server(suite: &str) -> Option<S3Server> {
    let value = |name: &str| std::env::var(name).ok();
    let server = value("SVC_TEST_S3").map(|url| S3Server {
        url,
        access_key: value("SVC_TEST_S3_KEY").expect("SVC_TEST_S3_KEY stands beside SVC_TEST_S3"),
        secret_key: value("SVC_TEST_S3_SECRET").expect("SVC_TEST_S3_SECRET stands beside SVC_TEST_S3"),
    });
    if server.is_none() {
        eprintln!("skipped: {suite}, because SVC_TEST_S3 is not set");
    }
    server
}
