//! The S3 server of `SVC_TEST_S3`, where tests make buckets of their own.

pub struct S3Server {
    pub url: String,
    pub access_key: String,
    pub secret_key: String,
}

/// The server for tests with S3; skips the `suite` when there is none.
pub fn server(suite: &str) -> Option<S3Server> {
    Some(S3Server {
        url: crate::given("SVC_TEST_S3", suite)?,
        access_key: crate::given("SVC_TEST_S3_KEY", suite)?,
        secret_key: crate::given("SVC_TEST_S3_SECRET", suite)?,
    })
}
