//! What the answer of a source means for a cached document.

use domain::corpus::Liveness;

/// Only 404 and 410 say that it is gone; what is neither that nor a good answer says nothing.
pub fn of_status(status: u16) -> Liveness {
    match status {
        200..=399 => Liveness::Alive,
        404 | 410 => Liveness::Gone,
        _ => Liveness::Unknown,
    }
}

/// The source refuses the person who asks.
pub fn is_refusal(status: u16) -> bool {
    matches!(status, 401 | 403)
}

/// How a document is noted. Only a clear answer takes the place of `gone`: silence brings nothing back.
pub fn noted(before: Liveness, said: Liveness) -> Liveness {
    if before == Liveness::Gone && said == Liveness::Unknown { Liveness::Gone } else { said }
}

/// The source calls it another version than the one that is here. Names of different kinds cannot be compared: a source
/// may tell the tag to one question and the date to another.
pub fn is_other_version(here: &str, there: &str) -> bool {
    let (here, there) = (Version::of(here), Version::of(there));
    here.is_tag == there.is_tag && !here.name.is_empty() && !there.name.is_empty() && here.name != there.name
}

struct Version<'v> {
    name: &'v str,
    is_tag: bool,
}

impl<'v> Version<'v> {
    /// Tags are compared weakly, without what servers add for the packing of an answer.
    fn of(text: &'v str) -> Self {
        let text = text.trim();
        let bare = text.strip_prefix("W/").unwrap_or(text);
        match bare.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(tag) => {
                let packed = ["-gzip", "--gzip", ";gzip", "-br", "--br", "-zstd"];
                let name = packed.iter().find_map(|end| tag.strip_suffix(end)).unwrap_or(tag);
                Self { name, is_tag: true }
            }
            None => Self { name: text, is_tag: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_its_meaning() {
        let table = [
            (200, Liveness::Alive),
            (204, Liveness::Alive),
            (206, Liveness::Alive),
            (301, Liveness::Alive),
            (304, Liveness::Alive),
            (404, Liveness::Gone),
            (410, Liveness::Gone),
            (100, Liveness::Unknown),
            (400, Liveness::Unknown),
            (401, Liveness::Unknown),
            (403, Liveness::Unknown),
            (405, Liveness::Unknown),
            (408, Liveness::Unknown),
            (416, Liveness::Unknown),
            (418, Liveness::Unknown),
            (429, Liveness::Unknown),
            (451, Liveness::Unknown),
            (500, Liveness::Unknown),
            (502, Liveness::Unknown),
            (503, Liveness::Unknown),
            (504, Liveness::Unknown),
        ];
        for (status, expected) in table {
            assert_eq!(of_status(status), expected, "{status}");
            assert_eq!(is_refusal(status), [401, 403].contains(&status), "{status}");
        }
        let gone: Vec<u16> = (0..1000).filter(|status| of_status(*status) == Liveness::Gone).collect();
        assert_eq!(gone, [404, 410]);
    }

    #[test]
    fn only_a_good_answer_brings_a_document_back() {
        use Liveness::{Alive, Gone, Unknown};
        let table = [
            (Gone, Unknown, Gone),
            (Gone, Alive, Alive),
            (Gone, Gone, Gone),
            (Alive, Unknown, Unknown),
            (Alive, Gone, Gone),
            (Unknown, Gone, Gone),
            (Unknown, Unknown, Unknown),
        ];
        for (before, said, expected) in table {
            assert_eq!(noted(before, said), expected, "{before:?} {said:?}");
        }
    }

    #[test]
    fn versions_are_compared_where_they_can_be() {
        let table = [
            (r#""a""#, r#""a""#, false),
            (r#""a""#, r#""b""#, true),
            (r#""a""#, r#"W/"a""#, false),
            (r#""a-gzip""#, r#""a""#, false),
            (r#"W/"a--gzip""#, r#""b""#, true),
            (r#""a""#, "Tue, 03 Nov 2026 10:00:00 GMT", false),
            ("Tue, 03 Nov 2026 10:00:00 GMT", "Wed, 04 Nov 2026 10:00:00 GMT", true),
            ("7", "8", true),
            ("7", " 7 ", false),
            ("", "8", false),
            ("7", "", false),
            (r#""""#, r#""a""#, false),
        ];
        for (here, there, expected) in table {
            assert_eq!(is_other_version(here, there), expected, "{here} {there}");
        }
    }
}
