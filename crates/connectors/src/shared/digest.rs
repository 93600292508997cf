//! HTTP digest authentication (RFC 7616) with MD5 or SHA-256.

use base64::Engine;
use domain::ports::HttpMethod;
use domain::secret::Secret;
use sha2::Digest;
use std::fmt::Write;
use syntax::credentials::Login;
use syntax::query_template::encode_percent;
use url::Url;

const CLIENT_NONCE_BYTES: usize = 16;
/// Longest header that is parsed; a challenge has a few hundred bytes.
const HEADER_BYTES_MAX: usize = 8 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hash {
    Md5,
    Sha256,
}

/// A digest challenge of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    realm: String,
    nonce: String,
    opaque: Option<String>,
    hash: Hash,
    /// Sent back unchanged if present.
    algorithm: Option<String>,
    is_session: bool,
    /// `qop=auth`; otherwise the old form of RFC 2069.
    has_qop: bool,
}

impl Challenge {
    /// The strongest supported challenge among the `WWW-Authenticate` headers.
    pub fn strongest(headers: &[(String, String)]) -> Option<Self> {
        let named = headers.iter().filter(|(name, value)| {
            name.eq_ignore_ascii_case("www-authenticate") && value.len() <= HEADER_BYTES_MAX
        });
        let all = named.flat_map(|(_, value)| schemes(value));
        all.filter_map(|(scheme, parameters)| {
            scheme.eq_ignore_ascii_case("digest").then(|| Self::of(&parameters))?
        })
        .max_by_key(|challenge| challenge.hash)
    }

    fn of(parameters: &[(String, String)]) -> Option<Self> {
        let get = |name: &str| {
            parameters.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
        };
        let algorithm = get("algorithm");
        let word = algorithm.as_deref().unwrap_or("MD5").to_ascii_uppercase();
        let (word, is_session) = match word.strip_suffix("-SESS") {
            Some(word) => (word, true),
            None => (word.as_str(), false),
        };
        let hash = match word {
            "MD5" => Hash::Md5,
            "SHA-256" => Hash::Sha256,
            _ => return None,
        };
        let qop = get("qop");
        let has_qop = match &qop {
            Some(list) if list.split(',').any(|word| word.trim().eq_ignore_ascii_case("auth")) => true,
            Some(_only_whole_bodies) => return None,
            None => false,
        };
        Some(Self {
            realm: get("realm")?,
            nonce: get("nonce")?,
            opaque: get("opaque"),
            hash,
            algorithm,
            is_session,
            has_qop,
        })
    }

    /// The `Authorization` header for one request.
    pub fn answer(&self, login: &Login, method: HttpMethod, url: &Url) -> Secret {
        let bytes: [u8; CLIENT_NONCE_BYTES] = rand::random();
        self.answer_with(login, method, url, &base64::engine::general_purpose::STANDARD_NO_PAD.encode(bytes))
    }

    fn answer_with(&self, login: &Login, method: HttpMethod, url: &Url, client_nonce: &str) -> Secret {
        let place = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let mut who = self.hex(&format!("{}:{}:{}", login.user, self.realm, login.password.expose()));
        if self.is_session {
            who = self.hex(&format!("{who}:{}:{client_nonce}", self.nonce));
        }
        let what = self.hex(&format!("{}:{place}", method.as_str()));
        let response = if self.has_qop {
            self.hex(&format!("{who}:{}:00000001:{client_nonce}:auth:{what}", self.nonce))
        } else {
            self.hex(&format!("{who}:{}:{what}", self.nonce))
        };
        let mut header = if login.user.is_ascii() {
            format!("Digest username={}", quoted(&login.user))
        } else {
            format!("Digest username*=UTF-8''{}", encode_percent(&login.user))
        };
        for (name, value) in [("realm", &self.realm), ("nonce", &self.nonce), ("uri", &place)] {
            push(&mut header, name, &quoted(value));
        }
        push(&mut header, "response", &quoted(&response));
        if let Some(algorithm) = &self.algorithm {
            push(&mut header, "algorithm", algorithm);
        }
        if self.has_qop {
            push(&mut header, "qop", "auth");
            push(&mut header, "nc", "00000001");
        }
        if self.has_qop || self.is_session {
            push(&mut header, "cnonce", &quoted(client_nonce));
        }
        if let Some(opaque) = &self.opaque {
            push(&mut header, "opaque", &quoted(opaque));
        }
        Secret::new(header)
    }

    fn hex(&self, text: &str) -> String {
        match self.hash {
            Hash::Md5 => hex(&md5::Md5::digest(text.as_bytes())),
            Hash::Sha256 => hex(&sha2::Sha256::digest(text.as_bytes())),
        }
    }
}

