//! AWS Signature Version 4.

use chrono::{DateTime, Utc};
use domain::secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use url::{Position, Url};

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The service whose requests are signed with their path as it is, and with the hash of their body in a header.
const S3: &str = "s3";

/// Credentials and scope of a signature.
pub struct AwsSigner<'a> {
    pub access_key_id: &'a str,
    pub secret_access_key: &'a str,
    /// Set for temporary credentials.
    pub session_token: Option<&'a str>,
    pub region: &'a str,
    pub service: &'a str,
}

/// The request to sign.
pub struct AwsRequest<'a> {
    pub method: &'a str,
    /// As it is sent; its query is percent-encoded.
    pub url: &'a Url,
    /// Headers other than `host` and those that signing adds; lowercase names.
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
}

impl AwsSigner<'_> {
    /// The headers to add: `authorization`, `x-amz-date`, for S3 `x-amz-content-sha256`, and with temporary credentials
    /// `x-amz-security-token`.
    pub fn headers(&self, request: &AwsRequest<'_>, now: DateTime<Utc>) -> Vec<(String, Secret)> {
        let stamp = now.format("%Y%m%dT%H%M%SZ").to_string();
        let day = now.format("%Y%m%d").to_string();
        let body_hash = hex(&Sha256::digest(request.body));
        let mut added = vec![("x-amz-date", stamp.as_str())];
        added.extend((self.service == S3).then_some(("x-amz-content-sha256", body_hash.as_str())));
        added.extend(self.session_token.map(|token| ("x-amz-security-token", token)));
        let mut signed = vec![("host", &request.url[Position::BeforeHost..Position::AfterPort])];
        signed.extend(request.headers);
        signed.extend(&added);
        signed.sort_unstable();
        let names: Vec<&str> = signed.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let canonical = self.canonical(request, &signed, &names, &body_hash);
        let scope = format!("{day}/{}/{}/aws4_request", self.region, self.service);
        let to_sign = format!("{ALGORITHM}\n{stamp}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
        let secret = format!("AWS4{}", self.secret_access_key);
        let key = [day.as_str(), self.region, self.service, "aws4_request"]
            .iter()
            .fold(secret.into_bytes(), |key, part| mac(&key, part));
        let signature = hex(&mac(&key, &to_sign));
        let access = self.access_key_id;
        let authorization =
            format!("{ALGORITHM} Credential={access}/{scope}, SignedHeaders={names}, Signature={signature}");
        let added = added.into_iter().chain([("authorization", authorization.as_str())]);
        added.map(|(name, value)| (name.to_owned(), Secret::new(value))).collect()
    }

    fn canonical(
        &self,
        request: &AwsRequest<'_>,
        headers: &[(&str, &str)],
        names: &str,
        body_hash: &str,
    ) -> String {
        let path = request.url.path();
        // All services except S3 expect the path to be encoded twice.
        let path = if self.service == S3 {
            path.to_owned()
        } else {
            path.split('/').map(percent_encoded).collect::<Vec<_>>().join("/")
        };
        let query = request.url.query().unwrap_or_default();
        let mut query: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
        query.sort_unstable();
        let mut canonical = format!("{}\n{path}\n{}\n", request.method, query.join("&"));
        for (name, value) in headers {
            // Writing to a string cannot fail.
            _ = writeln!(canonical, "{name}:{}", value.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        _ = write!(canonical, "\n{names}\n{body_hash}");
        canonical
    }
}

/// Percent-encodes everything except ASCII alphanumerics, `-`, `.`, `_` and `~`.
pub fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            // Writing to a string cannot fail.
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

#[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
fn mac(key: &[u8], text: &str) -> Vec<u8> {
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

    const FORM: &str = "application/x-www-form-urlencoded";
    const TOKEN: &str = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

    fn signer(service: &'static str) -> AwsSigner<'static> {
        AwsSigner {
            access_key_id: "AKIDEXAMPLE",
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            session_token: None,
            region: "us-east-1",
            service,
        }
    }

    fn value<'a>(headers: &'a [(String, Secret)], name: &str) -> &'a str {
        headers.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.expose())
    }

    fn authorization(
        signer: &AwsSigner<'_>,
        method: &str,
        address: &str,
        header: Option<&str>,
        body: &[u8],
    ) -> String {
        let now = DateTime::from_timestamp(1_440_938_160, 0).expect("a time");
        let url = address.parse().expect("a URL");
        let headers: Vec<(&str, &str)> = header.map(|value| ("content-type", value)).into_iter().collect();
        let request = AwsRequest { method, url: &url, headers: &headers, body };
        value(&signer.headers(&request, now), "authorization").to_owned()
    }

    /// Test vectors of the published suite, and the example of the manual.
    #[test]
    fn the_published_vectors() {
        let base = "https://example.amazonaws.com";
        let table = [
            ("GET", "/", None, &b""[..], "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            ("POST", "/", None, &b""[..], "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                "GET",
                "/?Param2=value2&Param1=value1",
                None,
                &b""[..],
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                "POST",
                "/",
                Some(FORM),
                &b"Param1=value1"[..],
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
            (
                "GET",
                "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                None,
                &b""[..],
                "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
            ),
        ];
        for (method, path, header, body, expected) in table {
            let found = authorization(&signer("service"), method, &format!("{base}{path}"), header, body);
            assert!(found.ends_with(&format!("Signature={expected}")), "{path} {found}");
        }
        let utf8 = Some("application/x-www-form-urlencoded; charset=utf-8");
        let manual = "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08";
        assert_eq!(
            authorization(&signer("iam"), "GET", manual, utf8, b""),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        );
        let temporary = AwsSigner { session_token: Some(TOKEN), ..signer("service") };
        let found = authorization(&temporary, "POST", &format!("{base}/"), None, b"");
        assert!(
            found.ends_with("85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
            "{found}"
        );
    }

    /// The examples of the S3 manual.
    #[test]
    fn the_published_examples_of_s3() {
        let signer = AwsSigner {
            access_key_id: "AKIAIOSFODNN7EXAMPLE",
            secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ..signer(S3)
        };
        let now: DateTime<Utc> = "2013-05-24T00:00:00Z".parse().expect("a time");
        let table = [
            ("?lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            ("?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        ];
        for (query, expected) in table {
            let url = Url::parse(&format!("https://examplebucket.s3.amazonaws.com/{query}")).expect("a URL");
            let request = AwsRequest { method: "GET", url: &url, headers: &[], body: b"" };
            let headers = signer.headers(&request, now);
            assert_eq!(
                value(&headers, "authorization"),
                format!(
                    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
                     SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature={expected}"
                )
            );
            assert_eq!(value(&headers, "x-amz-date"), "20130524T000000Z");
            assert_eq!(value(&headers, "x-amz-content-sha256").len(), 64);
        }
    }

    #[test]
    fn a_path_is_encoded_twice_but_for_s3() {
        let url = Url::parse("https://a.example:8443/model/a%3A0/converse").expect("a URL");
        let request = AwsRequest { method: "POST", url: &url, headers: &[], body: b"" };
        let canonical = |service| signer(service).canonical(&request, &[], "", "");
        assert!(canonical("bedrock").starts_with("POST\n/model/a%253A0/converse\n"));
        assert!(canonical(S3).starts_with("POST\n/model/a%3A0/converse\n"));
    }

    #[test]
    fn names_are_encoded() {
        assert_eq!(percent_encoded("a.b-c_d~e:0/f g?é"), "a.b-c_d~e%3A0%2Ff%20g%3F%C3%A9");
    }
}
