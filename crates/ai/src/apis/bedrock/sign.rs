//! AWS Signature Version 4.

use crate::apis::request::encoded;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt::Write;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Credentials and scope of a signature.
pub struct Signer<'a> {
    pub access_key_id: &'a str,
    pub secret_access_key: &'a str,
    /// Set for temporary credentials.
    pub session_token: Option<&'a str>,
    pub region: &'a str,
    pub service: &'a str,
}

/// The request to sign.
pub struct Signed<'a> {
    pub method: &'a str,
    /// With the port, if it is not the default.
    pub host: &'a str,
    /// Percent-encoded, as in the request.
    pub path: &'a str,
    /// Percent-encoded, as in the request.
    pub query: &'a str,
    /// Headers other than `host` and those that signing adds; lowercase names.
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
}

impl Signer<'_> {
    /// The headers to add: `x-amz-date`, `authorization` and, with temporary credentials, `x-amz-security-token`.
    pub fn headers(&self, request: &Signed<'_>, now: DateTime<Utc>) -> Vec<(&'static str, String)> {
        let stamp = now.format("%Y%m%dT%H%M%SZ").to_string();
        let day = now.format("%Y%m%d").to_string();
        let mut signed: Vec<(&str, &str)> = vec![("host", request.host), ("x-amz-date", &stamp)];
        signed.extend(request.headers);
        signed.extend(self.session_token.map(|token| ("x-amz-security-token", token)));
        signed.sort_unstable();
        let names: Vec<&str> = signed.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let canonical = canonical(request, &signed, &names);
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
        let mut headers = vec![("authorization", authorization), ("x-amz-date", stamp)];
        headers.extend(self.session_token.map(|token| ("x-amz-security-token", token.to_owned())));
        headers
    }
}

fn canonical(request: &Signed<'_>, headers: &[(&str, &str)], names: &str) -> String {
    // All services except S3 expect the path to be encoded twice.
    let path: Vec<String> = request.path.split('/').map(encoded).collect();
    let mut query: Vec<&str> = request.query.split('&').filter(|pair| !pair.is_empty()).collect();
    query.sort_unstable();
    let mut canonical = format!("{}\n{}\n{}\n", request.method, path.join("/"), query.join("&"));
    for (name, value) in headers {
        // Writing to a string cannot fail.
        _ = writeln!(canonical, "{name}:{}", value.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    _ = write!(canonical, "\n{names}\n{}", hex(&Sha256::digest(request.body)));
    canonical
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

    const HOST: &str = "example.amazonaws.com";
    const FORM: &str = "application/x-www-form-urlencoded";
    const TOKEN: &str = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

    fn signer(service: &'static str) -> Signer<'static> {
        Signer {
            access_key_id: "AKIDEXAMPLE",
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            session_token: None,
            region: "us-east-1",
            service,
        }
    }

    fn plain(method: &'static str) -> Signed<'static> {
        Signed { method, host: HOST, path: "/", query: "", headers: &[], body: b"" }
    }

    fn authorization(signer: &Signer<'_>, request: &Signed<'_>) -> String {
        let now = DateTime::from_timestamp(1_440_938_160, 0).unwrap();
        signer.headers(request, now).remove(0).1
    }

    /// Test vectors of the published suite, and the example of the manual.
    #[test]
    fn the_published_vectors() {
        let form: &[(&str, &str)] = &[("content-type", FORM)];
        let utf8: &[(&str, &str)] = &[("content-type", "application/x-www-form-urlencoded; charset=utf-8")];
        let table = [
            (plain("GET"), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            (plain("POST"), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                Signed { query: "Param2=value2&Param1=value1", ..plain("GET") },
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                Signed { headers: form, body: b"Param1=value1", ..plain("POST") },
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
            (
                Signed {
                    path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                    ..plain("GET")
                },
                "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
            ),
            // The suite gives these two paths unencoded.
            (
                Signed { path: "/ሴ", ..plain("GET") },
                "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
            ),
            (
                Signed { path: "/example space/", ..plain("GET") },
                "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
            ),
        ];
        for (request, expected) in table {
            let found = authorization(&signer("service"), &request);
            assert!(found.ends_with(&format!("Signature={expected}")), "{} {found}", request.path);
        }
        let manual = Signed {
            host: "iam.amazonaws.com",
            query: "Action=ListUsers&Version=2010-05-08",
            headers: utf8,
            ..plain("GET")
        };
        assert_eq!(
            authorization(&signer("iam"), &manual),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        );
        let lent = Signer { session_token: Some(TOKEN), ..signer("service") };
        let found = authorization(&lent, &plain("POST"));
        assert!(
            found.ends_with("85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
            "{found}"
        );
    }

    #[test]
    fn a_path_is_encoded_twice() {
        let request = Signed { path: "/model/a%3A0/converse", ..plain("POST") };
        assert!(canonical(&request, &[], "").starts_with("POST\n/model/a%253A0/converse\n"));
    }
}
