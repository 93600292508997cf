//! Responses of an S3 server: error codes and object lists.

use bytes::Bytes;
use domain::bounded_json::ANSWER_VALUES_MAX;
use domain::ports::BodyError;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Longest error code that is passed on.
const CODE_CHARS_MAX: usize = 64;

pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) body: Bytes,
}

/// One page of the names in a bucket.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) keys: Vec<String>,
    /// Token of the next page.
    pub(super) next: Option<String>,
}

impl Answered {
    /// Whether the same request may succeed a moment later.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self.status, 408 | 429 | 500..)
    }

    pub(super) fn is_missing_object(&self) -> bool {
        self.status == 404 && self.code().as_deref() != Some("NoSuchBucket")
    }

    /// Whether the bucket already exists.
    pub(super) fn is_own_bucket(&self) -> bool {
        self.status == 409 && self.code().as_deref() == Some("BucketAlreadyOwnedByYou")
    }

    /// The body of a successful response. Errors contain only the code: server messages repeat what was sent.
    pub(super) fn into_body(self, bucket: &str) -> Result<Bytes, BodyError> {
        if matches!(self.status, 200..=299) {
            return Ok(self.body);
        }
        let code = self.code().map(|code| format!(", {code}")).unwrap_or_default();
        let told = format!("HTTP {}{code}", self.status);
        Err(match self.status {
            _ if self.is_passing() => BodyError::unreachable(format!("it answered with {told}")),
            401 | 403 => BodyError::refused(format!(
                "the key is not accepted, or may not do this in the bucket {bucket} ({told})"
            )),
            404 => BodyError::refused(format!(
                "the bucket {bucket} is not there ({told}): run `tributary init_storage` once"
            )),
            _ => BodyError::refused(told),
        })
    }

    fn code(&self) -> Option<String> {
        let leaves = leaves(&self.body)?;
        let code = leaves.into_iter().find(|(name, _)| name == "Code").map(|(_, text)| text)?;
        let is_code = code.len() <= CODE_CHARS_MAX && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_code.then_some(code)
    }
}

impl Listing {
    /// None if it is not a list.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let mut listing = Self { keys: Vec::new(), next: None };
        let (mut is_list, mut is_cut) = (false, false);
        for (name, text) in leaves(body)? {
            match name.as_str() {
                "Key" => listing.keys.push(text),
                "NextContinuationToken" => listing.next = Some(text),
                "IsTruncated" => (is_list, is_cut) = (true, text == "true"),
                _ => {}
            }
        }
        // Some servers send a token with the last page as well. A missing token would end the list too early.
        listing.next = listing.next.filter(|_| is_cut);
        (is_list && is_cut == listing.next.is_some()).then_some(listing)
    }
}

/// The text elements in order. None if malformed, or larger than any page.
fn leaves(body: &[u8]) -> Option<Vec<(String, String)>> {
    let mut reader = Reader::from_str(std::str::from_utf8(body).ok()?);
    let mut leaves = Vec::new();
    let mut open: Option<(String, String)> = None;
    let mut depth = 0_usize;
    let mut left = ANSWER_VALUES_MAX;
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                depth += 1;
                left = left.checked_sub(1)?;
                open = Some((start.local_name().as_ref().to_owned(), String::new()));
            }
            Event::Text(text) => add(&mut open, &text.xml10_content()),
            Event::CData(text) => add(&mut open, &text.xml10_content()),
            Event::GeneralRef(reference) => {
                let number = reference.resolve_char_ref().ok().flatten();
                let named = quick_xml::escape::resolve_xml_entity(&reference.xml10_content());
                let text = number.map(String::from).or_else(|| named.map(str::to_owned))?;
                add(&mut open, &text);
            }
            Event::End(_) => {
                depth = depth.checked_sub(1)?;
                leaves.extend(open.take());
            }
            Event::Eof => return (depth == 0 && !leaves.is_empty()).then_some(leaves),
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn add(open: &mut Option<(String, String)>, text: &str) {
    if let Some((_, own)) = open {
        own.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, code: &str) -> Answered {
        let body =
            format!("<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>canary</Message></Error>");
        Answered { status, body: body.into() }
    }

    #[test]
    fn lists_are_read_to_their_end() {
        let page =
            |rest: &str| format!("<ListBucketResult xmlns=\"x\"><Name>b</Name>{rest}</ListBucketResult>");
        let one = "<Contents><Key>a&amp;b&#x21;</Key><Size>3</Size></Contents>";
        let table = [
            (format!("{one}<IsTruncated>false</IsTruncated>"), Some((vec!["a&b!"], None))),
            (
                format!(
                    "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>{one}"
                ),
                Some((vec!["a&b!"], Some("t"))),
            ),
            (
                "<IsTruncated>false</IsTruncated><NextContinuationToken>t</NextContinuationToken>".to_owned(),
                Some((vec![], None)),
            ),
            // Truncated, but without a token.
            ("<IsTruncated>true</IsTruncated>".to_owned(), None),
            (one.to_owned(), None),
            ("<Contents><Key>a</Contents>".to_owned(), None),
            ("<IsTruncated>false</IsTruncated>&lol;".to_owned(), None),
        ];
        for (rest, expected) in table {
            let found = Listing::read(page(&rest).as_bytes());
            let expected = expected.map(|(keys, next): (Vec<&str>, Option<&str>)| Listing {
                keys: keys.into_iter().map(str::to_owned).collect(),
                next: next.map(str::to_owned),
            });
            assert_eq!(found, expected, "{rest}");
        }
        assert_eq!(Listing::read(b"<ListBucketResult><IsTruncated>false"), None);
        assert_eq!(Listing::read(b"\xff"), None);
        let keys =
            |count: usize| page(&format!("{}<IsTruncated>false</IsTruncated>", "<Key>a</Key>".repeat(count)));
        assert!(Listing::read(keys(1_000).as_bytes()).is_some());
        assert_eq!(Listing::read(keys(ANSWER_VALUES_MAX).as_bytes()), None, "more than any page has");
    }

    #[test]
    fn refusals_say_what_to_do_and_repeat_nothing() {
        let table = [
            (
                answered(403, "SignatureDoesNotMatch"),
                "the text storage rejected the request: the key is not accepted, or may not do this in the bucket b (HTTP 403, SignatureDoesNotMatch)",
            ),
            (
                answered(404, "NoSuchBucket"),
                "the text storage rejected the request: the bucket b is not there (HTTP 404, NoSuchBucket): run `tributary init_storage` once",
            ),
            (
                answered(503, "SlowDown"),
                "the text storage cannot be reached: it answered with HTTP 503, SlowDown",
            ),
            (answered(400, "a <code>"), "the text storage rejected the request: HTTP 400"),
            (answered(507, "x y"), "the text storage cannot be reached: it answered with HTTP 507"),
        ];
        for (answered, expected) in table {
            assert_eq!(answered.into_body("b").unwrap_err().to_string(), expected);
        }
        let table = [("NoSuchKey", true), ("NoSuchBucket", false), ("", true)];
        for (code, expected) in table {
            assert_eq!(answered(404, code).is_missing_object(), expected, "{code}");
        }
        assert!(!answered(403, "NoSuchKey").is_missing_object());
        assert!(answered(409, "BucketAlreadyOwnedByYou").is_own_bucket());
        assert!(!answered(409, "BucketAlreadyExists").is_own_bucket());
    }
}
