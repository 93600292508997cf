//! The contents of an exported file, and texts that all formats write in the same way.

use domain::instant::Instant;
use domain::result::ResultItem;
use domain::search::Search;
use syntax::display;
use syntax::strip_html::readable;

/// The contents of a file.
pub struct Export<'a> {
    pub search: &'a Search,
    pub results: &'a [ResultItem],
    /// Where the list can be read.
    pub link: String,
    pub now: Instant,
}

/// A text of a source without highlights and markup, and without bidirectional control characters.
pub fn plain(text: &str) -> String {
    let text = readable(text).replace("&lt;", "<").replace("&amp;", "&");
    display::without_direction_controls(&text).into_owned()
}

/// A URL that may be followed.
pub fn web_link(text: &str) -> Option<String> {
    display::web_link(text).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_is_followed() {
        let cases = [
            ("https://a.example/x", Some("https://a.example/x")),
            (" http://a.example/<b> ", Some("http://a.example/%3Cb%3E")),
            ("javascript:alert(1)", None),
            ("JaVaScRiPt:alert(1)", None),
            ("data:text/html,x", None),
            ("file:///etc/passwd", None),
            ("/relative", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(web_link(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_plain() {
        for (text, expected) in [
            ("<em>deep</em> river", "deep river"),
            ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
            ("AT&amp;T", "AT&T"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }
}
