//! The S3 server of `SVC_TEST_S3`, where tests create their own buckets.

pub struct S3Server {
    pub url: String,
    pub access_key: String,
    pub secret_key: String,
}

/// The server for S3 tests; skips the `suite` if there is none.
pub fn server(suite: &str) -> Option<S3Server> {
    Some(S3Server {
        url: crate::given("SVC_TEST_S3", suite)?,
        access_key: crate::given("SVC_TEST_S3_KEY", suite)?,
        secret_key: crate::given("SVC_TEST_S3_SECRET", suite)?,
    })
}
