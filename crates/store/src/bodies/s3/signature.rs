//! AWS Signature Version 4 for S3: unmodified path, and the hash of the body in a header.

use chrono::{DateTime, Utc};
use domain::ports::HttpMethod;
use domain::secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use url::Url;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const SIGNED: &str = "host;x-amz-content-sha256;x-amz-date";

pub(super) struct Signer<'a> {
    pub(super) access_key: &'a Secret,
    pub(super) secret_key: &'a Secret,
    pub(super) region: &'a str,
}

impl Signer<'_> {
    /// The headers to add, including `authorization`. The query of the URL must be encoded and sorted.
    pub(super) fn headers(
        &self,
        method: HttpMethod,
        url: &Url,
        body: &[u8],
        now: DateTime<Utc>,
    ) -> (Vec<(String, String)>, Secret) {
        let (stamp, day) = (now.format("%Y%m%dT%H%M%SZ").to_string(), now.format("%Y%m%d").to_string());
        let body_hash = hex(&Sha256::digest(body));
        let (path, query) = (url.path(), url.query().unwrap_or_default());
        let canonical = format!(
            "{}\n{path}\n{query}\nhost:{}\nx-amz-content-sha256:{body_hash}\nx-amz-date:{stamp}\n\n{SIGNED}\n{body_hash}",
            method.as_str(),
            host(url)
        );
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let to_sign = format!("{ALGORITHM}\n{stamp}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
        let secret = format!("AWS4{}", self.secret_key.expose()).into_bytes();
        let parts = [day.as_str(), self.region, "s3", "aws4_request"];
        let key = parts.iter().fold(secret, |key, part| keyed(&key, part));
        let signature = hex(&keyed(&key, &to_sign));
        let authorization = format!(
            "{ALGORITHM} Credential={}/{scope}, SignedHeaders={SIGNED}, Signature={signature}",
            self.access_key.expose()
        );
        let headers = vec![("x-amz-content-sha256".to_owned(), body_hash), ("x-amz-date".to_owned(), stamp)];
        (headers, Secret::new(authorization))
    }
}

/// Percent-encodes all but unreserved characters.
pub(super) fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let part = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(part).collect()
}

/// As the HTTP client sends it: with the port if it is not the default.
fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length fits");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the S3 manual.
    #[test]
    fn the_published_examples() {
        let (access_key, secret_key) =
            (Secret::new("AKIAIOSFODNN7EXAMPLE"), Secret::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"));
        let signer = Signer { access_key: &access_key, secret_key: &secret_key, region: "us-east-1" };
        let now: DateTime<Utc> = "2013-05-24T00:00:00Z".parse().unwrap();
        let table = [
            ("?lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            ("?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        ];
        for (query, expected) in table {
            let url = Url::parse(&format!("https://examplebucket.s3.amazonaws.com/{query}")).unwrap();
            let (headers, authorization) = signer.headers(HttpMethod::Get, &url, b"", now);
            assert_eq!(
                authorization.expose(),
                format!(
                    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
                     SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature={expected}"
                )
            );
            assert_eq!(headers[1], ("x-amz-date".to_owned(), "20130524T000000Z".to_owned()));
        }
    }

    #[test]
    fn a_part_of_a_query_is_encoded() {
        for (text, expected) in [("a-Z_0.~", "a-Z_0.~"), ("a/b c+d=ä", "a%2Fb%20c%2Bd%3D%C3%A4")] {
            assert_eq!(encoded(text), expected);
        }
    }
}
