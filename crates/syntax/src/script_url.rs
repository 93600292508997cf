//! Addresses that a browser or another program executes instead of opening a page.

use crate::strip_html::decode_entities;
use std::borrow::Cow;

/// Schemes whose addresses contain a script or a document, or show one; also those that browsers no longer know.
const SCHEMES: [&str; 16] = [
    "javascript",
    "jscript",
    "livescript",
    "mocha",
    "vbscript",
    "vbs",
    "data",
    "blob",
    "filesystem",
    "about",
    "view-source",
    "jar",
    "mhtml",
    "mk",
    "wyciwyg",
    "ms-its",
];
/// Schemes before another address, which programs remove.
const PREFIXES: [&str; 3] = ["feed", "pcast", "url"];
/// No scheme is as long.
const SCHEME_CHARS_MAX: usize = 32;
/// How often entities and prefixes are looked through, one inside another.
const LAYERS_MAX: usize = 4;

/// Whether opening the address could execute what it contains. Reads the scheme as the most lenient programs do: they
/// skip control and invisible characters, and decode entities.
pub fn is_script_url(url: &str) -> bool {
    // Most addresses.
    if url.starts_with("http") {
        return false;
    }
    let mut rest = Cow::Borrowed(url);
    for _ in 0..LAYERS_MAX {
        match scheme(&rest) {
            Some((scheme, _)) if SCHEMES.contains(&scheme.as_str()) => return true,
            Some((scheme, after)) if PREFIXES.contains(&scheme.as_str()) => {
                rest = Cow::Owned(after.to_owned())
            }
            _ => {
                let decoded = decode_entities(&rest);
                if decoded == rest {
                    return false;
                }
                rest = Cow::Owned(decoded);
            }
        }
    }
    // Nobody writes an address like that without a reason.
    true
}

/// The scheme in lower case, and what follows it.
fn scheme(url: &str) -> Option<(String, &str)> {
    let mut scheme = String::new();
    let shown = url.trim_start_matches(|c: char| c.is_whitespace() || is_invisible(c));
    for (at, c) in shown.char_indices().filter(|(_, c)| !is_invisible(*c)) {
        match c {
            ':' => return Some((scheme, &shown[at + 1..])),
            c if scheme.len() < SCHEME_CHARS_MAX && (c.is_ascii_alphanumeric() || "-+.".contains(c)) => {
                scheme.push(c.to_ascii_lowercase());
            }
            _ => return None,
        }
    }
    None
}

/// Characters that some program skips: of control, of format, and those that are shown as nothing.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_recognized_in_any_spelling() {
        for url in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            " \u{1}javascript:alert(1)",
            "\u{a0}javascript:alert(1)",
            "java\nscr\tipt\r:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "DATA:,x",
            "vbscript:x",
            "blob:https://a.example/1",
            "view-source:https://a.example",
            "about:blank",
            "\u{feff}javascript:alert(1)",
            "\u{200b}java\u{ad}script\u{2060}:alert(1)",
            "java\0script:alert(1)",
            "javascript&colon;alert(1)",
            "&#106;avascript&#x3A;alert(1)",
            "&Tab;java&NewLine;script:alert(1)",
            "javascript&amp;colon;alert(1)",
            "mocha:x",
            "vbs:x",
            "LiveScript:x",
            "jar:https://a.example/x.jar!/x",
            "feed:javascript:alert(1)",
            "URL: vbscript:x",
            "feed:feed:url:pcast:https://a.example",
        ] {
            assert!(is_script_url(url), "{url:?}");
        }
        for padding in ["&Tab;", "\u{200b}", " ", "feed:"] {
            let url = padding.repeat(10_000) + "javascript:alert(1)";
            assert!(is_script_url(&url), "{padding:?}");
        }
        for url in [
            "",
            "https://a.example/?q=javascript:alert(1)",
            "http://a.example",
            "//a.example/javascript:x",
            "/javascript:x",
            "file:///srv/a.pdf",
            "mailto:a@b.example",
            "database://x",
            "javascript",
            "a javascript:x",
            "urn:isbn:1",
            "feed:https://a.example/rss",
            "url:https://a.example",
            "/a?x=1&amp;y=2",
            "ftp://a.example/&amp;",
            "javascripts:x",
            "my-data:x",
            "javascript\u{ff1a}x",
            "ｊavascript:x",
        ] {
            assert!(!is_script_url(url), "{url:?}");
        }
    }
}