fn push(header: &mut String, name: &str, value: &str) {
    let _ = write!(header, ", {name}={value}");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

type Parameters = Vec<(String, String)>;

/// The schemes of one header with their parameters: `Basic realm="a", Digest realm="b", nonce="c"`.
fn schemes(header: &str) -> Vec<(String, Parameters)> {
    let mut found: Vec<(String, Parameters)> = Vec::new();
    for piece in pieces(header) {
        let (left, value) = piece.split_once('=').unwrap_or((piece, ""));
        // A word before a parameter name begins a new scheme.
        let (scheme, name) = match left.trim().rsplit_once(char::is_whitespace) {
            Some((scheme, name)) => (Some(scheme.trim()), name),
            None if value.is_empty() => (Some(left.trim()), ""),
            None => (None, left.trim()),
        };
        if let Some(scheme) = scheme {
            found.push((scheme.to_owned(), Vec::new()));
        }
        if let Some((_, parameters)) = found.last_mut()
            && !name.is_empty()
        {
            parameters.push((name.to_owned(), unquoted(value.trim())));
        }
    }
    found
}

/// Splits at commas outside of quotes.
fn pieces(header: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, c) in header.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                pieces.push(header[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(header[start..].trim());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn unquoted(value: &str) -> String {
    let Some(inside) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut out = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn challenge(headers: &[&str]) -> Option<Challenge> {
        let headers: Vec<(String, String)> =
            headers.iter().map(|value| ("www-authenticate".to_owned(), (*value).to_owned())).collect();
        Challenge::strongest(&headers)
    }

    fn login(user: &str, password: &str) -> Login {
        Login { user: user.to_owned(), password: Secret::new(password) }
    }

    const NEW: &str = "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=ALGORITHM, \
        nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", \
        opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"";
    const OLD: &str = "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", \
        nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"";

    /// The worked examples of RFC 7616 (section 3.9.1) and RFC 2617 (section 3.5).
    #[test]
    fn answers_as_the_standards_do() {
        let new_nonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
        let table = [
            (
                NEW.replace("ALGORITHM", "MD5"),
                "Circle of Life",
                new_nonce,
                "8ca523f5e9506fed4657c9700eebdbec",
            ),
            (
                NEW.replace("ALGORITHM", "SHA-256"),
                "Circle of Life",
                new_nonce,
                "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
            ),
            (OLD.to_owned(), "Circle Of Life", "0a4f113b", "6629fae49393a05397450978507c4ef1"),
        ];
        let url = Url::parse("http://www.example.org/dir/index.html").expect("a URL");
        for (header, password, client_nonce, want) in table {
            let challenge = challenge(&[&header]).expect("a challenge");
            let answer =
                challenge.answer_with(&login("Mufasa", password), HttpMethod::Get, &url, client_nonce);
            assert!(answer.expose().contains(&format!("response=\"{want}\"")), "{}", answer.expose());
            assert!(answer.expose().contains("uri=\"/dir/index.html\""), "{}", answer.expose());
        }
    }

    #[test]
    fn the_whole_header() {
        let challenge = challenge(&[OLD]).expect("a challenge");
        let url = Url::parse("http://h/a?b=1").expect("a URL");
        let answer = challenge.answer_with(&login("Ann \"A\"", "p"), HttpMethod::Post, &url, "c");
        let shape = answer.expose().split("response=\"").collect::<Vec<_>>();
        assert_eq!(
            (shape[0], &shape[1][32..]),
            (
                "Digest username=\"Ann \\\"A\\\"\", realm=\"testrealm@host.com\", \
                 nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", uri=\"/a?b=1\", ",
                "\", qop=auth, nc=00000001, cnonce=\"c\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"",
            )
        );
        let foreign = challenge.answer_with(&login("Jäsøn", "p"), HttpMethod::Get, &url, "c");
        assert!(foreign.expose().starts_with("Digest username*=UTF-8''J%C3%A4s%C3%B8n, realm="));
        assert_ne!(
            challenge.answer(&login("a", "b"), HttpMethod::Get, &url),
            challenge.answer(&login("a", "b"), HttpMethod::Get, &url),
            "each answer has a nonce of its own"
        );
    }

    #[test]
    fn the_strongest_that_can_be_answered() {
        let (md5, sha) = (NEW.replace("ALGORITHM", "MD5"), NEW.replace("ALGORITHM", "SHA-256"));
        let hash = |headers: &[&str]| challenge(headers).map(|one| (one.hash, one.is_session));
        assert_eq!(hash(&[&md5, &sha]), Some((Hash::Sha256, false)));
        assert_eq!(hash(&[&sha, &md5]), Some((Hash::Sha256, false)));
        assert_eq!(hash(&[&format!("Basic realm=\"a, b\", {md5}")]), Some((Hash::Md5, false)));
        assert_eq!(hash(&[&format!("Negotiate, {md5}, Bearer")]), Some((Hash::Md5, false)));
        assert_eq!(hash(&["digest REALM=r,nonce=n,algorithm=sha-256-sess"]), Some((Hash::Sha256, true)));
        for none in [
            "",
            "Basic realm=\"a\"",
            "Digest realm=\"a\"",
            "Digest realm=\"a\", nonce=\"b\", algorithm=SHA-512-256",
            "Digest realm=\"a\", nonce=\"b\", qop=\"auth-int\"",
        ] {
            assert_eq!(hash(&[none]), None, "{none}");
        }
        let long = format!("Digest realm=\"{}\", nonce=\"b\"", "a".repeat(HEADER_BYTES_MAX));
        assert_eq!(hash(&[&long]), None);
    }

    proptest! {
        #[test]
        fn never_panics(header in "(Digest |[a-z]{1,5}|[=,\\\\\" é]){0,20}|.{0,60}") {
            let url = Url::parse("http://h/").expect("a URL");
            let answer = challenge(&[&header]).map(|one| one.answer(&login("u", "p"), HttpMethod::Get, &url));
            let _ = (schemes(&header), answer);
        }
    }
}
