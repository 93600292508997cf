//! Makes texts and URLs of sources safe for display: nothing that makes a page or a file look like something else.

use std::borrow::Cow;
use url::Url;

/// Characters that change the direction of the surrounding text: embeddings, overrides and isolates. Right-to-left
/// scripts do not need them.
pub fn is_direction_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text without direction controls.
pub fn without_direction_controls(text: &str) -> Cow<'_, str> {
    if text.contains(is_direction_control) {
        text.replace(is_direction_control, "").into()
    } else {
        text.into()
    }
}

/// A URL that may become a link: a web URL without a user before its host. In `https://bank.example@evil.example/` only
/// the end is the host, which few people notice.
pub fn web_link(address: &str) -> Option<Url> {
    let url = Url::parse(address.trim()).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    (is_web && url.username().is_empty() && url.password().is_none()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_turned_round() {
        for (text, expected) in [
            ("River \u{202e}desrever\u{202c} level", "River desrever level"),
            ("\u{2066}a\u{2067}b\u{2068}c\u{2069}\u{202a}\u{202b}\u{202d}", "abc"),
            (
                "\u{5e9}\u{5dc}\u{5d5}\u{5dd}, \u{627}\u{644}\u{633}\u{200f}",
                "\u{5e9}\u{5dc}\u{5d5}\u{5dd}, \u{627}\u{644}\u{633}\u{200f}",
            ),
            ("\u{200b}", "\u{200b}"),
        ] {
            assert_eq!(without_direction_controls(text), expected);
        }
    }

    #[test]
    fn links_lead_where_they_seem_to_lead() {
        for (address, expected) in [
            ("https://a.example/x?y=1", Some("https://a.example/x?y=1")),
            (" http://a.example ", Some("http://a.example/")),
            ("https://bank.example@evil.example/", None),
            ("https://bank.example:secret@evil.example/", None),
            ("https://:secret@evil.example/", None),
            ("https://a.example/@user", Some("https://a.example/@user")),
            ("javascript:alert(1)", None),
            ("file:///etc/passwd", None),
            ("mailto:a@b.example", None),
            ("", None),
        ] {
            assert_eq!(web_link(address).map(String::from).as_deref(), expected, "{address}");
        }
    }
}
