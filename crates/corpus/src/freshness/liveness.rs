//! What a source's response means for a cached document.

use domain::corpus::Liveness;

/// Only 404 and 410 mean that it is gone; other errors mean nothing.
pub fn of_status(status: u16) -> Liveness {
    match status {
        200..=399 => Liveness::Alive,
        404 | 410 => Liveness::Gone,
        _ => Liveness::Unknown,
    }
}

/// The source denies access to this person.
pub fn is_refusal(status: u16) -> bool {
    matches!(status, 401 | 403)
}

/// The liveness to store. Only a definite response replaces `gone`.
pub fn noted(before: Liveness, said: Liveness) -> Liveness {
    if before == Liveness::Gone && said == Liveness::Unknown { Liveness::Gone } else { said }
}

/// Whether the source reports another version than the cached one. Versions of different kinds are not compared: a
/// source may send the ETag in one response and the date in another.
pub fn is_other_version(here: &str, there: &str) -> bool {
    let (here, there) = (Version::of(here), Version::of(there));
    here.is_tag == there.is_tag && !here.name.is_empty() && !there.name.is_empty() && here.name != there.name
}

struct Version<'v> {
    name: &'v str,
    is_tag: bool,
}

impl<'v> Version<'v> {
    /// Weak comparison of ETags, without the suffixes that servers add for compression.
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
